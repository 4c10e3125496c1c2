#pragma once
// A device whose noise is known, for simulations of the gate on times.

#include <cmath>
#include <random>

#include "stats/gate.h"

namespace kerlab::testing {

/// As fractions: what a process' placement does to each side, a sample's own, and samples that are far out.
struct Noise {
  double process = 0.004, sample = 0.007, outliers = 0.03;
  double far = 1.3;     ///< times as long, of an outlier
  double us = 100;      ///< of the kernel
  double clock_us = 0;  ///< a step of the clock; 0: it has none
};

/// Times of a kernel against one that takes `slower` times as long.
class Machine {
 public:
  Machine(std::uint64_t seed, Noise noise) : random_(seed), noise_(noise) {}

  std::vector<stats::ProcessPairs> batch(int processes, int pairs, double slower) {
    std::vector<stats::ProcessPairs> all;
    for (int p = 0; p < processes; ++p) {
      const double session = noise_.us * std::exp(0.02 * normal_(random_));
      const double base = session * std::exp(noise_.process * normal_(random_));
      const double today = slower * session * std::exp(noise_.process * normal_(random_));
      stats::ProcessPairs& one = all.emplace_back();
      for (int i = 0; i < pairs; ++i) {
        one.base_us.push_back(sample(base));
        one.today_us.push_back(sample(today));
      }
    }
    return all;
  }

 private:
  double sample(double us) {
    const bool far = uniform_(random_) < noise_.outliers;
    return on_clock(us * std::exp(noise_.sample * normal_(random_)) * (far ? noise_.far : 1.0));
  }
  /// Both ends are read in whole steps, wherever the first lies within one.
  double on_clock(double us) {
    if (noise_.clock_us == 0) return us;
    return noise_.clock_us * std::floor(uniform_(random_) + us / noise_.clock_us);
  }
  std::mt19937_64 random_;
  std::normal_distribution<> normal_;
  std::uniform_real_distribution<> uniform_{0, 1};
  Noise noise_;
};

}  // namespace kerlab::testing
