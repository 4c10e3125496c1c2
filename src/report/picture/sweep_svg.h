#pragma once
// What a sweep over a dimension measured, as lines over it.

#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::report {

struct SweepPoint {
  double x = 0, y = 0;
};

struct SweepSeries {
  std::string label;
  bool library = false;  ///< drawn as such
  std::vector<SweepPoint> points = {};
};

struct SweepDrawing {
  std::string title;     ///< "attention bf16 causal"
  std::string subtitle;  ///< the device, what the times are
  std::string x, y;      ///< titles of the axes: "queries", "TFLOP/s"
  std::vector<SweepSeries> series;
};

/// A file of its own. Empty when there is no point. Any text is escaped.
std::string sweep_svg(const SweepDrawing& drawing);

}  // namespace kerlab::report
