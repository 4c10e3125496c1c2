#pragma once
// Expected values of single output elements, computed when first asked for and kept: configurations that are verified
// at the same places share them.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "verify/problem_data.h"

namespace kerlab::verify {

class ExpectedValues {
 public:
  explicit ExpectedValues(ProblemData& data) : data_(data) {}

  struct Value {
    double value = 0, scale = 0;
  };
  /// For the elements of an output (index into ProblemPlan::references), in the order of `elements`.
  std::vector<Value> at(std::uint32_t recipe, std::size_t reference, std::span<const std::int64_t> elements);

 private:
  using Known = std::unordered_map<std::int64_t, Value>;
  void compute_missing(Known& known, std::uint32_t recipe, std::size_t reference,
                       std::span<const std::int64_t> elements);

  ProblemData& data_;
  std::unordered_map<std::uint64_t, Known> known_;  ///< by recipe and reference
};

}  // namespace kerlab::verify
