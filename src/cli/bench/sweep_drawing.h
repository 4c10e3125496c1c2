#pragma once
// What `kerlab bench --svg FILE` draws.

#include <string>
#include <vector>

#include "report/picture/sweep_svg.h"
#include "session/bench/bench.h"

namespace kerlab::cli {

/// Speed over the dimension that has the most values: TFLOP/s, or GB/s where memory bounds every row. A line for each
/// kernel, dtype, flag and further dimension, and for the library. Throws UsageError where no dimension varies.
SweepDrawing sweep_drawing(const std::vector<BenchRow>& rows, const std::string& device);

}  // namespace kerlab::cli
