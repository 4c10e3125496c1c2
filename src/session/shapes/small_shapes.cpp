#include "session/shapes/small_shapes.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "session/shapes/valid_shape.h"
#include "spec/request_of.h"

namespace kerlab::session {

namespace {

// Unlike extents, in which tiles of 2^n never fit; a single dimension may be long. The third, where products have their
// k: 9, 17, 33 tiles of 128, 64, 32, so that no ring of stages is as it was at first when a tile is finished.
constexpr std::int64_t kRagged[] = {391, 263, 1034, 3, 3};
// Where three of them make up one tensor, of which those are no small part: their quarters.
constexpr std::int64_t kRaggedOfVolume[] = {101, 67, 263, 3, 3};
constexpr double kMostBytes = 64 << 20;
constexpr std::int64_t kMany = 1024, kRaggedOfMany = 131;  // of a fourth of which there are thousands (nonzeros)
constexpr std::int64_t kRaggedAlone[] = {100'003, 10'007, 1031, 391, 131};
constexpr double kMostFlops = 5e8;  // of a small problem

/// Of one dimension the longest that is not too much: a side of matrices that are multiplied is no row.
std::int64_t ragged_alone(const Family& family, ProblemRequest request) {
  const Dimension& dimension = family.dimensions.front();
  for (const std::int64_t extent : kRaggedAlone) {
    request.dimensions[dimension.name] = std::clamp(extent, dimension.minimum, dimension.maximum);
    try {
      if (flops_of(family, make_problem(family, request)) <= kMostFlops) return extent;
    } catch (const Error&) {  // a constraint: multiples are sought elsewhere
      return extent;
    }
  }
  return std::end(kRaggedAlone)[-1];
}

std::int64_t ragged(const Family& family, const ProblemRequest& request, std::size_t dimension, std::int64_t asked,
                    std::int64_t multiple, std::span<const std::int64_t> extents) {
  std::int64_t extent = extents[std::min(dimension, extents.size() - 1)];
  if (family.dimensions.size() == 1) extent = ragged_alone(family, request);
  if (dimension > 2 && asked >= kMany && !family.dimensions[dimension].quiet) extent = kRaggedOfMany;
  return extent / multiple * multiple + (extent % multiple == 0 ? 0 : multiple);
}

std::optional<ProblemRequest> shape_of(const Family& family, const Problem& problem, SmallShapes how,
                                       const std::vector<std::int64_t>& multiples,
                                       std::span<const std::int64_t> extents) {
  ProblemRequest request = request_of(problem);
  bool smaller = how == SmallShapes::freely;
  for (std::size_t d = 0; d < problem.dimensions.size(); ++d) {
    const auto& [dimension, extent] = problem.dimensions[d];
    const std::int64_t multiple = multiples[d];
    std::int64_t shrunken = ragged(family, request, d, extent, multiple, extents);
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

bool is_large(const Family& family, const ProblemRequest& request) {
  try {
    return bytes_of_tensors(family, make_problem(family, request)) > kMostBytes;
  } catch (const Error&) {  // a constraint
    return false;
  }
}

}  // namespace

std::optional<ProblemRequest> small_shape(const Family& family, const Problem& problem, SmallShapes how,
                                          const std::vector<std::int64_t>& multiples) {
  auto request = shape_of(family, problem, how, multiples, kRagged);
  return request && is_large(family, *request) ? shape_of(family, problem, how, multiples, kRaggedOfVolume) : request;
}

std::optional<ProblemRequest> small_shape(const Family& family, const Problem& problem, SmallShapes how,
                                          std::int64_t multiple) {
  return small_shape(family, problem, how, std::vector<std::int64_t>(problem.dimensions.size(), multiple));
}

}  // namespace kerlab::session
