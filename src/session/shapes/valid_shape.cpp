#include "session/shapes/valid_shape.h"

#include "base/error.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kFarthest = 130;  // steps away from the wanted extent: a tile of 128 is found
constexpr std::int64_t kWidestTile = 65536;

std::optional<Problem> problem_of(const Family& family, const ProblemRequest& request) {
  try {
    return make_problem(family, request);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

/// In the order in which they are tried: downwards, upwards, then multiples of ever wider tiles.
std::vector<std::int64_t> extents_near(std::int64_t wanted) {
  std::vector<std::int64_t> extents;
  for (std::int64_t away = 0; away <= kFarthest; ++away) extents.push_back(wanted - away);
  for (std::int64_t away = 1; away <= kFarthest; ++away) extents.push_back(wanted + away);
  for (std::int64_t tile = 256; tile <= kWidestTile; tile *= 2)
    for (const std::int64_t extent : {wanted / tile * tile, wanted / tile * tile + tile}) extents.push_back(extent);
  return extents;
}

/// Moves one extent as near to the wanted one as the others allow.
void move_extent(const Family& family, const Dimension& dimension, std::int64_t wanted, ProblemRequest& request) {
  const std::int64_t before = request.dimensions[dimension.name];
  for (const std::int64_t extent : extents_near(wanted)) {
    if (extent < dimension.minimum || extent > dimension.maximum) continue;
    request.dimensions[dimension.name] = extent;
    if (problem_of(family, request)) return;
  }
  request.dimensions[dimension.name] = before;
}

}  // namespace

std::optional<Problem> nearest_problem(const Family& family, const ProblemRequest& wanted, const Problem& known) {
  if (std::optional<Problem> as_wanted = problem_of(family, wanted)) return as_wanted;
  ProblemRequest request = wanted;
  request.dimensions = {known.dimensions.begin(), known.dimensions.end()};
  if (!problem_of(family, request)) return std::nullopt;
  for (const Dimension& dimension : family.dimensions)
    if (const auto extent = wanted.dimensions.find(dimension.name); extent != wanted.dimensions.end())
      move_extent(family, dimension, extent->second, request);
  return problem_of(family, request);
}

double bytes_of_tensors(const Family& family, const Problem& problem) {
  double bytes = 0;
  for (const Tensor& tensor : tensors_of(family, problem)) bytes += static_cast<double>(tensor.bytes());
  return bytes;
}

}  // namespace kerlab::session
