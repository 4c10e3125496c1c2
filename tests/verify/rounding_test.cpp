// Statistics of errors: honest sums are never blamed, small faults that stay within every element's bound are found.
#include "common/rounding.h"

#include <cmath>
#include <functional>
#include <random>

#include "catch.h"
#include "spec/tolerance.h"
#include "verify/rounding_verdict.h"

using namespace kerlab;

namespace {

float toward_zero(double x) {
  const float nearest = static_cast<float>(x);
  return std::abs(static_cast<double>(nearest)) > std::abs(x) ? std::nextafter(nearest, 0.0F) : nearest;
}

/// As a tensor core adds: 16 products and the sum so far, cut to 2^(emax - 25); the result cut to fp32.
float tensor_core(const std::vector<double>& terms) {
  float sum = 0;
  for (std::size_t k = 0; k < terms.size(); k += 16) {
    const std::size_t end = std::min(k + 16, terms.size());
    double largest = std::abs(static_cast<double>(sum));
    for (std::size_t i = k; i < end; ++i) largest = std::max(largest, std::abs(terms[i]));
    if (largest == 0) continue;
    const double unit = std::ldexp(1.0, std::ilogb(largest) - 25);
    double exact = std::trunc(static_cast<double>(sum) / unit);
    for (std::size_t i = k; i < end; ++i) exact += std::trunc(terms[i] / unit);
    sum = toward_zero(exact * unit);
  }
  return sum;
}

float fused(const std::vector<double>& terms) {
  float sum = 0;
  for (const double term : terms) sum = static_cast<float>(static_cast<double>(sum) + term);
  return sum;
}

using Terms = std::vector<double>;
using Sum = std::function<float(const Terms&)>;

struct Case {
  DType dtype, out;
  std::size_t k;
  bool positive;
  int outputs = 4096;
};

/// Errors of many sums under the tolerance of gemm; elements beyond their bound are counted in `wrong`.
struct Found {
  lab::RoundingSums sums{};
  int wrong = 0;
  [[nodiscard]] RecipeReport report() const {
    RecipeReport report;
    report.passed = true;
    report.rounding = rounding_report(sums);
    judge_rounding(report);
    return report;
  }
};

Found errors_of(const Case& c, const Sum& sum, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  const lab::Format in = lab::format_of(static_cast<lab::u32>(c.dtype));
  const lab::Format out = lab::format_of(static_cast<lab::u32>(c.out));
  const auto number = [&] { return lab::decode(in, lab::encode(in, c.positive ? uniform(random) : normal(random))); };
  ToleranceDecl declared;
  declared.rule = "dot";
  const Tolerance t = make_tolerance(declared, {static_cast<std::int64_t>(c.k), 0}, c.dtype, c.out, false);
  lab::CompareArguments rule{};
  rule.value_factor = t.value_factor, rule.scale_factor = t.scale_factor, rule.absolute = t.absolute;
  Found found;
  Terms terms(c.k);
  for (int i = 0; i < c.outputs; ++i) {
    double value = 0, squares = 0;
    for (double& term : terms) {
      term = number() * number();
      value += term;
      squares += term * term;
    }
    const lab::u64 bits = lab::encode(out, static_cast<double>(sum(terms)));
    const lab::Verdict verdict = lab::judge(out, bits, value, std::sqrt(squares), rule);
    found.wrong += verdict.passed ? 0 : 1;
    lab::add_rounding(found.sums, out, lab::decode(out, bits), value, verdict.tolerance);
  }
  return found;
}

Terms without(const Terms& terms, std::size_t k) {
  Terms less = terms;
  less[k] = 0;
  return less;
}

}  // namespace

namespace {

/// Sums of every kind of unit, as exact as they can be; `seeds` of each.
void check_honest_sums(unsigned seeds) {
  double closest_rms = 0, closest_bias = 0;
  for (const Case& c : std::vector<Case>{{DType::bf16, DType::bf16, 64, false},
                                         {DType::bf16, DType::bf16, 64, true},
                                         {DType::bf16, DType::bf16, 1024, false},
                                         {DType::bf16, DType::bf16, 1024, true},
                                         {DType::bf16, DType::bf16, 4096, true, 2048},
                                         {DType::bf16, DType::bf16, 4096, false, 2048},
                                         {DType::fp16, DType::fp16, 64, true},
                                         {DType::fp16, DType::fp16, 512, false},
                                         {DType::tf32, DType::fp16, 256, true},
                                         {DType::fp32, DType::bf16, 1024, true}}) {
    CAPTURE(name(c.dtype), name(c.out), c.k, c.positive);
    const bool cut = c.dtype != DType::fp32;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      const Found found = errors_of(c, cut ? Sum(tensor_core) : Sum(fused), seed);
      CHECK(found.wrong == 0);
      const RecipeReport report = found.report();
      INFO(report.detail);
      CHECK(report.passed);
      const RoundingReport& r = report.rounding;
      if (r.elements < 1024) continue;
      closest_rms = std::max(closest_rms, r.rms * r.rms - r.ideal_rms * r.ideal_rms);
      closest_bias = std::max(closest_bias, std::max(std::abs(r.bias), std::abs(r.outward)) / r.bias_limit);
    }
  }
  CAPTURE(closest_rms, closest_bias);
  CHECK(closest_rms < 0.03);   // of 0.089
  CHECK(closest_bias < 0.5);   // of the limit
  CHECK(closest_bias > 0.02);  // which is not so wide that nothing could reach it
}

}  // namespace

