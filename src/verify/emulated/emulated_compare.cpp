// EmulatedChecker: what a run wrote against what it should have written.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/hash.h"
#include "common/rounding.h"
#include "plan/sparse_tensor.h"
#include "verify/checker.h"
#include "verify/compare.h"
#include "verify/element_bits.h"
#include "verify/emulated/emulated_run.h"
#include "verify/explain.h"
#include "verify/normwise.h"
#include "verify/rounding_verdict.h"
#include "verify/survey.h"

namespace kerlab::verify {
namespace {

struct Element {
  std::int64_t index;
  std::uint64_t bits;
  double got, expected;
  lab::Verdict verdict;
};

void see(lab::CompareReport& found, const Element& element) {
  const lab::Verdict& verdict = element.verdict;
  ++found.compared;
  found.mismatches += verdict.passed ? 0 : 1;
  found.nans += verdict.nan ? 1 : 0;
  found.expected_nans += std::isnan(element.expected) ? 1 : 0;
  if (std::isfinite(verdict.ratio)) found.sum_square_ratio += verdict.ratio * verdict.ratio;
  const bool worse = found.worst_index == 0 || verdict.ratio > found.max_ratio;
  if (!worse) return;
  found.max_ratio = verdict.ratio;
  found.worst_index = element.index + 1;
  found.worst_got = element.got;
  found.worst_expected = element.expected;
  found.worst_tolerance = verdict.tolerance;
}

/// Of an output that is mostly, or to a good part, beyond 2^31 elements nothing there was written; of another that is
/// too large to be kept nothing of its second half. `elements`: some that were written, ascending.
bool is_far_end_missing(const Tensor& output, const std::vector<std::int64_t>& elements) {
  const bool beyond = output.elements() > kFarElements + kFarElements / 4;
  return is_sparse(output) && elements.back() < (beyond ? kFarElements : output.elements() / 2);
}

constexpr std::string_view kFarEnd = "near its far end: an extent or an index kept in too few bits";

/// How many work tiles there are is known on the device only; where the parts are short, the last blocks have none.
bool has_parts(const ProblemPlan& plan) {
  return std::ranges::any_of(plan.tensors, [](const Tensor& tensor) { return tensor.partition.has_value(); });
}

RecipeReport wrote_nothing(const Recipe& recipe, const Tensor& output, std::string_view where) {
  RecipeReport nothing = explain(recipe, output, {}, 1);
  nothing.passed = false;
  nothing.cause = Cause::unwritten;
  nothing.detail = fmt::format("the blocks that ran wrote nothing {}", where);
  return nothing;
}

}  // namespace

/// What the elements should be; of a normwise kernel with a bound in the place of the error scale.
std::vector<ExpectedValues::Value> EmulatedChecker::expected_for(const Run& run, std::size_t reference,
                                                                 const std::vector<std::int64_t>& elements) {
  std::vector<ExpectedValues::Value> expected = expected_.at(run.recipe, reference, elements);
  if (!run.accuracy.normwise) return expected;
  std::vector<double> value, scale;
  for (const ExpectedValues::Value& one : expected) {
    value.push_back(one.value);
    scale.push_back(one.scale);
  }
  take_norms(elements, data_.output(reference), tolerance_under(data_.plan(), run.recipe, reference, run.accuracy),
             value, scale);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i].scale = scale[i];
  return expected;
}

template <typename Visit>
void EmulatedChecker::visit(const Run& run, std::size_t reference, const std::vector<std::int64_t>& elements,
                            const Visit& see_element) {
  const Tensor& output = data_.output(reference);
  const std::vector<ExpectedValues::Value> expected = expected_for(run, reference, elements);
  const lab::CompareArguments rule = compare_rule(data_.plan(), output, run.recipe, reference, run.accuracy);
  const lab::Format format = lab::format_of(rule.dtype);
  const DevicePtr base = in_place_.pointer(run.set, output);
  std::vector<std::byte> got;
  for (std::size_t i = 0; i < elements.size();) {
    // Neighbours are fetched together.
    std::size_t end = i + 1;
    while (end < elements.size() && elements[end] == elements[end - 1] + 1) ++end;
    const std::int64_t first = elements[i] - elements[i] % format.per_byte;  // begins with a byte
    got.resize(static_cast<std::size_t>(bytes_of(output.dtype, elements[end - 1] + 1 - first)));
    data_.device().copy_out(got, base + lab::byte_of(format, static_cast<lab::u64>(first)));
    for (; i < end; ++i) {
      const std::uint64_t bits = bits_within(got, format, static_cast<std::size_t>(elements[i] - first));
      see_element(Element{elements[i], bits, lab::decode(format, bits), expected[i].value,
                          lab::judge(format, bits, expected[i].value, expected[i].scale, rule)});
    }
  }
}

/// By the checker of an output: the indices all of whose elements were written.
RecipeReport EmulatedChecker::judge_indices(const Run& run, std::size_t reference,
                                            const std::vector<std::int64_t>& elements) {
  const std::int64_t width = data_.plan().references[reference].outputs_per_index;
  const Tensor& output = data_.output(reference);
  const std::uint64_t base = data_.buffer(run.set, output.name).pointer();
  std::vector<std::int64_t> indices;
  for (const std::int64_t element : elements) {
    const std::int64_t index = element / width;
    if (!indices.empty() && indices.back() == index) continue;
    // An odd one of a packed type has the byte that it shares.
    const std::uint64_t begin =
        base + static_cast<std::uint64_t>(bytes_of(output.dtype, index * width + 1) - info(output.dtype).bytes);
    const std::uint64_t end = base + static_cast<std::uint64_t>(bytes_of(output.dtype, (index + 1) * width));
    const auto holds = [&](const AddressRange& range) { return range.begin <= begin && range.end >= end; };
    if (!run.sampled || std::any_of(run.written.begin(), run.written.end(), holds)) indices.push_back(index);
  }
  if (indices.empty()) return wrote_nothing(data_.plan().recipes[run.recipe], output, "to it");
  return judge_by_checker(data_, run.recipe, reference, run.set, indices);
}

