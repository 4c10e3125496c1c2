#include "verify/explain.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "verify/input/inputs.h"
#include "verify/rounding_verdict.h"

namespace kerlab::verify {
namespace {

/// Of what has the same value and other bits.
std::string_view difference_of_bits(const RecipeReport& report) {
  if (std::isnan(report.worst_got) && std::isnan(report.worst_expected))
    return " of other bits (of another sign, or another fraction)";
  return report.worst_got == 0 && report.worst_expected == 0 ? ", with its sign" : "";
}

std::string difference(const Recipe& recipe, const RecipeReport& report, const Tensor& output) {
  const std::string place = place_in(output, report.worst_index.value_or(0));
  if (recipe.exact)
    return fmt::format("{}: got {:.9g}, expected exactly {:.9g}{}", place, report.worst_got, report.worst_expected,
                       difference_of_bits(report));
  return fmt::format("{}: got {:.9g}, expected {:.9g} +- {:.3g}{}", place, report.worst_got, report.worst_expected,
                     report.worst_tolerance, difference_of_bits(report));
}

}  // namespace

std::string coordinates(const std::vector<std::int64_t>& shape, std::int64_t index) {
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = shape[i] > 0 ? index % shape[i] : 0;
    index = shape[i] > 0 ? index / shape[i] : 0;
  }
  return fmt::format("[{}]", fmt::join(at, ", "));
}

std::string place_in(const Tensor& tensor, std::int64_t index) {
  if (!tensor.complex) return coordinates(tensor.shape, index);
  std::vector<std::int64_t> shape = tensor.shape;
  shape.back() /= 2;
  return coordinates(shape, index / 2) + (index % 2 == 0 ? ".x" : ".y");
}

RecipeReport explain(const Recipe& recipe, const Tensor& output, const lab::CompareReport& found) {
  return explain(recipe, output, found, output.elements());
}

/// Of ordinary inputs so many NaN in a row are no chance; fewer may be an edge of the problem (a variance of one
/// number).
constexpr std::int64_t kTelling = 256;

RecipeReport explain(const Recipe& recipe, const Tensor& output, const lab::CompareReport& found, std::int64_t wanted) {
  RecipeReport report;
  report.recipe = recipe_text(recipe);
  report.output = output.name;
  report.compared = static_cast<std::int64_t>(found.compared);
  report.mismatches = static_cast<std::int64_t>(found.mismatches);
  report.nans = static_cast<std::int64_t>(found.nans);
  report.error_ratio = found.max_ratio;
  report.rms_ratio = found.compared > 0 ? std::sqrt(found.sum_square_ratio / static_cast<double>(found.compared)) : 0;
  if (found.worst_index > 0) report.worst_index = found.worst_index - 1;
  report.worst_got = found.worst_got;
  report.worst_expected = found.worst_expected;
  report.worst_tolerance = found.worst_tolerance;
  report.passed = report.compared == wanted && report.mismatches == 0;
  report.rounding = rounding_report(found.rounding);
  if (report.compared != wanted) {
    report.cause = Cause::incomplete;
    report.detail = fmt::format("{} of {} elements were compared", report.compared, wanted);
  } else if (!report.passed) {
    report.cause = report.nans > 0                                ? Cause::nan
                   : recipe.exact || !info(output.dtype).is_float ? Cause::exact
                                                                  : Cause::bound;
    report.detail = difference(recipe, report, output);
  }
  judge_rounding(report);
  if (report.passed && recipe.plain() && report.compared >= kTelling && found.expected_nans == found.compared) {
    report.passed = false;
    report.cause = Cause::nan;
    report.detail = fmt::format(
        "all {} expected values are NaN, so that nothing was checked: what does the reference read? (an input that "
        "nobody fills, or an output for an input)",
        report.compared);
  }
  return report;
}

std::int64_t different_runs(std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> poisons,
                            bool leaves_places) {
  std::int64_t different = 0;
  for (std::size_t i = 1; i < hashes.size(); ++i)
    different += hashes[i] != hashes[0] && (!leaves_places || poisons[i] == poisons[0]) ? 1 : 0;
  return different;
}

void judge_repeats(RecipeReport& report, std::int64_t different, bool nondeterministic) {
  if (different == 0 || !report.passed) return;
  if (nondeterministic) {
    report.detail =
        fmt::format("{} of {} runs differ from the first bit by bit, as the variant says", different, report.runs - 1);
    return;
  }
  report.passed = false;
  report.cause = Cause::rerun;
  report.detail = fmt::format(
      "{} of {} runs with the same inputs differ from the first bit by bit: a race, memory that nobody initialised, or "
      "atomics in any order; where that is meant the variant's .toml says nondeterministic = \"why\"",
      different, report.runs - 1);
}

}  // namespace kerlab::verify
