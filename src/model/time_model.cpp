#include "model/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "model/tile_schedule.h"

namespace kerlab::model {
namespace {

// Of the chips; cycles are of an SM.
constexpr double kSchedulers = 4;       // each issues a warp instruction per cycle
constexpr double kSectorsPerCycle = 4;  // 32-byte sectors through L1: 128 bytes per cycle
constexpr double kFreeClock = 0.995;    // of the highest clock, held by an H200 without tensor cores at work
constexpr double kTensorClock = 0.89;   // with them: its 700 W are the limit (1692 to 1770 of 1980 MHz recorded)

constexpr double kL1PerShared =
    256.0 / 228;  // L1 and shared memory are one memory (H100 whitepaper; A100: 192 and 164)
constexpr double kL1Latency = 40;
constexpr double kSectorBytes = 32;
constexpr double kMostMmaFlops = 16384;  // of a warp instruction; wgmma has more

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

/// Cycles of units that work at the same time: `exponent` 1 would be one after the other.
double side_by_side(std::span<const Unit> units, double exponent) {
  double sum = 0;
  for (const Unit& unit : units) sum += std::pow(unit.cycles, exponent);
  return std::pow(sum, 1 / exponent);
}

/// Bytes of a block, and how long it waits for a load.
struct Moved {
  double from_l2 = 0, from_dram = 0, latency = 0;
  double of_first = 0;  ///< the latency of what it reads for the first time: others may have had it
  double copied = 0;    ///< by bulk copies, past L1 and registers
  double filled = 0;    ///< of these, into shared memory
};

/// How much of what is walked through again and again a cache holds: all up to its size, of twice as much nothing, for
/// the oldest goes first, and that is what comes next.
double kept(double bytes, double cache) {
  return bytes <= cache ? 1 : std::clamp(2 - bytes / std::max(1.0, cache), 0.0, 1.0);
}

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
  BlockModel(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work,
             const TimeConstants& constants)
      : device_(device), ceilings_(ceilings), work_(work), c_(constants), moved_(moved()) {}

  /// Per second.
  [[nodiscard]] double clock() const {
    return device_.clock_mhz * 1e6 * (work_.counts.tensor_flops > 0 ? kTensorClock : kFreeClock);
  }

  [[nodiscard]] double barrier_cycles() const { return of(Pipe::barrier) / warps() * c_.barrier_cycles; }

  /// Each unit by itself, busiest first.
  [[nodiscard]] std::vector<UnitDemand> units() const {
    std::vector<UnitDemand> units;
    const auto add = [&](const Unit& unit) {
      if (unit.cycles > 0) units.push_back({unit.name, unit.cycles, 0});
    };
    for (std::size_t i = 0; i < kPipes; ++i) add(pipe(static_cast<Pipe>(i)));
    add({issued() / kSchedulers * c_.issue_cycles, "issue"});
    for (const Unit& unit : {shared_memory(), sectors(), requests(), tensor_pipe(), l2_cache(), dram()}) add(unit);
    std::ranges::stable_sort(units, std::ranges::greater{}, &UnitDemand::cycles);
    return units;
  }

  [[nodiscard]] Demand demand() const {
    const Unit core = schedulers_and_pipes();
    const std::array engines = {tensor_pipe(), l2_cache(), dram()};
    const Unit together{side_by_side(engines, engine_overlap(core)), ""};
    const std::array units = {core, shared_memory(), l1_cache(), together};
    Unit busiest;
    for (std::size_t i = 0; i + 1 < units.size(); ++i) busiest.see(units[i].cycles, units[i].name);
    for (const Unit& engine : engines) busiest.see(engine.cycles, engine.name);
    Demand demand{side_by_side(units, c_.overlap), 0, busiest.name};
    const double path = std::max(demand.busy, path_cycles() + (demand.busy - core.cycles));
    demand.alone = std::max(path + copy_stalls(path, demand.busy), ring_cycles(demand.busy));
    return demand;
  }

