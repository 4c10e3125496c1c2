#pragma once
// Random numbers that are the same with every standard library: a resumed session must meet the same candidates again.

#include <cstdint>

namespace kerlab {

/// SplitMix64: the next number, and the next state.
inline std::uint64_t random_next(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Uniform in 0 .. bound - 1; `bound` is not 0.
inline std::uint64_t random_below(std::uint64_t& state, std::uint64_t bound) {
  const std::uint64_t unfair = (0 - bound) % bound;  // numbers of the last, incomplete round
  std::uint64_t number = random_next(state);
  while (number < unfair) number = random_next(state);
  return number % bound;
}

/// Between 0 and 1, neither of them.
inline double random_uniform(std::uint64_t& state) {
  return (static_cast<double>(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

}  // namespace kerlab
