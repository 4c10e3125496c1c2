#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/frame/help_text.h"
#include "cli/frame/mistake.h"

namespace kerlab::cli {

namespace {

ExitCode print_help(const std::vector<std::string>& words, const GlobalOptions& global) {
  const CommandModel table = command_table();
  const CommandModel* command = &table;
  std::string name = table.name;
  for (const std::string& word : words) {
    const CommandModel* below = command->find(word);
    if (below == nullptr) throw UsageError(unknown_command(*command, word));
    name += " " + word;
    command = below;
  }
  fmt::print("{}", help_text(*command, name, terminal_width(stdout), color_on(global, stdout)));
  return ExitCode::passed;
}

}  // namespace

Command add_help(CLI::App& root, const GlobalOptions& global) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* parser = root.add_subcommand("help", "explain a command");
  parser->group("Find your way");
  parser->footer("examples: kerlab help tune\n          kerlab help db trials");
  parser->add_option("command", *words, "which; none: kerlab itself")->type_name("COMMAND");
  return {parser, false, [words, &global] { return print_help(*words, global); }, false, [] { return true; }};
}

}  // namespace kerlab::cli
