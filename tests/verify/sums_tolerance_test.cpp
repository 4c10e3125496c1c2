// Classes "dot", "sum" and scan of docs/tolerance.md: honest arithmetic keeps the bound, with not too much to spare,
// and what is wrong in a typical way does not.
#include <functional>

#include "catch.h"
#include "device/emu/numeric/tensor_core.h"
#include "verify/honest.h"

using namespace kerlab;
using kerlab::test::Judge;
using kerlab::test::normals;
using kerlab::test::Random;

namespace {

struct Terms {
  std::vector<double> a, b;
  [[nodiscard]] double value() const {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  [[nodiscard]] double scale() const {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i] * a[i] * b[i];
    return std::sqrt(sum);
  }
};

/// As recipe "cancellation": a antisymmetric, b symmetric.
void mirror(Terms& terms) {
  for (std::size_t i = 0, j = terms.a.size() - 1; i < j; ++i, --j) {
    terms.a[j] = -terms.a[i];
    terms.b[j] = terms.b[i];
  }
}

struct TensorCore {
  std::size_t group = 16;
  int kept_bits = 25;
};

/// A chain of instructions, as an H200 executes them.
double multiply(const Terms& terms, TensorCore core = {}) {
  emu::numeric::TensorCoreRule rule = emu::numeric::mma_rule(emu::numeric::kBf16, emu::numeric::kBf16, false);
  rule.kept_bits = core.kept_bits;
  const lab::Format bf16 = lab::format_of(lab::kBf16), fp32 = lab::format_of(lab::kFp32);
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < terms.a.size(); k += core.group) {
    std::vector<std::uint32_t> a, b;
    for (std::size_t i = k; i < std::min(k + core.group, terms.a.size()); ++i) {
      a.push_back(static_cast<std::uint32_t>(lab::encode(bf16, terms.a[i])));
      b.push_back(static_cast<std::uint32_t>(lab::encode(bf16, terms.b[i])));
    }
    sum = emu::numeric::tensor_core_group(rule, a, b, sum);
  }
  return lab::decode(fp32, sum);
}

double multiply_in_fp32(const Terms& terms) {
  float sum = 0;
  for (std::size_t k = 0; k < terms.a.size(); ++k)
    sum = std::fma(static_cast<float>(terms.a[k]), static_cast<float>(terms.b[k]), sum);
  return sum;
}

double multiply_in_fp16(const Terms& terms) {
  double sum = 0;
  for (std::size_t k = 0; k < terms.a.size(); ++k) sum = test::rounded_to(DType::fp16, sum + terms.a[k] * terms.b[k]);
  return sum;
}

Terms draw(Random& random, std::size_t n, DType dtype, double mean) {
  return {normals(random, n, dtype, mean), normals(random, n, dtype, mean)};
}

/// Worst ratio of honest tensor cores over lengths, signs of the terms and draws.
Judge honest(TensorCore core, std::int64_t n, double mean, int draws) {
  Random random(static_cast<std::uint64_t>(n) + core.group);
  Judge judge("dot", n, DType::bf16, DType::fp32);
  for (int i = 0; i < draws; ++i) {
    const Terms terms = draw(random, static_cast<std::size_t>(n), DType::bf16, mean);
    judge.see(multiply(terms, core), terms.value(), terms.scale());
  }
  return judge;
}

}  // namespace

TEST_CASE("class dot: tensor cores that truncate keep the bound", "[verify][tolerance]") {
  double worst_signed = 0, worst_one_sign = 0;
  for (const TensorCore core : {TensorCore{16, 25}, TensorCore{8, 25}, TensorCore{8, 24}, TensorCore{4, 23}})
    for (const std::int64_t n : {16, 64, 512, 4096}) {
      const int draws = static_cast<int>(16000 / n) + 20;
      worst_signed = std::max(worst_signed, honest(core, n, 0, draws).worst());
      worst_one_sign = std::max(worst_one_sign, honest(core, n, 3, draws).worst());
    }
  CAPTURE(worst_signed, worst_one_sign);
  CHECK(worst_signed < 0.5);
  CHECK(worst_signed > 0.02);
  CHECK(worst_one_sign < 0.7);
  CHECK(worst_one_sign > 0.1);  // an H200 is truer than what the bound grants to older cores
}

TEST_CASE("class dot: fp32 multiply-adds keep a bound that is not much wider", "[verify][tolerance]") {
  Random random(5);
  double worst = 0;
  for (const std::int64_t n : {1, 3, 64, 1000, 8192}) {
    Judge judge("dot", n, DType::fp32, DType::fp32);
    for (int i = 0; i < 200; ++i) {
      const Terms terms = draw(random, static_cast<std::size_t>(n), DType::fp32, i % 2);
      judge.see(multiply_in_fp32(terms), terms.value(), terms.scale());
    }
    worst = std::max(worst, judge.worst());
  }
  CAPTURE(worst);
  CHECK(worst < 0.8);
  CHECK(worst > 0.2);
}

