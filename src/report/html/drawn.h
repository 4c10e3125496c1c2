#pragma once
// What the page's script draws because the filter lays it out anew, and what it draws from. All else is in figures.h.

#include <string>
#include <vector>

#include "report/form/json.h"
#include "report/html/figures.h"

namespace kerlab::report {

/// All configurations of a problem by their time, with the library's line. Empty: none was timed.
std::string sorted_times_html(const ReportPart& part, std::size_t index);
/// A line for each configuration over the parameters. Empty: no variant has three that were timed.
std::string parallel_html(const ReportPart& part, std::size_t index);

/// One family at several shapes, of one kind of device: what its winners reach.
struct ShapeSweep {
  std::string family, subject;     ///< "gemm bf16 nt, NVIDIA H200 (measured)"
  std::string axis;                ///< "M = N = K", "M", "FLOP"
  bool memory = false;             ///< in GB/s, not TFLOP/s
  std::vector<std::size_t> parts;  ///< by `x`
  std::vector<double> x;
};
/// Of every family that was tuned at two shapes or more.
std::vector<ShapeSweep> shape_sweeps(const std::vector<ReportPart>& parts);
std::string sweep_html(const ShapeSweep& sweep, std::size_t index, const std::vector<ReportPart>& parts);

/// For the script: what it needs of each problem, commands, source lines.
JsonValue::Object problems_value(const std::vector<ReportPart>& parts, const std::vector<ShapeSweep>& sweeps);

}  // namespace kerlab::report
