#pragma once
// The bottleneck of work along rows (softmax, normalisations): which regime its rows are in, and what helps there.
// DRAM is busy while `covering_bytes` (model/roofline.h) are on their way to every SM; the first that holds:
//
//   few rows    at most 0.8 of the number of SMs: with a block per row the others have nothing to do
//   short rows  as many blocks as an SM holds, with a row each, ask for less than these bytes
//   long rows   fewer than 3 fit into half of an SM's registers: while one is reduced, too little is loaded. Measured
//               on an H200 (kernels/common/rows): softmax of 32768 columns in bf16, of which 2 fit, reaches 0.78 of a
//               copy; shorter rows, where there are more than 256 MB of them, 0.93 and more
//   rows        else: a block per row, several on every SM
//
// Of a problem few rows are the bottleneck "too few rows", short ones "latency", long ones and others DRAM, unless it
// is bound by its launch or by arithmetic, or fits into L2 (model/problem_bottleneck.h). Of a launch the name is what
// model/bottleneck.h finds; where blocks are few, the last wave is empty or blocks wait, what helps is said of rows.

#include <cstdint>
#include <string_view>

#include "model/inspection.h"
#include "model/problem_bottleneck.h"

namespace kerlab::model {

struct RowShape {
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;   ///< of the widest tensor that is read row by row
  std::int64_t read_bytes = 0;  ///< of a row, of all tensors that are read so
};

enum class RowRegime : std::uint8_t { few, short_rows, long_rows, even };
std::string_view name(RowRegime regime);

/// `shape`: of at least one row, which is not empty. `ceilings`: theoretical ones.
RowRegime row_regime(const RowShape& shape, const DeviceInfo& device, const Ceilings& ceilings);

/// With the name of the regime as its shape.
ProblemBottleneck row_problem_bottleneck(const RowShape& shape, double flops, double bytes, const DeviceInfo& device,
                                         const Ceilings& ceilings);

/// `launch`: with its bottleneck, whose name stays.
Bottleneck row_launch_bottleneck(const RowShape& shape, const LaunchInspection& launch, const DeviceInfo& device,
                                 const Ceilings& ceilings);

}  // namespace kerlab::model
