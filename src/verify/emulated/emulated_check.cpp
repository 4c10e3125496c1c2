#include "verify/emulated/emulated_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "verify/compare.h"
#include "verify/emulated/chosen_elements.h"
#include "verify/emulated/emulated_run.h"
#include "verify/explain.h"

namespace kerlab::verify {
namespace {

// Whole tiles for exact recipes, as long as they are not many large ones; for the others, whose values cost as much and
// tell less, a spread of elements.
constexpr std::size_t kMostExact = std::size_t{1} << 16;
constexpr std::size_t kMostWhole = std::size_t{1} << 18;  // of a run of all blocks, but for exact ones
constexpr std::size_t kMostOthers = 4096;
constexpr std::size_t kMostCounted = 256;  // of those that a check looks at: their values are known
// A quick check that need not explain, of which a tune's sweep makes hundreds, looks at as many exact elements as the
// reference computes with so many operations, in half a second or so.
constexpr double kQuickOperations = 5e7;
// Where one place of the reference costs so much that fewer than kMostOthers come to these (a row of attention: all of
// its keys), fewer places, and all that the reference computes at each.
constexpr double kOperations = 5e8, kExactOperations = 4e9;
constexpr std::size_t kLeastRows = 256;

// What further runs may cost, by the rule that 5e8 FLOP or 64 MB are executed in a tenth of a second: the same on every
// machine.
constexpr double kFurtherRuns = 0.005;
constexpr std::chrono::milliseconds kLongest{500};

void keep_worse(RecipeReport& known, RecipeReport other) {
  const bool worse = known.passed == other.passed ? other.error_ratio > known.error_ratio : known.passed;
  if (worse) known = std::move(other);
}

}  // namespace

void merge(std::vector<AddressRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::vector<AddressRange> merged;
  for (const AddressRange& range : ranges) {
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  }
  ranges = std::move(merged);
}

void EmulatedChecker::poison(int set, std::uint32_t pattern) {
  const auto known = poisoned_.find(set);
  if (known != poisoned_.end() && known->second == pattern) return;
  poison_outputs(data_, set, pattern);
  poisoned_[set] = pattern;
}

void EmulatedChecker::execute(Candidate& candidate, Run& run, CheckReport& report) {
  run.accuracy = candidate.plan().accuracy;
  if (!run.untouched) {
    poison(run.set, run.poison);
    candidate.poison_workspaces(run.parts ? 0 : run.poison);
  }
  poisoned_.erase(run.set);  // until restored, whatever happens
  report.blocks = report.blocks_run = 0;
  const LaunchMode mode = run.counted ? LaunchMode::count : run.sampled ? LaunchMode::check : LaunchMode::check_all;
  std::vector<LaunchReport>& reports = run.launched;
  try {
    reports = candidate.run(run.set, mode);
    data_.device().synchronize();
  } catch (const DeviceFault&) {
    data_.distrust(run.set);  // the device lives on, and nobody knows what was written before the fault
    throw;
  }
  for (const LaunchReport& launched : reports) {
    report.blocks += launched.blocks;
    report.blocks_run += launched.blocks_run;
    run.written.insert(run.written.end(), launched.written.begin(), launched.written.end());
  }
  merge(run.written);
  if (report.blocks_run == report.blocks) run.sampled = false;  // few enough to run them all
  in_place_.take(run.set, run.written, !run.sampled && !run.counted);
}

/// Writes must lie in outputs and workspaces.
void EmulatedChecker::look_at_writes(const Candidate& candidate, const Run& run, CheckReport& report) const {
  struct Place {
    std::string name;
    std::uint64_t begin, end;
    bool writable;
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < data_.plan().tensors.size(); ++i) {
    const Tensor& tensor = data_.plan().tensors[i];
    const GuardedBuffer& buffer = data_.buffer(run.set, i);
    places.push_back({tensor.name, buffer.pointer(), buffer.pointer() + static_cast<std::uint64_t>(buffer.bytes()),
                      tensor.role != Role::input});
  }
  for (const NamedBuffer& workspace : candidate.workspaces())
    places.push_back({workspace.name, workspace.buffer->pointer(),
                      workspace.buffer->pointer() + static_cast<std::uint64_t>(workspace.buffer->bytes()), true});
  for (const AddressRange& range : run.written) {
    for (const Place& place : places) {
      const bool inside = range.begin >= place.begin && range.end <= place.end;
      if (!place.writable && overlap(range, place.begin, place.end)) {
        if (report.input_modified.empty()) report.input_modified = place.name;
      } else if (!inside && overlap(range, place.begin - kGuardBytes, place.end + kGuardBytes) &&
                 report.guard_violation.empty()) {
        const bool before = range.begin < place.begin;
        report.guard_violation = fmt::format(
            "{}: {} bytes {} overwritten, first at {}{}", place.name,
            before ? std::min(range.end, place.begin) - range.begin : range.end - std::max(range.begin, place.end),
            before ? "before its begin" : "after its end", before ? "-" : "+",
            before ? place.begin - range.begin : std::max(range.begin, place.end) - place.end);
      }
    }
  }
  if (report.guard_violation.empty()) report.guard_violation = candidate.pitched().describe_writes(run.written);
}

/// What a run must leave zero; some of its blocks need not.
void EmulatedChecker::look_at_zeros(const Candidate& candidate, const Run& run, CheckReport& report) {
  if (run.sampled) return;
  for (const NamedBuffer& named : candidate.zeroed_workspaces()) {
    std::vector<std::byte> held(static_cast<std::size_t>(named.buffer->bytes()));
    data_.device().copy_out(held, named.buffer->pointer());
    const auto rest = held.size() - static_cast<std::size_t>(std::count(held.begin(), held.end(), std::byte{0}));
    if (rest > 0) data_.device().fill(named.buffer->pointer(), 0, named.buffer->words());
    if (report.guard_violation.empty()) report.guard_violation = describe_rest(named.name, rest);
  }
}

std::vector<std::int64_t> EmulatedChecker::elements_to_check(const Run& run, std::size_t reference) const {
  const Tensor& output = data_.output(reference);
  const auto size = static_cast<std::uint64_t>(info(output.dtype).bytes);
  const auto in_one = static_cast<std::uint64_t>(info(output.dtype).per_byte);
  const std::uint64_t begin = data_.buffer(run.set, output.name).pointer();
  const std::uint64_t end = begin + static_cast<std::uint64_t>(output.bytes());
  std::vector<Stride> elements;
  if (run.sampled) {
    for (const AddressRange& range : run.written) {
      if (!overlap(range, begin, end)) continue;
      const std::uint64_t first = (std::max(range.begin, begin) - begin) / size * in_one;
      const std::uint64_t last = (std::min(range.end, end) - begin + size - 1) / size * in_one;
      elements.push_back({static_cast<std::int64_t>(first), static_cast<std::int64_t>(last - first)});
    }
  } else {
    elements.push_back({0, output.elements()});
  }
  if (run.coverage) return {};
  if (run.counted) return thinned(thinned(elements, run.sampled ? kMostOthers : kMostWhole), kMostCounted);
  if (!run.sampled) {
    const bool all = run.thorough && data_.plan().recipes[run.recipe].exact;
    return thinned(elements, all ? static_cast<std::size_t>(output.elements()) : kMostWhole);
  }
  const ReferencePlan& plan = data_.plan().references[reference];
  const auto of_one = [&](std::int64_t computed) {  // operations
    return data_.plan().flops / static_cast<double>(std::max<std::int64_t>(1, computed));
  };
  const bool exact = data_.plan().recipes[run.recipe].exact;
  const double rows = (exact ? kExactOperations : kOperations) / of_one(plan.indices(output.elements()));
  if ((!exact || plan.outputs_per_index > 1) && rows < kMostOthers)
    return whole_rows(elements, plan.outputs_per_index,
                      {static_cast<std::size_t>(std::max(rows, 1. * kLeastRows)), kMostExact});
  if (!exact) return thinned(elements, kMostOthers);
  const double affordable = run.thorough ? 1e18 : kQuickOperations / std::max(1.0, of_one(output.elements()));
  return thinned(elements, static_cast<std::size_t>(std::clamp(affordable, 1. * kMostOthers, 1. * kMostExact)));
}

void EmulatedChecker::restore_poison(const Run& run) {
  for (std::size_t i = 0; i < data_.plan().tensors.size(); ++i) {
    if (data_.plan().tensors[i].role != Role::output) continue;
    const GuardedBuffer& buffer = data_.buffer(run.set, i);
    const std::uint64_t begin = buffer.pointer(), end = begin + 4 * buffer.words();
    for (const AddressRange& range : run.written) {
      if (!overlap(range, begin, end)) continue;
      const std::uint64_t from = std::max(range.begin, begin) & ~std::uint64_t{3};
      const std::uint64_t to = std::min(range.end, end);
      data_.device().fill(from, run.poison, (to - from + 3) / 4);
    }
  }
  poisoned_[run.set] = run.poison;
}

/// Whatever is found in it is told once; false where nothing that follows would be right.
bool EmulatedChecker::run_once(Candidate& candidate, Run& run, CheckReport& report, CheckWishes wishes) {
  execute(candidate, run, report);
  if (run.sampled) {
    const Written written = written_of(run);
    const double share = static_cast<double>(report.blocks_run) / static_cast<double>(report.blocks);
    wrote_too_little_ = candidate.pitched().empty() && written.by_run < share * written.all;
  }
  look_at_writes(candidate, run, report);
  look_at_zeros(candidate, run, report);
  // The reference would read what was modified, and everybody after be compared with that.
  const bool intact = report.input_modified.empty();
  for (std::size_t reference = 0; intact && reference < data_.plan().references.size(); ++reference) {
    if (data_.output(reference).elements() == 0) continue;
    if (wishes.thorough) run.bits.push_back(written_bits(run, reference));
    if (run.compared) run.reports.push_back(compare(run, reference, wishes.thorough || wishes.explain));
  }
  if (run.untouched) {
    poisoned_.erase(run.set);  // what it has not written holds results of before
  } else {
    restore_poison(run);
  }
  if (!report.guard_violation.empty()) {
    candidate.pitched().restore();
    for (const NamedBuffer& named : data_.named_buffers(run.set)) named.buffer->restore_guards(data_.device());
  }
  if (!intact) data_.distrust(run.set);
  return intact;
}

/// With each of the poisons; the first of a thorough check several times more, if that takes no time.
bool EmulatedChecker::run_recipe(Candidate& candidate, std::uint32_t recipe, std::vector<std::uint32_t> poisons,
                                 CheckWishes wishes, bool sampled, CheckReport& report) {
  std::vector<Run> runs;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::uint32_t poison : poisons) {
    // What the rule takes for cheap need not be.
    const bool enough = runs.size() >= 2 && std::chrono::steady_clock::now() - begin > kLongest;
    if (enough) break;
    const int set = data_.set_with(recipe, candidate.plan().alignment);
    runs.push_back({recipe, poison, set, sampled, runs.size() < 2, wishes.thorough || wishes.explain});
    if (!run_once(candidate, runs.back(), report, wishes)) return false;
  }
  if (report.recipes.empty()) report.runs = static_cast<std::int64_t>(runs.size());
  for (std::size_t output = 0; output < runs.front().reports.size(); ++output) {
    RecipeReport worst = runs.front().reports[output];
    if (runs.size() > 1) keep_worse(worst, std::move(runs[1].reports[output]));
    worst.runs = static_cast<std::int64_t>(runs.size());
    std::int64_t different = 0;
    for (const Run& run : runs) different += wishes.thorough && run.bits[output] != runs.front().bits[output] ? 1 : 0;
    judge_repeats(worst, different, wishes.nondeterministic);
    report.recipes.push_back(std::move(worst));
  }
  return true;
}

