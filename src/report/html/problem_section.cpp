#include "report/html/problem_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "report/form/clock_words.h"
#include "report/form/xml_text.h"
#include "report/html/drawn.h"
#include "report/html/html_table.h"
#include "report/html/speed_ups.h"
#include "report/html/summary.h"

namespace kerlab::report {

namespace {

std::string side_by_side(const std::string& figures) {
  return figures.empty() ? "" : "<div class=\"pair\">\n" + figures + "</div>\n";
}

std::string plot_html(const char* style, const ReportFigure& figure) {
  return fmt::format("<div class=\"{}\">{}</div>\n", style, inline_svg(figure));
}

std::string figure_html(const ReportFigure& figure, const char* style, const std::string& plots) {
  if (figure.body.empty()) return "";
  std::string text =
      fmt::format("<figure class=\"figure{}\" id=\"{}\">\n{}<figcaption><b>{}</b>{}{}</figcaption>\n", style, figure.id,
                  plots, xml_text(figure.title), figure.caption.empty() ? "" : ". ", xml_text(figure.caption));
  if (!figure.table.rows.empty())
    text += fmt::format("<details class=\"numbers\"><summary>As a table</summary>\n{}</details>\n",
                        html_table(figure.table, figure.title));
  return text + "</figure>\n";
}

}  // namespace

std::string figure_html(const ReportFigure& figure, bool half) {
  return figure_html(figure, half ? " half" : "", plot_html("plot", figure));
}

std::string figure_html(const ReportFigure& wide, ReportFigure narrow) {
  narrow.id += "-narrow";
  return figure_html(wide, "", plot_html("plot wide", wide) + plot_html("plot narrow", narrow));
}

std::string key_figure(std::string_view name, std::string_view value, std::string_view more) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd><dd class=\"more\">{}</dd></div>\n", xml_text(name), xml_text(value),
                     xml_text(more));
}

/// Of one problem: its winner in four figures.
std::string problem_key_figures(const ReportProblem& problem) {
  const ReportTrial* best = best_trial(problem);
  if (best == nullptr) return "<p class=\"note\">No trial passed.</p>\n";
  const Measurement& time = *best->time;
  const bool modelled = problem.clock == ClockKind::modelled;
  std::string text = "<dl class=\"key\">\n";
  text += key_figure(problem.winner ? "winner's time" : "fastest trial", format_us(time.median_us) + " us",
                     modelled ? "modelled"
                              : fmt::format("95 %: {} to {} us{}", format_us(time.low_us), format_us(time.high_us),
                                            unless_measured(problem.clock, ", ")));
  if (best->flops_per_s > 0)
    text += key_figure("rate", format_si(best->flops_per_s, "FLOP/s"), format_si(best->bytes_per_s, "B/s"));
  if (best->of_roof > 0)
    text += key_figure("of the roof", fmt::format("{:.1f} %", 100 * best->of_roof),
                       problem.theoretical->memory_bound ? "theoretical bandwidth" : "theoretical " + problem.pipe);
  const auto passed = std::count_if(problem.trials.begin(), problem.trials.end(),
                                    [](const ReportTrial& one) { return one.trial.status == TrialStatus::passed; });
  text += key_figure("trials", fmt::format("{}", problem.trials.size()), fmt::format("{} passed", passed));
  return text + "</dl>\n";
}

std::string clock_badge(ClockKind clock) {
  return fmt::format("<span class=\"badge {0}\">{0}</span>", name(clock));
}

std::string problem_section(const ReportPart& part, std::size_t index, bool alone) {
  const ReportProblem& problem = part.problem;
  std::string text;
  if (!problem.sentence.empty()) text += fmt::format("<p>{}.</p>\n", xml_text(problem.sentence));
  if (!problem.bottleneck.empty()) text += fmt::format("<p class=\"note\">{}.</p>\n", xml_text(problem.bottleneck));
  const std::string change = change_text(problem);
  if (!change.empty()) text += fmt::format("<p>Against the previous decision: {}.</p>\n", xml_text(change));
  const std::string level = alone ? "h2" : "h4";
  const auto section = [&](std::string_view name, const std::string& content) {
    if (!content.empty())
      text +=
          fmt::format("<{0} id=\"{1}{2}\">{3}</{0}>\n{4}", level, xml_text(name), part.suffix, xml_text(name), content);
  };
  section("Variants", variants_html(part));
  section("Configurations", sorted_times_html(part, index) + parallel_html(part, index));
  section("Search",
          side_by_side(figure_html(progress_by_trials(part), true) + figure_html(progress_by_time(part), true)));
  std::string maps = figure_html(importance_figure(part), true);
  for (const ReportFigure& figure : heat_maps(part)) maps += figure_html(figure, true);
  section("Parameters", side_by_side(maps));
  const ReportFigure finalists = finalists_figure(part);
  section("Finalists", figure_html(finalists, finalists_figure(part, kNarrow)) +
                           (problem.clock == ClockKind::modelled && problem.finalists.size() > 1
                                ? "<p class=\"note\">Modelled times have no distribution: each is one number.</p>\n" +
                                      html_table(finalists.table, "Finalists")
                                : ""));
  section("Accuracy", figure_html(accuracy_figure(part), accuracy_figure(part, kNarrow)));
  ReportFigure endings = failures_figure(part);
  const Table failures = std::exchange(endings.table, {});
  section("Failures",
          figure_html(endings, failures_figure(part, kNarrow)) +
              (failures.rows.empty() ? "" : html_table(failures, "Failed trials, those that failed alike together")));
  return text;
}

}  // namespace kerlab::report
