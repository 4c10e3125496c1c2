#pragma once
// A time from counts: throughput of the pipes of an SM, waves of blocks over the SMs, L2 and DRAM traffic. A model, not a
// measurement: it is for ranking configurations where there is no GPU. Compared with an H200 (496 configurations of gemm
// reg2d, 2048^3 fp32): model over measured 0.75 to 1.07 for the middle 80 % (median 0.88, extremes 0.65 and 1.18),
// Spearman correlation 0.47: it tells slow from fast, not fast from fastest.

#include <cstdint>
#include <string>
#include <vector>

#include "model/roofline.h"
#include "plan/counts.h"
#include "plan/device_info.h"

namespace kerlab {

/// Part of a modelled measurement's protocol: times of different versions do not compare.
inline constexpr const char* kModelProtocol = "model-1";

/// One launch, as an emulated device counted it.
struct CountedWork {
  std::int64_t threads = 0;  ///< per block
  std::int64_t blocks = 0, blocks_run = 0;
  int blocks_per_sm = 1;  ///< by occupancy
  Counts counts;          ///< of the blocks run
};

/// What a launch takes and why.
struct ModelledTime {
  double us = 0;
  std::string limiter;  ///< "fp32 pipe", "issue", "shared memory", "latency", "L2", "DRAM", "tensor pipe", ...
};

/// `flops_per_s`, `bytes_per_s` of `ceilings`: the tensor pipe's peak for the problem's dtype and DRAM's.
/// `dram_bytes`: least traffic of the launch, 0 when not known.
ModelledTime model_launch(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work,
                          double dram_bytes);

}  // namespace kerlab
