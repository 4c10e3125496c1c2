#include "cli/tune/plan_screen.h"

#include <algorithm>

#include "base/format.h"
#include "base/terminal.h"
#include "cli/frame/why_screen.h"
#include "report/form/table.h"

namespace kerlab::cli {

namespace {

using VariantPlan = TunePlan::VariantPlan;

std::string number(std::uint64_t value) {
  return grouped(static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX)));
}

/// What keeps every constraint; of an emulated device more than the quick part.
std::uint64_t keeping_all(const VariantPlan& variant) {
  return variant.cuts.empty() ? variant.raw : variant.cuts.back().remaining;
}

/// "registers (12 %)": those after which least is left of what came to them.
std::string strongest_cuts(const VariantPlan& variant) {
  std::vector<std::pair<double, std::string>> cuts;
  std::uint64_t before = variant.raw;
  for (const Space::Cut& cut : variant.cuts) {
    if (cut.remaining < before)
      cuts.emplace_back(static_cast<double>(cut.remaining) / static_cast<double>(before), cut.constraint);
    before = cut.remaining;
  }
  std::stable_sort(cuts.begin(), cuts.end());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, cuts.size()); ++i)
    text += fmt::format("{}{} leaves {}", i > 0 ? ", " : "", cuts[i].second, format_share(cuts[i].first));
  return text;
}

Table steps_table(const TunePlan& plan) {
  const bool quick = std::any_of(plan.variants.begin(), plan.variants.end(),
                                 [](const VariantPlan& variant) { return variant.valid < keeping_all(variant); });
  Table table{{{"variant"}, {"listed", Align::right}, {"keep all constraints", Align::right}}, {}};
  if (quick) table.columns.push_back({"quick part", Align::right});
  table.columns.push_back({"strongest constraints", Align::left, true});
  std::uint64_t listed = 0, kept = 0, taken = 0;
  const auto add = [&](const std::string& name, std::uint64_t raw, std::uint64_t all, std::uint64_t part,
                       const std::string& cuts) {
    std::vector<std::string> row{name, number(raw), number(all)};
    if (quick) row.push_back(number(part));
    row.push_back(cuts);
    table.rows.push_back(std::move(row));
  };
  for (const VariantPlan& variant : plan.variants) {
    add(variant.name, variant.raw, keeping_all(variant), variant.valid, strongest_cuts(variant));
    listed += variant.raw;
    kept += keeping_all(variant);
    taken += variant.valid;
  }
  if (plan.variants.size() > 1) add("all", listed, kept, taken, "");
  return table;
}

std::string every_cut(const TunePlan& plan, bool color) {
  std::string text;
  for (const VariantPlan& variant : plan.variants) {
    text += fmt::format("{}: {}\n", styled(variant.name, Style::bold, color),
                        format_count(static_cast<std::int64_t>(variant.raw), "configuration"));
    for (const Space::Cut& cut : variant.cuts)
      text += fmt::format("  {:<24} -> {}\n", cut.constraint, number(cut.remaining));
    for (const Space::Cut& cut : variant.quick_cuts)
      text += fmt::format("  {:<24} -> {}\n", "quick: " + cut.constraint, number(cut.remaining));
  }
  return text;
}

}  // namespace

std::string tune_plan_text(const TunePlan& plan, bool color, int width, bool verbose) {
  std::string text = folded(fmt::format("{}   {}", plan.title, plan.device), width);
  text += folded(fmt::format("{}, {} at least; not faster than {} us", format_si(plan.flops, "FLOP"),
                             format_si(plan.bytes, "B"), format_us(plan.minimum_us)),
                 width);
  if (verbose) text += every_cut(plan, color);
  text += text_table(steps_table(plan), color, 2, width);
  if (verbose) {
    for (const auto& [variant, reason, brief] : plan.left_out)
      text += folded(fmt::format("left out: {}: {}", variant, reason), width);
  } else if (const std::string left_out = left_out_text(plan.left_out, width); !left_out.empty()) {
    text += folded(left_out, width);
  }
  const std::string expected =
      plan.search.forecasts() ? fmt::format(", about {:.0f} expected to be enough", plan.expected) : "";
  const std::string time = plan.estimate_s ? "about " + format_seconds(*plan.estimate_s)
                                           : "time unknown: nothing comparable was tuned here yet";
  return text + folded(fmt::format("{} to try ({}){}, {} stored; {}", number(plan.to_try), plan.search.strategy,
                                   expected, number(plan.stored), time),
                       width);
}

}  // namespace kerlab::cli
