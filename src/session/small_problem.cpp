// The small problem on which every candidate is checked first: an emulated device executes it whole, beside some blocks
// of the one that was asked for.

#include <algorithm>

#include "session/problem_setup.h"

namespace kerlab {

namespace {

// Unlike extents, in which tiles of 2^n never fit; a single dimension may be long.
constexpr std::int64_t kRagged[] = {391, 263, 1100, 3, 3};
constexpr std::int64_t kRaggedAlone = 100'003;

std::int64_t ragged(std::size_t dimension, std::size_t dimensions, std::int64_t multiple) {
  const std::int64_t extent = dimensions == 1 ? kRaggedAlone : kRagged[std::min(dimension, std::size(kRagged) - 1)];
  return extent / multiple * multiple + (extent % multiple == 0 ? 0 : multiple);
}

/// How many variants run the same program here and there.
std::size_t same_programs(const KernelFolder& folder, const Problem& problem, const Problem& small,
                          const DeviceInfo& device) {
  std::size_t same = 0;
  for (const Variant& variant : folder.variants) {
    if (!unsupported_reason(variant, problem, device).empty()) continue;
    const Configuration configuration = default_configuration(variant, problem, device);
    bool usable = true;
    for (const Problem* p : {&problem, &small})
      usable = usable && unsupported_reason(variant, *p, device).empty() &&
               violated_constraint(variant, *p, device, configuration).empty();
    if (usable && instantiate(folder.family, variant, problem, configuration, device).defines ==
                      instantiate(folder.family, variant, small, configuration, device).defines)
      ++same;
  }
  return same;
}

}  // namespace

std::vector<ProblemRequest> small_shapes(const Family& family, const Problem& problem, bool ragged_anyway) {
  std::vector<ProblemRequest> shapes;
  for (const std::int64_t multiple : {1, 4, 8, 64}) {
    ProblemRequest request;
    request.dtype = name(problem.dtype);
    request.flags = {problem.flags.begin(), problem.flags.end()};
    request.scalars = {problem.scalars.begin(), problem.scalars.end()};
    request.row_padding = problem.row_padding;
    bool smaller = false;
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d) {
      const auto& [dimension, extent] = problem.dimensions[d];
      std::int64_t shrunken = ragged(d, problem.dimensions.size(), multiple);
      if (ragged_anyway && extent <= shrunken && extent > multiple) shrunken = (extent - 1) / multiple * multiple;
      request.dimensions[dimension] = std::max(std::min(extent, shrunken), family.dimensions[d].minimum);
      smaller = smaller || request.dimensions[dimension] < extent;
    }
    if (smaller) shapes.push_back(std::move(request));
  }
  return shapes;
}

std::optional<SmallProblem> choose_small_problem(const KernelFolder& folder, const Problem& problem,
                                                 const DeviceInfo& device) {
  std::optional<Problem> best;
  std::size_t most = 0;
  for (const ProblemRequest& request : small_shapes(folder.family, problem)) {
    Problem small = make_problem(folder.family, request);
    const std::size_t same = same_programs(folder, problem, small, device);
    if (same <= most) continue;
    most = same;
    best = std::move(small);
  }
  if (!best) return std::nullopt;
  ReferenceInstance reference = instantiate_reference(folder.family, *best, device);
  return SmallProblem{std::move(*best), std::move(reference.plan), std::move(reference.defines)};
}

}  // namespace kerlab