 private:
  [[nodiscard]] double per_block(std::int64_t count) const {
    return work_.weight * static_cast<double>(count) / static_cast<double>(work_.blocks_run);
  }
  [[nodiscard]] double of(Pipe pipe) const {
    return per_block(work_.counts.warp_instructions[static_cast<std::size_t>(pipe)]);
  }
  [[nodiscard]] double warps() const { return std::max(1.0, std::ceil(static_cast<double>(work_.threads) / 32)); }
  /// How often each warp runs through a stretch.
  [[nodiscard]] double runs(const Stretch& stretch) const { return per_block(stretch.executions) / warps(); }
  /// Cycles from one instruction of a warp to its next, while the other warps of its scheduler have their turns.
  [[nodiscard]] double pace() const {
    return std::max(std::ceil(warps() / kSchedulers) * c_.issue_cycles, c_.warp_cycles);
  }
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
    core.see(issued() / kSchedulers * c_.issue_cycles, by_pipe ? core.name : "issue");
    return core;
  }

  [[nodiscard]] Unit shared_memory() const { return {per_block(work_.counts.shared_wavefronts), "shared memory"}; }

  [[nodiscard]] Unit sectors() const { return {per_block(work_.traffic.touched) / kSectorsPerCycle, "L1"}; }
  [[nodiscard]] Unit requests() const {
    return {per_block(work_.counts.global_requests) * c_.request_cycles, "global accesses"};
  }
  [[nodiscard]] Unit l1_cache() const { return requests().cycles > sectors().cycles ? requests() : sectors(); }

  /// wgmma: one instruction does more than any of a warp alone.
  [[nodiscard]] bool group_products() const {
    return static_cast<double>(work_.counts.tensor_flops) >
           kMostMmaFlops * static_cast<double>(work_.counts.warp_instructions[static_cast<std::size_t>(Pipe::tensor)]);
  }
  /// The exponent of tensor cores, L2 and DRAM side by side. wgmma and bulk copies keep them busy without a warp, as
  /// far as warps are not too busy themselves to start the next on time.
  [[nodiscard]] double engine_overlap(const Unit& core) const {
    if (moved_.filled <= 0 || !group_products()) return c_.overlap;
    const double busiest = std::max({tensor_pipe().cycles, l2_cache().cycles, dram().cycles});
    return c_.overlap + (c_.engine_overlap - c_.overlap) * std::max(0.0, 1 - core.cycles / busiest);
  }

  [[nodiscard]] Unit tensor_pipe() const {
    if (work_.counts.tensor_flops == 0 || ceilings_.flops_per_s <= 0) return {};
    const double per_cycle =
        (group_products() ? c_.wgmma : c_.mma_sync) * ceilings_.flops_per_s / (device_.sms * device_.clock_mhz * 1e6);
    return {per_block(work_.counts.tensor_flops) / per_cycle, "tensor pipe"};
  }

  [[nodiscard]] Unit l2_cache() const { return {moved_.from_l2 / c_.l2_bytes_per_cycle, "L2"}; }

  [[nodiscard]] Unit dram() const {
    if (ceilings_.bytes_per_s <= 0) return {};
    const auto at_work = static_cast<double>(std::min<std::int64_t>(device_.sms, work_.blocks));
    return {moved_.from_dram / (c_.dram * ceilings_.bytes_per_s / at_work / clock()), "DRAM"};
  }

