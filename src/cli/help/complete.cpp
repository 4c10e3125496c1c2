#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/help/completion.h"

namespace kerlab::cli {

namespace {

/// Of the settings; a mistake in them is told when a command runs.
KnownFolders known_folders() {
  KnownFolders folders;
  try {
    const Settings settings = read_settings();
    for (const Setting& folder : settings.kernels) folders.kernels.families.emplace_back(folder.value);
    for (const Setting& folder : settings.suites) folders.suites.emplace_back(folder.value);
  } catch (const std::exception&) {
    return {};
  }
  return folders;
}

/// A line for each: the word, a tab, what it is. A shell asks at every press of a key: nothing that goes wrong is told.
void print_completions(std::vector<std::string> words) {
  try {
    const std::string word = words.empty() ? "" : words.back();
    if (!words.empty()) words.pop_back();
    for (const Completion& completion : complete(command_table(), words, word, known_folders()))
      fmt::print("{}\t{}\n", completion.text, completion.doc.substr(0, completion.doc.find('\n')));
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace

Command add_complete(CLI::App& root, const GlobalOptions& /*global*/) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* parser = root.add_subcommand("complete", "what may be typed next, for the scripts of kerlab completion");
  parser->group("");  // not for people
  parser->add_option("words", *words, "after --: the command line without its first word, the last to be completed");
  return {parser, false, [words] {
            print_completions(*words);
            return ExitCode::passed;
          }};
}

}  // namespace kerlab::cli
