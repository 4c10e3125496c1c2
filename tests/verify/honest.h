#pragma once
// Judges results as a check does, for tests of what each class of tolerance lets pass: the worst error / bound of many
// results, and how many of them are beyond it.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "common/tolerance.h"
#include "modules.h"
#include "spec/tolerance.h"

namespace kerlab::test {

/// A tolerance as a family.toml states it, beside results of `output`.
class Judge {
 public:
  Judge(const char* rule, std::int64_t length, DType problem, DType output) : output_(output) {
    ToleranceDecl declared;
    declared.rule = rule;
    tolerance_ = make_tolerance(declared, {length}, problem, output, false);
    rule_.value_factor = tolerance_.value_factor;
    rule_.scale_factor = tolerance_.scale_factor;
    rule_.absolute = tolerance_.absolute;
  }

  /// `got` before its rounding to the output's type.
  void see(double got, double value, double scale) {
    const lab::Format format = lab::format_of(static_cast<lab::u32>(output_));
    const lab::Verdict verdict = lab::judge(format, lab::encode(format, got), value, scale, rule_);
    ++seen_;
    rejected_ += verdict.passed ? 0 : 1;
    worst_ = std::max(worst_, verdict.ratio);
  }

  [[nodiscard]] double worst() const { return worst_; }
  [[nodiscard]] int seen() const { return seen_; }
  /// Share of what was seen that is beyond the bound.
  [[nodiscard]] double rejected() const { return static_cast<double>(rejected_) / seen_; }

 private:
  DType output_;
  Tolerance tolerance_;
  lab::CompareArguments rule_{};
  int seen_ = 0, rejected_ = 0;
  double worst_ = 0;
};

using Random = std::mt19937_64;

/// `count` numbers mean + deviation N(0, 1), each rounded to the type.
inline std::vector<double> normals(Random& random, std::size_t count, DType dtype, double mean = 0,
                                   double deviation = 1) {
  std::normal_distribution<double> normal(mean, deviation);
  const lab::Format format = lab::format_of(static_cast<lab::u32>(dtype));
  std::vector<double> numbers(count);
  for (double& x : numbers) x = lab::decode(format, lab::encode(format, normal(random)));
  return numbers;
}

inline double rounded_to(DType dtype, double x) {
  const lab::Format format = lab::format_of(static_cast<lab::u32>(dtype));
  return lab::decode(format, lab::encode(format, x));
}

}  // namespace kerlab::test
