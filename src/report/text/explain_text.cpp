#include "report/text/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "base/format.h"
#include "report/form/table.h"
#include "report/text/explain_page.h"
#include "report/text/inspect_text.h"
#include "report/text/modelled_remark.h"
#include "report/text/operations_text.h"
#include "report/text/tune_table.h"
#include "report/text/waves_text.h"
#include "report/text/what_if_text.h"

namespace kerlab::report {
namespace {

constexpr std::size_t kMostLaunches = 3, kMostUnits = 4, kMostRemarks = 4, kMostKnown = 4;

/// "the", "1.25 times the"
std::string times_the(double counted, double least) {
  const double ratio = counted / least;
  return std::abs(ratio - 1) < 0.005 ? "the" : fmt::format("{:.3g} times the", ratio);
}

// --- the problem

void add_bottleneck(ExplainPage& page, const Bottleneck& bottleneck) {
  page.say("bottleneck", fmt::format("{}: {}", bottleneck.name, bottleneck.reason), Style::bold);
  page.say("suggestion", bottleneck.suggestion);
}

/// "square; 64 tiles of 128x128 are 0.48 waves of 132 SMs"
void add_shape(ExplainPage& page, const Explanation& e) {
  const ProblemBottleneck& problem = e.problem.bottleneck;
  if (problem.shape.empty()) return;
  std::string text = problem.shape;
  if (problem.waves) text += "; " + tiles_text(*problem.waves, e.device.sms);
  page.say("shape", text);
}

/// "1365", "0.25": enough to compare.
std::string intensity_text(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

/// The part of the roof that a problem is below: "memory", "tensor pipe".
std::string roof_name(const Explanation& e, const Roofline& roof) {
  return roof.memory_bound ? "memory" : e.problem.theoretical.unit;
}

void add_roof(ExplainPage& page, const Explanation& e) {
  const Roofline& roof = e.problem.roof;
  page.say("roofline",
           fmt::format("{}, at least {}{}: {} FLOP/byte, {} of the ridge at {}: {} us at best, by {} (theoretical, "
                       "{} and {})",
                       format_si(e.problem.flops, "FLOP"), format_si(e.problem.bytes, "B"),
                       e.problem.cost_from_data ? " (counted from the data)" : "", intensity_text(roof.intensity),
                       roof.memory_bound ? "left" : "right", intensity_text(roof.ridge), format_us(roof.minimum_us),
                       roof_name(e, roof), format_si(e.problem.theoretical.bytes_per_s, "B/s"),
                       format_si(e.problem.theoretical.flops_per_s, "FLOP/s")));
  if (!e.problem.measured || !e.problem.measured_roof) return;
  page.say("", fmt::format("{} on {} ({}, {}): {} us at best, by {}", e.problem.measured->source(), measured_on(e),
                           format_si(e.problem.measured->bytes_per_s, "B/s"),
                           format_si(e.problem.measured->flops_per_s, "FLOP/s"),
                           format_us(e.problem.measured_roof->minimum_us), roof_name(e, *e.problem.measured_roof)));
}

/// "55 % of roofline; 61 % of the one by measured ceilings"
std::string reached(const Explanation& e, double us) {
  if (us <= 0 || e.problem.roof.minimum_us <= 0) return "";
  std::string text = fmt::format("{} of roofline", format_share(e.problem.roof.minimum_us / us));
  if (us < e.problem.roof.minimum_us)
    text +=
        e.problem.roof.memory_bound ? " (part of the data was in a cache)" : " (the clock was above the data sheet's)";
  if (e.problem.measured_roof)
    text += fmt::format(", {} by measured ceilings", format_share(e.problem.measured_roof->minimum_us / us));
  return text;
}

std::string time_text(double us, double low_us, double high_us, ClockKind clock) {
  return (clock == ClockKind::modelled || low_us <= 0 ? format_us(us) : median_with_interval(us, low_us, high_us)) +
         " us";
}

void add_times(ExplainPage& page, const Explanation& e) {
  std::string_view label = "time";
  const auto say = [&](const std::string& text) {
    page.say(label, text);
    label = "";
  };
  if (e.kernel && !e.kernel->launches.empty()) {
    const Trial& trial = e.kernel->trial;
    say(reached(e, e.kernel->modelled_us) + ": " +
        modelled_time_text(e.kernel->modelled_us, trial.family, trial.dtype));
  }
  if (e.kernel) {
    for (const StoredTime& time : e.kernel->stored) {
      const Measurement& m = time.measurement;
      if (m.clock == ClockKind::modelled && !e.kernel->launches.empty()) continue;
      say(fmt::format("{} {} on {} (trial {}): {}", time_text(m.median_us, m.low_us, m.high_us, m.clock), name(m.clock),
                      short_class(time.device_class), time.trial, reached(e, m.median_us)));
    }
  }
  for (std::size_t i = 0; i < std::min(e.known.size(), kMostKnown); ++i) {
    const KnownTime& time = e.known[i];
    say(fmt::format("{}: {} {} on {}, {}", time.who, time_text(time.us, time.low_us, time.high_us, time.clock),
                    name(time.clock), short_class(time.where), reached(e, time.us)));
  }
  if (label == "time") say("none is stored");
}

// --- the kernel

std::string counts_text(const Explanation& e) {
  Counts total;
  for (const LaunchInspection& launch : e.kernel->launches)
    for (int i = 0; i < launch.times; ++i) total += launch.counts;
  std::string text;
  if (e.problem.flops > 0)
    text = fmt::format("{} FLOPs of the family's formula",
                       times_the(static_cast<double>(total.flops + total.tensor_flops), e.problem.flops));
  if (e.problem.bytes > 0)
    text += fmt::format("{}{} least bytes asked of memory ({})", text.empty() ? "" : ", ",
                        times_the(32.0 * static_cast<double>(total.global_sectors), e.problem.bytes),
                        format_bytes(32 * total.global_sectors));
  return text;
}

std::string excess_text(const Explanation& e, const Operation& row) {
  std::string text;
  for (const CounterPlace& place : e.excess) {
    if (place.counter != row.name) continue;
    text +=
        fmt::format("{}{} of them at {}", text.empty() ? "" : ", ", format_share(place.share), place_text(place.line));
    if (!place.source.empty()) text += fmt::format(" `{}`", shortened(place.source, 48));
  }
  return text;
}

constexpr double kWeighed = 0.02;  // from which on it is worth a line

/// Of the launch whose blocks stand for unlike ones most.
double weight_of_average(const Explanation& e) {
  double weight = 1;
  for (const LaunchInspection& launch : e.kernel->launches)
    if (std::abs(launch.work.weight - 1) > std::abs(weight - 1)) weight = launch.work.weight;
  return weight;
}

void add_operations(ExplainPage& page, const Explanation& e) {
  page.say("counted", fmt::format("{}: {}", e.operations.scope, counts_text(e)));
  if (const double weight = weight_of_average(e); std::abs(weight - 1) > kWeighed)
    page.say("", fmt::format("by what is predicted of all, a block has on average {:.2f} times the work of these: the "
                             "time is modelled with that",
                             weight));
  if (e.uneven > 0)
    page.say("", fmt::format("persistent blocks have unlike shares of the work: scaled to all, counts may be off by {}",
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
  page.draw("", text_table(table, false, 0, page.width()));
  for (const std::string& text : off) page.say("", text, Style::warning);
}

std::string units_text(const LaunchInspection& launch) {
  std::string text;
  for (std::size_t i = 0; i < std::min(launch.time.units.size(), kMostUnits); ++i) {
    const UnitDemand& unit = launch.time.units[i];
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", unit.name, format_share(unit.busy));
  }
  return text.empty() ? "" : text + " of the time, on the SMs with most blocks";
}

void add_limiter(ExplainPage& page, const LaunchInspection& launch) {
  page.say("busy", units_text(launch));
  page.say("occupancy", occupancy_text(launch));
  const std::string spilled = launch.spill_bytes > 0 ? fmt::format(" ({} B spilled)", launch.spill_bytes) : "";
  page.say("", fmt::format("{} threads, {} of shared memory per block; {} registers per thread{}", launch.work.threads,
                           format_bytes(launch.shared_bytes), launch.registers, spilled));
  std::string_view label = "besides";
  std::size_t said = 0;
  for (const Remark& remark : launch.remarks) {
    // The picture below says the tail.
    if (remark.kind == "tail" || said++ == kMostRemarks) continue;
    page.say(label, remark.text, Style::warning);
    label = "";
  }
}

void add_waves(ExplainPage& page, const Explanation& e, const LaunchInspection& launch, const LaunchWaves& waves) {
  if (waves.blocks.waves == 0) {
    page.say("waves", "no block fits on an SM");
    return;
  }
  page.say("waves", waves_sentence(waves, launch.occupancy.blocks, e.device.sms));
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

void add_launches(ExplainPage& page, const Explanation& e) {
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
    if (order.size() > 1) add_bottleneck(page, launch.bottleneck);
    add_limiter(page, launch);
    if (i < e.waves.size()) add_waves(page, e, launch, e.waves[i]);
  }
  if (order.size() > kMostLaunches)
    page.say("", fmt::format("{} more launches take less: kerlab inspect", order.size() - kMostLaunches));
}

// --- the problem alone

void add_variants(ExplainPage& page, const Explanation& e) {
  if (e.variants.empty()) return;
  page.gap();
  const auto fit = std::ranges::count_if(e.variants, [](const VariantFit& v) { return v.reason.empty(); });
  page.say("variants", fmt::format("{} of {} can do it, by rung:", fit, e.variants.size()));
  Table table{{{"variant"}, {"what it is"}}, {}};
  std::string cannot;
  std::size_t longest = 0;
  for (const VariantFit& variant : e.variants) longest = std::max(longest, variant.variant.size());
  const int room = std::max(page.width() - static_cast<int>(longest) - 2, 20);
  for (const VariantFit& variant : e.variants) {
    if (variant.reason.empty())
      table.rows.push_back({variant.variant, shortened(variant.doc, room)});
    else
      cannot += (cannot.empty() ? "" : ", ") + variant.variant;
  }
  if (fit > 0) page.draw("", text_table(table, false, 0, page.width()));
  if (!cannot.empty())
    page.say("", fmt::format("not: {} (kerlab list {} --space says why)", cannot,
                             e.problem.title.substr(0, e.problem.title.find(' '))));
}

std::string heading(const Explanation& e) {
  if (!e.kernel) return e.problem.title + (e.kernel_name.empty() ? "" : ": " + e.kernel_name);
  return fmt::format("{}: {}  ({})", e.problem.title, label_text(e.kernel->trial), e.kernel->how);
}

}  // namespace

std::string short_class(const std::string& device_class) {
  return device_class.substr(0, device_class.find(" sm_"));
}

std::string measured_on(const Explanation& e) {
  if (!e.problem.measured) return "";
  return fmt::format("{}, {}", short_class(e.times_of), e.ceilings_created.substr(0, 10));
}

std::string explain_text(const Explanation& e, const std::vector<std::string>& next, const Drawing& drawing) {
  ExplainPage page(drawing);
  page.head(heading(e));
  if (e.kernel && !e.kernel->note.empty()) page.say("note", e.kernel->note, Style::warning);
  add_bottleneck(page, e.bottleneck);
  add_shape(page, e);
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
    page.draw("what if", what_if_text(e, drawing.color, page.width()));
    page.say("", what_if_remark(e));
  }
  add_variants(page, e);
  page.gap();
  page.draw("next", fmt::format("{}\n", fmt::join(next, "\n")));
  return page.take();
}

}  // namespace kerlab::report