RecipeReport EmulatedChecker::compare(const Run& run, std::size_t reference, bool look_closer) {
  const Recipe& recipe = data_.plan().recipes[run.recipe];
  const Tensor& output = data_.output(reference);
  const std::int64_t missing = run.sampled ? -1 : first_unwritten(run, reference);
  std::vector<std::int64_t> elements = elements_to_check(run, reference);
  // Holds poison: the comparison will say so.
  if (missing >= 0 && !std::binary_search(elements.begin(), elements.end(), missing)) elements.push_back(missing);
  if (run.coverage && elements.empty()) {
    RecipeReport whole = explain(recipe, output, {}, 0);
    whole.passed = true;
    return whole;
  }
  if (run.sampled && elements.empty()) return wrote_nothing(recipe, output, "to it");
  if (run.sampled) {
    const bool missing_end = is_far_end_missing(output, elements);
    if (missing_end && !has_parts(data_.plan())) return wrote_nothing(recipe, output, kFarEnd);
    far_end_written_[reference] |= !missing_end;
  }
  if (data_.plan().references[reference].checker) return judge_indices(run, reference, elements);
  const lab::Format format = lab::format_of(static_cast<lab::u32>(output.dtype));
  const bool rounding = has_independent_roundings(recipe);
  lab::CompareReport found{};
  visit(run, reference, elements, [&](const Element& element) {
    see(found, element);
    if (rounding) lab::add_rounding(found.rounding, format, element.got, element.expected, element.verdict.tolerance);
  });
  RecipeReport report = explain(recipe, output, found, static_cast<std::int64_t>(elements.size()));
  if (run.coverage && report.mismatches > 0) {
    report.cause = Cause::unwritten;
    report.detail = "no block has written it";
  }
  if (rounding && report.passed) judge_rows(run, reference, report);
  // What is looked for are values by their places.
  const bool can_look = !has_sparse_tensors(data_.plan());
  if (look_closer && can_look && report.mismatches > 0) look_again(run, reference, elements, report);
  return report;
}

/// After all recipes: parts differ between them, so that blocks of one at least should have met the far end.
void EmulatedChecker::judge_far_ends(std::uint32_t last_recipe, CheckReport& report) {
  for (const auto& [reference, written] : far_end_written_)
    if (!written)
      report.recipes.push_back(wrote_nothing(data_.plan().recipes[last_recipe], data_.output(reference), kFarEnd));
}

/// Of rows all of whose elements are compared.
void EmulatedChecker::judge_rows(const Run& run, std::size_t reference, RecipeReport& report) {
  const Tensor& output = data_.output(reference);
  const auto& targets = data_.plan().references[reference].rows_sum_to;
  if (targets.empty() || run.sampled || report.compared != output.elements()) return;
  const lab::Format format = lab::format_of(static_cast<lab::u32>(output.dtype));
  const std::int64_t columns = output.shape.empty() ? 1 : output.shape.back();
  lab::RowSumReport found{};
  lab::RowSum row{};
  visit(run, reference, elements_to_check(run, reference), [&](const Element& element) {
    lab::add_to_row(row, format, element.got, element.expected, element.verdict.tolerance);
    if (element.index % columns != columns - 1) return;
    const double ratio = lab::row_error(row, targets.front());
    row = {};
    if (ratio <= 1) return;
    ++found.wrong;
    found.worst_key = std::max(found.worst_key, lab::worst_key(ratio, element.index / columns));
  });
  judge_row_sums(report, output, targets.front(), found);
}

void EmulatedChecker::look_again(const Run& run, std::size_t reference, const std::vector<std::int64_t>& elements,
                                 RecipeReport& report) {
  Survey survey(data_.plan(), data_.plan().recipes[run.recipe], data_.output(reference), run.poison);
  visit(run, reference, elements,
        [&](const Element& element) { survey.see(element.index, element.bits, element.expected, element.verdict); });
  survey.tell(report, [&](std::span<const std::int64_t> places) {
    std::vector<double> values;
    for (const ExpectedValues::Value& value : expected_.at(run.recipe, reference, places))
      values.push_back(value.value);
    return values;
  });
}

std::string EmulatedChecker::written_bits(const Run& run, std::size_t reference) const {
  const Tensor& output = data_.output(reference);
  const std::uint64_t begin = data_.buffer(run.set, output.name).pointer();
  const std::uint64_t end = begin + static_cast<std::uint64_t>(output.bytes());
  std::vector<std::byte> written;
  for (const AddressRange& range : run.written) {
    if (!overlap(range, begin, end)) continue;
    const std::uint64_t from = std::max(range.begin, begin), to = std::min(range.end, end);
    const std::size_t held = written.size();
    written.resize(held + (to - from));
    data_.device().copy_out(std::span(written).subspan(held), in_place_.pointer(run.set, output) + (from - begin));
  }
  return digest(written);
}

}  // namespace kerlab::verify
