#pragma once
// A random forest of regression trees: what a configuration may cost, from those that were measured, and how far the
// trees disagree about it.

#include <cstdint>
#include <span>
#include <vector>

#include "base/modules.h"

namespace kerlab::search {

struct ForestOptions {
  int trees = 32;
  int least_leaf = 2;          ///< samples
  double columns_share = 0.6;  ///< of the columns, tried at each split
};

class Forest {
 public:
  /// `rows[i]` has `targets[i]`; all rows are equally long. Deterministic by `seed`.
  Forest(const std::vector<std::span<const std::uint8_t>>& rows, const std::vector<double>& targets, std::uint64_t seed,
         const ForestOptions& options = {});

  struct Prediction {
    double mean = 0, deviation = 0;
  };
  [[nodiscard]] Prediction predict(std::span<const std::uint8_t> row) const;

 private:
  /// A split (cells up to `threshold` go left), or a leaf (no children).
  struct Node {
    std::uint32_t left = 0, right = 0;
    std::uint32_t column = 0;
    std::uint8_t threshold = 0;
    float value = 0;
  };
  struct Split;
  std::uint32_t grow(std::vector<std::uint32_t>& samples, std::size_t begin, std::size_t end, std::uint64_t& random);
  [[nodiscard]] Split best_split(std::span<const std::uint32_t> samples, std::uint64_t& random) const;

  const std::vector<std::span<const std::uint8_t>>* rows_;  ///< while it grows
  const std::vector<double>* targets_;
  ForestOptions options_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
};

}  // namespace kerlab::search
