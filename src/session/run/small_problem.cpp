// The small problem on which every candidate is checked first: an emulated device executes it whole, beside some blocks
// of the one that was asked for.

#include <algorithm>

#include "session/run/problem_setup.h"
#include "session/run/valid_shape.h"

namespace kerlab::session {

namespace {

// Unlike extents, in which tiles of 2^n never fit; a single dimension may be long.
constexpr std::int64_t kRagged[] = {391, 263, 1100, 3, 3};
constexpr std::int64_t kRaggedAlone = 100'003;

std::int64_t ragged(std::size_t dimension, std::size_t dimensions, std::int64_t multiple) {
  const std::int64_t extent = dimensions == 1 ? kRaggedAlone : kRagged[std::min(dimension, std::size(kRagged) - 1)];
  return extent / multiple * multiple + (extent % multiple == 0 ? 0 : multiple);
}

struct Sample {
  const Variant* variant = nullptr;
  Configuration configuration;
};

/// Of each variant that supports the problem its defaults, if they are valid. `nearest`: or else the valid
/// configuration that is nearest to them; to look for it may mean to walk a space of millions.
std::vector<Sample> samples(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device,
                            bool nearest) {
  std::vector<Sample> found;
  for (const Variant& variant : folder.variants) {
    if (!unsupported_reason(variant, problem, device).empty()) continue;
    Configuration configuration =
        nearest ? default_configuration(variant, problem, device) : default_configuration(variant);
    if (violated_constraint(variant, problem, device, configuration).empty())
      found.push_back({&variant, std::move(configuration)});
  }
  return found;
}

/// How many of them run the same program here and there.
std::size_t same_programs(const Family& family, const std::vector<Sample>& samples, const Problem& problem,
                          const Problem& small, const DeviceInfo& device) {
  return static_cast<std::size_t>(std::ranges::count_if(samples, [&](const Sample& sample) {
    const auto& [variant, configuration] = sample;
    return unsupported_reason(*variant, small, device).empty() &&
           violated_constraint(*variant, small, device, configuration).empty() &&
           instantiate(family, *variant, problem, configuration, device).defines ==
               instantiate(family, *variant, small, configuration, device).defines;
  }));
}

/// The first of the shapes on which most of the samples are the same program; none: on no shape any is.
std::optional<Problem> best_shape(const Family& family, const std::vector<ProblemRequest>& shapes,
                                  const std::vector<Sample>& samples, const Problem& problem,
                                  const DeviceInfo& device) {
  std::optional<Problem> best;
  std::size_t most = 0;
  for (const ProblemRequest& request : shapes) {
    std::optional<Problem> small = nearest_problem(family, request, problem);
    if (!small) continue;
    const std::size_t same = same_programs(family, samples, problem, *small, device);
    if (same <= most) continue;
    most = same;
    best = std::move(small);
  }
  return best;
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
  const std::vector<ProblemRequest> shapes = small_shapes(folder.family, problem);
  if (shapes.empty()) return std::nullopt;
  std::optional<Problem> best;
  for (const bool nearest : {false, true})
    if (!best) best = best_shape(folder.family, shapes, samples(folder, problem, device, nearest), problem, device);
  if (!best) return std::nullopt;
  ReferenceInstance reference = instantiate_reference(folder.family, *best, device);
  return SmallProblem{std::move(*best), std::move(reference.plan), std::move(reference.defines)};
}

}  // namespace kerlab::session
