#pragma once
// Where recipes are exact a wrong number says what it is made of: elements and steps of the sum that it holds instead
// of its own. Costs something only where something is wrong.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plan/problem_plan.h"

namespace kerlab::verify {

/// A wrong element of an output.
struct WrongElement {
  std::int64_t index = 0;
  std::uint64_t bits = 0;  ///< that it holds
  double expected = 0;
};

/// What elements of the output should be.
using ExpectedLookup = std::function<std::vector<double>(std::span<const std::int64_t>)>;

/// "[17, 300] and 11 more hold the product without k = 64..127"; empty where no simple explanation fits all of `wrong`
/// (the first few dozen, in the order of memory). For exact recipes.
std::string find_culprit(const ProblemPlan& plan, const Recipe& recipe, const Tensor& output,
                         std::span<const WrongElement> wrong, const ExpectedLookup& expected);

}  // namespace kerlab::verify
