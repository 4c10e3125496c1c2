#include <CLI/CLI.hpp>

#include "base/file.h"
#include "base/utc_time.h"
#include "cli/commands.h"
#include "cli/frame/mistake.h"
#include "cli/help/man_page.h"

namespace kerlab::cli {

namespace {

struct ManOptions {
  std::string command, folder;
};

constexpr const char* kManDetails =
    "write man pages: of kerlab, of one command, or all of them to a folder\n"
    "An installed kerlab has them in share/man/man1. They are made of the same table as --help. Without a folder the "
    "page "
    "goes to standard output, as roff.";

ExitCode write_pages(const CommandModel& table, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("--dir {}: the folder cannot be made: {}", folder, error.message()));
  const auto write = [&](const CommandModel& command) {
    write_atomic(std::filesystem::path(folder) / (man_name(table, command) + ".1"),
                 man_page(table, command, utc_date()));
  };
  write(table);
  for (const CommandModel& command : table.commands)
    if (!command.hidden) write(command);
  return ExitCode::passed;
}

ExitCode run(const ManOptions& options) {
  const CommandModel table = command_table();
  if (!options.folder.empty()) {
    if (!options.command.empty())
      throw UsageError(fmt::format("kerlab man {} --dir: a folder gets every page", options.command));
    return write_pages(table, options.folder);
  }
  const CommandModel* command = options.command.empty() ? &table : table.find(options.command);
  if (command == nullptr) throw UsageError(unknown_command(table, options.command));
  fmt::print("{}", man_page(table, *command, utc_date()));
  return ExitCode::passed;
}

}  // namespace

Command add_man(CLI::App& root, const GlobalOptions& /*global*/) {
  auto options = std::make_shared<ManOptions>();
  CLI::App* parser = root.add_subcommand("man", kManDetails);
  parser->group("Find your way");
  parser->footer("examples: kerlab man tune | man -l -\n          kerlab man --dir ~/.local/share/man/man1");
  parser->add_option("command", options->command, "which; none: kerlab itself")->type_name("COMMAND");
  parser->add_option("--dir", options->folder, "write every page into this folder, which is made")->type_name("DIR");
  return {parser, false, [options] { return run(*options); }, false, [] { return true; }};
}

}  // namespace kerlab::cli
