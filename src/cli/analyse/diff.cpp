#include <CLI/CLI.hpp>

#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/waiting.h"
#include "report/text/diff_text.h"
#include "session/analyse/inspect.h"
#include "session/find/source_difference.h"

namespace kerlab::cli {

namespace {

struct DiffCommand {
  std::string a, b, dtype;
  bool all = false;
};

Inspection inspected(const std::string& subject, const DiffCommand& command, const GlobalOptions& global,
                     const Database* database) {
  InspectOptions options;
  options.subject = parse_subject(subject);
  options.rig = rig_options(global, "");
  if (options.subject.trial == 0) {
    options.arguments = global.problem;
    options.dtype = command.dtype;
  }
  return Waiting("diff: " + subject).run(inspect_as_far_as_possible(std::move(options), database));
}

ExitCode run(const DiffCommand& command, const GlobalOptions& global) {
  const auto database = database_if_there(global);
  const Database* stored = database ? &*database : nullptr;
  const Inspection a = inspected(command.a, command, global, stored), b = inspected(command.b, command, global, stored);
  const std::string source = source_difference(a.source, b.source, {a.source.path, b.source.path, ""});
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("diff", diff_value(a, b, source))));
  } else {
    fmt::print("{}", diff_text(a, b, source, command.all, color_on(global, stdout), table_width(0)));
  }
  return ExitCode::passed;
}

}  // namespace

Command add_diff(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<DiffCommand>();
  CLI::App* parser =
      root.add_subcommand("diff", "two kernels side by side: parameters, source, resources, counts, times");
  parser->group("Understand");
  parser->footer(
      "examples: kerlab diff 12 15\n          kerlab diff gemm/reg2d:BM=64 gemm/reg2d:BM=128 --M 1024 --dtype fp32");
  parser
      ->add_option("a", command->a,
                   "a trial's id, or FAMILY[/VARIANT][@REVISION][:NAME=VALUE,...]; @HEAD~3: as git has it there")
      ->type_name("KERNEL")
      ->required();
  parser->add_option("b", command->b, "the same")->type_name("KERNEL")->required();
  parser->add_option("--dtype", command->dtype, "of the problem, when it is no trial's");
  parser->add_flag("--all", command->all, "show what is equal as well");
  return {parser, true, [command, &global] { return run(*command, global); }, false, [] { return true; }};
}

}  // namespace kerlab::cli
