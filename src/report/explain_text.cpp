#include "report/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "base/format.h"
#include "report/explain_page.h"
#include "report/modelled_remark.h"
#include "report/operations_text.h"
#include "report/table.h"
#include "report/tune_table.h"
#include "report/waves_text.h"
#include "report/what_if_text.h"

namespace kerlab {
namespace {

constexpr std::size_t kMostLaunches = 3, kMostUnits = 4, kMostRemarks = 4, kMostKnown = 4;

/// "the", "1.25 times the"
std::string times_the(double counted, double least) {
  const double ratio = counted / least;
  return std::abs(ratio - 1) < 0.005 ? "the" : fmt::format("{:.3g} times the", ratio);
}

// --- the problem

void add_regime(ExplainPage& page, const Explained& e) {
  const ProblemRegime& regime = e.regime;
  page.say("shape",
           fmt::format("{}{}: {}", regime.shape.empty() ? "" : regime.shape + "; ", regime.name, regime.cause));
  page.say("lever", regime.lever);
}

/// "1365", "0.25": enough to compare.
std::string intensity_text(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string bound_name(const Explained& e, const Roofline& roof) {
  return roof.memory_bound ? "memory" : e.theoretical.unit;
}

void add_roof(ExplainPage& page, const Explained& e) {
  const Roofline& roof = e.roof;
  page.say("roof",
           fmt::format("{}, at least {}: {} FLOP/byte, {} of the ridge at {}: {} us at best, "
                       "bound by {} (theoretical, {} and {})",
                       format_si(e.flops, "FLOP"), format_si(e.bytes, "B"), intensity_text(roof.intensity),
                       roof.memory_bound ? "left" : "right", intensity_text(roof.ridge), format_us(roof.minimum_us),
                       bound_name(e, roof), format_si(e.theoretical.bytes_per_s, "B/s"),
                       format_si(e.theoretical.flops_per_s, "FLOP/s")));
  if (!e.measured || !e.measured_roof) return;
  page.say("", fmt::format("by the ceilings {} on {} ({}, {}): {} us at best, bound by {}", e.measured->source,
                           e.measured_on, format_si(e.measured->bytes_per_s, "B/s"),
                           format_si(e.measured->flops_per_s, "FLOP/s"), format_us(e.measured_roof->minimum_us),
                           bound_name(e, *e.measured_roof)));
}

/// "55 % of the roof, 26.4 us missing; 61 % of the measured one"
std::string reached(const Explained& e, double us) {
  if (us <= 0 || e.roof.minimum_us <= 0) return "";
  const double missing = us - e.roof.minimum_us;
  std::string text = fmt::format("{} of the roof", format_share(e.roof.minimum_us / us));
  text += missing >= 0 ? fmt::format(", {} us missing", format_us(missing))
                       : fmt::format(", {} us below it: {}", format_us(-missing),
                                     e.roof.memory_bound ? "part of the data was in a cache"
                                                         : "the clock was above that of the data sheet");
  if (e.measured_roof)
    text += fmt::format("; {} of the one by measured ceilings", format_share(e.measured_roof->minimum_us / us));
  return text;
}

std::string time_text(double us, double low_us, double high_us, const std::string& clock) {
  return (clock == "modelled" || low_us <= 0 ? format_us(us) : median_with_interval(us, low_us, high_us)) + " us";
}

void add_times(ExplainPage& page, const Explained& e) {
  std::string_view label = "time";
  const auto say = [&](const std::string& text) {
    page.say(label, text);
    label = "";
  };
  if (e.kernel && !e.kernel->launches.empty()) {
    const Trial& trial = e.kernel->trial;
    say(fmt::format("{} us modelled: {}", format_us(e.kernel->modelled_us), reached(e, e.kernel->modelled_us)));
    say("(" + modelled_remark(trial.family, trial.dtype) + ")");
  }
  if (e.kernel) {
    for (const RecordedTime& time : e.kernel->recorded) {
      const Measurement& m = time.measurement;
      if (m.clock == "modelled" && !e.kernel->launches.empty()) continue;
      say(fmt::format("{} {} on {} (trial {}): {}", time_text(m.median_us, m.low_us, m.high_us, m.clock), m.clock,
                      short_class(time.device_class), time.trial, reached(e, m.median_us)));
    }
  }
  for (std::size_t i = 0; i < std::min(e.known.size(), kMostKnown); ++i) {
    const KnownTime& time = e.known[i];
    say(fmt::format("{}: {} {} on {}, {}", time.who, time_text(time.us, time.low_us, time.high_us, time.clock),
                    time.clock, time.where, reached(e, time.us)));
  }
  if (label == "time") say("none is stored");
}

// --- the kernel

std::string counts_text(const Explained& e) {
  Counts total;
  for (const LaunchInspection& launch : e.kernel->launches)
    for (int i = 0; i < launch.times; ++i) total += launch.counts;
  std::string text;
  if (e.flops > 0)
    text = fmt::format("{} FLOPs of the family's formula",
                       times_the(static_cast<double>(total.flops + total.tensor_flops), e.flops));
  if (e.bytes > 0)
    text += fmt::format("{}{} least bytes asked of memory ({})", text.empty() ? "" : ", ",
                        times_the(32.0 * static_cast<double>(total.global_sectors), e.bytes),
                        format_bytes(32 * total.global_sectors));
  return text;
}

std::string excess_text(const Explained& e, const Operation& row) {
  std::string text;
  for (const CounterPlace& place : e.excess) {
    if (place.counter != row.name) continue;
    text +=
        fmt::format("{}{} of them at {}", text.empty() ? "" : ", ", format_share(place.share), place_text(place.line));
    if (!place.source.empty()) text += fmt::format(" `{}`", shortened(place.source, 48));
  }
  return text;
}

void add_operations(ExplainPage& page, const Explained& e) {
  page.say("counted", fmt::format("{}: {}", e.operations.scope, counts_text(e)));
  if (e.uneven > 0)
    page.say("", fmt::format("blocks that stay have unlike shares of the work: scaled to all, counts may be off by {}",
                             format_share(e.uneven)));
  if (!e.operations.has_predictions()) {
    page.say("", "nothing is predicted of this variant ([predicted] of its .toml, kernels/FORMAT.md)");
    return;
  }
  Table table{{{"of one run"}, {"predicted", Align::right}, {"counted", Align::right}, {"ratio", Align::right}}, {}};
  std::vector<std::string> off;
  for (const Operation& row : e.operations.rows) {
    if (!row.predicted) continue;
    const auto cell = [&](const std::optional<std::int64_t>& number) {
      return number ? fmt::format("{}{}{}", grouped(*number), row.unit.empty() ? "" : " ", row.unit) : "-";
    };
    const auto ratio = row.ratio();
    table.rows.push_back(
        {std::string(row.title), cell(row.predicted), cell(row.counted), ratio ? fmt::format("{:.3f}", *ratio) : "-"});
    if (const std::string where = excess_text(e, row); !where.empty() && ratio)
      off.push_back(fmt::format("{}: {} than predicted; {}", row.title, *ratio > 1 ? "more" : "less", where));
  }
  page.draw("", text_table(table));
  for (const std::string& text : off) page.say("", text, Style::warning);
}

std::string units_text(const LaunchInspection& launch) {
  std::string text;
  for (std::size_t i = 0; i < std::min(launch.time.units.size(), kMostUnits); ++i) {
    const UnitDemand& unit = launch.time.units[i];
    text += fmt::format("{}{} {}", i == 0 ? "busy: " : ", ", unit.name, format_share(unit.busy));
  }
  return text.empty() ? "" : text + " of the time";
}

std::string occupancy_text(const LaunchInspection& launch) {
  const std::string spilled = launch.spill_bytes > 0 ? fmt::format(", {} B spilled", launch.spill_bytes) : "";
  return fmt::format(
      "occupancy {}: {} of {} threads an SM, limited by {} ({} registers a thread{}, {} of shared memory a block)",
      format_share(launch.occupancy.fraction), format_count(launch.occupancy.blocks, "block"), launch.work.threads,
      launch.occupancy.limiter, launch.registers, spilled, format_bytes(launch.shared_bytes));
}

void add_limiter(ExplainPage& page, const LaunchInspection& launch) {
  // The bound comes first, and says what helps.
  if (!launch.remarks.empty()) page.say("limiter", launch.remarks.front().text, Style::bold);
  page.say(launch.remarks.empty() ? "limiter" : "", units_text(launch));
  page.say("", occupancy_text(launch));
  for (std::size_t i = 1; i < std::min(launch.remarks.size(), kMostRemarks + 1); ++i) {
    // The picture below says these.
    if (launch.remarks[i].kind == "tail" || launch.remarks[i].kind == "occupancy") continue;
    page.say("", launch.remarks[i].text, Style::warning);
  }
}

void add_waves(ExplainPage& page, const Explained& e, const LaunchInspection& launch, const LaunchWaves& waves) {
  if (waves.blocks.waves == 0) {
    page.say("waves", "no block fits on an SM");
    return;
  }
  page.say("waves", waves_sentence(waves, launch.occupancy.blocks, e.sms));
  page.draw("", waves_picture(waves, page.drawing().unicode));
  page.say("", tail_sentence(waves, launch.time.us));
}

std::vector<std::size_t> longest_first(const std::vector<LaunchInspection>& launches) {
  std::vector<std::size_t> order(launches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return launches[i].time.us * launches[i].times; });
  return order;
}

void add_launches(ExplainPage& page, const Explained& e) {
  const auto& launches = e.kernel->launches;
  const std::vector<std::size_t> order = longest_first(launches);
  for (std::size_t place = 0; place < std::min(order.size(), kMostLaunches); ++place) {
    const std::size_t i = order[place];
    const LaunchInspection& launch = launches[i];
    if (launches.size() > 1 || launch.times > 1) {
      page.gap();
      page.say("launch", fmt::format("{} of {}, {}{}: {} us of {} modelled", i + 1, launches.size(), launch.kernel,
                                     launch.times > 1 ? fmt::format(", {} times", launch.times) : "",
                                     format_us(launch.time.us * launch.times), format_us(e.kernel->modelled_us)));
    }
    add_limiter(page, launch);
    if (i < e.waves.size()) add_waves(page, e, launch, e.waves[i]);
  }
  if (order.size() > kMostLaunches)
    page.say("", fmt::format("{} more launches take less: kerlab inspect", order.size() - kMostLaunches));
}

// --- the problem alone

void add_variants(ExplainPage& page, const Explained& e) {
  if (e.variants.empty()) return;
  page.gap();
  const auto fit = std::ranges::count_if(e.variants, [](const ExplainedVariant& v) { return v.reason.empty(); });
  page.say("variants", fmt::format("{} of {} can do it, by rung:", fit, e.variants.size()));
  Table table{{{"variant"}, {"what it is"}}, {}};
  std::string cannot;
  std::size_t longest = 0;
  for (const ExplainedVariant& variant : e.variants) longest = std::max(longest, variant.variant.size());
  const int room = std::max(page.width() - static_cast<int>(longest) - 2, 20);
  for (const ExplainedVariant& variant : e.variants) {
    if (variant.reason.empty())
      table.rows.push_back({variant.variant, shortened(variant.doc, room)});
    else
      cannot += (cannot.empty() ? "" : ", ") + variant.variant;
  }
  if (fit > 0) page.draw("", text_table(table));
  if (!cannot.empty())
    page.say("",
             fmt::format("not: {} (kerlab list {} --space says why)", cannot, e.title.substr(0, e.title.find(' '))));
}

std::string heading(const Explained& e) {
  if (!e.kernel) return e.title + (e.kernel_name.empty() ? "" : ": " + e.kernel_name);
  return fmt::format("{}: {} {}  ({})", e.title, e.kernel->trial.variant, e.kernel->trial.configuration, e.kernel->how);
}

}  // namespace

std::string short_class(const std::string& device_class) {
  return device_class.substr(0, device_class.find(" sm_"));
}

std::string explain_text(const Explained& e, const Drawing& drawing) {
  ExplainPage page(drawing);
  page.head(heading(e));
  if (e.kernel && !e.kernel->note.empty()) page.say("note", e.kernel->note, Style::warning);
  add_regime(page, e);
  add_roof(page, e);
  add_times(page, e);
  if (!e.obstacle.empty()) page.say("not run", e.obstacle, Style::bad);
  if (e.kernel && !e.kernel->launches.empty()) {
    page.gap();
    add_operations(page, e);
    page.gap();
    add_launches(page, e);
  }
  if (!e.what_if.empty()) {
    page.gap();
    page.draw("what if", what_if_text(e, drawing.color));
    page.say("", what_if_remark(e));
  }
  add_variants(page, e);
  page.gap();
  std::string next;
  for (const std::string& command : e.next) next += command + "\n";
  page.draw("next", next);
  return page.take();
}

}  // namespace kerlab
