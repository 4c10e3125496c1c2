#pragma once
// What a page says of one problem.

#include <string>
#include <string_view>

#include "report/html/figures.h"

namespace kerlab::report {

/// Roofline, ladder, search, parameters, finalists, accuracy, failures. `alone`: it is the page's only one.
std::string problem_section(const ReportPart& part, std::size_t index, bool alone);

/// Its winner in a few figures.
std::string problem_key_figures(const ReportProblem& problem);

/// "measured", "modelled" or "scripted", to stand beside a name.
std::string clock_badge(ClockKind clock);

/// A figure with its caption and its numbers as a table; empty where there is nothing to draw. `half`: two fit beside
/// each other.
std::string figure_html(const ReportFigure& figure, bool half = false);
/// The same, drawn for wide and for narrow screens.
std::string figure_html(const ReportFigure& wide, ReportFigure narrow);

/// A number with its name above and a remark below.
std::string key_figure(std::string_view name, std::string_view value, std::string_view more);

}  // namespace kerlab::report
