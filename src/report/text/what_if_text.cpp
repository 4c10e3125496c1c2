#include "report/text/what_if_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "model/inspection.h"
#include "report/form/table.h"
#include "report/text/modelled_remark.h"

namespace kerlab::report {
namespace {

constexpr int kFailureWidth = 60;

std::string change_percent(double fraction) {
  return fmt::format("{:.0f} %", 100 * fraction);
}

/// "0.93 [0.91,0.95] measured", "0.91 modelled"
std::string ratio_text(const WhatIf& what) {
  if (!what.timed) return what.ratio > 0 ? fmt::format("{:.2f} modelled", what.ratio) : "-";
  const TimedRatio& timed = *what.timed;
  std::string text = fmt::format("{:.2f}", timed.ratio);
  if (timed.low > 0) text += fmt::format(" [{:.2f},{:.2f}]", timed.low, timed.high);
  text.append(" ").append(name(timed.clock));
  if (what.ratio > 0) text += fmt::format(" (modelled {:.2f})", what.ratio);
  return text;
}

std::string change_of(const WhatIf& what) {
  const std::string others = what.others.empty() ? "" : " with " + what.others;
  const std::string from = what.from_text.empty() ? fmt::format("{}", what.from) : what.from_text;
  const std::string to = what.to_text.empty() ? fmt::format("{}", what.to) : what.to_text;
  return fmt::format("{} {} -> {}{}", what.parameter, from, to, others);
}

std::vector<std::string> row_of(const WhatIf& what) {
  const std::string change = change_of(what);
  if (!what.failure.empty()) return {change, ratio_text(what), shortened(what.failure, kFailureWidth)};
  std::string registers = fmt::format("{}", what.registers);
  if (what.spill_bytes > 0) registers += fmt::format(" (spills {} B)", what.spill_bytes);
  return {change,
          ratio_text(what),
          format_us(what.us),
          registers,
          format_bytes(what.shared_bytes),
          change_percent(what.occupancy),
          fmt::format("{:.2f}", what.waves),
          what.bottleneck};
}

const LaunchInspection& longest(const Inspection& kernel) {
  return *std::ranges::max_element(kernel.launches, {},
                                   [](const LaunchInspection& launch) { return launch.time.us * launch.times; });
}

std::vector<std::string> as_it_is(const Inspection& kernel) {
  const LaunchInspection& launch = longest(kernel);
  return {"as it is",
          "1",
          format_us(kernel.modelled_us),
          fmt::format("{}", launch.registers),
          format_bytes(launch.shared_bytes),
          change_percent(launch.resident.fraction),
          fmt::format("{:.2f}", launch.waves.waves),
          launch.bottleneck.name};
}

}  // namespace

std::string what_if_text(const Explanation& explained, bool color, int width) {
  Table table{{{"one step"},
               {"time over as it is"},
               {"model us", Align::right},
               {"registers", Align::right},
               {"shared", Align::right},
               {"occupancy", Align::right},
               {"waves", Align::right},
               {"bottleneck"}},
              {}};
  if (explained.kernel && !explained.kernel->launches.empty()) table.rows.push_back(as_it_is(*explained.kernel));
  std::string failed;
  for (const WhatIf& what : explained.what_if) {
    if (what.failure.empty())
      table.rows.push_back(row_of(what));
    else
      failed += fmt::format("{}: {}\n", change_of(what), shortened(what.failure, kFailureWidth));
  }
  return text_table(table, color, 0, width) + failed;
}

std::string what_if_remark(const Explanation& explained) {
  const std::size_t shown = explained.what_if.size();
  std::string text = fmt::format("{} of {} steps that are valid", shown, explained.steps);
  if (shown < explained.steps) text += " (--what-if N counts more)";
  const bool timed = std::ranges::any_of(explained.what_if, [](const WhatIf& what) { return what.timed.has_value(); });
  const bool apart = std::ranges::any_of(explained.what_if,
                                         [](const WhatIf& what) { return what.timed && !what.timed->same_session; });
  if (timed) text += "; measured ratios are of stored times";
  if (apart) text += ", some of which were taken in different sessions: drift between these is in them";
  if (explained.kernel) {
    const Trial& trial = explained.kernel->trial;
    text += "; " + modelled_step_remark(trial.family, trial.dtype);
  }
  return text;
}

}  // namespace kerlab::report
