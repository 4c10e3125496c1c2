// `kerlab regress record` and `kerlab regress accept`.

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/terminal.h"
#include "cli/frame/interruptible.h"
#include "cli/frame/suite.h"
#include "cli/regress/regress_command.h"
#include "report/text/regress_text.h"
#include "session/regress/regress_record.h"

namespace kerlab::cli {

namespace {

std::size_t worse(const RecordRow& row) {
  return static_cast<std::size_t>(
      std::ranges::count(row.changes, FigureChange::Judgement::worse, &FigureChange::judgement));
}

std::string outcome(const RecordRow& row, bool accept) {
  if (!row.error.empty()) return "refused";
  if (!row.recorded) return "unchanged";
  return accept ? "accepted" : "recorded";
}

void print_rows(const RecordSession& session, const BaselineFolder& folder, bool accept, const GlobalOptions& global) {
  const bool color = color_on(global, stdout);
  Table table{{{"baseline"},
               {"kernel", Align::left, true},
               {"chosen", Align::left, true},
               {"err/bound", Align::right},
               {"figures"}},
              {}};
  for (const RecordRow& row : session.rows()) {
    const std::string figures =
        row.changes.empty() ? "" : fmt::format("{} changed, {} worse", row.changes.size(), worse(row));
    table.rows.push_back({outcome(row, accept), row.key.empty() ? row.title + " " + row.variant : row.key, row.chosen,
                          row.error.empty() ? fmt::format("{:.2f}", row.trial.error_ratio) : "-", figures});
  }
  fmt::print("{}", text_table(table, color, 0, table_width(0)));
  for (const RecordRow& row : session.rows())
    if (!row.error.empty())
      fmt::print("{} {} {}: {}\n", styled("refused", Style::bad, color), row.title, row.variant, row.error);
  for (const std::string& note : session.notes()) fmt::print("{}\n", note);
  const auto written = std::ranges::count_if(session.rows(), [](const RecordRow& row) { return row.recorded; });
  fmt::print("{} of {} written to {}\n", written, session.rows().size(), folder.path().string());
}

JsonValue to_json_rows(const std::vector<RecordRow>& rows, bool accept) {
  JsonValue::Array values;
  for (const RecordRow& row : rows)
    values.push_back(JsonValue::Object{{"key", row.key},
                                       {"problem", row.title},
                                       {"variant", row.variant},
                                       {"configuration", row.configuration},
                                       {"chosen", row.chosen},
                                       {"outcome", outcome(row, accept)},
                                       {"error", row.error},
                                       {"error_ratio", row.trial.error_ratio},
                                       {"figures_changed", row.changes.size()},
                                       {"figures_worse", worse(row)}});
  return values;
}

ExitCode run_session(RecordOptions options, const RegressCommand& command, const GlobalOptions& global) {
  const bool accept = options.accept;
  std::optional<Database> database;
  if (!command.without_history) database = Database::open(database_path(global));
  const BaselineFolder folder = regress_folder(command);
  const Interruptible interrupt;
  ProgressLine progress;
  RecordSession session(std::move(options), folder, database ? &*database : nullptr);
  const bool interrupted = interrupt.run([&] {
    const bool more = session.step();
    progress.update(fmt::format("record {}/{}  {}", session.done(), session.total(), session.doing()));
    return more;
  });
  progress.clear();
  if (global.json)
    fmt::print("{}\n", to_json(json_document(accept ? "regress accept" : "regress record",
                                             {{"name", folder.name()},
                                              {"folder", folder.path().string()},
                                              {"device", session.device()},
                                              {"rows", to_json_rows(session.rows(), accept)},
                                              {"notes", session.notes()}})));
  else
    print_rows(session, folder, accept, global);
  return interrupted ? ExitCode::interrupted : record_code(session.rows());
}

RecordOptions common_options(const RegressCommand& command, const GlobalOptions& global) {
  RecordOptions options;
  options.rig = rig_options(global, "");
  options.why = command.why;
  options.artifacts = command.artifacts;
  options.unchecked_values = command.unchecked_values;
  options.repeat = regress_repeat(command, global);
  options.command = global.typed;
  options.version = version();
  return options;
}

/// What baseline.toml says where this suite's problems are recorded: the margins go with the baselines, where they can
/// be reviewed. Empty: what is there stays, of another suite with the same margins. Throws Error where that has others.
std::string settings_text(const std::filesystem::path& file, const Suite& suite) {
  const std::string margins = read_margins(suite.file.string()).text();
  const std::string name = fmt::format("suite = \"{}\"\n", suite.name);
  if (std::filesystem::exists(file) && read_text(file).find("\n" + name) == std::string::npos) {
    if (read_margins(file.string()).text() == margins) return "";
    throw Error(fmt::format(
        "{} has the [margins] of another suite, which differ from those of '{}': record it under another name "
        "(--name {})",
        file.string(), suite.name, suite.name));
  }
  return fmt::format(
      "# Written by `kerlab regress record --suite {}`: [margins] differ from the defaults (docs/regress.md).\n"
      "format = 1\n{}{}{}",
      suite.name, name, margins.empty() ? "" : "\n", margins);
}

}  // namespace

ExitCode run_record(const RegressCommand& command, const GlobalOptions& global) {
  if (command.words.size() > 1)
    throw UsageError(fmt::format("kerlab regress record: one family, not {} as well", command.words[1]));
  RecordOptions options = common_options(command, global);
  options.prune = command.prune;
  const std::string target = command.words.empty() ? "" : command.words.front();
  if (!command.suite.empty()) {
    const Suite suite = open_suite(command.suite, target, command.dtype, global);
    for (const SuiteProblem& problem : suite.problems)
      options.problems.push_back({problem.family, problem.arguments, problem.dtype,
                                  command.variants.empty() ? problem.variants : command.variants, command.configuration,
                                  problem.min_tflops});
    const BaselineFolder folder = regress_folder(command);
    settings_text(folder.settings(), suite);  // what is wrong is told before anything runs
    const ExitCode code = run_session(std::move(options), command, global);
    const BaselineFolder::Lock lock(folder);
    if (const std::string text = settings_text(folder.settings(), suite); !text.empty())
      write_atomic(folder.settings(), text);
    return code;
  }
  if (target.empty() && (!global.problem.empty() || !command.variants.empty() || !command.configuration.empty()))
    throw UsageError("kerlab regress record: name a family (kerlab list), or --suite FILE");
  if (!target.empty())
    options.problems.push_back({target, global.problem, command.dtype, command.variants, command.configuration, 0});
  return run_session(std::move(options), command, global);
}

ExitCode run_accept(const RegressCommand& command, const GlobalOptions& global) {
  RecordOptions options = common_options(command, global);
  options.accept = true;
  options.keys = command.words;
  options.keys.insert(options.keys.end(), command.only.begin(), command.only.end());
  if (options.keys.empty() && !command.all)
    throw UsageError("kerlab regress accept: say which baselines (kerlab regress list shows their keys), or --all");
  return run_session(std::move(options), command, global);
}

BaselineFolder regress_folder(const RegressCommand& command) {
  return {command.parent.empty() ? BaselineFolder::default_parent() : std::filesystem::path(command.parent),
          command.name};
}

std::string regress_repeat(const RegressCommand& command, const GlobalOptions& global) {
  std::string text = repeated_options(global);
  if (command.name != "main") text += " --name " + quoted(command.name);
  if (!command.parent.empty()) text += " --baselines " + quoted(command.parent);
  return text;
}

}  // namespace kerlab::cli
