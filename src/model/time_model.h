#pragma once
// A time from counts: a model, not a measurement, for ranking configurations where there is no GPU.
//
// A block asks its SM for cycles of units that overlap (schedulers and pipes, shared memory, L1, tensor cores, its
// share of DRAM), and spends the rest of its life waiting: for the chains of dependent instructions in its code, for
// copies, at barriers. How far resident blocks cover each other's waits is the classical closed queue. Blocks come in
// waves.
//
// Compared with recorded sweeps of an H200 (driver 580, NVRTC 13.0), model over measured for the middle 80 %, rank
// correlation (Spearman), best measured time among the eight modelled fastest over the best of all:
//   gemm reg2d, fp32 2048^3      150 configurations  0.94 to 1.09  0.82  1.00  fitted to half of these
//   gemm reg2d, fp32 1024^3      150                 0.76 to 1.02  0.95  1.00  nothing fitted
//   gemm mma_pipe, bf16 4096^3   100                 0.94 to 1.06  0.93  1.00  kMmaSync fitted to half
//   gemm smem_tile, fp32 4096^3   44                 0.75 to 1.21  0.67  1.00  nothing fitted
//   softmax, fp32 8192 x 8192     67                 0.86 to 1.85  0.72  1.00  kSectorsPerCycle chosen on it
//   reduce two_pass, fp32 2^28    80                 0.95 to 1.19  0.88  1.00  kDram, loads' latency too
// (fitted to half: the other half alone has 0.83 and 0.94). What is missing: registers that hold fewer loads than the
// code has, prefetches that ptxas gives up for registers, hits in L1. model-1, sums of instructions without chains and
// queues, had 0.47 for the first and 0.64 for the third.

#include <cstdint>
#include <string>
#include <vector>

#include "model/roofline.h"
#include "plan/counts.h"
#include "plan/device_info.h"

namespace kerlab {

/// Part of a modelled measurement's protocol: times of different versions do not compare.
inline constexpr const char* kModelProtocol = "model-2";

/// One launch, as an emulated device counted it.
struct CountedWork {
  std::int64_t threads = 0;  ///< per block
  std::int64_t blocks = 0, blocks_run = 0;
  int blocks_per_sm = 1;                ///< by occupancy
  Counts counts;                        ///< of the blocks run
  std::vector<Stretch> stretches = {};  ///< of the blocks run
};

/// How long one block keeps a unit of its SM busy.
struct UnitDemand {
  std::string name;  ///< as a limiter's
  double cycles = 0;
  double busy = 0;  ///< fraction of the launch's time, on the SM with most blocks
};

/// What a launch takes and why.
struct ModelledTime {
  double us = 0;
  std::string limiter;  ///< "fp32 pipe", "issue", "shared memory", "latency", "L2", "DRAM", "tensor pipe", ...
  std::vector<UnitDemand> units = {};  ///< busiest first; those that do nothing are left out
  double alone_cycles = 0;             ///< of one block that has its SM for itself, waits included
  double barrier_cycles = 0;           ///< of these
};

/// `flops_per_s`, `bytes_per_s` of `ceilings`: the tensor pipe's peak for the problem's dtype and DRAM's.
/// `dram_bytes`: least traffic of the launch, 0 when not known.
ModelledTime model_launch(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work,
                          double dram_bytes);

}  // namespace kerlab
