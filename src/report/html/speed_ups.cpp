#include "report/html/speed_ups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "report/html/html_table.h"
#include "report/html/summary.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

namespace {

std::string link_of(const std::vector<ReportPart>& parts, std::size_t p) {
  return parts.size() > 1 ? "#problem" + parts[p].suffix : "";
}

std::string library_cell(const ReportProblem& problem) {
  const double ratio = over_library(problem);
  if (ratio > 0) return fmt::format("{} {}", times_text(ratio), library_name(*library_best(problem)));
  if (best_trial(problem) == nullptr) return "no trial passed";
  return problem.clock == ClockKind::measured ? "not timed" : "not timed: no GPU";
}

std::string naive_cell(const ReportProblem& problem) {
  const double ratio = over_naive(problem);
  if (ratio <= 0) return best_trial(problem) == nullptr ? "no trial passed" : "not timed: tune --ladder does";
  const Trial& naive = problem.trials[problem.naive->trial].trial;
  return fmt::format("{} {}{}", times_text(ratio), naive.variant, problem.naive->first ? "" : " (first timed)");
}

/// The fastest of a variant under the roof, in the unit that the problem is bound by.
std::string rate_text(const ReportProblem& problem, double us) {
  const bool memory = problem.theoretical && problem.theoretical->memory_bound;
  if ((memory ? problem.bytes : problem.flops) <= 0 || us <= 0) return "-";
  return memory ? fmt::format("{:.4g} GB/s", problem.bytes / us / 1e3)
                : tera_text(problem.flops / us * 1e6) + " TFLOP/s";
}

std::string roof_text(const ReportProblem& problem, double us) {
  return problem.theoretical && us > 0 ? fmt::format("{:.1f}", 100 * problem.theoretical->minimum_us / us) : "-";
}

struct VariantTable {
  Table table;
  std::vector<HtmlRow> rows;
};

void add_variant(VariantTable& result, const ReportPart& part, const ReportRung& rung, double fastest_us) {
  const ReportProblem& problem = part.problem;
  const ReportTrial& best = problem.trials[*rung.best];
  const double us = best.time->median_us,
               naive = problem.naive ? problem.trials[problem.naive->trial].time->median_us : 0;
  result.table.rows.push_back({best.winner ? rung.variant + " (winner)" : rung.variant,
                               median_with_interval(*best.time), rate_text(problem, us), roof_text(problem, us),
                               naive > 0 ? times_text(naive / us) : "-",
                               rung.at_default ? format_us(problem.trials[*rung.at_default].time->median_us) : "-",
                               best.trial.configuration.empty() ? "no parameters" : best.trial.configuration});
  result.rows.push_back({fmt::format(" data-trial=\"{}\"", part.first_row + *rung.best),
                         "",
                         {{2, 0, fastest_us / us, {}, best.winner ? "" : "other"}}});
}

/// From nothing, or where speed-ups differ by more than a factor of twelve logarithmic from below the least.
struct BarScale {
  double low = 0, high = 1;
  bool logarithmic = false;
  [[nodiscard]] double place(double ratio) const {
    return std::clamp(logarithmic ? std::log(ratio / low) / std::log(high / low) : ratio / high, 0.0, 1.0);
  }
};
BarScale bar_scale(const std::vector<double>& ratios) {
  double least = 1, most = 1;
  for (const double ratio : ratios)
    if (ratio > 0) {
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
  if (most > 12 * least) return {0.5 * least, most, true};
  return {0, std::max(most, 1.02), false};
}

/// 1 in the middle, four times as fast or slow at the ends.
double place(double ratio) {
  return std::clamp(0.5 + 0.25 * std::log2(ratio), 0.0, 1.0);
}

/// The words of a configuration by name.
std::vector<std::pair<std::string, std::string>> words_of(const std::string& configuration) {
  std::vector<std::pair<std::string, std::string>> words;
  for (std::size_t at = 0; at < configuration.size();) {
    const std::size_t end = std::min(configuration.find(' ', at), configuration.size());
    const std::size_t equals = configuration.find('=', at);
    if (equals < end)
      words.emplace_back(configuration.substr(at, equals - at), configuration.substr(equals + 1, end - equals - 1));
    at = end + 1;
  }
  return words;
}

std::string changed_parameters(const Trial& before, const Trial& now) {
  const auto old = words_of(before.configuration);
  std::string text;
  for (const auto& [parameter, value] : words_of(now.configuration)) {
    const auto at = std::ranges::find(old, parameter, &std::pair<std::string, std::string>::first);
    if (at != old.end() && at->second != value)
      text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", parameter, at->second, value);
  }
  return text;
}

/// What changed between two winners: of another variant its whole configuration.
std::string change_between(const Trial& before, const Trial& now) {
  std::vector<std::string> changes;
  if (before.variant != now.variant)
    changes.push_back(fmt::format("{} → {}", trial_label(before), trial_label(now)));
  else if (before.configuration != now.configuration)
    changes.push_back(now.variant + ": " + changed_parameters(before, now));
  if (before.variant == now.variant && before.source_hash != now.source_hash) changes.emplace_back("kernel source");
  if (before.toolchain != now.toolchain) changes.push_back(fmt::format("{} → {}", before.toolchain, now.toolchain));
  if (before.options != now.options) changes.emplace_back("compiler options");
  return changes.empty() ? "nothing" : fmt::format("{}", fmt::join(changes, "; "));
}

}  // namespace

double over_library(const ReportProblem& problem) {
  const LibraryTime* library = library_best(problem);
  const ReportTrial* best = best_trial(problem);
  if (library == nullptr || best == nullptr) return 0;
  return library->ratio > 0 ? library->ratio : library->median_us / best->time->median_us;
}

double over_naive(const ReportProblem& problem) {
  const ReportTrial* best = best_trial(problem);
  if (!problem.naive || best == nullptr) return 0;
  return problem.trials[problem.naive->trial].time->median_us / best->time->median_us;
}

std::string times_text(double ratio) {
  return ratio >= 100 ? fmt::format("{:.0f}×", ratio) : fmt::format("{:.{}f}×", ratio, ratio < 10 ? 2 : 1);
}

std::string speed_ups_html(const std::vector<ReportPart>& parts) {
  std::vector<double> library, naive;
  for (const ReportPart& part : parts) {
    library.push_back(over_library(part.problem));
    naive.push_back(over_naive(part.problem));
  }
  const BarScale of_library = bar_scale(library), of_naive = bar_scale(naive);
  const auto title = [](const char* over, const BarScale& scale) {
    return fmt::format("speed-up over the {}{}", over, scale.logarithmic ? " (log scale)" : "");
  };
  Table table{{{"problem"}, {title("library", of_library)}, {title("first rung", of_naive)}}, {}};
  std::vector<HtmlRow> rows;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ReportProblem& problem = parts[p].problem;
    table.rows.push_back({problem.title, library_cell(problem), naive_cell(problem)});
    HtmlRow& row = rows.emplace_back(HtmlRow{fmt::format(" data-of=\"{}\"", p), link_of(parts, p), {}});
    if (library[p] > 0) row.bars.push_back({1, 0, of_library.place(library[p]), of_library.place(1), ""});
    if (naive[p] > 0) row.bars.push_back({2, 0, of_naive.place(naive[p]), of_naive.place(1), ""});
  }
  return "<div class=\"speedups\">\n" + html_table(table, "How much faster the winners are", true, rows) + "</div>\n";
}