  /// What a block reads again L1 holds, if there is room for all that the SM's blocks read; and L2, if there is room
  /// for what all SMs' blocks work on. Of DRAM's least traffic a block has its share.
  [[nodiscard]] Moved moved() const {
    const auto resident = static_cast<double>(resident_blocks(device_, work_));
    const Traffic& traffic = work_.traffic;
    const double first = kSectorBytes * per_block(traffic.first), again = kSectorBytes * per_block(traffic.again);
    const double copied =
        kSectorBytes * per_block(std::max<std::int64_t>(0, work_.counts.global_sectors - traffic.touched));
    const double passed = kSectorBytes * per_block(traffic.written) + copied;
    const double moment = kSectorBytes * per_block(std::max<std::int64_t>(
                                             0, traffic.touched - traffic.first - traffic.again - traffic.written));
    const double l1 = c_.l1_share * std::max(0.0, kL1PerShared * static_cast<double>(device_.shared_per_sm) -
                                                      resident * static_cast<double>(work_.shared_bytes));
    const double share = work_.dram_bytes / static_cast<double>(work_.blocks);
    const double in_l1 = kept(resident * first, l1);
    const double in_l2 = kept(resident * device_.sms * share, c_.l2_share * static_cast<double>(device_.l2_bytes));
    Moved moved;
    moved.copied = copied;
    moved.filled =
        copied -
        std::clamp(per_block(work_.counts.global_store_bytes) - kSectorBytes * per_block(traffic.written), 0.0, copied);
    moved.from_l2 = first + again * (1 - in_l1) + passed;
    // Tiles that bulk copies fetch, other blocks fetch at about the same time.
    moved.from_dram = share + (1 - in_l2) * std::max(0.0, moved.from_l2 - std::max(share, copied));
    const double beyond_l1 = in_l2 * c_.l2_latency + (1 - in_l2) * c_.dram_latency;
    const double of_again = in_l1 * kL1Latency + (1 - in_l1) * beyond_l1;
    const double from_dram = std::min(1.0, share / std::max(1.0, first + passed));
    moved.of_first = from_dram * c_.dram_latency + (1 - from_dram) * c_.l2_latency;
    const double read = first + again + moment;
    moved.latency =
        read > 0 ? (first * moved.of_first + again * of_again + moment * kL1Latency) / read : c_.dram_latency;
    return moved;
  }

  /// How often the busiest warp runs through stretch `i`. Where only some warps have something to do in a loop, all
  /// wait for those at its barrier: then the code around it is run through more often, but no more often than barriers
  /// are.
  [[nodiscard]] double longest_runs(std::size_t i) const {
    const auto& all = work_.stretches;
    const double mean = runs(all[i]);
    const auto more = [&](const Stretch& s) { return s.executions > all[i].executions; };
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(i);
    const auto after = std::find_if(at, all.end(), more);
    const auto before = std::find_if(std::make_reverse_iterator(at), all.rend(), more);
    if (after == all.end() || before == all.rend()) return mean;
    const double around = std::min(runs(*after), runs(*before));
    return around <= of(Pipe::barrier) / warps() ? std::min(around, mean * warps()) : mean;
  }

  /// Loads that want more registers at once than the compiler gave are issued one part after another.
  [[nodiscard]] double parts(const Stretch& s) const {
    if (work_.registers == 0 || s.fetched == 0 || s.loads == 0) return 1;
    const double room = std::max<double>(c_.least_room, work_.registers - (s.held - s.fetched));
    return std::max(1.0, s.fetched / room);
  }

  /// Of a load's latency: nothing where it follows another load after no more than a piece of code, as elements of an
  /// unrolled loop do, each behind the test of its bounds. Those the compiler makes predicates and issues together.
  [[nodiscard]] double load_cycles(std::size_t i) const {
    const auto& all = work_.stretches;
    for (std::size_t back = 1; back <= std::min<std::size_t>(i, 2); ++back) {
      const Stretch& before = all[i - back];
      if (before.executions != all[i].executions) break;
      if (before.loads > 0) return 0;
    }
    return moved_.latency;
  }

  /// Of a warp among its block's: each stretch takes the turns of its instructions, or its chain if that is longer.
  [[nodiscard]] double path_cycles() const {
    double cycles = c_.block_cycles + barrier_cycles();
    for (std::size_t i = 0; i < work_.stretches.size(); ++i) {
      const Stretch& s = work_.stretches[i];
      const double chain = s.chain - s.loads * (latency::kGlobal - load_cycles(i)) + (parts(s) - 1) * moved_.latency;
      cycles += std::max(longest_runs(i) * chain, runs(s) * s.instructions * pace());
    }
    return cycles;
  }

