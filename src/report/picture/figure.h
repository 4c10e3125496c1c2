#pragma once
// A figure of a report: drawn once, shown in the page or written as a file of its own.

#include <string>

#include "report/form/table.h"

namespace kerlab::report {

/// Widths of drawings in pixels: of files and pages, and of pages on narrow screens.
constexpr double kWide = 960, kNarrow = 372;

/// The classes of its body are those of figure.css. A mark with data-i names rows of the page's table of trials: the
/// page looks for the nearest of them, and takes out those that its filter leaves out.
struct ReportFigure {
  std::string id;           ///< unique in the page, and the file's name: "progress-1"
  std::string title;        ///< "best so far"
  std::string description;  ///< for who cannot see it, in a sentence or two
  std::string caption;      ///< how to read it; may be empty
  double width = 0, height = 0;
  std::string body;          ///< SVG elements
  Table table;               ///< the same as a table
  std::string subject = {};  ///< of what and where: "gemm 4096x4096x4096 bf16 nt, NVIDIA H200 (measured)"; for files
};

/// For the page, whose style sheet and theme it takes.
std::string inline_svg(const ReportFigure& figure);
/// A whole file with both themes.
std::string standalone_svg(const ReportFigure& figure);

/// One of the files of report/html that the build embeds: "page.css".
std::string embedded_text(const std::string& name);
/// The declarations of light.css or dark.css, without the selector.
std::string theme_declarations(const std::string& file);

}  // namespace kerlab::report