TEST_CASE("honest sums keep the limits of rms and bias", "[verify]") {
  check_honest_sums(1);
}

TEST_CASE("honest sums keep the limits of rms and bias, many of them", "[.][nightly]") {
  check_honest_sums(10);
}

TEST_CASE("a term that is missing from every sum is a bias", "[verify]") {
  // Of 4096 numbers below 1: a few elements are beyond their bound at most, and all of them have a direction.
  const Case c{DType::bf16, DType::bf16, 4096, true, 16384};
  const Found found = errors_of(c, [](const Terms& terms) { return tensor_core(without(terms, 7)); });
  CHECK(found.wrong < c.outputs / 10);
  const RecipeReport report = found.report();
  CHECK_FALSE(report.passed);
  CHECK(report.cause == Cause::bias);
  CHECK_THAT(report.detail, Catch::Contains("have a direction"));
}

TEST_CASE("sums kept in too few bits show in the rms where each is within its bound", "[verify]") {
  // Noise of nearly the whole tolerance beyond the rounding, of both signs: no element is wrong.
  const lab::Format f = lab::format_of(lab::kBf16);
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 64);
  lab::RoundingSums sums{};
  for (int i = 0; i < 20000; ++i) {
    const double value = normal(random), half = lab::half_ulp(f, value);
    const double sum = value + (random() % 2 != 0 ? 0.9 : -0.9) * half;
    lab::add_rounding(sums, f, lab::decode(f, lab::encode(f, sum)), value, 1.95 * half);
  }
  RecipeReport report;
  report.passed = true;
  report.rounding = rounding_report(sums);
  CHECK(report.rounding.elements > 19000);
  CHECK(report.rounding.ideal_rms == Approx(0.577).epsilon(0.03));
  judge_rounding(report);
  CHECK(report.cause == Cause::rms);
}

TEST_CASE("coarse fractions are the data's, not the kernel's", "[verify]") {
  // Numbers that lie exactly between two: an honest rounding errs by half an ulp each time.
  const lab::Format f = lab::format_of(lab::kBf16);
  lab::RoundingSums sums{};
  for (int i = 0; i < 4096; ++i) {
    const double value = 257 + 2 * (i % 100);
    lab::add_rounding(sums, f, lab::decode(f, lab::encode(f, value)), value, 1.1 * lab::half_ulp(f, value));
  }
  RecipeReport report;
  report.passed = true;
  report.rounding = rounding_report(sums);
  CHECK(report.rounding.rms > 0.9);
  judge_rounding(report);
  CHECK(report.passed);
}

TEST_CASE("few elements, and those with a wide tolerance, tell nothing", "[verify]") {
  const lab::Format f = lab::format_of(lab::kBf16);
  lab::RoundingSums sums{};
  lab::add_rounding(sums, f, 1.0, 1.003, 3 * lab::half_ulp(f, 1.0));
  CHECK(sums.elements == 0);
  lab::add_rounding(sums, f, std::nan(""), 1.0, 1.5 * lab::half_ulp(f, 1.0));
  CHECK(sums.elements == 0);
  lab::add_rounding(sums, f, 1.0, 1.003, 1.5 * lab::half_ulp(f, 1.0));
  CHECK(sums.elements == 1);
  CHECK(has_independent_roundings({"normal", 1, 1, {}, false, "", {}}));
  CHECK_FALSE(has_independent_roundings({"small_integer", 1, 1, {}, true, "", {}}));
  Recipe planted{"normal", 1, 1, {}, false, "", {}};
  planted.plants.resize(1);
  CHECK_FALSE(has_independent_roundings(planted));
}

TEST_CASE("rows that do not sum to what they must are wrong although their elements are not", "[verify]") {
  const Tensor output{"Y", DType::bf16, Role::output, {10, 4096}};
  RecipeReport report;
  report.passed = true;
  lab::RowSumReport found{};
  judge_row_sums(report, output, 1, found);
  CHECK(report.passed);
  found.wrong = 2;
  found.worst_key = lab::worst_key(7.5, 3);
  judge_row_sums(report, output, 1, found);
  CHECK(report.cause == Cause::row_sum);
  CHECK_THAT(report.detail, Catch::Contains("2 of 10 rows do not sum to 1: row 3 is off by 7.5 times"));
}

TEST_CASE("what lies in the middle between two numbers as far as fp32 can tell has no direction", "[verify]") {
  // gelu(x) - 0.75 c with x far below 0: a bf16 times 0.75, less next to nothing, which fp32 does not keep.
  const lab::Format f = lab::format_of(static_cast<lab::u32>(DType::bf16));
  std::mt19937 random(3);
  lab::RoundingSums sums{};
  for (int i = 0; i < 20000; ++i) {
    const double c = 1 + static_cast<double>(random() % 128) / 128;
    const double value = 0.75 * c - 1e-12, got = lab::decode(f, lab::encode(f, 0.75 * c));
    lab::add_rounding(sums, f, got, value, 1.1 * lab::half_ulp(f, value));
  }
  const RoundingReport report = rounding_report(sums);
  CHECK(report.elements > 10000);  // those that are not in the middle tell what they did before
  CHECK(report.bias == Approx(0).margin(1e-9));
  CHECK(report.bias_limit > 0);
}
