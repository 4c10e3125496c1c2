#pragma once
// The verdict on sums of errors: what stays within every element's bound may be too much for all of them together.

#include <string>

#include "common/lab_abi.h"
#include "plan/problem_plan.h"
#include "verify/check_report.h"

namespace kerlab::verify {

/// Whether the recipe's values are continuous and independent, so that the roundings of outputs are. Of others (equal
/// rows, small integers) many outputs may be rounded alike.
bool has_independent_roundings(const Recipe& recipe);

RoundingReport rounding_report(const lab::RoundingSums& sums);

/// Sets cause and detail, and `passed` to false, if the sums are too large. `report` has its RoundingReport.
void judge_rounding(RecipeReport& report);

/// The same for rows that must sum to a number; `found` from lab_row_sums.
void judge_row_sums(RecipeReport& report, const Tensor& output, double target, const lab::RowSumReport& found);

}  // namespace kerlab::verify
