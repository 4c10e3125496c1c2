#pragma once
// The bottleneck of a problem before any kernel is looked at: from its FLOPs, its least traffic and the device alone;
// of a GEMM model/gemm_bottleneck.h says it, whose extents say more, and of work along rows model/row_bottleneck.h. T
// and B are the roofline's times of arithmetic and traffic at the theoretical ceilings (model/roofline.h).
//
//   nothing to do        neither FLOPs nor bytes
//   launch overhead      max(T, B) < 3 us: an H200 takes 2 to 3 us for an empty kernel and the first and last trip to
//                        memory
//   DRAM and arithmetic  the smaller of T and B is at least 0.8 of the larger
//   DRAM                 B > T; where all bytes fit in the L2 cache it depends on who used them last
//   tensor pipe, FMA     T > B

#include <cstdint>
#include <optional>
#include <string>

#include "model/gemm_bottleneck.h"
#include "model/roofline.h"
#include "plan/device_info.h"

namespace kerlab::model {

/// Below that roof a launch and a trip to memory are what takes the time.
inline constexpr double kLaunchBoundUs = 3;

/// What to say of a problem: of a GEMM what gemm_bottleneck says, of rows what row_problem_bottleneck says, of others
/// what general_bottleneck does.
struct ProblemBottleneck : Bottleneck {
  std::string shape = {};               ///< of a GEMM: "square", "decode", ...; of rows their regime; else empty
  std::optional<TileWaves> waves = {};  ///< of a GEMM: of its largest tile
  std::int64_t splits = 1;              ///< of K that the suggestion asks for
};

/// `ceilings`: theoretical ones, of the dtype's fastest unit.
ProblemBottleneck general_bottleneck(double flops, double bytes, const DeviceInfo& device, const Ceilings& ceilings);
ProblemBottleneck problem_bottleneck(const GemmShape& shape, const GemmBottleneck& gemm);

/// "decode" (at most 8 rows or columns), "tall-skinny" (M and N differ 8 times and more), "long-K" (K at least 8 times
/// the larger of them), "short-K" (at most an eighth of the smaller), "square" (all within a factor of 2), else
/// "oblong"; the first that holds.
std::string shape_name(const GemmShape& shape);

}  // namespace kerlab::model
