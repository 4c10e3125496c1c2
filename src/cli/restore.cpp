#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/existing_database.h"
#include "report/json.h"
#include "session/saves.h"

namespace kerlab {

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

ExitCode run(std::int64_t number, const GlobalOptions& global) {
  Database database = open_existing_database(global);
  const RestorePlan plan = plan_restore(database, number);
  const bool write = !global.dry_run && !plan.changes_nothing();
  const std::int64_t back = write ? restore(database, plan) : 0;
  if (global.json) {
    print_json(plan, back, write);
    return ExitCode::passed;
  }
  for (const FileToRestore& file : plan.files) {
    if (!file.differs) continue;
    fmt::print("{} {}{}\n", write ? "wrote" : "would write", (plan.folder / file.name).string(),
               file.missing ? " (there was none)" : "");
  }
  const std::string again = repeated_database(global);
  if (plan.changes_nothing())
    fmt::print("{} is as in save {} already\n", plan.folder.string(), number);
  else if (write)
    fmt::print("as it was before: kerlab restore {}{}\n", back, again);
  return ExitCode::passed;
}

}  // namespace

Command add_restore(CLI::App& root, const GlobalOptions& global) {
  auto number = std::make_shared<std::int64_t>(0);
  CLI::App* parser = root.add_subcommand("restore", "write a kept save back; what is there now is kept first");
  parser->group("Your own kernels");
  parser->footer("example: kerlab restore 12 --dry-run");
  parser->add_option("save", *number, "its number in kerlab history")->required()->check(CLI::Range(1, 2147483647));
  return {parser, false, [number, &global] { return run(*number, global); }};
}

}  // namespace kerlab
