#include "report/html/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "report/form/xml_text.h"
#include "report/html/drawn.h"
#include "report/html/environment.h"
#include "report/html/html_table.h"
#include "report/html/problem_section.h"
#include "report/html/speed_ups.h"
#include "report/html/summary.h"
#include "report/html/trials_data.h"

namespace kerlab::report {

namespace {

constexpr std::size_t kFirstRows = 100;   // of the table of trials; the script shows more
constexpr std::size_t kOpenProblems = 3;  // of several problems the first ones are unfolded

std::string heading(int level, std::string_view id, std::string_view text) {
  return fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", level, xml_text(id), xml_text(text));
}

/// Of several: how they stand.
std::string report_key_figures(const LabReport& report) {
  std::size_t trials = 0, passed = 0, winners = 0, faster = 0, even = 0, slower = 0;
  for (const ReportProblem& problem : report.problems) {
    trials += problem.trials.size();
    for (const ReportTrial& one : problem.trials) passed += one.trial.status == TrialStatus::passed ? 1 : 0;
    winners += problem.winner ? 1 : 0;
    const LibraryVerdict verdict = library_verdict(problem);
    faster += verdict == LibraryVerdict::faster ? 1 : 0;
    even += verdict == LibraryVerdict::even ? 1 : 0;
    slower += verdict == LibraryVerdict::slower ? 1 : 0;
  }
  std::string text =
      "<dl class=\"key\">\n" +
      key_figure("problems", fmt::format("{}", report.problems.size()), fmt::format("{} decided", winners)) +
      key_figure("trials", fmt::format("{}", trials), fmt::format("{} passed", passed));
  if (has_library(report))
    text += key_figure("faster than the library", fmt::format("{}", faster), fmt::format("{} as fast", even)) +
            key_figure("slower than the library", fmt::format("{}", slower), "by the interval of the ratio");
  return text + "</dl>\n";
}

std::string problems_html(const std::vector<ReportPart>& parts) {
  if (parts.size() == 1) return problem_section(parts.front(), 0, true);
  std::string text = heading(2, "Problems", "Problems");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ReportProblem& problem = parts[i].problem;
    text += fmt::format(
        "<details class=\"problem\" id=\"problem{}\" data-of=\"{}\"{}>\n<summary><h3>{}</h3> {} <span "
        "class=\"dim\">{}</span> <span class=\"left dim\" data-part=\"{}\"></span></summary>\n{}{}</details>\n",
        parts[i].suffix, i, i < kOpenProblems ? " open" : "", xml_text(problem.title), clock_badge(problem.clock),
        xml_text(problem.device_class), i, problem_key_figures(problem), problem_section(parts[i], i, false));
  }
  return text;
}

/// Numbers of problems on one kind of device, where there are several: one problem has one intensity, and a roofline of
/// one column says nothing.
std::vector<std::vector<std::size_t>> roofline_groups(const std::vector<ReportPart>& parts) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ReportProblem& problem = parts[p].problem;
    const ReportProblem* known = groups.empty() ? nullptr : &parts[groups.back().front()].problem;
    if (known == nullptr || known->device_class != problem.device_class || known->clock != problem.clock)
      groups.emplace_back();
    groups.back().push_back(p);
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

std::vector<ReportFigure> common_rooflines(const std::vector<ReportPart>& parts, double width = kWide) {
  const auto groups = roofline_groups(parts);
  std::vector<ReportFigure> figures;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<ReportPart> group;
    for (const std::size_t p : groups[g]) group.push_back(parts[p]);
    const std::string id = groups.size() == 1 ? "roofline" : fmt::format("roofline-device-{}", g + 1);
    figures.push_back(rooflines_figure(group, id, width));
  }
  return figures;
}

std::string rooflines_html(const std::vector<ReportPart>& parts) {
  const std::vector<ReportFigure> wide = common_rooflines(parts), narrow = common_rooflines(parts, kNarrow);
  std::string text;
  for (std::size_t g = 0; g < wide.size(); ++g) text += figure_html(wide[g], narrow[g]);
  return text.empty() ? "" : heading(2, "Roofline", "Roofline") + text;
}

