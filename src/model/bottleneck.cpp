#include "model/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/format.h"

namespace kerlab::model {
namespace {

constexpr double kBusy = 0.8;              // of the time: nothing else can make it much faster
constexpr double kUnused = 0.2;            // of the SMs' time
constexpr double kMostlyArithmetic = 0.7;  // of the instructions that are issued
constexpr double kExponentials = 0.5;      // of the time, beside products
constexpr double kWorthBarriers = 0.3;     // of a block's time
constexpr double kMostMmaSync = 16384;     // FLOPs of a warp instruction; wgmma has more

constexpr const char* kSpecialPipe = "special pipe";

const UnitDemand* busiest(const ModelledTime& time) {
  const auto at = std::ranges::max_element(time.units, {}, &UnitDemand::busy);
  return at == time.units.end() ? nullptr : &*at;
}

const UnitDemand* unit_of(const ModelledTime& time, std::string_view name) {
  const auto at = std::ranges::find(time.units, name, &UnitDemand::name);
  return at == time.units.end() ? nullptr : &*at;
}

double issued(const CountedWork& work, Pipe pipe) {
  return static_cast<double>(work.counts.warp_instructions[static_cast<std::size_t>(pipe)]);
}

/// Of all warp instructions, those that compute what is asked for.
double arithmetic_share(const CountedWork& work) {
  const auto& all = work.counts.warp_instructions;
  const auto sum = static_cast<double>(std::accumulate(all.begin(), all.end(), std::int64_t{0}));
  double arithmetic = 0;
  for (const Pipe pipe : {Pipe::fp32, Pipe::fp64, Pipe::half, Pipe::tensor}) arithmetic += issued(work, pipe);
  return sum > 0 ? arithmetic / sum : 0;
}

std::string issue_suggestion(const CountedWork& work) {
  const double share = arithmetic_share(work);
  if (share < kMostlyArithmetic)
    return "fewer instructions per result: wider loads, more results per thread, addresses computed once";
  return fmt::format(
      "{} of the instructions are arithmetic, so that little else can be saved: tensor cores where their "
      "precision is enough, or fewer operations",
      format_share(share));
}

std::string tensor_suggestion(const CountedWork& work, const DeviceInfo& device) {
  const bool mma_sync = static_cast<double>(work.counts.tensor_flops) <= kMostMmaSync * issued(work, Pipe::tensor);
  if (mma_sync && device.compute_capability() == 90)
    return fmt::format("wgmma in place of mma.sync, which reaches about {} of the tensor cores' peak",
                       format_share(TimeConstants{}.mma_sync));
  return "at the limit of this instruction: fewer operations, or a narrower type (fp8 in place of bf16)";
}

std::string unit_suggestion(const std::string& unit, const CountedWork& work, const DeviceInfo& device) {
  if (unit == "issue") return issue_suggestion(work);
  if (unit == "tensor pipe") return tensor_suggestion(work, device);
  if (unit == kSpecialPipe && work.counts.tensor_flops > 0)
    return "fewer transcendental functions beside the products: one exp2 a score with the scale in its fma, a part of "
           "them as polynomials on the fp32 pipe; a larger depth has more products for each";
  static const std::map<std::string, std::string_view> kSuggestions = {
      {"shared memory",
       "more results per thread, so that values are used again from registers; wider accesses, and "
       "fewer bank conflicts"},
      {"L1", "fewer sectors: neighbouring threads at neighbouring addresses, or tiles in shared memory"},
      {"global accesses", "fewer accesses: 16 bytes a thread at once, or tiles in shared memory"},
      {"L2", "less traffic between L2 and the SMs: larger tiles, or TMA multicast in a cluster"},
      {kDram,
       "at the limit of the bandwidth: fewer bytes help, by fusing it with its neighbours or by a narrower type"},
      {"fp32 pipe", "tensor cores where their precision is enough, or fewer operations"},
      {"fp64 pipe", "a narrower type where its precision is enough, or fewer operations"},
      {"half pipe", "tensor cores, or fewer operations"},
      {"integer pipe", "fewer address computations: pointers that move on, constants at compile time, wider accesses"},
      {"special pipe", "fewer transcendental functions: exp2 in place of exp, reuse of reciprocals"},
      {"shuffle pipe", "fewer exchanges between lanes: more elements per thread before the reduction"},
      {"atomic pipe", "fewer atomic operations: reduce within a warp or block first"},
  };
  const auto at = kSuggestions.find(unit);
  return std::string(at == kSuggestions.end() ? "fewer such instructions, or work moved to another pipe" : at->second);
}

Bottleneck of_unit(const UnitDemand& unit, const CountedWork& work, const DeviceInfo& device) {
  return {unit.name, fmt::format("busy {} of the time", format_share(unit.busy)),
          unit_suggestion(unit.name, work, device)};
}

/// Several units side by side, none of them busy all the time.
Bottleneck of_overlap(const UnitDemand& unit, const ModelledTime& time, const CountedWork& work,
                      const DeviceInfo& device) {
  Bottleneck bottleneck = of_unit(unit, work, device);
  std::string others;
  std::size_t said = 0;
  for (const UnitDemand& other : time.units)
    if (other.name != unit.name && other.busy > unit.busy / 2 && said++ < 2)
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", other.name, format_share(other.busy));
  if (!others.empty()) bottleneck.reason += fmt::format(", and others that overlap with it only in part ({})", others);
  return bottleneck;
}

Bottleneck of_launch(const ModelledTime& time) {
  return {
      kLaunchOverhead,
      fmt::format("starting the kernel takes {} us of {} us", format_us(TimeConstants{}.launch_us), format_us(time.us)),
      "more work in one launch: a batch, fusing it with its neighbours, or a CUDA graph"};
}

Bottleneck of_few_blocks(const CountedWork& work, const DeviceInfo& device) {
  const double idle = 1 - static_cast<double>(work.blocks) / device.sms;
  return {kTooFewBlocks,
          fmt::format("{} for {} SMs: {} of the SMs have nothing to do", format_count(work.blocks, "block"), device.sms,
                      format_share(idle)),
          "smaller tiles, or a split of what is summed over: k, the row, the keys of attention"};
}

Bottleneck of_tail(const ModelledTime& time, const CountedWork& work, const DeviceInfo& device) {
  const std::int64_t places = std::int64_t{std::max(work.blocks_per_sm, 1)} * device.sms;
  const std::int64_t waves = (work.blocks + places - 1) / places;
  const double last = static_cast<double>(work.blocks - (waves - 1) * places) / static_cast<double>(places);
  return {kWaveTail,
          fmt::format("the last of {} waves is {} full: {} of the time is lost to it", waves, format_share(last),
                      format_share(time.tail)),
          "another tile size, or persistent blocks that share the tiles evenly (stream-K)"};
}

std::string latency_suggestion(const CountedWork& work, const Occupancy& resident) {
  const bool copies = std::ranges::any_of(work.stretches, [](const Stretch& s) { return s.awaited || s.pending; });
  const std::string earlier = copies ? "a deeper ring of stages" : "loads issued earlier (double buffering)";
  if (resident.limiter == kByGrid)
    return fmt::format("more blocks per SM (smaller tiles, a split), {}, or more independent work per thread", earlier);
  if (resident.limiter == "registers")
    return fmt::format("fewer registers per thread, so that more blocks fit; {}, or more independent work per thread",
                       earlier);
  if (resident.limiter == "shared memory")
    return fmt::format("less shared memory per block, so that more blocks fit; else {}", earlier);
  return fmt::format("{}; more independent loads per thread, 16 bytes at once", earlier);
}

Bottleneck of_latency(const ModelledTime& time, const CountedWork& work, const Occupancy& resident) {
  const UnitDemand* unit = busiest(time);
  std::string reason =
      unit == nullptr ? "no unit is busy"
                      : fmt::format("the busiest unit, {}, works {} of the time", unit->name, format_share(unit->busy));
  if (resident.blocks > 0)
    reason += fmt::format("; {} of {} per SM {} not cover the waits", format_count(resident.blocks, "block"),
                          format_count(std::max<std::int64_t>(1, (work.threads + 31) / 32), "warp"),
                          resident.blocks == 1 ? "does" : "do");
  const double barriers = time.alone_cycles > 0 ? time.barrier_cycles / time.alone_cycles : 0;
  if (barriers >= kWorthBarriers) reason += fmt::format(", {} of them at barriers", format_share(barriers));
  return {kLatency, std::move(reason), latency_suggestion(work, resident)};
}

}  // namespace

std::string sentence(const Bottleneck& bottleneck) {
  return fmt::format("{}: {}; suggestion: {}", bottleneck.name, bottleneck.reason, bottleneck.suggestion);
}

Bottleneck launch_bottleneck(const ModelledTime& time, const CountedWork& work, const Occupancy& resident,
                             const DeviceInfo& device) {
  const double launch_us = TimeConstants{}.launch_us;
  const UnitDemand* const busy = busiest(time);
  const UnitDemand* const dram = unit_of(time, kDram);
  if (busy == nullptr || time.us < 2 * launch_us) return of_launch(time);
  if (dram != nullptr && dram->busy >= kBusy) return of_unit(*dram, work, device);
  if (static_cast<double>(work.blocks) <= (1 - kUnused) * device.sms) return of_few_blocks(work, device);
  if (time.tail >= kUnused) return of_tail(time, work, device);
  if (busy->busy >= kBusy) return of_unit(*busy, work, device);
  const UnitDemand* const special = unit_of(time, kSpecialPipe);
  if (special != nullptr && special->busy >= kExponentials && work.counts.tensor_flops > 0)
    return of_overlap(*special, time, work, device);
  if (time.limiter == kLatency) return of_latency(time, work, resident);
  return of_overlap(*busy, time, work, device);
}

}  // namespace kerlab::model
