#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/tune_screen.h"
#include "db/database.h"
#include "session/tune.h"

namespace kerlab {

namespace {

TuneOptions complete(TuneOptions options, const GlobalOptions& global) {
  options.rig = rig_options(global, options.rig.target);
  options.arguments = global.problem;
  options.command = global.typed;
  options.version = version();
  return options;
}

ExitCode run(TuneOptions options, const GlobalOptions& global) {
  const bool color = color_on(global, stdout);
  Database database = Database::open(database_path(global));
  if (global.dry_run) {
    const TunePlan plan = plan_tune(options, database);
    fmt::print("{}", global.json ? tune_plan_json(plan) : tune_plan_text(plan, color));
    return ExitCode::passed;
  }
  InterruptFlag interrupt;
  ProgressLine progress;
  TuneSession session(std::move(options), database);
  bool more = true;
  while (more && !interrupt.raised()) {
    more = session.step();
    for (const std::string& note : session.take_notes()) progress.note(note);
    progress.update(tune_line(session.state()));
  }
  if (more) session.interrupt();
  progress.clear();
  const TuneResult result = session.result();
  fmt::print("{}", global.json ? tune_json(result) : tune_screen(result, color));
  if (more) return ExitCode::interrupted;
  return result.rows.empty() ? ExitCode::failed : ExitCode::passed;
}

}  // namespace

Command add_tune(CLI::App& root, const GlobalOptions& global) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* parser = root.add_subcommand("tune", "find the fastest verified configuration; resumes by default");
  parser->add_option("family", options->rig.target, "a family's name (kerlab list), or a folder")->required();
  parser->add_option("--dtype", options->dtype, "default: the family's first that the device supports");
  parser->add_option("--variant", options->variants.names, "only these; \"all\": every one")->delimiter(',');
  parser->add_flag("--ladder", options->variants.ladder, "also every other rung, at its default configuration");
  parser->add_flag("--all", options->variants.all, "on an emulated device: the whole space, not its quick part");
  parser->add_flag("--full", options->screening.full, "on an emulated device: execute every block of every candidate");
  parser->add_option("--search", options->search, "exhaustive (default up to 512 candidates) or random")
      ->check(CLI::IsMember({"exhaustive", "random"}));
  parser->add_option("--trials", options->trials, "try at most this many")->check(CLI::PositiveNumber);
  parser->add_option("--time", options->screening.time_s, "begin no candidate after this many seconds")
      ->check(CLI::PositiveNumber);
  parser->add_option("--timeout", options->screening.timeout_s, "seconds that check and timing of a candidate may take")
      ->check(CLI::PositiveNumber);
  parser->add_option("--seed", options->seed, "of the shuffle");
  parser->add_flag("--fresh", options->screening.fresh, "try again what is stored");
  parser->add_flag("--spills", options->screening.allow_spills,
                   "also try configurations that spill more than 64 bytes a thread");
  return {parser, true, [options, &global] { return run(complete(*options, global), global); }};
}

}  // namespace kerlab
