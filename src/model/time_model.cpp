#include "model/time_model.h"

#include <algorithm>
#include <cmath>

namespace kerlab {
namespace {

constexpr double kLaunchUs = 2;             // of a launch that does nothing
constexpr double kL2OverDram = 1.6;         // L2 bandwidth over DRAM's, H200: about 7.5 of 4.8 TB/s
constexpr double kSchedulers = 4;           // warp instructions issued per cycle and SM
constexpr double kSharedWavefronts = 1;     // per cycle and SM
constexpr double kSectorsPerCycle = 2;      // 32-byte sectors through L1, per cycle and SM
constexpr double kRequestsPerCycle = 0.25;  // warp-wide global accesses that L1 takes, per cycle and SM

/// Lanes per cycle and SM of each pipe (CUDA C++ Programming Guide, table "Throughput of Native Arithmetic
/// Instructions"); 0: not limited beyond issue.
double lanes(Pipe pipe, const DeviceInfo& device) {
  const bool half_fp32 = device.compute_capability() == 80 || device.compute_capability() < 75;
  switch (pipe) {
    case Pipe::fp32:
      return half_fp32 ? 64 : 128;
    case Pipe::fp64:
      return (half_fp32 ? 64 : 128) * std::max(device.fp64_ratio, 1.0 / 64);
    case Pipe::half:
      return half_fp32 ? 64 : 128;
    case Pipe::integer:
    case Pipe::compare:
      return 64;
    case Pipe::conversion:
      return device.compute_capability() >= 90 ? 64 : 16;
    case Pipe::special:
      return 16;
    case Pipe::shuffle:
      return 32;
    case Pipe::atomic:
      return 16;
    default:
      return 0;
  }
}

/// Cycles that one warp needs for an instruction before its next can follow, with the independence that unrolled
/// kernels have.
double warp_cycles(Pipe pipe) {
  switch (pipe) {
    case Pipe::global:
    case Pipe::local:
    case Pipe::atomic:
      return 40;
    case Pipe::barrier:
      return 30;
    case Pipe::async:
      return 12;
    case Pipe::shared:
    case Pipe::shuffle:
      return 5;
    case Pipe::special:
    case Pipe::conversion:
    case Pipe::fp64:
      return 4;
    case Pipe::tensor:
      return 16;
    default:
      return 2;
  }
}

struct Bound {
  double cycles = 0;
  std::string limiter;
  void raise(double other, std::string why) {
    if (other <= cycles) return;
    cycles = other;
    limiter = std::move(why);
  }
};

/// Cycles of one SM that one block keeps its busiest unit busy.
Bound busiest(const DeviceInfo& device, const Ceilings& ceilings, const Counts& counts, double blocks) {
  Bound bound;
  double issued = 0;
  for (std::size_t i = 0; i < kPipes; ++i) {
    const auto instructions = static_cast<double>(counts.warp_instructions[i]) / blocks;
    issued += instructions;
    const double width = lanes(static_cast<Pipe>(i), device);
    if (width > 0) bound.raise(instructions * 32 / width, std::string(name(static_cast<Pipe>(i))) + " pipe");
  }
  bound.raise(issued / kSchedulers, "issue");
  bound.raise(static_cast<double>(counts.shared_wavefronts) / blocks / kSharedWavefronts, "shared memory");
  bound.raise(static_cast<double>(counts.global_sectors) / blocks / kSectorsPerCycle, "L1");
  bound.raise(static_cast<double>(counts.global_requests) / blocks / kRequestsPerCycle, "global accesses");
  if (counts.tensor_flops > 0 && ceilings.flops_per_s > 0) {
    const double per_cycle = ceilings.flops_per_s / (device.sms * device.clock_mhz * 1e6);
    bound.raise(static_cast<double>(counts.tensor_flops) / blocks / per_cycle, "tensor pipe");
  }
  return bound;
}

/// Cycles from a block's begin to its end when it has the SM for itself.
double alone(const Counts& counts, double blocks, std::int64_t threads) {
  const double warps = std::max(1.0, std::ceil(static_cast<double>(threads) / 32));
  double cycles = 800;  // the first loads and the last stores
  for (std::size_t i = 0; i < kPipes; ++i)
    cycles += static_cast<double>(counts.warp_instructions[i]) / blocks / warps * warp_cycles(static_cast<Pipe>(i));
  return cycles;
}

}  // namespace

ModelledTime model_launch(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work,
                          double dram_bytes) {
  if (work.blocks_run <= 0 || device.sms <= 0 || device.clock_mhz <= 0) return {kLaunchUs, "launch"};
  const auto run = static_cast<double>(work.blocks_run);
  Bound block = busiest(device, ceilings, work.counts, run);
  const double latency = alone(work.counts, run, work.threads);
  // The SM with most blocks: full waves of as many as fit, then the rest.
  const std::int64_t resident = std::max(work.blocks_per_sm, 1);
  const std::int64_t mine = (work.blocks + device.sms - 1) / device.sms;
  const auto wave = [&](std::int64_t blocks) { return std::max(static_cast<double>(blocks) * block.cycles, latency); };
  double cycles = static_cast<double>(mine / resident) * wave(resident);
  if (mine % resident != 0) cycles += wave(mine % resident);
  if (latency >= static_cast<double>(std::min(mine, resident)) * block.cycles) block.limiter = "latency";

  ModelledTime time{cycles / device.clock_mhz, block.limiter};
  const double l2_bytes =
      32.0 * static_cast<double>(work.counts.global_sectors) / run * static_cast<double>(work.blocks);
  const auto raise = [&](double us, const char* why) {
    if (us > time.us) time = {us, why};
  };
  if (ceilings.bytes_per_s > 0) {
    raise(l2_bytes / (kL2OverDram * ceilings.bytes_per_s) * 1e6, "L2");
    raise(dram_bytes / ceilings.bytes_per_s * 1e6, "DRAM");
  }
  time.us += kLaunchUs;
  return time;
}

}  // namespace kerlab
