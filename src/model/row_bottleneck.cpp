#include "model/row_bottleneck.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/format.h"

namespace kerlab::model {
namespace {

constexpr double kIdleSms = 0.2;             // as of too few blocks
constexpr std::int64_t kPacketBytes = 16;    // of the widest load
constexpr std::int64_t kPacketsAhead = 4;    // of a thread, before it uses the first
constexpr std::int64_t kShortBlock = 128;    // threads
constexpr std::int64_t kLargestCluster = 8;  // on every device that has clusters
constexpr std::int64_t kRowsKept = 3;
constexpr int kRegisterBytes = 4;
constexpr double kShareOfBarriers = 0.3;  // of a block's time
constexpr std::size_t kNearLoads = 2;     // pieces of code; as in the time model

std::int64_t whole_parts(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

std::int64_t power_of_two_from(std::int64_t least) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
}

std::string bytes_text(double bytes) {
  return format_bytes(std::llround(bytes));
}

/// Threads for a row: a packet each where a warp has enough of them, else some.
std::int64_t threads_for_row(const RowShape& shape) {
  const std::int64_t packets = whole_parts(shape.row_bytes, kPacketBytes);
  if (packets <= 32) return power_of_two_from(packets);
  return std::max<std::int64_t>(32, power_of_two_from(whole_parts(packets, kPacketsAhead)));
}

bool fits_a_warp(const RowShape& shape) {
  return threads_for_row(shape) <= 32;
}

std::string share_a_block(const RowShape& shape) {
  const std::int64_t threads = threads_for_row(shape);
  if (!fits_a_warp(shape))
    return fmt::format("fewer threads per row: {}, each with {} loads of {} bytes before the first use", threads,
                       kPacketsAhead, kPacketBytes);
  return fmt::format(
      "several rows per block: {} per row, 16 bytes a lane at once, {} rows in a block of {} threads; reductions by "
      "shuffles alone, without barriers",
      threads == 32 ? "a warp" : format_count(threads, "lane") + " of a warp", kShortBlock / threads, kShortBlock);
}

std::string split_rows(const RowShape& shape, const DeviceInfo& device) {
  const std::int64_t blocks = whole_parts(device.sms, shape.rows), cluster = power_of_two_from(blocks);
  if (device.compute_capability() >= 90 && cluster <= kLargestCluster)
    return fmt::format("each row over a cluster of {} blocks, whose partial results meet in distributed shared memory",
                       cluster);
  return fmt::format(
      "each row over {} blocks, whose partial results meet in a workspace: the last block, or a second launch, adds "
      "them up",
      blocks);
}

/// `threads`: of an SM.
std::string load_ahead(std::int64_t threads, double covering) {
  const auto packets = static_cast<std::int64_t>(std::ceil(covering / static_cast<double>(kPacketBytes * threads)));
  return fmt::format(
      "more loads before the first use: {} of {} bytes in each of an SM's {} threads cover DRAM's latency; or "
      "stages that asynchronous copies (cp.async, TMA) fill with what comes next",
      packets, kPacketBytes, threads);
}

Bottleneck of_idle_sms(const RowShape& shape, const DeviceInfo& device) {
  const double idle = 1 - static_cast<double>(shape.rows) / device.sms;
  return {"too few rows",
          fmt::format("{} for {} SMs: with a block per row {} of the SMs have nothing to do",
                      format_count(shape.rows, "row"), device.sms, format_share(idle)),
          split_rows(shape, device)};
}

Bottleneck of_short_rows(const RowShape& shape, const DeviceInfo& device, const Ceilings& ceilings) {
  return {
      kLatency,
      fmt::format("rows of {}: {}, as many as an SM holds, with a row each ask for {} at once, and {} cover DRAM's "
                  "latency",
                  format_bytes(shape.read_bytes), format_count(device.blocks_per_sm, "block"),
                  format_bytes(shape.read_bytes * device.blocks_per_sm), bytes_text(covering_bytes(device, ceilings))),
      share_a_block(shape)};
}

/// Rows that half of an SM's registers hold; the other half is for what is computed.
std::int64_t rows_kept(const RowShape& shape, const DeviceInfo& device) {
  return std::int64_t{device.registers_per_sm} * kRegisterBytes / 2 / shape.read_bytes;
}

// --- launches

/// Rows of a block, where it has several.
std::int64_t rows_of_block(const RowShape& shape, const CountedWork& work) {
  return whole_parts(shape.rows, work.blocks);
}

std::string spread_rows(const RowShape& shape, const CountedWork& work, const DeviceInfo& device) {
  const std::int64_t now = rows_of_block(shape, work);
  if (now > 1 && static_cast<double>(shape.rows) > (1 - kIdleSms) * device.sms)
    return fmt::format("fewer rows per block: {} in place of {}, so that every SM has work",
                       std::max<std::int64_t>(1, shape.rows / device.sms), now);
  return (now > 1 ? "one row per block; and " : "") + split_rows(shape, device);
}

std::string shorten_waves(const RowShape& shape, const CountedWork& work) {
  const std::int64_t now = rows_of_block(shape, work);
  if (now > 1)
    return fmt::format(
        "fewer rows per block than {}, so that a wave is shorter; or persistent blocks that take row after row", now);
  return "persistent blocks that take row after row, and load the next while they reduce one";
}

/// Bytes that a thread's loads fetch before it uses the first. Loads behind tests of bounds, one after another, are
/// issued together.
std::int64_t loaded_ahead(const std::vector<Stretch>& stretches) {
  std::int64_t most = 0, together = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].fetched == 0) continue;
    const bool near = i - last <= kNearLoads && stretches[i].executions == stretches[last].executions;
    together = (near ? together : 0) + stretches[i].fetched;
    last = i;
    most = std::max(most, together);
  }
  return kRegisterBytes * most;
}

