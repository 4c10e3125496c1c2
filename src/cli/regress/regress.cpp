#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/file.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/interruptible.h"
#include "cli/frame/mistake.h"
#include "cli/frame/option_checks.h"
#include "cli/regress/regress_command.h"
#include "report/text/regress_text.h"
#include "session/regress/regress_folder.h"
#include "session/regress/regress_gate.h"

namespace kerlab::cli {

namespace {

/// --fail-on 2,3,4,5 as typed. Throws UsageError.
std::vector<int> codes(const std::string& typed) {
  std::vector<int> codes;
  for (std::size_t at = 0; at <= typed.size() && typed != "none";) {
    const std::size_t end = std::min(typed.find(',', at), typed.size());
    const std::string word = typed.substr(at, end - at);
    if (word.size() != 1 || word[0] < '2' || word[0] > '5')
      throw UsageError(fmt::format(
          "--fail-on {}: exit codes of 2 (regression), 3 (wrong), 4 (inconclusive), 5 (no comparable baseline), as in "
          "2,3; or none",
          typed));
    codes.push_back(word[0] - '0');
    at = end + 1;
  }
  return codes;
}

ExitCode run_gate(const RegressCommand& command, const GlobalOptions& global) {
  const std::vector<int> fail_on = codes(command.fail_on);
  RegressOptions options;
  options.rig = rig_options(global, "");
  options.only = command.only;
  options.rerun = command.rerun;
  options.changed_only = command.changed_only;
  options.strict_toolchain = command.strict_toolchain;
  options.against_stored = command.against == "stored";
  options.artifacts = command.artifacts;
  options.repeat = regress_repeat(command, global);
  options.gate.time_s = command.time_s;
  options.command = global.typed;
  options.version = version();
  BaselineFolder folder = regress_folder(command);
  options.margins = global.settings->margins;
  if (std::filesystem::exists(folder.settings())) options.margins.read_file(folder.settings().string());
  if (!command.margins_file.empty()) options.margins.read_file(command.margins_file);
  for (const std::string& margin : command.margins) options.margins.set(margin);
  std::optional<Database> database;
  if (!command.without_history) database = Database::open(database_path(global));
  const Interruptible interrupt;
  ProgressLine progress;
  RegressSession session(std::move(options), std::move(folder), database ? &*database : nullptr);
  const bool interrupted = interrupt.run([&] {
    const bool more = session.step();
    const RegressState state = session.state();
    const std::string failed = state.failed > 0 ? fmt::format(" ({} failed)", state.failed) : "";
    if (more)
      progress.update(fmt::format("regress {}/{}{}  {}", state.done, state.total, failed,
                                  state.doing.empty() ? state.label : state.doing));
    return more;
  });
  progress.clear();
  if (interrupted) session.end_here();
  const RegressReport report = session.report();
  return print_regress(command, global, report, regress_code(report, fail_on));
}

ExitCode run_list(const RegressCommand& command, const GlobalOptions& global) {
  const BaselineFolder folder = regress_folder(command);
  if (!folder.exists())
    throw Error(fmt::format("no baseline '{}' in {}; `kerlab regress record{}` makes it", folder.name(),
                            folder.path().parent_path().string(), regress_repeat(command, global)),
                ExitCode::no_baseline);
  return print_baselines(folder, global);
}

ExitCode run_history(const RegressCommand& command, const GlobalOptions& global) {
  const Database database = open_existing_database(global);
  const std::string key = command.words.empty() ? "" : command.words.front();
  const std::vector<RegressRun> runs = database.regress_runs(command.name, key, command.limit);
  if (global.json) {
    JsonValue::Array values;
    for (const RegressRun& run : runs) values.push_back(to_value(run));
    fmt::print("{}\n",
               to_json(json_document("regress history", {{"name", command.name}, {"runs", std::move(values)}})));
  } else if (runs.empty()) {
    fmt::print("no run of baseline '{}'{} in {} yet\n", command.name, key.empty() ? "" : " with " + key + " in its key",
               database.path().string());
  } else {
    fmt::print("{}", history_text(runs, table_width(0), color_on(global, stdout)));
  }
  return ExitCode::passed;
}

/// A run is what goes without saying.
std::string action_of(const RegressCommand& command) {
  const std::vector<std::string> actions = {"run", "record", "accept", "history", "list"};
  if (command.action.empty()) return "run";
  if (std::ranges::find(actions, command.action) == actions.end())
    throw UsageError("kerlab regress " + unknown_word("action", command.action, actions));
  return command.action;
}

/// Which actions look at an option; one that is not here goes with all.
struct OptionOf {
  const char* option;
  std::vector<std::string> actions;
};

/// Throws UsageError: an option that would be ignored was typed by mistake.
void refuse_ignored(const CLI::App& parser, const std::string& action) {
  const std::vector<OptionOf> options = {
      {"--only", {"run", "accept"}},
      {"--rerun", {"run"}},
      {"--changed-only", {"run"}},
      {"--margin", {"run"}},
      {"--margins", {"run"}},
      {"--fail-on", {"run"}},
      {"--strict-toolchain", {"run"}},
      {"--against", {"run"}},
      {"--time", {"run"}},
      {"--junit", {"run"}},
      {"--markdown", {"run"}},
      {"--github", {"run"}},
      {"--all", {"run", "accept"}},
      {"--artifacts", {"run", "record", "accept"}},
      {"--no-history", {"run", "record", "accept"}},
      {"--suite", {"record"}},
      {"--dtype", {"record"}},
      {"--variant", {"record"}},
      {"--config", {"record"}},
      {"--prune", {"record"}},
      {"--unchecked-values", {"record", "accept"}},
      {"--why", {"record", "accept"}},
      {"--limit", {"history"}},
  };
  for (const auto& [option, actions] : options) {
    if (parser.count(option) == 0 || std::ranges::find(actions, action) != actions.end()) continue;
    throw UsageError(
        fmt::format("{}: goes with kerlab regress {}, not with {}", option, fmt::join(actions, ", "), action));
  }
}

ExitCode run(const RegressCommand& command, const CLI::App& parser, const GlobalOptions& global) {
  const std::string action = action_of(command);
  refuse_ignored(parser, action);
  if (!command.against.empty() && command.against != "stored")
    throw UsageError(fmt::format("--against {}: only stored", command.against));
  if (global.dry_run && (action == "record" || action == "accept"))
    throw UsageError(fmt::format("--dry-run: kerlab regress {} has none; --baselines DIR writes elsewhere", action));
  if (action == "record") return run_record(command, global);
  if (!global.problem.empty())
    throw UsageError(fmt::format("--{}: kerlab regress {} takes no problem, the baselines say which",
                                 global.problem.front().name, action));
  if (action == "accept") return run_accept(command, global);
  if (action == "history") return run_history(command, global);
  if (!command.words.empty())
    throw UsageError(fmt::format("kerlab regress {}: {} is too much; --only {} chooses baselines", action,
                                 command.words.front(), command.words.front()));
  return action == "list" ? run_list(command, global) : run_gate(command, global);
}

void add_options(CLI::App& parser, RegressCommand& command) {
  parser.add_option("action", command.action, "run (the default), record [FAMILY], accept KEY..., history [KEY], list")
      ->type_name("run|record|accept|history|list");
  parser.add_option("words", command.words, "what to record; keys of what to accept or tell the history of")
      ->type_name("FAMILY|KEY");
  parser.add_option("--name", command.name, "of the baseline");
  parser
      .add_option("--baselines", command.parent,
                  "folder of baselines (kerlab-baselines here; in a checkout of kerlab its tuning_db/baselines)")
      ->type_name("DIR");
  parser.add_option("--only", command.only, "baselines with this in their key; may be repeated")
      ->type_name("KEY")
      ->expected(1)
      ->take_all();
  parser.add_flag("--rerun", command.rerun, "run: also what is the same program as it was");
  parser.add_flag("--changed-only", command.changed_only,
                  "run: not what is the same program as it was, even where it would be checked otherwise today");
  parser
      .add_option("--margin", command.margins, "run: what a figure may grow by, as in instructions=2% or registers=off")
      ->type_name("FIGURE=SHARE")
      ->expected(1)
      ->take_all();
  parser.add_option("--margins", command.margins_file, "run: a TOML file with [margins]")->type_name("FILE");
  parser.add_option("--fail-on", command.fail_on, "verdicts that make it fail: exit codes of 2,3,4,5, or none")
      ->type_name("CODES");
  parser.add_flag("--strict-toolchain", command.strict_toolchain,
                  "run: what a new compiler makes worse of the same source fails as well");
  parser.add_option("--against", command.against,
                    "run: stored: recorded times are a floor, where everything else is the same");
  parser
      .add_option("--time", command.time_s,
                  "run: seconds after which timing on a GPU takes no more processes than the first five and those that "
                  "confirm; longer kernels come first (default: as long as it takes)")
      ->check(takes_number(0, 86400));
  parser.add_option("--artifacts", command.artifacts, "images by digest, besides the database")->type_name("DIR");
  parser.add_flag("--no-history", command.without_history, "run, record: needs no database and writes none");
  parser.add_flag("--all", command.all, "show what passed as well; accept: every baseline of the device");
  parser.add_option("--junit", command.junit, "run: write JUnit XML")->type_name("FILE");
  parser.add_option("--markdown", command.markdown, "run: write Markdown")->type_name("FILE");
  parser.add_flag("--github", command.github, "run: annotations, and Markdown to GITHUB_STEP_SUMMARY");
  parser.add_option("--suite", command.suite, "record: every problem of this file, or of a shipped suite")
      ->type_name("FILE");
  parser.add_option("--dtype", command.dtype, "record: default: the family's first that the device supports");
  parser
      .add_option("--variant", command.variants, "record: default: the winner, the shipped one, those that are tuned")
      ->delimiter(',')
      ->allow_extra_args(false);
  parser.add_option("--config", command.configuration, "record: \"BM=128,BN=64\"");
  parser.add_option("--why", command.why, "record, accept: the reason, which is kept");
  parser.add_flag("--prune", command.prune, "record: baselines of the device that are not recorded now go away");
  parser.add_flag("--unchecked-values", command.unchecked_values,
                  "record, accept: values of the kernels' parameters may be ones that nobody has checked");
  parser.add_option("--limit", command.limit, "history: at most so many runs")->check(takes_whole(1, 1000000));
}

}  // namespace

Command add_regress(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<RegressCommand>();
  CLI::App* parser =
      root.add_subcommand("regress", "today's kernels against recorded ones: still correct, still as fast?");
  add_options(*parser, *command);
  parser->group("Verify");
  parser->footer(
      "examples: kerlab regress record --suite regress --device emu:h200\n"
      "          kerlab regress --device emu:h200 --github --junit kerlab.xml\n"
      "          kerlab regress accept gemm/reg2d --why \"double buffering\" --device emu:h200");
  return {parser, true, [command, parser, &global] { return run(*command, *parser, global); }, false,
          [command] { return command->action == "list" || command->action == "history"; }};
}

}  // namespace kerlab::cli