std::string summary_html(const LabReport& report, const std::vector<ReportPart>& parts,
                         const std::vector<ShapeSweep>& sweeps) {
  std::string text = "<section id=\"summary\" aria-label=\"summary\">\n" + speed_ups_html(parts);
  if (parts.size() == 1) {
    const ReportTrial* best = best_trial(parts.front().problem);
    text += problem_key_figures(parts.front().problem);
    if (best != nullptr) text += fmt::format("<p class=\"label\">{}</p>\n", xml_text(trial_label(best->trial)));
  } else {
    std::vector<HtmlRow> rows;
    for (std::size_t p = 0; p < parts.size(); ++p)
      rows.push_back({fmt::format(" data-of=\"{}\"", p), "#problem" + parts[p].suffix});
    text += report_key_figures(report) + html_table(summary_table(report, false), "Summary", true, rows);
  }
  if (report.comparison)
    text += heading(2, "Compared", fmt::format("Compared: {}, {}", report.comparison->before, report.comparison->now)) +
            comparison_html(report, parts);
  if (!sweeps.empty()) text += heading(2, "Shapes", "Over the shape");
  for (std::size_t i = 0; i < sweeps.size(); ++i) text += sweep_html(sweeps[i], i, parts);
  return text + rooflines_html(parts) + "</section>\n";
}

std::string trials_html(const std::vector<TrialColumn>& columns, const std::vector<std::size_t>& order) {
  const std::size_t shown = std::min(kFirstRows, order.size());
  std::string text = heading(2, "Trials", "Trials") + "<div id=\"trials\">\n";
  text += html_table(trials_table(columns, order, kFirstRows), "Trials, the fastest first") + "</div>\n";
  if (shown < order.size())
    text += fmt::format(
        "<p class=\"note\" id=\"more\">{} of {} rows; the rest needs scripts: <code>kerlab db "
        "trials</code> lists all.</p>\n",
        shown, order.size());
  return text;
}

std::string data_block(const std::vector<TrialColumn>& columns, const std::vector<std::size_t>& order,
                       JsonValue::Object data) {
  data.emplace_back("columns", trials_value(columns));
  data.emplace_back("order", order);
  data.emplace_back("rows", kFirstRows);
  return "<script type=\"application/json\" id=\"data\">" + script_json(to_json(data, false)) + "</script>\n";
}

/// Configurations are long: their column of the trials' table gets the room.
std::string wide_column(const std::vector<TrialColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].key == "configuration")
      return fmt::format("#trials td:nth-child({}) {{ min-width: 30em; }}\n", i + 1);
  return "";
}

/// In one scope: each file sees the names of those before it.
std::string script() {
  std::string text = "<script>\n'use strict';\n(() => {\n";
  for (const char* file :
       {"rows.js", "filter.js", "axes.js", "plots.js", "curves.js", "parallel.js", "tables.js", "detail.js", "page.js"})
    text += embedded_text(file);
  return text + "})();\n</script>\n";
}

std::string head(const LabReport& report, const std::vector<TrialColumn>& columns) {
  const std::string light = theme_declarations("light.css"), dark = theme_declarations("dark.css");
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src "
      "'unsafe-inline'; img-src data:\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{} - kerlab report</title>\n<style>\n:root {{{}}}\n"
      "@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{{}}} }}\n"
      "@media screen {{ :root[data-theme=dark] {{{}}} }}\n{}{}{}</style>\n</head>\n",
      xml_text(report.title), light, dark, dark, embedded_text("figure.css"), embedded_text("page.css"),
      wide_column(columns));
}

std::string toolbar(std::size_t trials) {
  return fmt::format(
      "<div class=\"toolbar\" id=\"bar\" hidden>\n<label for=\"filter\">Filter</label>\n<input id=\"filter\" "
      "type=\"search\" "
      "spellcheck=\"false\" autocomplete=\"off\" placeholder=\"BM=128 status:passed us&lt;300\" "
      "aria-describedby=\"matching filter-help\">\n<span id=\"matching\" role=\"status\" aria-live=\"polite\">{0} of "
      "{0} "
      "trials</span>\n<button type=\"button\" id=\"theme\" aria-label=\"theme: as the system\">Theme: auto</button>\n"
      "<details id=\"filter-help\"><summary>Help</summary><p>Every word must hold, in plots and table alike: a "
      "parameter or column with <code>= != &lt; &lt;= &gt; &gt;=</code> a number (<code>BM=128</code>, "
      "<code>us&lt;300</code>, <code>regs&lt;=128</code>), <code>column:text</code> that it contains "
      "(<code>status:passed</code>, <code>variant:reg2d</code>), or any text. <code>-</code> before a word turns it "
      "round. In a plot the arrow keys go from trial to trial, Enter or a click shows its configuration beside the "
      "winner's, Escape closes it, then shows all.</p></details>\n"
      "</div>\n",
      trials);
}