CheckReport EmulatedChecker::check(Candidate& candidate, std::span<const std::uint32_t> recipes, CheckWishes wishes,
                                   bool sampled) {
  CheckReport report = check_recipes(candidate, recipes, wishes, sampled);
  const std::string changed = candidate.restore_variables();
  if (report.guard_violation.empty()) report.guard_violation = changed;
  return report;
}

CheckReport EmulatedChecker::check_recipes(Candidate& candidate, std::span<const std::uint32_t> recipes,
                                           CheckWishes wishes, bool sampled) {
  CheckReport report;
  far_end_written_.clear();
  const double cost = emulation_cost(data_.plan());
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    if (recipes[i] >= data_.plan().recipes.size())
      throw Error(fmt::format("check: the problem has no recipe {}", recipes[i]));
    std::vector<std::uint32_t> poisons = {i % 2 == 0 ? kPoisonNan : kPoisonFinite};
    // What is planted says nothing about poison.
    if (wishes.thorough && data_.plan().recipes[recipes[i]].plain()) poisons = {kPoisonNan, kPoisonFinite};
    if (wishes.thorough && i == 0) {
      while (poisons.size() < kRunsOfFirst && static_cast<double>(poisons.size()) * cost < kFurtherRuns)
        poisons.push_back(kPoisonNan);
    }
    if (!run_recipe(candidate, recipes[i], std::move(poisons), wishes, sampled, report)) return report;
    if (wishes.thorough && i == 0 && sampled && report.passed()) look_for_unwritten(candidate, recipes.front(), report);
    if (wishes.thorough && i == 0 && report.passed()) look_for_memory(candidate, recipes.front(), sampled, report);
    if (!report.input_modified.empty()) return report;
  }
  if (!recipes.empty()) judge_far_ends(recipes.back(), report);
  return report;
}

}  // namespace kerlab::verify
