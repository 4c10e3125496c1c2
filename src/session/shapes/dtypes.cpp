// What is wrong of one dtype alone shows on nearly any problem, under one value of a flag, or at one residue: its
// accesses have other widths.
#include <algorithm>

#include "session/shapes/checked_problem.h"
#include "session/shapes/first_shape.h"
#include "session/shapes/level_rows.h"
#include "session/shapes/thin.h"

namespace kerlab::session {

std::vector<CheckedProblem> shapes_of_dtype(const ShapedKernel& kernel, const Problem& asked,
                                            const ShapeLimits& limits) {
  const ProblemRequest base = first_shape(kernel, asked);
  if (!valid_problem(kernel, base)) return {};
  const ShapeLevels levels = levels_of(kernel, base, asked);
  const LevelRows rows(kernel, base, levels, limits);
  std::vector<LevelOfEach> chosen = {LevelOfEach(levels.factors.size(), 0), rows.whole_row(0), rows.long_row(0)};
  for (std::size_t turn = 0; turn < rows.turns(); ++turn) chosen.push_back(rows.turned_row(turn));
  const std::size_t usual = chosen.size();
  const std::int64_t wide = widest_access(make_problem(kernel.family, base));
  for (std::int64_t residue = 0; residue < wide; ++residue) chosen.push_back(rows.residue_row(residue, wide));
  for (std::size_t turn = 1; turn < most_flag_values(kernel.family); ++turn)
    chosen.push_back(rows.long_row(turn));  // of several blocks
  std::vector<CheckedProblem> found;
  const auto add = [&](ProblemRequest request, MadeFor made_for, bool every_recipe) {
    const bool all = every_recipe || is_little(kernel, make_problem(kernel.family, request));
    found.push_back({std::move(request), made_for, all ? Thoroughness::usual : Thoroughness::drawn});
  };
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (std::ranges::find(chosen, chosen[i]) == chosen.begin() + static_cast<std::ptrdiff_t>(i) &&
        rows.is_affordable(chosen[i]))
      add(rows.request_of(chosen[i]), MadeFor::edges, i < usual);
  for (ProblemRequest& request : thin_along(kernel, base, limits)) {
    add(std::move(request), MadeFor::long_extent, false);
    found.back().sms = kernel.device.sms;  // not as many blocks as a few multiprocessors hold
  }
  return found;
}

}  // namespace kerlab::session
