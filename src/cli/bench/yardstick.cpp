#include "cli/bench/yardstick.h"

#include "base/format.h"
#include "cli/frame/interruptible.h"
#include "cli/frame/library_cells.h"
#include "cli/frame/suite.h"
#include "report/form/table.h"
#include "report/text/tune_table.h"
#include "session/bench/yardstick.h"

namespace kerlab::cli {

namespace {

struct YardstickResult {
  std::vector<YardstickRow> rows;
  std::string device, device_class, headline;
  std::vector<SuiteOutcome> outcomes;  ///< of a suite
};

std::string algorithm_text(const std::string& label) {
  const auto chosen = chosen_algorithm(label);
  return chosen ? fmt::format("{} of {}", chosen->number, chosen->offered) : "-";
}

std::string rate(double per_run, const LibraryRow& library, double unit) {
  return fmt::format("{:.4g}", per_run / library.summary.median * 1e6 / unit);
}

const LibraryRow* at(const YardstickRow& row, std::size_t i) {
  return i < row.library.size() ? &row.library[i] : nullptr;
}

Table to_table(const std::vector<YardstickRow>& rows) {
  Table table{{{"problem"},
               {"best us"},
               {"TFLOP/s", Align::right},
               {"GB/s", Align::right},
               {"% roof", Align::right},
               {"algorithm", Align::right},
               {"pick us"},
               {"TFLOP/s", Align::right},
               {"pick/best"},
               {"MHz", Align::right}},
              {}};
  for (const YardstickRow& row : rows) {
    const LibraryRow *best = at(row, 0), *pick = at(row, 1);
    if (best == nullptr || pick == nullptr) continue;
    table.rows.push_back(
        {row.problem.title(), median_with_interval(best->summary.median, best->summary.low, best->summary.high),
         rate(row.flops, *best, 1e12), rate(row.bytes, *best, 1e9),
         fmt::format("{:.1f}", 100 * row.roof_us / best->summary.median), algorithm_text(best->label),
         median_with_interval(pick->summary.median, pick->summary.low, pick->summary.high),
         rate(row.flops, *pick, 1e12), ratio_text(pick->ratio), fmt::format("{:.0f}", row.sm_clock_mhz.front())});
  }
  return table;
}

/// Every figure as it is, for a file that is kept.
Table exact_table(const std::vector<YardstickRow>& rows) {
  Table table{{}, {}};
  for (const char* title :
       {"problem",     "best_us",       "best_low_us",    "best_high_us",       "pick_us",
        "pick_low_us", "pick_high_us",  "pick_over_best", "pick_over_best_low", "pick_over_best_high",
        "algorithm",   "offered",       "best_mhz",       "pick_mhz",           "best_tflops",
        "pick_tflops", "best_gb_per_s", "roof_us",        "protocol",           "cache",
        "clock",       "library"})
    table.columns.push_back({title});
  for (const YardstickRow& row : rows) {
    const LibraryRow *best = at(row, 0), *pick = at(row, 1);
    if (best == nullptr || pick == nullptr) continue;
    std::vector<std::string> cells = {row.problem.key()};
    for (const Summary& summary : {best->summary, pick->summary})
      for (const double us : {summary.median, summary.low, summary.high}) cells.push_back(fmt::format("{:.3f}", us));
    const PairedRatio ratio = pick->ratio.value_or(PairedRatio{});
    for (const double value : {ratio.ratio, ratio.interval.low, ratio.interval.high})
      cells.push_back(fmt::format("{:.4f}", value));
    const ChosenAlgorithm chosen = chosen_algorithm(best->label).value_or(ChosenAlgorithm{});
    cells.insert(cells.end(),
                 {fmt::format("{}", chosen.number), fmt::format("{}", chosen.offered),
                  fmt::format("{:.0f}", row.sm_clock_mhz.front()), fmt::format("{:.0f}", row.sm_clock_mhz.back()),
                  rate(row.flops, *best, 1e12), rate(row.flops, *pick, 1e12), rate(row.bytes, *best, 1e9),
                  fmt::format("{:.3f}", row.roof_us), row.protocol, std::string(name(row.cache)),
                  std::string(name(row.clock)), best->label.substr(0, best->label.find(','))});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

JsonValue json_of(const YardstickRow& row) {
  JsonValue::Array clocks;
  for (const double mhz : row.sm_clock_mhz) clocks.push_back(mhz);
  JsonValue::Object value{{"problem", row.problem.key()},
                          {"flops", row.flops},
                          {"bytes", row.bytes},
                          {"roof_us", row.roof_us},
                          {"library", library_value(row.library, "best_speedup")},
                          {"sm_clock_mhz", std::move(clocks)},
                          {"protocol", row.protocol},
                          {"cache", row.cache},
                          {"clock", row.clock},
                          {"note", row.note},
                          {"warning", row.warning}};
  const auto chosen = row.library.empty() ? std::nullopt : chosen_algorithm(row.library.front().label);
  value.emplace_back("algorithm", chosen ? JsonValue(chosen->number) : JsonValue());
  value.emplace_back("algorithms", chosen ? JsonValue(chosen->offered) : JsonValue());
  return value;
}

void print_json(const YardstickResult& result, const std::string& suite) {
  JsonValue::Array values;
  for (const YardstickRow& row : result.rows) values.push_back(json_of(row));
  JsonValue::Object body{{"device", result.device},
                         {"device_class", result.device_class},
                         {"library_only", true},
                         {"rows", std::move(values)}};
  add_suite(body, suite, result.outcomes);
  fmt::print("{}\n", to_json(json_document("bench", std::move(body))));
}

void print(const YardstickResult& result, const YardstickCommand& command, const GlobalOptions& global) {
  if (!command.csv.empty()) write_output(command.csv, csv_table(exact_table(result.rows)));
  if (!command.markdown.empty()) write_output(command.markdown, markdown_table(to_table(result.rows)));
  if (global.json) {
    print_json(result, command.suite);
  } else if (command.csv != "-" && command.markdown != "-" && !result.rows.empty()) {
    fmt::print("{}\n{}", result.headline,
               text_table(to_table(result.rows), color_on(global, stdout), 0, table_width(0)));
  }
  for (const YardstickRow& row : result.rows) {
    if (row.library.empty()) fmt::print(stderr, "{}: no row: {}\n", row.problem.title(), row.note);
    if (!row.warning.empty()) fmt::print(stderr, "warning: {}: {}\n", row.problem.title(), row.warning);
  }
}

/// The problems of one family, their rows added to `result`.
ExitCode measure(Yardstick& yardstick, const std::string& target, const std::vector<ProblemArgument>& arguments,
                 const std::string& dtypes, const GlobalOptions& global, const Interruptible& interrupt,
                 const std::string& prefix, YardstickResult& result) {
  const KernelFolder folder = open_catalogue(kernel_folders(global)).find(target);
  ProgressLine progress;
  ExitCode code = ExitCode::passed;
  const std::vector<ProblemRequest> requests = make_requests(folder.family, arguments, dtypes);
  auto next = requests.begin();
  const bool interrupted = interrupt.run([&] {
    if (next == requests.end()) return false;
    const ProblemRequest& request = *next++;
    progress.update(fmt::format("{}library: {}", prefix, make_problem(folder.family, request).title()));
    result.rows.push_back(yardstick.measure(target, request));
    if (result.rows.back().library.empty()) code = ExitCode::inconclusive;
    const Rig& rig = *yardstick.rig();
    result.device = rig.device().name;
    result.device_class = rig.device().device_class();
    result.headline = fmt::format("{} {}  driver {}", rig.device().id, rig.device().name, rig.device().driver);
    return true;
  });
  progress.clear();
  return interrupted ? ExitCode::interrupted : code;
}

}  // namespace

ExitCode run_yardstick(const YardstickCommand& command, const GlobalOptions& global) {
  const Interruptible interrupt;
  Yardstick yardstick(rig_options(global, command.family), command.rounds, command.hot);
  YardstickResult result;
  if (command.suite.empty()) {
    if (command.family.empty()) throw UsageError("bench --library-only: name a family, or --suite FILE");
    const ExitCode code =
        measure(yardstick, command.family, global.problem, command.dtypes, global, interrupt, "", result);
    print(result, command, global);
    return code;
  }
  const Suite suite = open_suite(command.suite, command.family, command.dtypes, global);
  result.outcomes = run_suite(suite, interrupt.flag(), [&](const SuiteProblem& problem, const std::string& prefix) {
    return measure(yardstick, problem.family, problem.arguments, problem.dtype, global, interrupt, prefix, result);
  });
  print(result, command, global);
  for (const SuiteOutcome& outcome : result.outcomes)
    if (!outcome.error.empty()) fmt::print(stderr, "{}: {}\n", outcome.problem.title, outcome.error);
  fmt::print(stderr, "{}", suite_verdict(suite, result.outcomes));
  return suite_code(result.outcomes);
}

}  // namespace kerlab::cli
