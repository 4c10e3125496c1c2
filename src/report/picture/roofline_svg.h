#pragma once
// A roofline as a figure, both axes logarithmic.

#include <cstddef>
#include <string>
#include <vector>

#include "report/picture/figure.h"

namespace kerlab::report {

/// A slope or a flat of the roof, as published and as measured; 0: not known.
struct SvgCeiling {
  std::string label;       ///< "memory (copy)", "bf16 tensor pipe"
  double theoretical = 0;  ///< bytes/s of a memory, FLOP/s of a pipe
  double measured = 0;
  std::string measured_label = {};  ///< where what was measured has a name of its own: "memory copy"; else `label`
};

struct SvgPoint {
  enum class Kind { winner, other, library } kind = Kind::other;
  std::string label;     ///< "mma_pipe"
  std::string value;     ///< behind the label: "471.6 TFLOP/s, 66 %"
  double intensity = 0;  ///< FLOP per byte
  double flops_per_s = 0;
};

/// Every trial, small, behind the points; `index` is the row of a page's table that it stands for.
struct SvgCloud {
  struct Dot {
    std::size_t index = 0;
    double intensity = 0, flops_per_s = 0;
  };
  std::string style;  ///< "own", "rest", "chosen" of figure.css
  std::vector<Dot> dots;
  double spread = 0;  ///< pixels, sideways: trials of one problem would lie on one another
};

struct RooflineDrawing {
  std::string title;                  ///< "gemm 4096x4096x4096 bf16 nn"
  std::string subtitle;               ///< the device, what the times are
  std::string measured = "measured";  ///< what the legend calls measured ceilings: of a pretended device "scripted"
  std::vector<SvgCeiling> memories;
  std::vector<SvgCeiling> pipes;  ///< the first pair of memory and pipe makes the ridge
  std::vector<SvgPoint> points;
  std::vector<std::string> caption = {};  ///< paragraphs below everything
  std::vector<SvgCloud> clouds = {};
};

/// The figure with its drawing, so many pixels wide. An empty body when no memory or no pipe is known.
ReportFigure with_roofline(ReportFigure figure, const RooflineDrawing& drawing, double width = kWide);

/// A file of its own. Empty when no memory or no pipe is known. Any text is escaped.
std::string roofline_svg(const RooflineDrawing& drawing);

}  // namespace kerlab::report
