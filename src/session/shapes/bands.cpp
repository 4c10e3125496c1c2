#include "session/shapes/bands.h"

#include <algorithm>

#include "session/shapes/valid_shape.h"

namespace kerlab::session {

namespace {

// 37, 19 and 10 tiles of 64, 128 and 256; 9, 5 and 3.
constexpr std::int64_t kManyTiles = 2312, kSomeTiles = 520;
constexpr std::int64_t kLeastOfThird[] = {1, 8, 16, 32, 64};

/// The dimension as short as it is valid, or as it is.
void shorten(const ShapedKernel& kernel, const Dimension& dimension, ProblemRequest& request) {
  const std::int64_t before = request.dimensions[dimension.name];
  for (const std::int64_t extent : kLeastOfThird) {
    if (extent > before) break;
    request.dimensions[dimension.name] = std::max(extent, dimension.minimum);
    if (valid_problem(kernel, request)) return;
  }
  request.dimensions[dimension.name] = before;
}

}  // namespace

std::vector<CheckedProblem> banded_shapes(const ShapedKernel& kernel, const ProblemRequest& base, double flops) {
  std::vector<const Dimension*> walked;
  for (const Dimension& dimension : kernel.family.dimensions)
    if (!dimension.quiet) walked.push_back(&dimension);
  std::vector<CheckedProblem> found;
  if (walked.size() < 3) return found;
  for (const auto& [rows, columns] : {std::pair(walked[0], walked[1]), std::pair(walked[1], walked[0])}) {
    ProblemRequest request = base;
    request.dimensions[rows->name] = kManyTiles;
    request.dimensions[columns->name] = kSomeTiles;
    for (std::size_t d = 2; d < walked.size(); ++d) shorten(kernel, *walked[d], request);
    const auto problem = valid_problem(kernel, request);
    if (problem && flops_of(kernel.family, *problem) <= flops)
      found.push_back({std::move(request), MadeFor::bands_of_tiles, Thoroughness::one_recipe});
  }
  return found;
}

}  // namespace kerlab::session
