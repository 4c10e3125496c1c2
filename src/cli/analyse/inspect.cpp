#include <CLI/CLI.hpp>

#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/option_checks.h"
#include "cli/frame/subject_words.h"
#include "cli/frame/waiting.h"
#include "report/text/inspect_text.h"
#include "session/analyse/inspect.h"

namespace kerlab::cli {

namespace {

struct InspectCommand {
  std::vector<std::string> words;  ///< the subject, then NAME=VALUE of its configuration
  std::string dtype, configuration;
  int lines = 12;
};

ExitCode run(const InspectCommand& command, const GlobalOptions& global) {
  InspectOptions options;
  options.subject = subject_of_words(command.words, command.configuration);
  options.rig = rig_options(global, "");
  options.arguments = global.problem;
  options.dtype = command.dtype;
  const auto database = database_if_there(global);
  const Inspection kernel = Waiting("inspect").run(inspect(std::move(options), database ? &*database : nullptr));
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("inspect", inspect_value(kernel))));
  } else {
    fmt::print("{}", inspect_text(kernel, command.lines, color_on(global, stdout), table_width(0)));
  }
  return ExitCode::passed;
}

}  // namespace

Command add_inspect(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<InspectCommand>();
  CLI::App* parser =
      root.add_subcommand("inspect", "what a kernel does by source line, and what holds it back; needs no GPU");
  parser->group("Understand");
  parser->footer(
      "examples: kerlab inspect gemm/reg2d --M 1024 --dtype fp32 BM=64 BN=64\n"
      "          kerlab inspect softmax/row_per_block --lines 20");
  parser
      ->add_option("kernel", command->words,
                   "FAMILY[/VARIANT][@REVISION] and NAME=VALUE of its configuration, or a trial's id")
      ->required();
  parser->add_option("--dtype", command->dtype, "default: the family's first that the device supports");
  parser->add_option("--config", command->configuration, "\"BM=128,BN=64\"; others take their defaults");
  parser->add_option("--lines", command->lines, "source lines shown of each launch")->check(takes_whole(1, 10000));
  return {parser, true, [command, &global] { return run(*command, global); }, false, [] { return true; }};
}

}  // namespace kerlab::cli
