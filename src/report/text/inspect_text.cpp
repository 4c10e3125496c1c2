#include "report/text/inspect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "base/terminal.h"
#include "report/form/table.h"
#include "report/text/modelled_remark.h"
#include "report/text/operations_text.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

namespace {

constexpr int kBarWidth = 20;
constexpr int kIndent = 2;
constexpr int kSourceWidth = 60, kLeastSource = 24;

std::string line(std::string_view title, std::string_view value) {
  return value.empty() ? "" : fmt::format("  {:<15}{}\n", title, value);
}

std::string bar(double fraction) {
  const double shown = std::clamp(fraction, 0.0, 1.0) * kBarWidth;
  return std::string(static_cast<std::size_t>(shown + 0.5), '#');
}

std::string extent_text(const std::vector<int>& extent) {
  return fmt::format("{}", fmt::join(extent, " x "));
}

double per(std::int64_t sum, std::int64_t count) {
  return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}

std::string waves_text(const LaunchInspection& launch) {
  const Waves& waves = launch.waves;
  if (waves.waves <= 0) return "";
  if (waves.waves <= 1) return fmt::format("one, {} full", format_share(waves.waves));
  return fmt::format("{:.2f}, the last one {} full", waves.waves, format_share(waves.last));
}

std::string launch_text(const LaunchInspection& launch, bool color) {
  const Bottleneck& bottleneck = launch.bottleneck;
  std::string text = line("kernel", launch.kernel + (launch.times > 1 ? fmt::format(", {} times", launch.times) : ""));
  text += line("bottleneck", styled(fmt::format("{}: {}", bottleneck.name, bottleneck.reason), Style::bold, color));
  text += line("suggestion", bottleneck.suggestion);
  text += line("grid", fmt::format("{} blocks of {} threads{}", extent_text(launch.grid), extent_text(launch.block),
                                   launch.cluster.empty() ? "" : " in clusters of " + extent_text(launch.cluster)));
  if (launch.programmatic) text += line("programmatic", "begins before the launch before it has ended");
  text += line("registers", fmt::format("{} per thread, {} spilled", launch.registers,
                                        launch.spill_bytes > 0 ? fmt::format("{} B", launch.spill_bytes) : "none"));
  text += line("shared memory", format_bytes(launch.shared_bytes) + " per block");
  if (launch.carveout) text += line("carve-out", fmt::format("{} % shared memory, a hint", *launch.carveout));
  text += line("occupancy", occupancy_text(launch));
  text += line("waves", waves_text(launch));
  text += line("time", fmt::format("{} us modelled", format_us(launch.time.us)));
  text += line("counted", launch.work.blocks_run < launch.work.blocks
                              ? fmt::format("{} of {} blocks", launch.work.blocks_run, launch.work.blocks)
                              : fmt::format("all {} blocks", launch.work.blocks));
  return text;
}

std::string units_text(const LaunchInspection& launch, bool color, int width) {
  if (launch.time.units.empty()) return "";
  const std::int64_t blocks = launch.work.blocks;
  Table table{{{"unit"}, {"cycles a block", Align::right}, {"busy", Align::right}, {""}}, {}};
  for (const UnitDemand& unit : launch.time.units) {
    table.rows.push_back(
        {unit.name, grouped(static_cast<std::int64_t>(unit.cycles + 0.5)), format_share(unit.busy), bar(unit.busy)});
  }
  return fmt::format("\n{}\n{}  a block alone on its SM takes {} cycles, waits included\n",
                     styled(fmt::format("time model: the SM with most of the {} blocks", blocks), Style::bold, color),
                     text_table(table, false, kIndent, width),
                     grouped(static_cast<std::int64_t>(launch.time.alone_cycles + 0.5)));
}

std::string mix_text(const Counts& counts, bool color, int width) {
  const auto& issued = counts.warp_instructions;
  const auto all = std::accumulate(issued.begin(), issued.end(), std::int64_t{0});
  std::vector<std::size_t> order(kPipes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t pipe) { return issued[pipe]; });
  Table table{{{"pipe"}, {"warp instructions", Align::right}, {"lanes", Align::right}, {"share", Align::right}, {""}},
              {}};
  for (const std::size_t pipe : order) {
    if (issued[pipe] == 0) continue;
    const double share = per(issued[pipe], all);
    table.rows.push_back({std::string(name(static_cast<Pipe>(pipe))), grouped(issued[pipe]),
                          fmt::format("{:.1f}", per(counts.lane_instructions[pipe], issued[pipe])), format_share(share),
                          bar(share)});
  }
  return fmt::format("\n{}\n{}", styled("instructions of PTX", Style::bold, color),
                     text_table(table, false, kIndent, width));
}

