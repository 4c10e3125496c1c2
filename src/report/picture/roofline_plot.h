#pragma once
// A roofline in the terminal: intensity (FLOP per byte) across, FLOP/s up, both logarithmic.

#include <string>
#include <vector>

#include "model/roofline.h"

namespace kerlab::report {

struct PlotPoint {
  std::string mark = "*";  ///< a few ASCII characters: the first stands where the point is
  double intensity = 0;    ///< FLOP per byte
  double flops_per_s = 0;
  std::string label;  ///< in the legend below; empty: it has no line there
};

struct PlotSize {
  int width = 72;
  int height = 18;
  bool unicode = true;  ///< box characters; else plain ASCII
};

/// The roof of `ceilings`, the points (those outside the axes are moved to the edge), axes and a legend. Marks that
/// would cover each other stand side by side, the last one where it belongs; where there is no room some are missing.
/// Empty when the ceilings are not known.
std::string roofline_plot(const Ceilings& ceilings, const std::vector<PlotPoint>& points, const PlotSize& size = {});

}  // namespace kerlab::report
