#pragma once
// Products, sums and quotients of parameters that a constraint may hold against a bound: bytes of shared memory,
// threads of a block, registers of a tile.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::search {

/// The values of each parameter, in the order of the configurations.
using Columns = std::vector<std::vector<std::int64_t>>;

inline constexpr std::int64_t kLargestSize = 32767;

/// Excluded are values above, or below, a bound.
struct FormBound {
  bool above = true;
  std::int64_t last_allowed = 0;
  std::size_t picked = 0;  ///< failures excluded
  [[nodiscard]] bool excludes(std::int64_t value) const { return above ? value > last_allowed : value < last_allowed; }
};

/// (sum of `added`) * `factors` / `divisors`; an empty sum is 1. Indices of parameters.
struct ExclusionForm {
  std::vector<std::size_t> added, factors, divisors;

  /// Of every configuration; a quotient is rounded down. Of parameters up to kLargestSize nothing overflows.
  void values(const Columns& columns, std::vector<std::int64_t>& result) const;
  /// "(BM + BN) * BK <= 8192": what the bound allows.
  [[nodiscard]] std::string text(const std::vector<std::string>& parameters, const FormBound& bound) const;
};

/// p * q, p + q, p / q.
std::vector<ExclusionForm> forms_of_two(const std::vector<std::size_t>& sizes);
/// p * q * r, (p + q) * r.
std::vector<ExclusionForm> forms_of_three(const std::vector<std::size_t>& sizes);
/// p * q / (r * s), (p + q) * r * s; of the first eight parameters, because there are many.
std::vector<ExclusionForm> forms_of_four(std::vector<std::size_t> sizes);

/// The bound that excludes the most failures and nothing healthy, by the form's values; none: it excludes none. It is
/// as round as the healthy and the failed values leave room for.
std::optional<FormBound> best_bound(const std::vector<std::int64_t>& failed, const std::vector<std::int64_t>& healthy);

}  // namespace kerlab::search