/// Sums over the lines, of the blocks run.
LineCounts accesses_of(const LaunchInspection& launch) {
  LineCounts sum;
  for (const SourceLine& source : launch.lines) {
    sum.global_requests += source.sum.global_requests;
    sum.sectors += source.sum.sectors;
    sum.least_sectors += source.sum.least_sectors;
    sum.shared_requests += source.sum.shared_requests;
    sum.wavefronts += source.sum.wavefronts;
    sum.least_wavefronts += source.sum.least_wavefronts;
  }
  return sum;
}

std::string memory_text(const LaunchInspection& launch, bool color, int width) {
  const Counts& counts = launch.counts;
  const LineCounts sum = accesses_of(launch);
  Table table{{{"level"}, {"loaded", Align::right}, {"stored", Align::right}, {""}}, {}};
  const auto bytes = [](std::int64_t count) { return count > 0 ? format_bytes(count) : "-"; };
  if (counts.shared_requests > 0) {
    table.rows.push_back({"shared memory", bytes(counts.shared_load_bytes), bytes(counts.shared_store_bytes),
                          fmt::format("{} requests, {:.3g} wavefronts each ({:.3g} without bank conflicts)",
                                      grouped(counts.shared_requests), per(sum.wavefronts, sum.shared_requests),
                                      per(sum.least_wavefronts, sum.shared_requests))});
  }
  if (counts.global_requests > 0) {
    table.rows.push_back(
        {"global memory", bytes(counts.global_load_bytes), bytes(counts.global_store_bytes),
         fmt::format("{} requests, {:.3g} sectors each ({:.3g} would do)", grouped(counts.global_requests),
                     per(sum.sectors, sum.global_requests), per(sum.least_sectors, sum.global_requests))});
    table.rows.push_back({"L1, by sectors", bytes(32 * counts.global_sectors), "", "loads and stores"});
  }
  if (counts.local_bytes > 0) table.rows.push_back({"local memory", bytes(counts.local_bytes), "", ""});
  if (launch.dram_bytes > 0)
    table.rows.push_back({"DRAM", bytes(static_cast<std::int64_t>(launch.dram_bytes)), "", "at least"});
  if (table.rows.empty()) return "";
  std::string text =
      fmt::format("\n{}\n{}", styled("memory", Style::bold, color), text_table(table, false, kIndent, width));
  if (counts.barriers > 0)
    text += fmt::format("  barriers: {} arrivals of warps, {} waited for others\n", grouped(counts.barriers),
                        grouped(counts.barrier_waits));
  if (counts.divergent_branches > 0)
    text += fmt::format("  branches that diverged: {}\n", grouped(counts.divergent_branches));
  if (counts.atomics > 0) text += fmt::format("  atomic operations, by lane: {}\n", grouped(counts.atomics));
  return text;
}

/// "16.0 (4.0)": per request, and the least; empty where there are none.
std::string against_least(std::int64_t taken, std::int64_t least, std::int64_t requests) {
  if (requests == 0) return "";
  return fmt::format("{:.3g} ({:.3g})", per(taken, requests), per(least, requests));
}

/// The source takes what the other columns leave.
void shorten_last(Table& table, int width) {
  Table others = table;
  others.columns.pop_back();
  const int left = width - kIndent - least_width(others) - 2;
  const int room = width > 0 ? std::clamp(left, kLeastSource, kSourceWidth) : kSourceWidth;
  for (auto& row : table.rows) row.back() = shortened(row.back(), room);
}

