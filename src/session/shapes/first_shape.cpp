#include "session/shapes/first_shape.h"

#include <utility>

#include "session/shapes/small_shapes.h"
#include "session/shapes/valid_shape.h"
#include "spec/request_of.h"

namespace kerlab::session {

namespace {

/// A small ragged problem that the configuration is valid for.
std::optional<ProblemRequest> valid_shape_of(const ShapedKernel& kernel, const Problem& asked,
                                             const std::vector<std::int64_t>& multiples) {
  std::optional<ProblemRequest> request = small_shape(kernel.family, asked, SmallShapes::freely, multiples);
  const auto near = request ? nearest_problem(kernel.family, *request, asked) : std::nullopt;
  if (!near) return std::nullopt;
  request->dimensions = {near->dimensions.begin(), near->dimensions.end()};
  return valid_problem(kernel, *request) ? request : std::nullopt;
}

}  // namespace

ProblemRequest first_shape(const ShapedKernel& kernel, const Problem& asked) {
  for (const std::int64_t multiple : kSmallMultiples) {
    std::vector<std::int64_t> multiples(asked.dimensions.size(), multiple);
    std::optional<ProblemRequest> found = valid_shape_of(kernel, asked, multiples);
    if (!found) continue;
    for (std::int64_t& own : multiples)
      for (const std::int64_t finer : kSmallMultiples) {
        if (finer >= multiple) break;
        const std::int64_t before = std::exchange(own, finer);
        auto better = valid_shape_of(kernel, asked, multiples);
        if (!better) {
          own = before;
          continue;
        }
        found = std::move(better);
        break;
      }
    return *found;
  }
  return request_of(asked);
}

}  // namespace kerlab::session
