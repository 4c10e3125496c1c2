#include "report/html/drawn.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/form/xml_text.h"
#include "report/html/html_table.h"
#include "report/html/speed_ups.h"
#include "report/html/summary.h"

namespace kerlab::report {

namespace {

constexpr std::size_t kFewest = 3;  // configurations of a variant, for parallel coordinates

struct Shell {
  std::string id, kind, target, title, description, caption;
};

/// The place for a drawing; `target`: " data-part=\"2\"".
std::string shell_html(const Shell& shell, const std::string& table) {
  return fmt::format(
      "<figure class=\"figure\" id=\"{0}\">\n<div class=\"plot drawn\" data-draw=\"{1}\"{2} data-title=\"{3}\" "
      "data-description=\"{4}\"></div>\n<figcaption><b>{3}</b>. {5}<span class=\"said\"></span></figcaption>\n{6}"
      "</figure>\n",
      shell.id, shell.kind, shell.target, xml_text(shell.title), xml_text(shell.description), xml_text(shell.caption),
      table.empty() ? "" : "<details class=\"numbers\"><summary>As a table</summary>\n" + table + "</details>\n");
}

bool is_timed(const ReportTrial& one) {
  return one.time && one.trial.status == TrialStatus::passed;
}

double rate(const ShapeSweep& sweep, const ReportProblem& problem, double us) {
  if (us <= 0) return 0;
  return sweep.memory ? problem.bytes / us / 1e3 : problem.flops / us / 1e6;
}

std::string rate_number(double rate) {
  return rate > 0 ? fmt::format("{:.4g}", rate) : "-";
}

/// The shape as one number, and what it is called: all dimensions that differ are equal, or one alone differs, else
/// work.
std::vector<double> shape_numbers(const std::vector<const ReportProblem*>& problems, std::string& axis) {
  const auto& first = *problems.front();
  std::vector<std::size_t> varying;
  for (std::size_t d = 0; d < first.dimensions.size(); ++d)
    if (std::ranges::any_of(problems,
                            [&](const auto* one) { return one->dimensions[d].second != first.dimensions[d].second; }))
      varying.push_back(d);
  const bool same = std::ranges::all_of(problems, [&](const auto* one) {
    return std::ranges::all_of(
        varying, [&](std::size_t d) { return one->dimensions[d].second == one->dimensions[varying.front()].second; });
  });
  std::vector<double> numbers;
  for (const ReportProblem* one : problems)
    numbers.push_back(same && !varying.empty() ? static_cast<double>(one->dimensions[varying.front()].second)
                                               : one->flops);
  axis = "FLOP of the problem";
  if (!same || varying.empty()) return numbers;
  axis.clear();
  for (const std::size_t d : varying) axis += (axis.empty() ? "" : " = ") + first.dimensions[d].first;
  return numbers;
}

/// The key without the dimensions: what is compared over shapes must agree in it.
std::string rest_of_key(const ReportProblem& problem) {
  std::string rest = problem.family + " " + problem.dtype;
  for (std::size_t at = 0; at < problem.key.size();) {
    const std::size_t end = std::min(problem.key.find(' ', at), problem.key.size());
    const std::string word = problem.key.substr(at, end - at), name = word.substr(0, word.find('='));
    const bool dimension = std::ranges::any_of(problem.dimensions, [&](const auto& one) { return one.first == name; });
    if (!dimension) rest += " " + word;
    at = end + 1;
  }
  return rest;
}

ShapeSweep sweep_of(const std::vector<ReportPart>& parts, std::vector<std::size_t> group) {
  std::vector<const ReportProblem*> problems;
  for (const std::size_t p : group) problems.push_back(&parts[p].problem);
  ShapeSweep sweep;
  const std::vector<double> numbers = shape_numbers(problems, sweep.axis);
  std::vector<std::size_t> order(group.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return numbers[i]; });
  for (const std::size_t i : order) {
    sweep.parts.push_back(group[i]);
    sweep.x.push_back(numbers[i]);
  }
  const ReportProblem& largest = parts[sweep.parts.back()].problem;
  sweep.memory = largest.theoretical && largest.theoretical->memory_bound;
  sweep.family = largest.family;
  sweep.subject = fmt::format("{} {}, {}", largest.family, largest.dtype, device_label(largest));
  return sweep;
}

Table sweep_table(const ShapeSweep& sweep, const std::vector<ReportPart>& parts) {
  const std::string unit = sweep.memory ? ", GB/s" : ", TFLOP/s";
  Table table{{{"problem"},
               {"winner" + unit, Align::right},
               {"library" + unit, Align::right},
               {"first rung" + unit, Align::right},
               {"roof" + unit, Align::right}},
              {}};
  for (const std::size_t p : sweep.parts) {
    const ReportProblem& problem = parts[p].problem;
    const LibraryTime* library = library_best(problem);
    const double naive = problem.naive ? problem.trials[problem.naive->trial].time->median_us : 0;
    table.rows.push_back(
        {problem.title, rate_number(rate(sweep, problem, best_trial(problem)->time->median_us)),
         rate_number(rate(sweep, problem, library != nullptr ? library->median_us : 0)),
         rate_number(rate(sweep, problem, naive)),
         rate_number(rate(sweep, problem, problem.theoretical ? problem.theoretical->minimum_us : 0))});
  }
  return table;
}

JsonValue source_value(const ReportSource& source) {
  JsonValue::Array lines;
  for (const ReportSourceLine& line : source.lines)
    lines.push_back(JsonValue::Array{line.share, line.place, line.source, line.more});
  return JsonValue::Object{{"device", source.device}, {"note", source.note}, {"lines", std::move(lines)}};
}

/// What the commands of most trials begin with: "kerlab bench --db FILE --trial ".
std::string bench_prefix(const ReportProblem& problem) {
  for (const ReportTrial& one : problem.trials) {
    const std::string id = fmt::format("{}", one.trial.id);
    if (one.reproduce.ends_with(" --trial " + id)) return one.reproduce.substr(0, one.reproduce.size() - id.size());
  }
  return "";
}

JsonValue problem_value(const ReportPart& part) {
  const ReportProblem& problem = part.problem;
  JsonValue::Array library;
  for (const LibraryTime& time : problem.library)
    library.push_back(
        JsonValue::Object{{"label", time.label}, {"us", time.median_us}, {"low", time.low_us}, {"high", time.high_us}});
  const auto row = [&](std::optional<std::size_t> index) {
    return index ? JsonValue(part.first_row + *index) : JsonValue();
  };
  const ReportTrial* best = best_trial(problem);
  JsonValue::Object others;  // commands that are not as most are
  const std::string bench = bench_prefix(problem);
  for (std::size_t i = 0; i < problem.trials.size(); ++i) {
    const ReportTrial& one = problem.trials[i];
    if (one.reproduce != bench + fmt::format("{}", one.trial.id))
      others.emplace_back(fmt::format("{}", part.first_row + i), one.reproduce);
  }
  JsonValue naive;
  if (problem.naive)
    naive = JsonValue::Object{{"row", part.first_row + problem.naive->trial},
                              {"name", problem.trials[problem.naive->trial].trial.variant}};
  return JsonValue::Object{
      {"title", problem.title},
      {"device", device_label(problem)},
      {"timeTitle", time_title(problem)},
      {"first", part.first_row},
      {"count", problem.trials.size()},
      {"winner", row(problem.winner)},
      {"best", best == nullptr ? JsonValue() : row(static_cast<std::size_t>(best - problem.trials.data()))},
      {"naive", std::move(naive)},
      {"library", std::move(library)},
      {"searched", problem.searched},
      {"bench", bench},
      {"commands", std::move(others)},
      {"flops", problem.flops},
      {"bytes", problem.bytes},
      {"roofUs", problem.theoretical ? problem.theoretical->minimum_us : 0}};
}

}  // namespace

