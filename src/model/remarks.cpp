// What the figures of a launch mean, in one sentence each.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "base/format.h"
#include "model/inspection.h"

namespace kerlab::model {
namespace {

// What is less is not worth a sentence.
constexpr double kWorthSaying = 0.05;  // of a resource that one line wastes
constexpr double kWorthTail = 0.10;    // of the places of all waves
constexpr double kWorthDivergence = 0.10;
constexpr double kRemarkBarriers = 0.15;  // of a block's time
constexpr double kLongTail = 10;          // waves from which on the last one does not matter
constexpr std::size_t kMostOfAKind = 4;   // sentences about lines

/// "shared loads" of "ld.shared.v4.f32".
std::string_view access_name(std::string_view text, bool shared) {
  if (text.starts_with("ldmatrix")) return "ldmatrix";
  if (text.starts_with("stmatrix")) return "stmatrix";
  if (text.starts_with("cp.async")) return "cp.async";
  if (text.starts_with("wmma")) return "wmma loads and stores";
  if (text.starts_with("atom") || text.starts_with("red")) return shared ? "shared atomics" : "global atomics";
  const bool load = text.starts_with("ld");
  return shared ? load ? "shared loads" : "shared stores" : load ? "global loads" : "global stores";
}

/// What the accesses of one kind on one source line do together.
struct LineAccess {
  CodeLine line;
  std::string_view name;
  int instructions = 0;
  double requests = 0, lanes = 0, bytes = 0, taken = 0, least = 0;
  [[nodiscard]] double wasted() const { return taken - least; }
};

std::vector<LineAccess> accesses(const std::vector<LineCounts>& lines, bool shared) {
  std::map<std::tuple<std::string, std::string_view>, LineAccess> places;
  for (const LineCounts& counts : lines) {
    const std::int64_t requests = shared ? counts.shared_requests : counts.global_requests;
    if (requests == 0) continue;
    const std::string_view name = access_name(counts.text, shared);
    LineAccess& access = places[{place_text(counts.line), name}];
    if (access.requests == 0) access.line = counts.line;
    access.name = name;
    ++access.instructions;
    access.requests += static_cast<double>(requests);
    access.lanes += static_cast<double>(counts.lane_instructions);
    access.bytes += static_cast<double>(counts.bytes);
    access.taken += static_cast<double>(shared ? counts.wavefronts : counts.sectors);
    access.least += static_cast<double>(shared ? counts.least_wavefronts : counts.least_sectors);
  }
  std::vector<LineAccess> sorted;
  for (auto& [place, access] : places) sorted.push_back(std::move(access));
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &LineAccess::wasted);
  return sorted;
}

double taken_by_all(const std::vector<LineAccess>& accesses) {
  return std::accumulate(accesses.begin(), accesses.end(), 0.0,
                         [](double sum, const LineAccess& access) { return sum + access.taken; });
}

/// Scalars side by side, as the elements of a vector: ptxas mostly makes one wide access of two or four, seen on an
/// H200 in the epilogues of mma_sync and mma_pipe.
std::string_view merging(const LineAccess& access, double width, double ways) {
  const auto near = [&](double number) { return std::abs(ways - number) < 0.05; };
  const bool elements =
      width == 4 && ((near(2) && access.instructions % 2 == 0) || (near(4) && access.instructions % 4 == 0));
  return elements ? "; none if ptxas makes one wide access of scalar ones side by side" : "";
}

void add_conflicts(std::vector<Remark>& remarks, const std::vector<LineCounts>& lines) {
  const std::vector<LineAccess> all = accesses(lines, true);
  const double total = taken_by_all(all);
  std::size_t said = 0;
  for (const LineAccess& access : all) {
    const double ways = access.taken / access.least, weight = access.wasted() / total;
    if (weight < kWorthSaying || ways < 1.25 || said++ == kMostOfAKind) break;
    // A copy's bytes are counted where they come from and where they go.
    const double sides = access.name == "cp.async" ? 2 : 1;
    const double width = std::max(4.0, access.bytes / sides / std::max(access.lanes, 1.0));
    remarks.push_back(
        {"bank_conflicts",
         fmt::format("{} at {}: {:.2g}-way bank conflict ({:.3g} wavefronts where {:.3g} would do, {:.0f} % of "
                     "all): pad rows by {:.0f} bytes or swizzle{}",
                     access.name, place_text(access.line), ways, access.taken / access.requests,
                     access.least / access.requests, 100 * access.taken / total, width, merging(access, width, ways)),
         weight, access.line});
  }
}

void add_uncoalesced(std::vector<Remark>& remarks, const std::vector<LineCounts>& lines) {
  const std::vector<LineAccess> all = accesses(lines, false);
  const double total = taken_by_all(all);
  std::size_t said = 0;
  for (const LineAccess& access : all) {
    const double ratio = access.taken / access.least, weight = access.wasted() / total;
    if (weight < kWorthSaying || ratio < 1.5 || said++ == kMostOfAKind) break;
    remarks.push_back({"uncoalesced",
                       fmt::format("{} at {} touch {:.3g} sectors per request where {:.3g} would do ({:.0f} % of all): "
                                   "neighbouring threads should {} neighbouring addresses",
                                   access.name, place_text(access.line), access.taken / access.requests,
                                   access.least / access.requests, 100 * access.taken / total,
                                   access.name.ends_with("stores") ? "write" : "read"),
                       weight, access.line});
  }
}

std::int64_t sum_of(const std::array<std::int64_t, kPipes>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

void add_divergence(std::vector<Remark>& remarks, const LaunchInspection& launch,
                    const std::vector<LineCounts>& lines) {
  const double warps = static_cast<double>(sum_of(launch.work.counts.warp_instructions));
  const double lanes = static_cast<double>(sum_of(launch.work.counts.lane_instructions));
  const double idle = warps > 0 ? 1 - lanes / (32 * warps) : 0;
  const auto worst = std::ranges::max_element(lines, {}, &LineCounts::divergences);
  if (idle < kWorthDivergence || worst == lines.end() || worst->divergences == 0) return;
  remarks.push_back(
      {"divergence",
       fmt::format("the branch at {} sends {:.0f} % of the warps both ways; of 32 lanes {:.1f} are active "
                   "on average: let whole warps take the same way",
                   place_text(worst->line),
                   100.0 * static_cast<double>(worst->divergences) / static_cast<double>(worst->warp_instructions),
                   32 * (1 - idle)),
       idle, worst->line});
}

void add_barriers(std::vector<Remark>& remarks, const LaunchInspection& launch, const std::vector<LineCounts>& lines) {
  const double share = launch.time.alone_cycles > 0 ? launch.time.barrier_cycles / launch.time.alone_cycles : 0;
  const auto worst = std::ranges::max_element(lines, {}, &LineCounts::waits);
  if (share < kRemarkBarriers || worst == lines.end() || worst->waits == 0) return;
  remarks.push_back({"barriers",
                     fmt::format("barriers take about {:.0f} % of a block's time, most of them at {}: longer steps "
                                 "between them, or more stages",
                                 100 * share, place_text(worst->line)),
                     share, worst->line});
}

void add_shape(std::vector<Remark>& remarks, const LaunchInspection& launch, const DeviceInfo& device) {
  const Waves& waves = launch.waves;
  if (launch.spill_bytes > 0) {
    remarks.push_back({"spills",
                       fmt::format("spills {} B a thread: smaller tiles per thread, or fewer blocks an SM in "
                                   "__launch_bounds__",
                                   launch.spill_bytes),
                       0.2,
                       {}});
  }
  const std::string& bottleneck = launch.bottleneck.name;  // which has said it already
  if (launch.work.blocks < device.sms) {
    if (bottleneck == kTooFewBlocks || bottleneck == kLaunchOverhead) return;
    const double idle = 1 - static_cast<double>(launch.work.blocks) / device.sms;
    remarks.push_back(
        {"few_blocks",
         fmt::format("{} for {} SMs: {} of the SMs have nothing to do; smaller tiles, or a split along k or along "
                     "the row",
                     format_count(launch.work.blocks, "block"), device.sms, format_share(idle)),
         idle,
         {}});
  } else if (bottleneck != kWaveTail && waves.waves > 1 && waves.waves < kLongTail && waves.idle >= kWorthTail) {
    remarks.push_back({"tail",
                       fmt::format("tail: {:.1f} waves, the last one {:.0f} % full: {:.0f} % of all places stay empty; "
                                   "another tile size, or a persistent kernel",
                                   waves.waves, 100 * waves.last, 100 * waves.idle),
                       waves.idle,
                       {}});
  }
}

}  // namespace

std::vector<Remark> remarks_on(const LaunchInspection& launch, const DeviceInfo& device) {
  const std::vector<LineCounts>& lines = launch.instructions;
  std::vector<Remark> remarks;
  add_conflicts(remarks, lines);
  add_uncoalesced(remarks, lines);
  add_divergence(remarks, launch, lines);
  add_barriers(remarks, launch, lines);
  add_shape(remarks, launch, device);
  std::ranges::stable_sort(remarks, std::ranges::greater{}, &Remark::weight);
  return remarks;
}

}  // namespace kerlab::model
