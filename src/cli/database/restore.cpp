#include <CLI/CLI.hpp>

#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/option_checks.h"
#include "report/form/json.h"
#include "session/history/saves.h"

namespace kerlab::cli {

namespace {

void print_json(const RestorePlan& plan, std::int64_t back, bool written) {
  JsonValue::Array files;
  for (const FileToRestore& file : plan.files)
    files.push_back(JsonValue::Object{{"name", file.name}, {"differs", file.differs}, {"missing", file.missing}});
  fmt::print("{}\n", to_json(json_document("restore", {{"save", plan.save.id},
                                                       {"folder", plan.folder.string()},
                                                       {"files", std::move(files)},
                                                       {"written", written},
                                                       {"back", back > 0 ? JsonValue(back) : JsonValue()}})));
}

struct RestoreCommand {
  std::int64_t number = 0;
  std::string to;
};

ExitCode run(const RestoreCommand& command, const GlobalOptions& global) {
  Database database = open_existing_database(global);
  const RestorePlan plan = plan_restore(database, command.number, command.to);
  const bool write = !global.dry_run && !plan.changes_nothing();
  const std::int64_t back = write ? restore(database, plan) : 0;
  if (global.json) {
    print_json(plan, back, write);
    return ExitCode::passed;
  }
  for (const FileToRestore& file : plan.files) {
    if (!file.differs) continue;
    fmt::print("{} {}{}\n", write ? "wrote" : "would write", (plan.folder / file.name).string(),
               file.missing && !plan.elsewhere ? " (there was none)" : "");
  }
  const std::string again = repeated_database(global);
  if (plan.changes_nothing())
    fmt::print("{} is as in save {} already\n", plan.folder.string(), command.number);
  else if (back > 0)
    fmt::print("what was there before: kerlab restore {}{}{}\n", back, again,
               std::ranges::any_of(plan.files, &FileToRestore::missing) ? " (files that were missing stay)" : "");
  return ExitCode::passed;
}

}  // namespace

Command add_restore(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<RestoreCommand>();
  CLI::App* parser = root.add_subcommand("restore", "write a kept save back; what is there now is kept first");
  parser->group("Your own kernels");
  parser->footer("examples: kerlab restore 12 --dry-run\n          kerlab restore 12 --to my_op_before");
  parser->add_option("save", command->number, "its number in kerlab history")
      ->required()
      ->check(takes_whole(1, 2147483647));
  parser->add_option("--to", command->to, "a new folder to write it to, in place of the kernel's own")
      ->type_name("DIR");
  return {parser, false, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab::cli