/// Links to the sections that the body has.
std::string contents(const std::string& body) {
  std::string text = "<nav aria-label=\"contents\">";
  for (const char* name : {"Compared", "Shapes", "Roofline", "Problems", "Variants", "Configurations", "Search",
                           "Parameters", "Finalists", "Accuracy", "Failures", "Trials", "Regress", "Environment"})
    if (body.find(fmt::format(" id=\"{}\"", name)) != std::string::npos)
      text += fmt::format("<a href=\"#{0}\">{0}</a>", name);
  return text + "</nav>\n";
}

std::string masthead(const LabReport& report, const std::string& body) {
  const ReportProblem& first = report.problems.front();
  std::string devices = fmt::format("{} {}", xml_text(first.device_class), clock_badge(first.clock));
  for (const ReportEnvironment& environment : report.environments)
    if (environment.device_class != first.device_class)
      devices += fmt::format("<br>{} {}", xml_text(environment.device_class), clock_badge(environment.clock));
  return fmt::format(
      "<header>\n<p class=\"kind\">kerlab report</p>\n<h1>{}</h1>\n<p class=\"dim\">{}</p>\n"
      "<p class=\"dim\">written {} by kerlab {}</p>\n{}</header>\n",
      xml_text(report.title), devices, xml_text(report.created.substr(0, 16)), xml_text(report.version),
      contents(body));
}

std::string warnings_html(const LabReport& report) {
  std::string text;
  for (const std::string& warning : report.warnings)
    text += fmt::format("<p class=\"warning\">{}</p>\n", xml_text(warning));
  return text;
}

}  // namespace

std::vector<ReportPart> report_parts(const LabReport& report) {
  std::vector<ReportPart> parts;
  std::size_t row = 0;
  for (std::size_t i = 0; i < report.problems.size(); ++i) {
    parts.push_back({report.problems[i], row, report.problems.size() == 1 ? "" : fmt::format("-{}", i + 1)});
    row += report.problems[i].trials.size();
  }
  return parts;
}

std::vector<ReportFigure> problem_figures(const ReportPart& part) {
  std::vector<ReportFigure> figures{roofline_figure(part),   progress_by_trials(part), progress_by_time(part),
                                    importance_figure(part), finalists_figure(part),   accuracy_figure(part),
                                    failures_figure(part)};
  for (ReportFigure& figure : heat_maps(part)) figures.push_back(std::move(figure));
  for (ReportFigure& figure : figures)
    figure.subject = fmt::format("{}, {}", part.problem.title, device_label(part.problem));
  return figures;
}

std::vector<ReportFigure> report_figures(const LabReport& report) {
  const std::vector<ReportPart> parts = report_parts(report);
  std::vector<ReportFigure> figures;
  if (parts.size() > 1) figures = common_rooflines(parts);
  figures.push_back(library_figure(parts));
  for (const ReportPart& part : parts)
    for (ReportFigure& figure : problem_figures(part)) figures.push_back(std::move(figure));
  figures.push_back(regress_figure(report));
  std::erase_if(figures, [](const ReportFigure& figure) { return figure.body.empty(); });
  return figures;
}

std::string report_page(const LabReport& report) {
  const std::vector<ReportPart> parts = report_parts(report);
  const std::vector<TrialColumn> columns = trial_columns(parts);
  const std::vector<std::size_t> order = fastest_first(parts);
  const std::vector<ShapeSweep> sweeps = shape_sweeps(parts);
  std::string body = warnings_html(report) + summary_html(report, parts, sweeps);
  body += problems_html(parts) + trials_html(columns, order);
  if (!report.runs.empty()) body += heading(2, "Regress", "Regression runs") + figure_html(regress_figure(report));
  body += heading(2, "Environment", "Environment") + environment_html(report);
  std::string page = head(report, columns);
  page += "<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n" + masthead(report, body) +
          toolbar(order.size());
  page += "<main id=\"content\" tabindex=\"-1\">\n" + body;
  page += "</main>\n<aside id=\"detail\" aria-label=\"one configuration\" hidden></aside>\n";
  page += "<div id=\"tip\" role=\"status\" aria-live=\"polite\" hidden></div>\n";
  page += data_block(columns, order, problems_value(parts, sweeps));
  return page + script() + "</body>\n</html>\n";
}

}  // namespace kerlab::report