std::string variants_html(const ReportPart& part) {
  const ReportProblem& problem = part.problem;
  if (problem.ladder.size() + std::min<std::size_t>(1, problem.library.size()) < 2) return "";
  VariantTable result{{{{"variant"},
                        {time_heading(problem.clock), Align::right},
                        {"rate"},
                        {"% roof", Align::right},
                        {"over first rung", Align::right},
                        {"default, us", Align::right},
                        {"best configuration"}},
                       {}},
                      {}};
  const LibraryTime* library = library_best(problem);
  double fastest_us = library != nullptr ? library->median_us : 1e300;
  for (const ReportRung& rung : problem.ladder)
    fastest_us = std::min(fastest_us, problem.trials[*rung.best].time->median_us);
  for (const ReportRung& rung : problem.ladder) add_variant(result, part, rung, fastest_us);
  if (library != nullptr) {
    const double us = library->median_us;
    const double naive = problem.naive ? problem.trials[problem.naive->trial].time->median_us : 0;
    result.table.rows.push_back({library_name(*library), median_with_interval(us, library->low_us, library->high_us),
                                 rate_text(problem, us), roof_text(problem, us),
                                 naive > 0 ? times_text(naive / us) : "-", "-", library->label});
    result.rows.push_back({"", "", {{2, 0, fastest_us / us, -1, "library"}}});
  }
  return html_table(result.table, "Variants by rung", true, result.rows);
}

std::string comparison_html(const LabReport& report, const std::vector<ReportPart>& parts) {
  if (!report.comparison) return "";
  const ReportComparison& comparison = *report.comparison;
  Table table{{{"problem"}, {"before, us", Align::right}, {"now, us", Align::right}, {"speed-up"}, {"what changed"}},
              {}};
  std::vector<HtmlRow> rows;
  for (const ReportChange& one : comparison.problems) {
    const auto time = [](const std::optional<ReportWinner>& winner) {
      return winner ? median_with_interval(winner->time) : std::string("-");
    };
    const double ratio = one.before && one.now ? one.before->time.median_us / one.now->time.median_us : 0;
    std::string change = "no winner before; now: " + (one.now ? trial_label(one.now->trial) : "");
    if (!one.now) change = "no winner now; before: " + trial_label(one.before->trial);
    if (ratio > 0) change = change_between(one.before->trial, one.now->trial);
    const std::string speed_up = ratio > 0 ? fmt::format("{:.3f}×", ratio) : "-";
    table.rows.push_back({one.title, time(one.before), time(one.now), speed_up, change});
    HtmlRow& row = rows.emplace_back();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const ReportProblem& problem = parts[p].problem;
      if (problem.key != one.key || problem.device_class != one.device_class || problem.clock != one.clock) continue;
      row = {fmt::format(" data-of=\"{}\"", p), link_of(parts, p), {}};
    }
    if (ratio > 0)
      row.bars.push_back({3, std::min(0.5, place(ratio)), std::max(0.5, place(ratio)), 0.5, ratio < 1 ? "slower" : ""});
  }
  return html_table(table, "Winners before and now", true, rows);
}

}  // namespace kerlab::report
