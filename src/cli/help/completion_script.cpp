#include <CLI/CLI.hpp>

#include "base/embedded.h"
#include "cli/frame/command.h"
#include "cli/frame/mistake.h"

namespace kerlab::cli {

namespace {

constexpr const char* kScriptDetails =
    "print the completion script of a shell: bash, zsh or fish\n"
    "Completes commands, options, families, variants, parameters and their values, dtypes, dimensions, devices and "
    "suites. The script asks the program for the words, so that it never needs to be written again; with ./kerlab of a "
    "checkout it works as well.\n"
    "An installed kerlab has its scripts where the shells look for them, below share/. Else put into ~/.bashrc, or "
    "into "
    "~/.zshrc after compinit: eval \"$(kerlab completion bash)\", with zsh for bash; into ~/.config/fish/config.fish: "
    "kerlab completion fish | source.";

std::string_view script_of(const std::string& shell) {
  for (const EmbeddedFile& file : kCompletionFiles)
    if (file.name == "kerlab." + shell) return file.text;
  throw UsageError("kerlab completion " + unknown_word("shell", shell, {"bash", "zsh", "fish"}));
}

}  // namespace

Command add_completion(CLI::App& root, const GlobalOptions& /*global*/) {
  auto shell = std::make_shared<std::string>();
  CLI::App* parser = root.add_subcommand("completion", kScriptDetails);
  parser->group("Find your way");
  parser->footer(
      "examples: kerlab completion bash > ~/.local/share/bash-completion/completions/kerlab\n"
      "          kerlab completion fish | source");
  parser->add_option("shell", *shell, "whose")->type_name("bash|zsh|fish")->required();
  return {parser, false, [shell] {
            fmt::print("{}", script_of(*shell));
            return ExitCode::passed;
          }};
}

}  // namespace kerlab::cli
