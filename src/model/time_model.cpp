#include "model/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kerlab {
namespace {

// Of the chips; cycles are of an SM.
constexpr double kSchedulers = 4;       // each issues a warp instruction per cycle
constexpr double kSectorsPerCycle = 4;  // 32-byte sectors through L1: 128 bytes per cycle
constexpr double kFreeClock = 0.995;    // of the highest clock, held by an H200 without tensor cores at work
constexpr double kTensorClock = 0.89;   // with them: its 700 W are the limit (1692 to 1770 of 1980 MHz recorded)

// Fitted to recorded sweeps of an H200: see time_model.h.
constexpr double kLaunchUs = 2.5;             // of a launch that does nothing
constexpr double kIssueCycles = 1.26;         // of a scheduler per warp instruction: register banks collide
constexpr double kWarpCycles = 1.47;          // per instruction of a warp that has its scheduler for itself
constexpr double kOverlap = 3;                // exponent of units side by side: 1 would be one after the other
constexpr double kRequestCycles = 4;          // of the address unit, per warp access to global memory
constexpr double kBarrierCycles = 50;         // from the last warp's arrival until all go on
constexpr double kBlockCycles = 800;          // before a block's first instruction and after its last
constexpr double kCachedInstructions = 1350;  // of a loop; about 21 KiB of the 32 of the instruction cache
constexpr double kFetchCycles = 0.28;         // per instruction beyond those, for the warps of a block together
constexpr double kDram = 0.97;                // of the theoretical bandwidth
constexpr double kMmaSync = 0.93;             // of the tensor pipe's peak at the highest clock

/// Lanes per cycle and SM of each pipe (CUDA C++ Programming Guide, table "Throughput of Native Arithmetic
/// Instructions"); 0: not limited beyond issue.
double lanes(Pipe pipe, const DeviceInfo& device) {
  const bool half_fp32 = device.compute_capability() == 80 || device.compute_capability() < 75;
  switch (pipe) {
    case Pipe::fp32:
    case Pipe::half:
      return half_fp32 ? 64 : 128;
    case Pipe::fp64:
      return (half_fp32 ? 64 : 128) * std::max(device.fp64_ratio, 1.0 / 64);
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

/// A unit of an SM and the cycles that one block keeps it busy.
struct Unit {
  double cycles = 0;
  std::string name;
  void see(double other, std::string other_name) {
    if (other <= cycles) return;
    cycles = other;
    name = std::move(other_name);
  }
};

/// One block, in cycles.
struct Demand {
  double busy = 0;   ///< of the SM's units: resident blocks share them
  double alone = 0;  ///< from its begin to its end when it has the SM for itself
  std::string limiter;
};

std::int64_t blocks_of_fullest_sm(const DeviceInfo& device, const CountedWork& work) {
  return (work.blocks + device.sms - 1) / device.sms;
}

std::int64_t resident_blocks(const DeviceInfo& device, const CountedWork& work) {
  return std::clamp<std::int64_t>(work.blocks_per_sm, 1, blocks_of_fullest_sm(device, work));
}

class BlockModel {
 public:
  BlockModel(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work, double dram_bytes)
      : device_(device), ceilings_(ceilings), work_(work), dram_bytes_(dram_bytes) {}

  /// Per second.
  [[nodiscard]] double clock() const {
    return device_.clock_mhz * 1e6 * (work_.counts.tensor_flops > 0 ? kTensorClock : kFreeClock);
  }

  [[nodiscard]] double barrier_cycles() const { return of(Pipe::barrier) / warps() * kBarrierCycles; }

  /// Each unit by itself, busiest first.
  [[nodiscard]] std::vector<UnitDemand> units() const {
    std::vector<UnitDemand> units;
    const auto add = [&](const Unit& unit) {
      if (unit.cycles > 0) units.push_back({unit.name, unit.cycles, 0});
    };
    for (std::size_t i = 0; i < kPipes; ++i) add(pipe(static_cast<Pipe>(i)));
    add({issued() / kSchedulers * kIssueCycles, "issue"});
    for (const Unit& unit : {shared_memory(), sectors(), requests(), tensor_pipe(), dram()}) add(unit);
    std::ranges::stable_sort(units, std::ranges::greater{}, &UnitDemand::cycles);
    return units;
  }

  [[nodiscard]] Demand demand() const {
    const Unit core = schedulers_and_pipes();
    const std::array units = {core, shared_memory(), l1_cache(), tensor_pipe(), dram()};
    double sum = 0;
    Unit busiest;
    for (const Unit& unit : units) {
      sum += std::pow(unit.cycles, kOverlap);
      busiest.see(unit.cycles, unit.name);
    }
    const double together = std::pow(sum, 1 / kOverlap), fetch = fetch_cycles();
    Demand demand{together + fetch, 0, busiest.name};
    const double path = path_cycles() + (together - core.cycles) + fetch;
    demand.alone = std::max(demand.busy, path) + copy_stalls(demand.busy);
    return demand;
  }

 private:
  [[nodiscard]] double per_block(std::int64_t count) const {
    return static_cast<double>(count) / static_cast<double>(work_.blocks_run);
  }
  [[nodiscard]] double of(Pipe pipe) const {
    return per_block(work_.counts.warp_instructions[static_cast<std::size_t>(pipe)]);
  }
  [[nodiscard]] double warps() const { return std::max(1.0, std::ceil(static_cast<double>(work_.threads) / 32)); }
  /// How often each warp runs through a stretch.
  [[nodiscard]] double runs(const Stretch& stretch) const { return per_block(stretch.executions) / warps(); }
  /// Cycles from one instruction of a warp to its next, while the other warps of its scheduler have their turns.
  [[nodiscard]] double pace() const { return std::max(std::ceil(warps() / kSchedulers) * kIssueCycles, kWarpCycles); }
  /// Instructions of one warp.
  [[nodiscard]] double instructions() const {
    double sum = 0;
    for (const Stretch& s : work_.stretches) sum += runs(s) * s.instructions;
    return sum;
  }

  [[nodiscard]] Unit pipe(Pipe pipe) const {
    const double width = lanes(pipe, device_);
    return width > 0 ? Unit{of(pipe) * 32 / width, std::string(name(pipe)) + " pipe"} : Unit{};
  }
  /// Warp instructions; most moves of PTX are none of SASS.
  [[nodiscard]] double issued() const {
    double sum = 0;
    for (std::size_t i = 0; i < kPipes; ++i)
      if (static_cast<Pipe>(i) != Pipe::move) sum += of(static_cast<Pipe>(i));
    return sum;
  }

  [[nodiscard]] Unit schedulers_and_pipes() const {
    Unit core;
    for (std::size_t i = 0; i < kPipes; ++i) {
      const Unit one = pipe(static_cast<Pipe>(i));
      core.see(one.cycles, one.name);
    }
    const bool by_pipe = core.cycles > 0.75 * issued() / kSchedulers;
    core.see(issued() / kSchedulers * kIssueCycles, by_pipe ? core.name : "issue");
    return core;
  }

  [[nodiscard]] Unit shared_memory() const { return {per_block(work_.counts.shared_wavefronts), "shared memory"}; }

  [[nodiscard]] Unit sectors() const { return {per_block(work_.counts.global_sectors) / kSectorsPerCycle, "L1"}; }
  [[nodiscard]] Unit requests() const {
    return {per_block(work_.counts.global_requests) * kRequestCycles, "global accesses"};
  }
  [[nodiscard]] Unit l1_cache() const { return requests().cycles > sectors().cycles ? requests() : sectors(); }

  [[nodiscard]] Unit tensor_pipe() const {
    if (work_.counts.tensor_flops == 0 || ceilings_.flops_per_s <= 0) return {};
    const double per_cycle = kMmaSync * ceilings_.flops_per_s / (device_.sms * device_.clock_mhz * 1e6);
    return {per_block(work_.counts.tensor_flops) / per_cycle, "tensor pipe"};
  }

  /// A block's share of the traffic, an SM's share of the bandwidth. What the resident blocks of all SMs work on at
  /// once and L2 cannot hold comes from DRAM again whenever it is touched again.
  [[nodiscard]] Unit dram() const {
    if (ceilings_.bytes_per_s <= 0) return {};
    const double share = dram_bytes_ / static_cast<double>(work_.blocks);
    const double at_once = share * static_cast<double>(resident_blocks(device_, work_)) * device_.sms;
    const double kept = at_once > 0 ? std::min(1.0, static_cast<double>(device_.l2_bytes) / at_once) : 1;
    const double touched = 32 * per_block(work_.counts.global_sectors);
    const double bytes = share + (1 - kept) * std::max(0.0, touched - share);
    const double per_cycle = kDram * ceilings_.bytes_per_s / device_.sms / clock();
    return {bytes / per_cycle, "DRAM"};
  }

  /// Loops longer than the instruction cache wait for the rest of their code, again in every round.
  [[nodiscard]] double fetch_cycles() const {
    double loops = 0;
    for (const Stretch& s : work_.stretches) loops += runs(s) > 1.5 ? s.instructions : 0;
    const double missing = loops > 0 ? std::max(0.0, 1 - kCachedInstructions / loops) : 0;
    return kFetchCycles * missing * instructions();
  }

  /// Of a warp among its block's: each stretch takes the turns of its instructions, or its chain if that is longer.
  [[nodiscard]] double path_cycles() const {
    double cycles = kBlockCycles + barrier_cycles();
    for (const Stretch& s : work_.stretches) cycles += runs(s) * std::max<double>(s.chain, s.instructions * pace());
    return cycles;
  }

  /// Copies awaited by the code that began them: what of their latency the instructions in between do not cover.
  [[nodiscard]] double copy_stalls(double busy) const {
    const double each = std::max(pace(), busy / std::max(1.0, instructions()));
    double cycles = 0;
    for (const Stretch& s : work_.stretches)
      if (s.awaited >= 0) cycles += runs(s) * std::max(0.0, latency::kGlobal - s.awaited * each);
    return cycles;
  }

  const DeviceInfo& device_;
  const Ceilings& ceilings_;
  const CountedWork& work_;
  double dram_bytes_;
};

/// Cycles until `resident` blocks that begin together have ended: a closed queue of blocks, each of which asks `busy`
/// cycles of the SM and spends the rest of `alone` waiting elsewhere (mean value analysis, Reiser and Lavenberg 1980).
double wave(const Demand& block, std::int64_t resident) {
  double queue = 0, throughput = 1;
  for (std::int64_t n = 1; n <= resident; ++n) {
    const double time = block.busy * (1 + queue);
    throughput = static_cast<double>(n) / (time + block.alone - block.busy);
    queue = throughput * time;
  }
  return static_cast<double>(resident) / throughput;
}

}  // namespace

ModelledTime model_launch(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work,
                          double dram_bytes) {
  if (work.blocks_run <= 0 || device.sms <= 0 || device.clock_mhz <= 0) return {kLaunchUs, "launch"};
  const BlockModel model(device, ceilings, work, dram_bytes);
  const Demand block = model.demand();
  // The SM with most blocks: waves of as many as fit, then the rest. Many waves run into each other.
  const std::int64_t mine = blocks_of_fullest_sm(device, work), resident = resident_blocks(device, work);
  double cycles = 0;
  if (mine > 4 * resident) {
    cycles = static_cast<double>(work.blocks) / device.sms / static_cast<double>(resident) * wave(block, resident);
  } else {
    cycles = static_cast<double>(mine / resident) * wave(block, resident);
    if (mine % resident != 0) cycles += wave(block, mine % resident);
  }
  const bool waiting = block.alone > static_cast<double>(resident) * block.busy;
  ModelledTime time{kLaunchUs + cycles / model.clock() * 1e6, waiting ? "latency" : block.limiter, model.units(),
                    block.alone, model.barrier_cycles()};
  for (UnitDemand& unit : time.units) unit.busy = unit.cycles * static_cast<double>(mine) / cycles;
  return time;
}

}  // namespace kerlab
