#include "verify/check_report.h"

#include <algorithm>

namespace kerlab::verify {

std::string_view name(Cause cause) {
  constexpr std::string_view kNames[] = {"",    "nan",  "exact",   "bound", "unwritten", "incomplete",
                                         "rms", "bias", "row_sum", "rerun", "checker"};
  return kNames[static_cast<std::size_t>(cause)];
}

bool CheckReport::passed() const {
  return guard_violation.empty() && input_modified.empty() &&
         std::all_of(recipes.begin(), recipes.end(), [](const RecipeReport& r) { return r.passed; });
}

bool CheckReport::only_small() const {
  return whole_small && std::all_of(recipes.begin(), recipes.end(), [](const RecipeReport& r) { return r.in_small; });
}

double CheckReport::error_ratio() const {
  double worst = 0;
  for (const RecipeReport& recipe : recipes) worst = std::max(worst, recipe.error_ratio);
  return worst;
}

std::int64_t CheckReport::mismatches() const {
  std::int64_t sum = 0;
  for (const RecipeReport& recipe : recipes) sum += recipe.mismatches;
  return sum;
}

}  // namespace kerlab::verify
