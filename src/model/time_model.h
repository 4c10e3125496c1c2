#pragma once
// A time from counts: a model, not a measurement, for ranking configurations where there is no GPU.
//
// A block asks its SM for cycles of units that overlap (schedulers and pipes, shared memory, L1, tensor cores, its
// share of DRAM), and spends the rest of its life waiting: for the chains of dependent instructions in its code, for
// copies, at barriers. How far resident blocks cover each other's waits is the classical closed queue. Blocks come in
// waves.
//
// Compared with recorded sweeps of an H200 (driver 580, NVRTC 13.0; tuning_db/sweeps, `kerlab model`), 24 or 32
// configurations of each: sweeps, model over measured for the middle 80 %, median error, rank correlation (Spearman;
// median and range). Fitted are one shape each of reg2d, smem_tile, gemm_sm80, gemv, multicast, two_pass and
// row_per_block; held out are other shapes of these, and kernels that nothing was fitted to.
//   gemm fp32      7 held out  0.89 to 1.28   9 %  0.95 (async_tile 0.78, else 0.87 to 0.98)
//   gemm bf16     13 held out  0.54 to 1.17  15 %  0.86 (persistent 0.46 to 0.53, gemv by mma 8192^2 0.67, wmma 0.70,
//                                                        wgmma_tma 0.73, else 0.86 to 0.97)
//   reduce fp32    1 held out  1.03 to 1.21  10 %  0.87
//   reduce bf16    1 held out  0.91 to 1.44   8 %  0.83
//   softmax fp32   2 held out  0.67 to 1.16  12 %  0.91 to 0.94
//   softmax bf16   4 held out  0.68 to 1.25   9 %  0.91 to 0.98
//   fitted         7           0.71 (reg2d fp32 2048^3: all about equally fast), 0.84 (reduce), 0.91 to 0.97
// Held out means that no constant was fitted to it. The structure was found by looking at some of them too: gemm_sm80
// 512x512x8192, reg1d 1024^3, warp_specialised 2048^3, persistent, softmax 16384x512. persistent 4096^3 and gemv by mma
// 4096^2 were to be fitted, and are held out because the model has no word for what they cost. Counted only afterwards,
// and in no row above: warp_specialised 4096^3 0.96, multicast 2048^3 0.90, wgmma_tma 2048^3 0.80. mma_sync, wgmma and
// l2_bytes_per_cycle lie at or near the bounds that hardware sets: the fit alone would go beyond. What it does not
// know: what strided rows cost DRAM (gemv by mma). The figures are model-4's; of wgmma's kernels, which model-5 is
// about, docs/time_model.md has newer ones.
//
// Of an H100, later, 8 configurations of each: attention bf16, 10 sweeps of its kernel persistent: 0.72 to 1.14, rank
// correlation 0.48 (at 4 x 16 x 4096 x 128 full all but one lie within 6 %). Depth 64 comes out a quarter too fast: the
// exponentials of 64 numbers take as long as their products, and overlap less than `overlap` says. An exponent of its
// own for tensor pipe beside the rest, fitted to the five sweeps without a mask, is 1.6: depth 64 is then right within
// 10 %, but depth 128, right within 4 % today, a fifth too slow; all in all 0.18 instead of 0.21 (root mean square of
// the logarithm). Judged on the five causal ones: 0.20 instead of 0.25, and ranks worse in three. Not taken.

#include <cstdint>
#include <string>
#include <vector>

#include "model/roofline.h"
#include "plan/counts.h"
#include "plan/device_info.h"

namespace kerlab::model {

/// Part of a modelled measurement's protocol: times of different versions do not compare.
inline constexpr const char* kModelProtocol = "model-5";

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
  bool in_graph = false;                ///< started by a CUDA graph, and not the first of it
  double weight = 1;                    ///< work of the average block over that of the blocks run
  std::int64_t cluster = 1;             ///< blocks of a cluster
  Pipeline pipeline = {};               ///< of the blocks run
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
  /// "latency" where waits are what takes the time, else the unit: what launch_bottleneck begins with, not for showing.
  std::string limiter;
  std::vector<UnitDemand> units = {};  ///< busiest first; those that do nothing are left out
  double alone_cycles = 0;             ///< of one block that has its SM for itself, waits included
  double barrier_cycles = 0;           ///< of these
  double tail = 0;                     ///< share of the blocks' time that a last wave which is not full adds
  double start_us = 0;                 ///< of `us`: starting it
};

/// What the model takes from measurements of an H200; where no source is named, fitted to the sweeps whose role is
/// `fitted` (tuning_db/sweeps). Cycles are of an SM.
struct TimeConstants {
  double launch_us = 2.7;          ///< of a launch that does nothing
  double graph_node_us = 1.7;      ///< the same in a CUDA graph: about a microsecond less, not fitted
  double issue_cycles = 1.27;      ///< of a scheduler per warp instruction: register banks collide
  double warp_cycles = 1.31;       ///< per instruction of a warp that has its scheduler for itself
  double overlap = 3.3;            ///< exponent of units side by side: 1 would be one after the other
  double engine_overlap = 8;       ///< the same of tensor cores, L2 and DRAM where wgmma and TMA keep them busy
  double cluster_sms = 10.0 / 11;  ///< share of the SMs on which clusters of more than two are resident (GPCs)
  double request_cycles = 3.74;    ///< of the address unit, per warp access to global memory
  double barrier_cycles = 31;      ///< from the last warp's arrival until all go on
  double block_cycles = 2170;      ///< before a block's first instruction and after its last
  double least_room = 3.5;         ///< registers that the compiler finds for loads, however few are left
  double l2_bytes_per_cycle = 64;  ///< between L2 and an SM; its port has 64
  double l2_latency = 618;         ///< of a load that L2 holds, with others on their way
  double l1_share = 0.46;          ///< of its size that holds what its blocks read again
  double l2_share = 0.915;         ///< of its size that holds what one kernel reads again
  double dram_latency = 760;       ///< of a block's first load of anything
  double dram = 0.947;             ///< of the theoretical bandwidth; 0.90 reading, 0.89 copying as measured
  double mma_sync = 0.66;          ///< of the tensor pipe's peak at the highest clock; 0.63 in microbenchmarks
  double wgmma = 0.85;             ///< the same of wgmma
};

/// `flops_per_s`, `bytes_per_s` of `ceilings`: the tensor pipe's peak for the problem's dtype and DRAM's.
ModelledTime model_launch(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work,
                          const TimeConstants& constants = {});

}  // namespace kerlab::model
