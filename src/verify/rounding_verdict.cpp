#include "verify/rounding_verdict.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace kerlab::verify {
namespace {

constexpr std::int64_t kFewest = 1024;  // elements: fewer tell too little

// The error of an output is that of its rounding, uniform between -1 and 1 half ulps, and that of the sum before it. An
// rms of 0.65 where rounding alone gives sqrt(1/3) leaves the latter an rms of 0.3; its bound is 1 at most where an
// element counts at all, and honest sums reach 0.42 of their bound at worst, 0.15 in the mean. Taken beside the rms of
// the reference rounded once, so that outputs with coarse fractions (sums of two bf16 end in 0 or exactly between two
// numbers) are not blamed for them.
constexpr double kMostExcess = 0.65 * 0.65 - 1.0 / 3;

// Tensor cores truncate: the mean of their errors is not 0, but stays below 0.11 K u beside a bound of 2 K u
// (reference/emulator.md, section 10: 17 terms lose half of 2^(emax - 25), and their sum half an ulp, every 16 k of a
// running sum that is half the result in the mean): a quarter of the bound is four times that.
constexpr double kMostBias = 0.25;
constexpr double kDeviations = 6;

}  // namespace

bool has_independent_roundings(const Recipe& recipe) {
  return recipe.plain() && !recipe.exact && (recipe.name == "normal" || recipe.name == "uniform");
}

RoundingReport rounding_report(const lab::RoundingSums& sums) {
  RoundingReport report;
  report.elements = static_cast<std::int64_t>(sums.elements);
  if (report.elements == 0) return report;
  const auto n = static_cast<double>(sums.elements);
  report.rms = std::sqrt(sums.square / n);
  report.ideal_rms = std::sqrt(sums.ideal / n);
  report.bias = sums.beyond / n;
  report.outward = sums.outward / n;
  // An error before the rounding moves few elements, each by two half ulps. Some moves are always granted.
  report.bias_limit = (kMostBias * sums.allowed + kDeviations * std::sqrt(sums.spread) + 2 * kDeviations) / n;
  return report;
}

void judge_rounding(RecipeReport& report) {
  const RoundingReport& r = report.rounding;
  if (!report.passed || r.elements < kFewest) return;
  const double excess = r.rms * r.rms - r.ideal_rms * r.ideal_rms;
  const double bias = std::abs(r.bias) > std::abs(r.outward) ? r.bias : r.outward;
  if (excess > kMostExcess) {
    report.cause = Cause::rms;
    report.detail = fmt::format(
        "every element is within its bound, but all together are not: the rms of their errors is {:.3f} half ulps, "
        "that of one rounding {:.3f}, and {:.3f} the limit; sums are kept in too few bits, or terms are missing",
        r.rms, r.ideal_rms, std::sqrt(r.ideal_rms * r.ideal_rms + kMostExcess));
  } else if (std::abs(bias) > r.bias_limit) {
    report.cause = Cause::bias;
    report.detail = fmt::format(
        "every element is within its bound, but their errors have a direction: {:.3g} half ulps {} in the mean of {} "
        "elements, {:.3g} is the limit; terms are missing or counted twice, or results are cut off instead of rounded",
        std::abs(bias),
        std::abs(r.bias) > std::abs(r.outward) ? (bias > 0 ? "upward" : "downward")
                                               : (bias > 0 ? "away from zero" : "towards zero"),
        r.elements, r.bias_limit);
  }
  report.passed = report.cause == Cause::none;
}

void judge_row_sums(RecipeReport& report, const Tensor& output, double target, const lab::RowSumReport& found) {
  if (!report.passed || found.wrong == 0) return;
  const auto ratio = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(found.worst_key >> 32)));
  const auto row = static_cast<std::int64_t>(~static_cast<std::uint32_t>(found.worst_key));
  const std::int64_t columns = output.shape.empty() ? 1 : output.shape.back();
  report.cause = Cause::row_sum;
  report.passed = false;
  report.detail = fmt::format(
      "every element is within its bound, but {} of {} rows do not sum to {:g}: row {} is off by {:.3g} times what "
      "rounding explains; a term is missing from its sum, or counted twice",
      found.wrong, columns > 0 ? output.elements() / columns : 0, target, row & 0xFFFFFFFF, ratio);
}

}  // namespace kerlab::verify