std::string sorted_times_html(const ReportPart& part, std::size_t index) {
  const ReportProblem& problem = part.problem;
  if (std::ranges::count_if(problem.trials, is_timed) < 2) return "";
  return shell_html(
      {"sorted" + part.suffix, "sorted", fmt::format(" data-part=\"{}\"", index), "All configurations by their time",
       fmt::format("The times of {}, sorted, with the library's as a line.", problem.title),
       fmt::format("Blue: the variant {}; large: the winner. A click shows a configuration beside the winner's.",
                   problem.searched)},
      "");
}

std::string parallel_html(const ReportPart& part, std::size_t index) {
  std::map<std::string, std::size_t> variants;
  for (const ReportTrial& one : part.problem.trials)
    if (is_timed(one) && one.trial.configuration.find('=') != std::string::npos) ++variants[one.trial.variant];
  if (std::ranges::none_of(variants, [](const auto& one) { return one.second >= kFewest; })) return "";
  return shell_html(
      {"parallel" + part.suffix, "parallel", fmt::format(" data-part=\"{}\"", index), "Parameters and time",
       "A line for each configuration over the values of its parameters, ending at its time.",
       "The stronger its colour, the faster; the thick line is the winner. Dragging along an axis filters, dragging "
       "along "
       "all of it lifts the filter; a click shows a configuration beside the winner's."},
      "");
}

std::vector<ShapeSweep> shape_sweeps(const std::vector<ReportPart>& parts) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> groups;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ReportProblem& problem = parts[p].problem;
    if (problem.dimensions.empty() || best_trial(problem) == nullptr || problem.flops <= 0) continue;
    groups[{rest_of_key(problem), problem.device_class + std::string(name(problem.clock))}].push_back(p);
  }
  std::vector<ShapeSweep> sweeps;
  for (auto& [key, group] : groups)
    if (group.size() > 1) sweeps.push_back(sweep_of(parts, std::move(group)));
  return sweeps;
}

std::string sweep_html(const ShapeSweep& sweep, std::size_t index, const std::vector<ReportPart>& parts) {
  return shell_html({fmt::format("sweep-{}", index + 1), "sweep", fmt::format(" data-sweep=\"{}\"", index),
                     sweep.subject + " over the shape",
                     "What the winners reach at each shape, with the library, the first rung and the roof.",
                     "Large: the winners. The roof is the least time that bandwidth and peak allow at that shape."},
                    html_table(sweep_table(sweep, parts), sweep.subject + " over the shape"));
}

JsonValue::Object problems_value(const std::vector<ReportPart>& parts, const std::vector<ShapeSweep>& sweeps) {
  JsonValue::Array problems, drawn;
  JsonValue::Object sources;
  for (const ReportPart& part : parts) {
    problems.push_back(problem_value(part));
    for (std::size_t i = 0; i < part.problem.trials.size(); ++i) {
      const ReportTrial& one = part.problem.trials[i];
      if (one.source) sources.emplace_back(fmt::format("{}", part.first_row + i), source_value(*one.source));
    }
  }
  for (const ShapeSweep& sweep : sweeps)
    drawn.push_back(JsonValue::Object{
        {"parts", sweep.parts}, {"x", sweep.x}, {"axis", sweep.axis}, {"work", sweep.memory ? "bytes" : "flops"}});
  return {{"problems", std::move(problems)}, {"sweeps", std::move(drawn)}, {"sources", std::move(sources)}};
}

}  // namespace kerlab::report
