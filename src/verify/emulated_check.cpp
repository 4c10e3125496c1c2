#include "verify/emulated_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/number.h"
#include "common/tolerance.h"
#include "verify/check.h"
#include "verify/explain.h"

namespace kerlab {
namespace {

// Whole tiles for exact recipes, as long as they are not many large ones; for the others, whose values cost as much and
// tell less, a spread of elements.
constexpr std::size_t kMostExact = std::size_t{1} << 16;
constexpr std::size_t kMostWhole = std::size_t{1} << 18;  // of a run of all blocks
constexpr std::size_t kMostOthers = 4096;

/// Every element when there are few enough, else that many, evenly spread with a pseudo-random offset in each step.
std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& elements, std::size_t most) {
  if (elements.size() <= most) return elements;
  std::vector<std::int64_t> chosen;
  const double step = static_cast<double>(elements.size()) / static_cast<double>(most);
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  for (std::size_t i = 0; i < most; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double within = static_cast<double>(state >> 40) / static_cast<double>(1u << 24);
    const auto at = static_cast<std::size_t>((static_cast<double>(i) + within) * step);
    chosen.push_back(elements[std::min(at, elements.size() - 1)]);
  }
  return chosen;
}

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

bool overlap(const AddressRange& range, std::uint64_t begin, std::uint64_t end) {
  return range.begin < end && range.end > begin;
}

std::uint64_t bits_at(std::span<const std::byte> bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

void see(lab::CompareReport& found, const lab::Verdict& verdict, std::int64_t element, double got, double expected) {
  ++found.compared;
  found.mismatches += verdict.passed ? 0 : 1;
  found.nans += verdict.nan ? 1 : 0;
  if (std::isfinite(verdict.ratio)) found.sum_square_ratio += verdict.ratio * verdict.ratio;
  const bool worse = found.worst_index == 0 || verdict.ratio > found.max_ratio;
  if (!worse) return;
  found.max_ratio = verdict.ratio;
  found.worst_index = element + 1;
  found.worst_got = got;
  found.worst_expected = expected;
  found.worst_tolerance = verdict.tolerance;
}

/// One report per recipe and output: of several runs the worst.
void keep_worse(std::vector<RecipeReport>& reports, RecipeReport report) {
  for (RecipeReport& known : reports) {
    if (known.recipe != report.recipe || known.output != report.output) continue;
    const bool worse = known.passed == report.passed ? report.error_ratio > known.error_ratio : known.passed;
    if (worse) known = std::move(report);
    return;
  }
  reports.push_back(std::move(report));
}

}  // namespace

/// One recipe with one poison.
struct EmulatedChecker::Run {
  std::uint32_t recipe = 0;
  std::uint32_t poison = 0;
  int set = 0;
  bool sampled = false;
  std::vector<AddressRange> written;  ///< merged
};

void EmulatedChecker::poison_outputs(int set, std::uint32_t pattern) {
  const auto known = poisoned_.find(set);
  if (known != poisoned_.end() && known->second == pattern) return;
  for (std::size_t i = 0; i < data_.plan().tensors.size(); ++i)
    if (data_.plan().tensors[i].role == Role::output)
      data_.device().fill(data_.buffer(set, i).pointer(), pattern, data_.buffer(set, i).words());
  poisoned_[set] = pattern;
}

void EmulatedChecker::run(Candidate& candidate, Run& run, CheckReport& report) {
  for (const BoundLaunch& launch : data_.restore_launches(run.set, run.recipe)) data_.device().launch(launch);
  poison_outputs(run.set, run.poison);
  poisoned_.erase(run.set);  // until restored, whatever happens
  report.blocks = report.blocks_run = 0;
  const LaunchMode mode = run.sampled ? LaunchMode::check : LaunchMode::check_all;
  std::vector<LaunchReport> reports;
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
}

std::vector<std::int64_t> EmulatedChecker::elements_to_check(const Run& run, std::size_t reference) const {
  const Tensor& output = data_.output(reference);
  const auto size = static_cast<std::uint64_t>(info(output.dtype).bytes);
  const std::uint64_t begin = data_.buffer(run.set, output.name).pointer();
  const std::uint64_t end = begin + static_cast<std::uint64_t>(output.bytes());
  std::vector<std::int64_t> elements;
  if (run.sampled) {
    for (const AddressRange& range : run.written) {
      if (!overlap(range, begin, end)) continue;
      const std::uint64_t first = (std::max(range.begin, begin) - begin) / size;
      const std::uint64_t last = (std::min(range.end, end) - begin + size - 1) / size;
      for (std::uint64_t i = first; i < last; ++i) elements.push_back(static_cast<std::int64_t>(i));
    }
  } else {
    elements.resize(static_cast<std::size_t>(output.elements()));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::int64_t>(i);
  }
  if (!run.sampled) return thinned(elements, kMostWhole);
  return thinned(elements, data_.plan().recipes[run.recipe].exact ? kMostExact : kMostOthers);
}

/// After a run of all blocks: the first element that nobody wrote, or -1.
std::int64_t EmulatedChecker::first_unwritten(const Run& run, std::size_t reference) const {
  const Tensor& output = data_.output(reference);
  std::uint64_t reached = data_.buffer(run.set, output.name).pointer();
  const std::uint64_t begin = reached, end = begin + static_cast<std::uint64_t>(output.bytes());
  for (const AddressRange& range : run.written)
    if (range.begin <= reached && range.end > reached) reached = range.end;
  return reached >= end ? -1 : static_cast<std::int64_t>((reached - begin) / info(output.dtype).bytes);
}

RecipeReport EmulatedChecker::compare(const Run& run, std::size_t reference) {
  const Recipe& recipe = data_.plan().recipes[run.recipe];
  const Tensor& output = data_.output(reference);
  const std::int64_t missing = run.sampled ? -1 : first_unwritten(run, reference);
  std::vector<std::int64_t> elements = elements_to_check(run, reference);
  if (missing >= 0) elements.push_back(missing);  // holds poison: the comparison will say so
  const std::vector<ExpectedValues::Value> expected = expected_.at(run.recipe, reference, elements);
  const Tolerance& tolerance = data_.plan().references[reference].tolerance;
  lab::CompareArguments rule{};
  rule.exact = recipe.exact ? 1 : 0;
  rule.value_factor = tolerance.value_factor;
  rule.scale_factor = tolerance.scale_factor;
  rule.absolute = tolerance.absolute;
  const lab::Format format = lab::format_of(static_cast<lab::u32>(output.dtype));
  const auto size = static_cast<std::size_t>(info(output.dtype).bytes);
  const DevicePtr base = data_.buffer(run.set, output.name).pointer();
  lab::CompareReport found{};
  std::vector<std::byte> got;
  for (std::size_t i = 0; i < elements.size();) {
    // Neighbours are fetched together.
    std::size_t end = i + 1;
    while (end < elements.size() && elements[end] == elements[end - 1] + 1) ++end;
    got.resize((end - i) * size);
    data_.device().copy_out(got, base + static_cast<DevicePtr>(elements[i]) * size);
    for (std::size_t j = 0; i < end; ++i, ++j) {
      const std::uint64_t bits = bits_at(std::span(got).subspan(j * size, size));
      see(found, lab::judge(format, bits, expected[i].value, expected[i].scale, rule), elements[i],
          lab::decode(format, bits), expected[i].value);
    }
  }
  if (run.sampled && elements.empty()) {
    RecipeReport nothing = explain(recipe, output, found, 1);
    nothing.detail = "the blocks that ran wrote nothing to it";
    return nothing;
  }
  return explain(recipe, output, found, static_cast<std::int64_t>(elements.size()));
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

CheckReport EmulatedChecker::check(Candidate& candidate, std::span<const std::uint32_t> recipes, bool thorough,
                                   bool sampled) {
  CheckReport report;
  std::size_t runs = 0;
  for (const std::uint32_t recipe : recipes) {
    if (recipe >= data_.plan().recipes.size()) throw Error(fmt::format("check: the problem has no recipe {}", recipe));
    std::vector<std::uint32_t> poisons = {runs++ % 2 == 0 ? kPoisonNan : kPoisonFinite};
    if (thorough) poisons = {kPoisonNan, kPoisonFinite};
    for (const std::uint32_t poison : poisons) {
      Run one{recipe, poison, data_.set_with(recipe), sampled, {}};
      run(candidate, one, report);
      look_at_writes(candidate, one, report);
      for (std::size_t reference = 0; reference < data_.plan().references.size(); ++reference) {
        if (data_.output(reference).elements() == 0) continue;
        RecipeReport compared = compare(one, reference);
        keep_worse(report.recipes, std::move(compared));
      }
      restore_poison(one);
      if (!report.guard_violation.empty()) {
        for (const NamedBuffer& named : data_.named_buffers(one.set)) named.buffer->restore_guards(data_.device());
      }
      if (!report.input_modified.empty()) data_.distrust(one.set);
    }
  }
  return report;
}

}  // namespace kerlab