std::string hot_spots_text(const LaunchInspection& launch, int count, bool color, int width) {
  Table table{{{"line"},
               {"share", Align::right},
               {"warp instr.", Align::right},
               {"lanes", Align::right},
               {"sectors/request", Align::right},
               {"conflicts", Align::right},
               {"waits", Align::right},
               {"source"}},
              {}};
  const double scale = launch.work.blocks_run > 0
                           ? static_cast<double>(launch.work.blocks) / static_cast<double>(launch.work.blocks_run)
                           : 1;
  const auto scaled = [&](std::int64_t number) {
    return grouped(static_cast<std::int64_t>(static_cast<double>(number) * scale + 0.5));
  };
  for (const SourceLine& source : launch.lines) {
    if (count-- == 0) break;
    const LineCounts& sum = source.sum;
    const double ways = per(sum.wavefronts, sum.least_wavefronts);
    table.rows.push_back({place_text(source.line), format_share(source.share), scaled(sum.warp_instructions),
                          fmt::format("{:.1f}", per(sum.lane_instructions, sum.warp_instructions)),
                          against_least(sum.sectors, sum.least_sectors, sum.global_requests),
                          sum.shared_requests == 0 ? ""
                          : ways > 1.005           ? fmt::format("{:.3g}-way", ways)
                                                   : "none",
                          sum.waits > 0 ? scaled(sum.waits) : "", source.source.empty() ? sum.text : source.source});
  }
  shorten_last(table, width);
  return fmt::format(
      "\n{}\n{}",
      styled("hot spots: sectors per request (the fewest that the bytes fill), bank conflicts", Style::bold, color),
      text_table(table, false, kIndent, width));
}

std::string remarks_text(const LaunchInspection& launch, bool color) {
  if (launch.remarks.empty()) return "";
  std::string text = fmt::format("\n{}\n", styled("besides", Style::bold, color));
  for (const Remark& remark : launch.remarks) text += "  " + styled(remark.text, Style::warning, color) + "\n";
  return text;
}

/// "5 launches one by one, which takes 13.5 us of it"; nothing of a single one, whose bottleneck says it.
std::string starts_text(const Inspection& kernel) {
  if (kernel.started < 2) return "";
  return fmt::format("{} launches {}: starting them takes {} us of it", kernel.started,
                     kernel.start == Start::graph ? "as one CUDA graph" : "one by one", format_us(kernel.start_us));
}

std::string recorded_text(const Inspection& kernel) {
  std::string text;
  for (const StoredTime& time : kernel.stored) {
    const Measurement& m = time.measurement;
    text += line(text.empty() ? "on record" : "", fmt::format("{} us, {} on {} (trial {})", median_with_interval(m),
                                                              name(m.clock), time.device_class, time.trial));
  }
  return text;
}

}  // namespace

std::string occupancy_text(const LaunchInspection& launch) {
  const Occupancy& resident = launch.resident;
  std::string text = fmt::format("{}, limited by {}: {} per SM", format_share(resident.fraction), resident.limiter,
                                 format_count(resident.blocks, "block"));
  if (resident.blocks < launch.occupancy.blocks) text += fmt::format(" ({} would fit)", launch.occupancy.blocks);
  return text;
}

std::string inspect_text(const Inspection& kernel, int hot_spots, bool color, int width) {
  const Trial& trial = kernel.trial;
  std::string text = styled(fmt::format("{}: {}", kernel.title, label_text(trial)), Style::bold, color);
  text += fmt::format("  ({})\n", kernel.how);
  if (!kernel.note.empty()) text += kernel.note + "\n";
  text += line("counted on", fmt::format("{}, compiled by {} with line information", kernel.device, trial.toolchain));
  text += line("time", modelled_time_text(kernel.modelled_us, trial.family, trial.dtype));
  text += line("launches", starts_text(kernel));
  text += recorded_text(kernel);
  for (std::size_t i = 0; i < kernel.launches.size(); ++i) {
    const LaunchInspection& launch = kernel.launches[i];
    text += kernel.launches.size() > 1 ? fmt::format("\nlaunch {} of {}\n", i + 1, kernel.launches.size()) : "\n";
    text += launch_text(launch, color) + units_text(launch, color, width) + mix_text(launch.counts, color, width) +
            memory_text(launch, color, width) + hot_spots_text(launch, hot_spots, color, width) +
            remarks_text(launch, color);
  }
  return text;
}

}  // namespace kerlab::report
