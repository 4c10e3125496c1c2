#pragma once
// What limits a problem of any family on a device, and what to do about it: from its FLOPs, its least traffic and the
// device alone, as model/gemm_regime.h does for a GEMM, whose extents say more. T and B are the roofline's times of
// arithmetic and traffic at the theoretical ceilings (model/roofline.h).
//
//   nothing to do   neither FLOPs nor bytes
//   launch-bound    max(T, B) < 3 us: an H200 takes 2 to 3 us for an empty kernel and the first and last trip to memory
//   few blocks      the kernel (where one is looked at) has fewer blocks than the device has SMs
//   near the ridge  the smaller of T and B is at least 0.8 of the larger
//   L2-resident     B > T, and all bytes fit in the L2 cache: whether they come from DRAM depends on who used them last
//   memory-bound    B > T
//   compute-bound   T > B

#include <cstdint>
#include <string>

#include "model/gemm_regime.h"
#include "model/roofline.h"
#include "plan/device_info.h"

namespace kerlab {

/// Below that roof a launch and a trip to memory are what takes the time.
inline constexpr double kLaunchBoundUs = 3;

/// What to say of a problem: of a GEMM what gemm_regime says, of others what general_regime does.
struct ProblemRegime {
  std::string shape;  ///< of a GEMM: "square", "decode", ...; else empty
  std::string name;   ///< "memory-bound"
  std::string cause;  ///< "12.58 MB at 4.8 TB/s take 2.621 us, the arithmetic 0.03135 us"
  std::string lever;  ///< what to try
};

/// `ceilings`: theoretical ones, of the dtype's fastest unit. `blocks`: of the kernel that is looked at; 0: of none.
ProblemRegime general_regime(double flops, double bytes, const DeviceInfo& device, const Ceilings& ceilings,
                             std::int64_t blocks = 0);
ProblemRegime problem_regime(const GemmShape& shape, const GemmRegime& regime);

/// "decode" (at most 8 rows or columns), "tall-skinny" (M and N differ 8 times and more), "long-K" (K at least 8 times
/// the larger of them), "short-K" (at most an eighth of the smaller), "square" (all within a factor of 2), else
/// "oblong"; the first that holds.
std::string shape_name(const GemmShape& shape);

}  // namespace kerlab
