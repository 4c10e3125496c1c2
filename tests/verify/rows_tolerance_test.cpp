// Classes softmax, norm, elementwise and attention of docs/tolerance.md (rule "rowwise", each with a scale of its own):
// honest fp32 keeps the bound, with not too much to spare, and what is wrong in a typical way does not.
#include <functional>

#include "catch.h"
#include "verify/honest.h"

using namespace kerlab;
using kerlab::test::Judge;
using kerlab::test::normals;
using kerlab::test::Random;

namespace {

using Row = std::vector<double>;
using Floats = std::vector<float>;

Floats to_floats(const Row& x) {
  return {x.begin(), x.end()};
}

struct Expectation {
  Row value, scale;
};

void see(Judge& judge, const Floats& got, const Expectation& expected) {
  for (std::size_t i = 0; i < got.size(); ++i) judge.see(got[i], expected.value[i], expected.scale[i]);
}

Expectation softmax(const Row& x) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double v : x) sum += std::exp(v - largest);
  Expectation expected;
  for (const double v : x) {
    expected.value.push_back(std::exp(v - largest) / sum);
    expected.scale.push_back((1 + (largest - v) + std::sqrt(static_cast<double>(x.size()))) * expected.value.back());
  }
  return expected;
}

/// With `largest` subtracted, whatever it is; exp2 of a scaled difference, or a difference of scaled numbers.
Floats softmax_in_fp32(const Floats& x, float largest, bool scaled_first = false) {
  constexpr float kLog2 = 1.44269504F;
  Floats y;
  float sum = 0;
  for (const float v : x) {
    y.push_back(scaled_first ? std::exp2(v * kLog2 - largest * kLog2) : std::exp2((v - largest) * kLog2));
    sum += y.back();
  }
  for (float& v : y) v /= sum;
  return y;
}

constexpr double kEpsilon = 1e-5;

Expectation layer_norm(const Row& x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const double v : x) mean += v / n;
  for (const double v : x) variance += (v - mean) * (v - mean) / n;
  const double inverse = 1 / std::sqrt(variance + kEpsilon), root = std::sqrt(n) / 4;
  Expectation expected;
  for (const double v : x) {
    expected.value.push_back((v - mean) * inverse);
    expected.scale.push_back(1 + inverse * (std::fabs(v) + (1 + root) * std::fabs(mean)) +
                             (3 + root) * std::fabs(expected.value.back()));
  }
  return expected;
}

Floats layer_norm_in_fp32(const Floats& x, bool one_pass) {
  const auto n = static_cast<float>(x.size());
  float sum = 0, squares = 0, about_mean = 0;
  for (const float v : x) sum += v, squares += v * v;
  const float mean = sum / n;
  for (const float v : x) about_mean += (v - mean) * (v - mean);
  const float variance = one_pass ? squares / n - mean * mean : about_mean / n;
  Floats y;
  for (const float v : x) y.push_back((v - mean) / std::sqrt(variance + static_cast<float>(kEpsilon)));
  return y;
}

}  // namespace

