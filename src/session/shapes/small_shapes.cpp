#include "session/shapes/small_shapes.h"

#include <algorithm>

namespace kerlab::session {

namespace {

// Unlike extents, in which tiles of 2^n never fit; a single dimension may be long. The third, where products have their
// k: 9, 17, 33 tiles of 128, 64, 32, so that no ring of stages is as it was at first when a tile is finished.
constexpr std::int64_t kRagged[] = {391, 263, 1034, 3, 3};
constexpr std::int64_t kRaggedAlone = 100'003;

std::int64_t ragged(std::size_t dimension, std::size_t dimensions, std::int64_t multiple) {
  const std::int64_t extent = dimensions == 1 ? kRaggedAlone : kRagged[std::min(dimension, std::size(kRagged) - 1)];
  return extent / multiple * multiple + (extent % multiple == 0 ? 0 : multiple);
}

}  // namespace

std::optional<ProblemRequest> small_shape(const Family& family, const Problem& problem, SmallShapes how,
                                          const std::vector<std::int64_t>& multiples) {
  ProblemRequest request;
  request.dtype = name(problem.dtype);
  request.flags = {problem.flags.begin(), problem.flags.end()};
  request.scalars = {problem.scalars.begin(), problem.scalars.end()};
  request.row_padding = problem.row_padding;
  bool smaller = how == SmallShapes::freely;
  for (std::size_t d = 0; d < problem.dimensions.size(); ++d) {
    const auto& [dimension, extent] = problem.dimensions[d];
    const std::int64_t multiple = multiples[d];
    std::int64_t shrunken = ragged(d, problem.dimensions.size(), multiple);
    if (how == SmallShapes::ragged && extent <= shrunken && extent > multiple)
      shrunken = (extent - 1) / multiple * multiple;
    // Of dimensions that mostly stay at their defaults (batch) no more than asked for.
    if (how != SmallShapes::freely || family.dimensions[d].quiet) shrunken = std::min(extent, shrunken);
    request.dimensions[dimension] = std::clamp(shrunken, family.dimensions[d].minimum, family.dimensions[d].maximum);
    smaller = smaller || request.dimensions[dimension] < extent;
  }
  if (!smaller) return std::nullopt;
  return request;
}

std::optional<ProblemRequest> small_shape(const Family& family, const Problem& problem, SmallShapes how,
                                          std::int64_t multiple) {
  return small_shape(family, problem, how, std::vector<std::int64_t>(problem.dimensions.size(), multiple));
}

}  // namespace kerlab::session
