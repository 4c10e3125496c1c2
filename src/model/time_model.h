#pragma once
// A time from counts: a model, not a measurement, for ranking configurations where there is no GPU.
//
// A block asks its SM for cycles of units that overlap (schedulers and pipes, shared memory, L1, tensor cores, its
// share of DRAM), and spends the rest of its life waiting: for the chains of dependent instructions in its code, for
// copies, at barriers. How far resident blocks cover each other's waits is the classical closed queue. Blocks come in
// waves.
//
// Compared with recorded sweeps of an H200 (driver 580, NVRTC 13.0; tuning_db/sweeps, `kerlab model`), some
// configurations of each: model over measured for the middle 80 %, rank correlation (Spearman), best measured time
// among the eight modelled fastest over the best of all; in brackets the rank correlation of model-2:
//   gemm reg2d, fp32 1024^3       32 configurations  0.64 to 0.99  0.80  1.00  held out  (0.87 with 48)
//   gemm warp_tile, fp32 4096^3   48                 1.01 to 1.10  0.88  1.00  held out  (0.55)
//   gemm reg2d, fp32 2048^3       32                 0.90 to 1.01  0.71  1.00  fitted    (0.58 with 48)
//   gemm smem_tile, fp32 4096^3   44                 0.91 to 1.18  0.88  1.00  fitted    (0.67)
//   gemm mma_pipe, bf16 4096^3    48 of each layout  0.94 to 1.11  0.89 to 0.94  1.00  fitted  (0.83 to 0.90)
//   softmax, fp32 8192 x 8192     54                 0.88 to 1.18  0.89  1.11  fitted    (0.72)
// Not compared yet: reduce, split_k, gemv_mma, and wgmma, whose constant is not fitted.

#include <cstdint>
#include <string>
#include <vector>

#include "model/roofline.h"
#include "plan/counts.h"
#include "plan/device_info.h"

namespace kerlab {

/// Part of a modelled measurement's protocol: times of different versions do not compare.
inline constexpr const char* kModelProtocol = "model-3";

/// One launch, as an emulated device counted it.
struct CountedWork {
  std::int64_t threads = 0;  ///< per block
  std::int64_t blocks = 0, blocks_run = 0;
  int blocks_per_sm = 1;                ///< by occupancy
  Counts counts;                        ///< of the blocks run
  std::vector<Stretch> stretches = {};  ///< of the blocks run
  Traffic traffic = {};                 ///< of the blocks run
  int registers = 0;                    ///< per thread, 0: not known
  std::int64_t shared_bytes = 0;        ///< of a block
  double dram_bytes = 0;                ///< least traffic of the launch, 0 when not known
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
  double barrier_cycles = 22;          ///< of these
};

/// What the model takes from measurements of an H200; where no source is named, fitted to the sweeps whose role is
/// `fitted` (tuning_db/sweeps). Cycles are of an SM.
struct TimeConstants {
  double launch_us = 3;              ///< of a launch that does nothing
  double issue_cycles = 1.276;       ///< of a scheduler per warp instruction: register banks collide
  double warp_cycles = 1.306;        ///< per instruction of a warp that has its scheduler for itself
  double overlap = 5.86;             ///< exponent of units side by side: 1 would be one after the other
  double request_cycles = 6.2;       ///< of the address unit, per warp access to global memory
  double barrier_cycles = 22;        ///< from the last warp's arrival until all go on
  double block_cycles = 2150;        ///< before a block's first instruction and after its last
  double least_room = 10;            ///< registers that the compiler finds for loads, however few are left
  double l2_bytes_per_cycle = 54.5;  ///< between L2 and an SM; its port has 64
  double l2_latency = 600;           ///< of a load that L2 holds, with others on their way
  double l2_share = 1;               ///< of its size that holds what one kernel reads again
  double dram_latency = 826;         ///< of a block's first load of anything
  double dram = 0.95;                ///< of the theoretical bandwidth; 0.90 reading, 0.89 copying as measured
  double mma_sync = 0.59;            ///< of the tensor pipe's peak at the highest clock; 0.63 in microbenchmarks
  double wgmma = 0.95;               ///< the same of wgmma: not fitted
};

/// `flops_per_s`, `bytes_per_s` of `ceilings`: the tensor pipe's peak for the problem's dtype and DRAM's.
ModelledTime model_launch(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work,
                          const TimeConstants& constants = {});

}  // namespace kerlab