TEST_CASE("class softmax: fp32 keeps the bound; without the largest subtracted, or in the wrong order, it does not",
          "[verify][tolerance]") {
  Random random(7);
  Judge honest("rowwise", 0, DType::fp32, DType::fp32), in_bf16("rowwise", 0, DType::bf16, DType::bf16);
  Judge none("rowwise", 0, DType::fp32, DType::fp32), local = none, scaled = none;
  for (const std::size_t n : {1, 33, 1000, 4096})
    for (const double deviation : {0.1, 1.0, 30.0}) {
      for (int i = 0; i < 10; ++i) {
        const Row x = normals(random, n, DType::fp32, 0, deviation);
        const Expectation expected = softmax(x);
        const Floats f = to_floats(x), y = softmax_in_fp32(f, *std::max_element(f.begin(), f.end()));
        see(honest, y, expected);
        see(in_bf16, y, expected);
      }
      if (n < 1000) continue;
      Row far = normals(random, n, DType::fp32, 0, deviation);
      far.back() += 200;  // as recipe "shapes": the largest is in the last tile
      const Expectation expected = softmax(far);
      see(none, softmax_in_fp32(to_floats(far), 0), expected);
      see(local, softmax_in_fp32(to_floats(far), static_cast<float>(far[0])), expected);
      const Row large = normals(random, n, DType::fp32, 1e4, 1);
      const Floats f = to_floats(large);
      see(scaled, softmax_in_fp32(f, *std::max_element(f.begin(), f.end()), true), softmax(large));
    }
  CAPTURE(honest.worst(), in_bf16.worst());
  CHECK(honest.worst() < 0.7);
  CHECK(honest.worst() > 0.05);
  CHECK(in_bf16.worst() < 1);
  CHECK(none.rejected() > 0);
  CHECK(local.rejected() > 0);
  CHECK(scaled.rejected() > 0.5);
}

TEST_CASE("class norm: two passes keep the bound, also with a large mean; one pass does not", "[verify][tolerance]") {
  Random random(8);
  Judge honest("rowwise", 0, DType::fp32, DType::fp32), one_pass = honest, dropped = honest;
  for (const std::size_t n : {8, 1000, 8192})
    for (const double mean : {0.0, 1.0, 1e4})
      for (int i = 0; i < 5; ++i) {
        const Row x = normals(random, n, DType::fp32, mean, 1);
        const Expectation expected = layer_norm(x);
        see(honest, layer_norm_in_fp32(to_floats(x), false), expected);
        if (mean == 1e4) see(one_pass, layer_norm_in_fp32(to_floats(x), true), expected);
        Floats shorter = to_floats(x);
        shorter.pop_back();
        shorter = layer_norm_in_fp32(shorter, false);
        if (mean < 1e4 && n <= 1000)
          for (std::size_t k = 0; k < shorter.size(); ++k)
            dropped.see(shorter[k], expected.value[k], expected.scale[k]);
      }
  CAPTURE(honest.worst());
  CHECK(honest.worst() < 0.8);
  CHECK(honest.worst() > 0.02);
  CHECK(one_pass.rejected() > 0.8);
  CHECK(dropped.rejected() > 0.8);
}

TEST_CASE("class elementwise: gelu by erf keeps the bound; by tanh, or by an exponential that overflows, it does not",
          "[verify][tolerance]") {
  Random random(2);
  Judge honest("rowwise", 0, DType::fp32, DType::fp32), by_tanh = honest, by_exp = honest;
  for (const double deviation : {0.01, 1.0, 5.0, 100.0})
    for (const double x : normals(random, 3000, DType::fp32, 0, deviation)) {
      const double phi = std::exp(-x * x / 2) / std::sqrt(2 * M_PI), cdf = std::erfc(-x / std::sqrt(2.0)) / 2;
      const double value = x * cdf, scale = std::fabs(value) + std::fabs(x * (cdf + x * phi)) + std::fabs(x) / 2;
      const auto f = static_cast<float>(x);
      honest.see(0.5F * f * (1 + std::erf(f * 0.70710678F)), value, scale);
      const float inner = 0.79788456F * (f + 0.044715F * f * f * f), e = std::exp(2 * inner);
      by_tanh.see(0.5F * f * (1 + std::tanh(inner)), value, scale);
      if (deviation == 100.0) by_exp.see(0.5F * f * (1 + (e - 1) / (e + 1)), value, scale);
    }
  CAPTURE(honest.worst());
  CHECK(honest.worst() < 0.7);
  CHECK(honest.worst() > 0.1);
  CHECK(by_tanh.rejected() > 0.3);
  CHECK(by_exp.rejected() > 0.3);
}