/// A launch whose blocks wait. What its rows ask for at once is the most that can be on its way.
Bottleneck of_waiting_rows(const RowShape& shape, const LaunchInspection& launch, const DeviceInfo& device,
                           const Ceilings& ceilings) {
  Bottleneck found = launch.bottleneck;
  const CountedWork& work = launch.work;
  const Occupancy& resident = launch.resident;
  const double covering = covering_bytes(device, ceilings);
  const double rows = resident.blocks * static_cast<double>(shape.rows) / static_cast<double>(work.blocks);
  const double asked = rows * static_cast<double>(shape.read_bytes);
  if (asked < covering) {
    if (resident.limiter == kByGrid) return found;  // all of it is on its way
    found.reason += fmt::format("; {} rows on an SM ask for {} at once, and {} cover DRAM's latency",
                                rows < 10 ? fmt::format("{:.2g}", rows) : fmt::format("{:.0f}", rows),
                                bytes_text(asked), bytes_text(covering));
    if (resident.limiter != "registers" && resident.limiter != "shared memory") found.suggestion = share_a_block(shape);
    return found;
  }
  const bool meets = launch.time.barrier_cycles > kShareOfBarriers * launch.time.alone_cycles;
  if (meets && work.threads > 32 && fits_a_warp(shape)) {
    found.suggestion = share_a_block(shape);
    return found;
  }
  const std::int64_t threads = resident.blocks * work.threads;
  const double ahead = std::min(asked, static_cast<double>(threads * loaded_ahead(work.stretches)));
  if (ahead <= 0 || ahead >= covering) return found;
  found.reason += fmt::format("; loads of about {} are on their way to an SM, and {} cover DRAM's latency",
                              bytes_text(ahead), bytes_text(covering));
  found.suggestion = load_ahead(threads, covering);
  return found;
}

}  // namespace

std::string_view name(RowRegime regime) {
  switch (regime) {
    case RowRegime::few:
      return "few rows";
    case RowRegime::short_rows:
      return "short rows";
    case RowRegime::long_rows:
      return "long rows";
    case RowRegime::even:
      return "rows";
  }
  return "";
}

RowRegime row_regime(const RowShape& shape, const DeviceInfo& device, const Ceilings& ceilings) {
  if (static_cast<double>(shape.rows) <= (1 - kIdleSms) * device.sms) return RowRegime::few;
  const std::int64_t asked = shape.read_bytes * device.blocks_per_sm;
  if (asked > 0 && static_cast<double>(asked) < covering_bytes(device, ceilings)) return RowRegime::short_rows;
  if (device.registers_per_sm > 0 && rows_kept(shape, device) < kRowsKept) return RowRegime::long_rows;
  return RowRegime::even;
}

ProblemBottleneck row_problem_bottleneck(const RowShape& shape, double flops, double bytes, const DeviceInfo& device,
                                         const Ceilings& ceilings) {
  ProblemBottleneck found = general_bottleneck(flops, bytes, device, ceilings);
  const RowRegime regime = row_regime(shape, device, ceilings);
  found.shape = name(regime);
  if (bytes <= 0 || found.name == kLaunchOverhead) return found;
  Bottleneck& says = found;
  if (regime == RowRegime::few) says = of_idle_sms(shape, device);
  if (regime == RowRegime::short_rows && found.name != ceilings.unit) says = of_short_rows(shape, device, ceilings);
  if (found.name != kDram || bytes <= static_cast<double>(device.l2_bytes)) return found;
  if (regime == RowRegime::long_rows) {
    found.reason += fmt::format("; half of an SM's registers hold {} of {}",
                                format_count(rows_kept(shape, device), "row"), format_bytes(shape.read_bytes));
    found.suggestion = load_ahead(std::max(32, device.threads_per_sm / 2), covering_bytes(device, ceilings));
  } else {
    found.suggestion =
        "every row once: in registers from its load to its store, 16 bytes a thread at once, several rows on every SM; "
        "fused with its neighbours";
  }
  return found;
}

Bottleneck row_launch_bottleneck(const RowShape& shape, const LaunchInspection& launch, const DeviceInfo& device,
                                 const Ceilings& ceilings) {
  Bottleneck found = launch.bottleneck;
  if (launch.work.blocks <= 0 || device.sms <= 0) return found;
  if (found.name == kTooFewBlocks) found.suggestion = spread_rows(shape, launch.work, device);
  if (found.name == kWaveTail) found.suggestion = shorten_waves(shape, launch.work);
  if (found.name == kLatency) return of_waiting_rows(shape, launch, device, ceilings);
  return found;
}

}  // namespace kerlab::model
