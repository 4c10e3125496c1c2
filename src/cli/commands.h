#pragma once
// The one table of subcommands: the parser, the help, completions, man pages and the lab are made of it.

#include <memory>

#include "cli/frame/command.h"
#include "cli/frame/command_model.h"

namespace kerlab::cli {

/// The parser of `kerlab` with the global options, which go to `global`.
std::unique_ptr<CLI::App> make_root(GlobalOptions& global);

/// Every subcommand, in the order of the help; their parsers become part of `root`.
std::vector<Command> add_commands(CLI::App& root, const GlobalOptions& global);

/// The whole table as plain data.
CommandModel command_table();

/// Parses as run_words does, runs nothing. Throws UsageError.
void require_valid_words(std::vector<std::string> words);

/// Parses and runs one command line without the program's name. Throws UsageError for what is typed wrongly, and
/// whatever the command throws.
ExitCode run_words(std::vector<std::string> words, GlobalOptions& global);

}  // namespace kerlab::cli