namespace {

/// One query against keys of `depth`; one column of values.
struct Attention {
  std::vector<Row> keys;
  Row query, values;
};

Attention draw(Random& random, std::size_t length, std::size_t depth) {
  Attention a;
  a.query = normals(random, depth, DType::bf16);
  a.values = normals(random, length, DType::bf16);
  for (std::size_t i = 0; i < length; ++i) a.keys.push_back(normals(random, depth, DType::bf16));
  return a;
}

/// value, and scale as docs/tolerance.md says, with weights of bf16.
std::pair<double, double> attention(const Attention& a) {
  const std::size_t length = a.keys.size();
  const auto depth = static_cast<double>(a.query.size());
  Row score(length), size(length);
  for (std::size_t i = 0; i < length; ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < a.query.size(); ++k) {
      score[i] += a.query[k] * a.keys[i][k] / std::sqrt(depth);
      squares += a.query[k] * a.query[k] * a.keys[i][k] * a.keys[i][k] / depth;
    }
    size[i] = std::sqrt(depth) / 2 * (std::fabs(score[i]) + 2 * std::sqrt(squares));
  }
  const Expectation p = softmax(score);
  double value = 0, weights = 0, scores = 0;
  for (std::size_t i = 0; i < length; ++i) value += p.value[i] * a.values[i];
  for (std::size_t i = 0; i < length; ++i) {
    const double reach = p.value[i] * (std::fabs(a.values[i]) + std::fabs(value));
    weights += p.value[i] * p.value[i] * a.values[i] * a.values[i];
    scores += p.scale[i] / p.value[i] * reach + size[i] * reach;
  }
  return {value, scores + 6 * 0x1p13 * std::sqrt(weights)};
}

/// Keys in tiles of 32 with a running largest number; weights rounded to bf16 before they meet the values.
float flash_attention(const Attention& a, bool rescales) {
  const std::size_t length = a.keys.size();
  float largest = -HUGE_VALF, sum = 0, out = 0;
  for (std::size_t first = 0; first < length; first += 32) {
    Floats score;
    float of_tile = largest;
    for (std::size_t i = first; i < std::min(first + 32, length); ++i) {
      float s = 0;
      for (std::size_t k = 0; k < a.query.size(); ++k) s += static_cast<float>(a.query[k] * a.keys[i][k]);
      score.push_back(s / std::sqrt(static_cast<float>(a.query.size())));
      of_tile = std::max(of_tile, score.back());
    }
    const float factor = rescales ? std::exp(largest - of_tile) : 1;
    sum *= std::exp(largest - of_tile), out *= factor, largest = of_tile;
    for (std::size_t i = 0; i < score.size(); ++i) {
      const float weight = std::exp(score[i] - largest);
      sum += weight;
      out += static_cast<float>(test::rounded_to(DType::bf16, weight) * a.values[first + i]);
    }
  }
  return out / sum;
}

}  // namespace

TEST_CASE(
    "class attention: a running softmax with weights of bf16 keeps the bound; without its rescaling, or without "
    "the last key, it does not",
    "[verify][tolerance]") {
  Random random(6);
  Judge honest("rowwise", 0, DType::bf16, DType::fp32), stale = honest, shorter = honest;
  for (const std::size_t length : {1, 31, 64, 500})
    for (int i = 0; i < 100; ++i) {
      Attention a = draw(random, length, 64);
      const auto [value, scale] = attention(a);
      honest.see(flash_attention(a, true), value, scale);
      if (length < 64) continue;
      stale.see(flash_attention(a, false), value, scale);
      a.keys.pop_back();
      shorter.see(flash_attention(a, true), value, scale);
    }
  CAPTURE(honest.worst(), stale.rejected(), shorter.rejected());
  CHECK(honest.worst() < 0.9);
  CHECK(honest.worst() > 0.1);
  CHECK(stale.rejected() > 0.6);
  CHECK(shorter.rejected() > 0.1);  // the rest by outliers in the last key, and by RMS
}