TEST_CASE("class dot: what is dropped, doubled or added up in 16 bits is beyond the bound", "[verify][tolerance]") {
  constexpr std::int64_t kLength = 4096;
  using Fault = std::function<double(Terms)>;
  const auto rejected = [&](DType output, bool mirrored, const Fault& fault) {
    Random random(9);
    Judge judge("dot", kLength, DType::bf16, output);
    for (int i = 0; i < 60; ++i) {
      Terms terms = draw(random, kLength, DType::bf16, 0);
      if (mirrored) mirror(terms);
      judge.see(fault(terms), terms.value(), terms.scale());
    }
    return judge.rejected();
  };
  const Fault nothing = [](const Terms& terms) { return multiply(terms); };
  const Fault one_dropped = [](Terms terms) {
    terms.a[77] = 0;
    return multiply(terms);
  };
  const Fault step_doubled = [](Terms terms) {
    for (std::size_t k = 64; k < 80; ++k) terms.a[k] *= 2;
    return multiply(terms);
  };
  const Fault fp16 = [](const Terms& terms) { return multiply_in_fp16(terms); };
  for (const bool mirrored : {false, true})
    for (const DType output : {DType::bf16, DType::fp16, DType::fp32}) CHECK(rejected(output, mirrored, nothing) == 0);
  // One of 4096 terms hides in the rounding of a bf16, which is why there is "cancellation".
  CHECK(rejected(DType::bf16, false, one_dropped) > 0.5);
  CHECK(rejected(DType::bf16, true, one_dropped) > 0.9);  // others lost a term of nearly 0
  CHECK(rejected(DType::fp32, false, one_dropped) > 0.9);
  CHECK(rejected(DType::bf16, true, step_doubled) == 1);
  CHECK(rejected(DType::bf16, true, fp16) > 0.9);
  CHECK(rejected(DType::fp32, false, fp16) > 0.9);
}

TEST_CASE("class sum: adding up in fp32, one by one or in a tree, keeps the bound; 16 bits do not",
          "[verify][tolerance]") {
  Random random(3);
  double worst = 0, in_fp16 = 1;
  for (const std::size_t n : {1, 100, 3001, 70003})
    for (const double mean : {0.0, 30.0}) {
      const auto length = static_cast<std::int64_t>(n);
      Judge honest("sum", length, DType::fp16, DType::fp32), half("sum", length, DType::fp16, DType::fp32);
      for (int i = 0; i < 20; ++i) {
        const std::vector<double> x = normals(random, n, DType::fp16, mean);
        double value = 0, squares = 0, pairs = 0;
        float one_by_one = 0, strided[256] = {};
        for (std::size_t k = 0; k < n; ++k) {
          value += x[k], squares += x[k] * x[k];
          one_by_one += static_cast<float>(x[k]);
          strided[k % 256] += static_cast<float>(x[k]);
          if (k % 2 == 1) pairs += test::rounded_to(DType::fp16, x[k - 1] + x[k]);
        }
        if (n % 2 == 1) pairs += x.back();
        for (int step = 128; step > 0; step /= 2)
          for (int t = 0; t < step; ++t) strided[t] += strided[t + step];
        honest.see(one_by_one, value, std::sqrt(squares));
        honest.see(strided[0], value, std::sqrt(squares));
        half.see(pairs, value, std::sqrt(squares));
      }
      worst = std::max(worst, honest.worst());
      if (n > 1 && mean == 0) in_fp16 = std::min(in_fp16, half.rejected());
    }
  CAPTURE(worst);
  CHECK(worst < 0.8);
  CHECK(worst > 0.1);
  CHECK(in_fp16 >= 0.7);
}

TEST_CASE("class sum: squares added up one by one keep the bound, though their roundings have a direction",
          "[verify][tolerance]") {
  Random random(7);
  std::normal_distribution<float> normal(0, 1.2F);
  double worst = 0;
  for (const std::int64_t n : {4096, 65541, 262149, 1048577, 4194305}) {
    Judge judge("sum", n, DType::fp32, DType::fp32);
    for (int i = 0; i < (n < 1000000 ? 4 : 1); ++i) {
      double value = 0, squares = 0;
      float sum = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        const float x = normal(random);
        const double term = static_cast<double>(x) * static_cast<double>(x);
        value += term, squares += term * term;
        sum = std::fma(x, x, sum);
      }
      judge.see(sum, value, std::sqrt(squares));
    }
    worst = std::max(worst, judge.worst());
  }
  CAPTURE(worst);
  CHECK(worst < 0.67);
  CHECK(worst > 0.2);
}

TEST_CASE("class scan: prefix sums keep the bound of their own prefix; a lost carry does not", "[verify][tolerance]") {
  constexpr std::size_t kLength = 5000, kBlock = 256;
  Random random(4);
  Judge honest("sum", kLength, DType::fp32, DType::fp32), lost("sum", kLength, DType::fp32, DType::fp32);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> x = normals(random, kLength, DType::fp32);
    double value = 0, squares = 0;
    float carry = 0, block = 0;
    for (std::size_t k = 0; k < kLength; ++k) {
      if (k % kBlock == 0) carry += block, block = 0;
      value += x[k], squares += x[k] * x[k];
      block += static_cast<float>(x[k]);
      honest.see(carry + block, value, std::sqrt(squares));
      if (k >= kBlock) lost.see(block, value, std::sqrt(squares));
    }
  }
  CAPTURE(honest.worst());
  CHECK(honest.worst() < 0.8);
  CHECK(honest.worst() > 0.02);
  CHECK(lost.rejected() > 0.99);
}
