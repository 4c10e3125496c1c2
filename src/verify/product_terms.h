#pragma once
// The terms of a dot product, computed on the host from the recipe, and which of them a wrong sum lacks.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plan/problem_plan.h"
#include "verify/culprit.h"

namespace kerlab::verify {

/// alpha a(m, k) b(k, n) for every k.
std::vector<double> product_terms(const ProblemPlan& plan, const Recipe& recipe, const GemmCall& call,
                                  std::int64_t element);

/// "holds the product without k = 64..127", "with k = 64..127 twice", "with k = 0..31 in place of k = 32..63", "holds
/// element [3, 6] of B": what fits all of `wrong`. Empty: nothing does.
std::string explain_product(const ProblemPlan& plan, const Recipe& recipe, const Tensor& output, const GemmCall& call,
                            std::span<const WrongElement> wrong);

}  // namespace kerlab::verify