  /// How often a stage of a block's bulk copies is filled: one thread says each time how many bytes its mbarrier is to
  /// expect, so that rings beside each other (of keys and of values) are counted by their own stages.
  [[nodiscard]] double fills() const {
    double sum = 0;
    for (const Stretch& s : work_.stretches) {
      if (s.awaited || s.pending) return 0;  // cp.async: its groups are counted there too
      sum += per_block(s.executions) * s.commits;
    }
    return sum;
  }

  /// The same as the code tells, of one ring: what one warp does each time, as many others do with what was copied, so
  /// it is the rarest of the code that is run through often. The recorded sweeps of GEMM were compared with it: where
  /// it is more than the mbarriers say, it is believed.
  [[nodiscard]] double rounds() const {
    constexpr double kMostOthers = 12;  // warps, of three warpgroups
    double most = 1;
    for (const Stretch& s : work_.stretches) most = std::max(most, per_block(s.executions));
    double least = most;
    for (const Stretch& s : work_.stretches)
      if (per_block(s.executions) * kMostOthers >= most) least = std::min(least, per_block(s.executions));
    return std::max({1.0, least, fills()});
  }

  /// A TMA pipeline: each stage costs the latency of a copy, its transfer, and its share of the block's work. As many
  /// copies are in flight as there are stages that no consumer uses.
  [[nodiscard]] double ring_cycles(double busy) const {
    if (moved_.filled <= 0 || work_.shared_bytes <= 0) return 0;
    const double bytes = moved_.filled / rounds();
    const double copy = c_.dram_latency + bytes / c_.l2_bytes_per_cycle;
    return c_.block_cycles +
           (rounds() * copy + busy) / std::max(1.0, pipeline_stages(work_, bytes) - stages_in_use(work_));
  }

  /// Copies: what of their latency the instructions, or rounds of a loop, between begin and wait do not cover. `path`:
  /// cycles of a block without these.
  [[nodiscard]] double copy_stalls(double path, double busy) const {
    const double each = std::max(pace(), busy / std::max(1.0, instructions()));
    double cycles = 0;
    for (const Stretch& s : work_.stretches) {
      if (s.awaited) cycles += runs(s) * std::max(0.0, c_.dram_latency - *s.awaited * each);
      if (s.pending && runs(s) > 0) cycles += std::max(0.0, runs(s) * c_.dram_latency - (*s.pending + 1) * path);
    }
    return cycles;
  }

  const DeviceInfo& device_;
  const Ceilings& ceilings_;
  const CountedWork& work_;
  const TimeConstants& c_;
  Moved moved_;
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
                          const TimeConstants& constants) {
  const double start_us = work.in_graph ? constants.graph_node_us : constants.launch_us;
  if (work.blocks_run <= 0 || device.sms <= 0 || device.clock_mhz <= 0) {
    ModelledTime nothing{start_us, "launch"};
    nothing.start_us = start_us;
    return nothing;
  }
  const BlockModel model(device, ceilings, work, constants);
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
  cycles *= tail_effect(device, work, constants);
  const bool waiting = block.alone > static_cast<double>(resident) * block.busy;
  const double even = static_cast<double>(work.blocks) / device.sms / static_cast<double>(resident);  // waves
  ModelledTime time{start_us + cycles / model.clock() * 1e6, waiting ? "latency" : block.limiter, model.units(),
                    block.alone, model.barrier_cycles()};
  time.start_us = start_us;
  for (UnitDemand& unit : time.units) unit.busy = unit.cycles * static_cast<double>(mine) / cycles;
  if (mine > resident) time.tail = std::max(0.0, 1 - even * wave(block, resident) / cycles);
  return time;
}

}  // namespace kerlab::model
