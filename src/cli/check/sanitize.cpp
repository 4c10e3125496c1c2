#include "cli/check/sanitize.h"
#include "cli/frame/interruptible.h"

#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "cli/frame/suite.h"
#include "report/text/findings_text.h"
#include "session/check/sanitize.h"
#include "session/find/save.h"

namespace kerlab::cli {

namespace {

constexpr std::chrono::minutes kOpinionDeadline{10};

std::vector<LocatedFinding> located(const std::vector<VariantFinding>& findings) {
  std::vector<LocatedFinding> list;
  for (const VariantFinding& f : findings) list.push_back({f.finding, f.source, f.other_source, f.labels, f.problem});
  return list;
}

/// What compute-sanitizer said.
struct Opinion {
  std::string command;
  bool run = false;
  ProcessResult result;
};

struct SanitizeRun {
  std::vector<SanitizeRow> rows;
  std::vector<VariantFindings> findings;
  std::vector<Opinion> opinions;
  std::string device;
  CheckEnd end;
  ExitCode code = ExitCode::passed;
};

std::string shell_line(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(quoted(word));
  return fmt::format("{}", fmt::join(words, " "));
}

/// One tool after the other on the first configuration that can say most: one with findings, else the last.
std::vector<Opinion> second_opinion(const SanitizeRun& run, const SanitizeCommand& command,
                                    const GlobalOptions& global) {
  const auto ran = [](const SanitizeRow& row) { return !row.launches.empty(); };
  auto row = std::ranges::find_if(run.rows, [](const SanitizeRow& r) { return r.findings() > 0; });
  if (row == run.rows.end()) row = std::ranges::find_if(run.rows, ran);
  if (row == run.rows.end()) return {};
  std::vector<std::string> options = {"--device", global.device.starts_with("cuda:") ? global.device : "cuda:0"};
  for (const std::string& folder : global.kernels) options.insert(options.end(), {"--kernels", folder});
  std::vector<Opinion> opinions;
  for (SecondOpinion& opinion :
       second_opinions(*row, command.options.rig.target, executable_path().string(), options)) {
    Opinion& one = opinions.emplace_back();
    one.command = shell_line(opinion.command);
    if (!command.second_opinion) continue;
    const auto program = find_toolkit_program(opinion.command.front());
    if (program.empty())
      throw Error(
          "--second-opinion: no compute-sanitizer in PATH, CUDA_HOME/bin or /usr/local/cuda/bin; it comes with the "
          "CUDA Toolkit",
          ExitCode::inconclusive);
    opinion.command.front() = program.string();
    one.result = run_process(opinion.command, kOpinionDeadline);
    one.run = true;
  }
  return opinions;
}

/// Wrong before failed before inconclusive.
ExitCode verdict(const SanitizeRun& run) {
  ExitCode code = run.rows.empty() ? ExitCode::inconclusive : ExitCode::passed;
  for (const SanitizeRow& row : run.rows) {
    if (row.findings() > 0) return ExitCode::wrong;
    if (row.trial.status == TrialStatus::unsupported && code == ExitCode::passed) code = ExitCode::inconclusive;
    if (row.trial.status != TrialStatus::passed && row.trial.status != TrialStatus::unsupported)
      code = ExitCode::failed;
  }
  for (const Opinion& opinion : run.opinions)
    if (opinion.run && opinion.result.exit_code == 3) return ExitCode::wrong;
  return code;
}

SanitizeRun run_session(const SanitizeCommand& command, CheckOptions options, const GlobalOptions& global,
                        const Database& database, const Interruptible& interrupt, const std::string& prefix) {
  options.rig = rig_options(global, options.rig.target);
  options.rig.named = options.variants;
  SanitizeCommand here = command;
  here.options.rig.target = options.rig.target;
  ProgressLine progress;
  SanitizeSession session(std::move(options), database);
  const bool interrupted = interrupt.run([&] {
    const bool more = session.step();
    const CheckState state = session.state();
    progress.update(fmt::format("{}sanitize {}/{}{}  {}", prefix, state.done, state.total,
                                state.failed > 0 ? fmt::format(" ({} with findings)", state.failed) : "", state.label));
    return more;
  });
  progress.clear();
  for (const std::string& note : session.notes()) fmt::print(stderr, "{}\n", note);
  SanitizeRun run;
  run.rows = session.rows();
  run.findings = session.findings();
  run.device = session.rig().device().id;
  const CheckState state = session.state();
  if (interrupted || state.stopped) run.end = {state.total - state.done, interrupted};
  if (!interrupted) run.opinions = second_opinion(run, here, global);
  run.code = interrupted ? ExitCode::interrupted : verdict(run);
  return run;
}

void print_text(const SanitizeRun& run, bool color) {
  for (const VariantFindings& findings : run.findings) {
    std::size_t ended = 0, all = 0;
    for (const SanitizeRow& row : run.rows) {
      if (row.trial.variant != findings.variant) continue;
      ++all;
      ended += row.launches.empty() ? 0 : 1;
    }
    if (ended > 0) fmt::print("{}", findings_text(findings.variant, located(findings.findings), color));
    if (ended < all)
      fmt::print("{}: {} of {} did not run\n", findings.variant, all - ended,
                 format_count(static_cast<std::int64_t>(all), "configuration"));
  }
  for (const SanitizeRow& row : run.rows) {
    if (row.trial.status == TrialStatus::passed) continue;
    fmt::print("{} {}: {}: {}\n", styled(name(row.trial.status), Style::bad, color), row.problem.title(),
               label_text(row.trial), row.trial.message);
  }
  const auto clean = std::ranges::count_if(
      run.rows, [](const SanitizeRow& row) { return row.trial.status == TrialStatus::passed && row.findings() == 0; });
  fmt::print("{} of {} without findings on {}\n", clean, format_count(std::ssize(run.rows), "configuration"),
             run.device);
  if (run.end.left > 0)
    fmt::print("{}: {} more were not looked at\n",
               run.end.interrupted ? "interrupted" : "stopped at the first finding (--fail-fast)", run.end.left);
  for (const Opinion& opinion : run.opinions) {
    if (!opinion.run) continue;
    fmt::print("ended with {}: {}\n{}{}", opinion.result.exit_code, opinion.command, opinion.result.out,
               opinion.result.err);
  }
  if (!run.opinions.empty() && !run.opinions.front().run)
    fmt::print(
        "second opinion: --second-opinion, on a machine with a GPU, runs compute-sanitizer's tools on the same\n");
}

JsonValue rows_value(const std::vector<SanitizeRow>& rows) {
  JsonValue::Array values;
  for (const SanitizeRow& row : rows) {
    JsonValue::Array launches;
    for (const SanitizedLaunch& launch : row.launches) {
      launches.push_back(JsonValue::Object{{"kernel", launch.kernel},
                                           {"blocks", launch.blocks},
                                           {"blocks_run", launch.blocks_run},
                                           {"faulted", launch.faulted},
                                           {"findings", to_values(launch.findings)}});
    }
    values.push_back(JsonValue::Object{
        {"problem", row.problem.key()}, {"trial", to_value(row.trial)}, {"launches", std::move(launches)}});
  }
  return values;
}

JsonValue::Object run_value(const SanitizeRun& run) {
  std::size_t found = 0;
  for (const SanitizeRow& row : run.rows) found += row.findings();
  JsonValue::Array opinions;
  for (const Opinion& opinion : run.opinions)
    opinions.push_back(JsonValue::Object{{"command", opinion.command},
                                         {"exit_code", opinion.run ? JsonValue(opinion.result.exit_code) : JsonValue()},
                                         {"output", opinion.result.out + opinion.result.err}});
  return {{"device", run.device},
          {"rows", rows_value(run.rows)},
          {"left", run.end.left},
          {"findings", found},
          {"second_opinions", std::move(opinions)}};
}

ExitCode run_sanitize_suite(const SanitizeCommand& command, const GlobalOptions& global) {
  const Suite suite = open_suite(command.suite, command.options.rig.target, command.options.dtype, global);
  const Database database = Database::open(database_path(global));
  const bool color = color_on(global, stdout);
  const Interruptible interrupt;
  JsonValue::Array results;
  const auto outcomes = run_suite(suite, interrupt.flag(), [&](const SuiteProblem& problem, const std::string& prefix) {
    CheckOptions options = command.options;
    options.rig.target = problem.family;
    options.arguments = problem.arguments;
    options.dtype = problem.dtype;
    options.without_winner = problem.variants;
    const SanitizeRun run = run_session(command, std::move(options), global, database, interrupt, prefix);
    if (global.json) {
      JsonValue::Object value{{"name", problem.name}, {"problem", problem.title}};
      for (auto& member : run_value(run)) value.push_back(std::move(member));
      results.push_back(std::move(value));
    } else {
      fmt::print("{}{}: {}\n", prefix, problem.name, problem.title);
      print_text(run, color);
    }
    std::fflush(stdout);
    return run.code;
  });
  for (const SuiteOutcome& outcome : outcomes)
    if (!outcome.error.empty()) fmt::print(stderr, "{}: {}\n", outcome.problem.title, outcome.error);
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("sanitize", {{"suite", suite.name}, {"results", std::move(results)}})));
  } else {
    fmt::print("\n{}", suite_verdict(suite, outcomes));
  }
  return interrupt.raised() ? ExitCode::interrupted : suite_code(outcomes);
}

}  // namespace

ExitCode run_sanitize(const SanitizeCommand& command, const GlobalOptions& global) {
  if (!command.suite.empty()) return run_sanitize_suite(command, global);
  CheckOptions options = command.options;
  options.arguments = global.problem;
  const Database database = Database::open(database_path(global));
  const Interruptible interrupt;
  const SanitizeRun run = run_session(command, std::move(options), global, database, interrupt, "");
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("sanitize", run_value(run))));
  } else {
    print_text(run, color_on(global, stdout));
  }
  return run.code;
}

}  // namespace kerlab::cli
