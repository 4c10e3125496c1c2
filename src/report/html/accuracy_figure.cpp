#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/form/json.h"
#include "report/html/figures.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

constexpr double kLeast = 620;  // narrower: a variant stands above its dots
constexpr double kTop = 40;
constexpr std::size_t kMostVariants = 16;

struct Checked {
  std::vector<std::size_t> trials;  ///< indices
  std::vector<double> ratios;
  std::string recipe;  ///< of the worst
  double worst = 0;
};

double number(const JsonValue* value) {
  if (value == nullptr) return 0;
  if (const auto* real = std::get_if<double>(&value->variant())) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value->variant())) return static_cast<double>(*whole);
  return 0;
}

/// "normal v1 seed 1, D": where the largest error over its bound was.
std::string worst_recipe(const Trial& trial) {
  const auto detail = parse_json(trial.check_detail);
  if (!detail) return "";
  std::string worst;
  std::optional<double> largest;
  for (const JsonValue& one : detail->elements()) {
    const double ratio = number(one.find("error_ratio"));
    if ((largest && ratio <= *largest) || one.find("recipe") == nullptr) continue;
    largest = ratio;
    worst = one.find("recipe")->text();
    if (const JsonValue* output = one.find("output")) worst += ", " + output->text();
  }
  return worst;
}

std::map<std::string, Checked> by_variant(const ReportProblem& problem) {
  std::map<std::string, Checked> variants;
  std::map<std::string, const Trial*> worst;
  for (std::size_t i = 0; i < problem.trials.size(); ++i) {
    const Trial& trial = problem.trials[i].trial;
    if (trial.error_ratio <= 0) continue;
    Checked& checked = variants[trial.variant];
    checked.trials.push_back(i);
    checked.ratios.push_back(trial.error_ratio);
    if (trial.error_ratio <= checked.worst) continue;
    checked.worst = trial.error_ratio;
    worst[trial.variant] = &trial;
  }
  for (auto& [variant, trial] : worst) variants[variant].recipe = worst_recipe(*trial);
  return variants;
}

std::string ratio_text(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.3g}", ratio) : "not finite";
}

Table accuracy_table(const std::map<std::string, Checked>& variants) {
  Table table{{{"variant"},
               {"checked", Align::right},
               {"least err/bound", Align::right},
               {"median", Align::right},
               {"worst", Align::right},
               {"worst recipe, output"}},
              {}};
  for (const auto& [variant, checked] : variants) {
    std::vector<double> sorted = checked.ratios;
    std::sort(sorted.begin(), sorted.end());
    table.rows.push_back({variant, fmt::format("{}", sorted.size()), ratio_text(sorted.front()),
                          ratio_text(sorted[sorted.size() / 2]), ratio_text(sorted.back()), checked.recipe});
  }
  return table;
}

}  // namespace

ReportFigure accuracy_figure(const ReportPart& part, double width) {
  const ReportProblem& problem = part.problem;
  const std::map<std::string, Checked> variants = by_variant(problem);
  ReportFigure figure{
      "accuracy" + part.suffix,
      "Accuracy: largest error over its bound",
      "For every checked trial the largest error over its bound, by variant; 1 is the bound, right of it is wrong.",
      "Each dot is a trial: its largest error over the bound, of all recipes and outputs; right of 1 it is wrong.",
      width,
      0,
      "",
      accuracy_table(variants)};
  if (variants.empty()) return figure;
  std::vector<double> values = {1};
  for (const auto& [variant, checked] : variants)
    for (const double ratio : checked.ratios) values.push_back(std::clamp(ratio, 1e-6, 100.0));
  const auto rows = static_cast<double>(std::min(kMostVariants, variants.size()));
  const bool above = width < kLeast;
  const double left = above ? 16 : 150, right = width - 24, line = above ? 54 : 44, bottom = kTop + line * rows;
  const Scale x = scale_for(values, left, right, 4);
  figure.height = bottom + 46;
  figure.body = horizontal_axis(x, kTop, bottom, "largest error / bound");
  figure.body += svg_line(x.pixel(1), kTop, x.pixel(1), bottom, "bound");
  figure.body += svg_text(x.pixel(1), kTop - 8, "bound", "ink small", x.pixel(1) > right - 30 ? "end" : "middle");
  double y = kTop + (above ? 36 : line / 2);
  std::size_t drawn = 0;
  for (const auto& [variant, checked] : variants) {
    if (drawn++ == kMostVariants) break;
    std::vector<Dot> passed, failed;
    for (std::size_t k = 0; k < checked.trials.size(); ++k) {
      const std::size_t i = checked.trials[k];
      const double ratio = std::isfinite(checked.ratios[k]) ? checked.ratios[k] : 1e9;
      (problem.trials[i].trial.status == TrialStatus::passed ? passed : failed)
          .push_back({part.first_row + i, x.pixel(ratio), y + 26 * jitter(i)});
    }
    figure.body += above ? svg_text(4, y - 22, variant, "ink halo")
                         : svg_text(left - 12, y + 4, shortened(variant, 20), "ink", "end");
    figure.body += dots("own", passed) + dots("failed", failed);
    y += line;
  }
  return figure;
}

}  // namespace kerlab::report
