#include "session/shapes/parts.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "plan/shared_workspaces.h"
#include "session/shapes/checked_problem.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/valid_shape.h"
#include "spec/space/unsupported.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kLongestOfParts = std::int64_t{1} << 26;
constexpr double kRoundsOfParts = 3;
constexpr double kOf8Bits = 256;
constexpr std::int64_t kFewOthers = 3;
constexpr std::size_t kTurnsOfParts = 4;  // of flags: sums, the largest, the smallest
constexpr double kFewFlops = 4e6;
constexpr double kMoreBytes = 8;  // to which next to nothing is done
constexpr std::int64_t kShortOfBatch = 520, kBatch = 3;
constexpr int kSmsOfBatch = 7;  // tiles that are no multiple of it are shared out
constexpr SpaceLimits kSiblings = {20'000, 20'000, 1};

/// Whether a launch has more of them than 8 bits count, and than a block has threads.
bool has_many_joined(const LaunchPlan& plan) {
  return std::ranges::any_of(plan.launches, [](const Launch& launch) {
    return blocks_in_grid(launch) > std::max(kOf8Bits, threads_in_block(launch));
  });
}

/// Whether a launch has more blocks than a later one with fewer holds of their results. `rounds`: so many times as
/// many, of `extent` elements.
bool has_many_parts(const LaunchPlan& plan, double rounds, std::int64_t extent) {
  for (std::size_t i = 0; i < plan.launches.size(); ++i)
    for (std::size_t j = i + 1; j < plan.launches.size(); ++j) {
      const double parts = blocks_in_grid(plan.launches[i]);
      if (blocks_in_grid(plan.launches[j]) >= parts) continue;
      const double held = rounds > 1 ? static_cast<double>(extent) / parts : 0;
      if (parts > rounds * std::max(held, threads_in_block(plan.launches[j]))) return true;
    }
  return false;
}

/// The extent, or one a little above it that is valid.
std::optional<Problem> problem_along(const ShapedKernel& kernel, ProblemRequest& request, const std::string& dimension,
                                     std::int64_t extent) {
  for (const std::int64_t more : {std::int64_t{5}, std::int64_t{8}, std::int64_t{0}}) {
    request.dimensions[dimension] = extent + more;
    auto problem = valid_problem(kernel, request);
    if (problem && is_valid_on(kernel.variant, *problem, kernel.device, kernel.configuration)) return problem;
  }
  return std::nullopt;
}

std::optional<ProblemRequest> cheapest_of_many(const ShapedKernel& kernel, const ProblemRequest& base,
                                               const ShapeLimits& limits, double rounds) {
  std::optional<ProblemRequest> best;
  double least = kMoreBytes * limits.bytes;
  for (const Dimension& dimension : kernel.family.dimensions) {
    if (dimension.quiet) continue;
    for (std::int64_t extent = 1024; extent <= kLongestOfParts; extent += rounds > 1 ? extent : extent / 4) {
      ProblemRequest request = base;
      const auto problem = problem_along(kernel, request, dimension.name, extent);
      if (!problem) continue;
      const double size = bytes_of_tensors(kernel.family, *problem);
      if (size > least || flops_of(kernel.family, *problem) > limits.flops) break;
      const auto plan = shape_plan(kernel, *problem, kernel.device);
      if (!plan) continue;
      const bool joined = rounds == 1 && blocks_share(*plan);
      if (plan->launches.size() < 2 && !joined) continue;
      if (!has_many_parts(*plan, rounds, extent) && !(joined && has_many_joined(*plan))) continue;
      best = request;
      least = size;
      break;
    }
  }
  return best;
}

double most_blocks(const LaunchPlan& plan) {
  double most = 0;
  for (const Launch& launch : plan.launches) most = std::max(most, blocks_in_grid(launch));
  return most;
}

/// Each dimension that is not quiet no longer than that, where that is valid.
ProblemRequest shortened(const ShapedKernel& kernel, ProblemRequest request) {
  for (const Dimension& dimension : kernel.family.dimensions) {
    std::int64_t& extent = request.dimensions[dimension.name];
    if (dimension.quiet || extent <= kShortOfBatch || kShortOfBatch < dimension.minimum) continue;
    const std::int64_t before = std::exchange(extent, kShortOfBatch);
    if (!valid_problem(kernel, request)) extent = before;
  }
  return request;
}

/// Of those that are valid for the base; none: it has one launch, or no parameters.
std::optional<Configuration> smallest_sibling(const ShapedKernel& kernel, const ProblemRequest& base) {
  const Problem problem = make_problem(kernel.family, base);
  const auto plan = shape_plan(kernel, problem, kernel.device);
  if (!plan || plan->launches.size() < 2 || !unsupported_reason(kernel.variant, problem, kernel.device).empty())
    return std::nullopt;
  const auto size = [](const Configuration& one) {
    double product = 1;
    for (const std::int64_t value : one.values) product *= static_cast<double>(std::max<std::int64_t>(1, value));
    return product;
  };
  try {
    const std::vector<Configuration> valid = enumerate(kernel.variant, problem, kernel.device, kSiblings).valid;
    const auto least = std::ranges::min_element(valid, {}, size);
    return least == valid.end() ? std::nullopt : std::optional<Configuration>(*least);
  } catch (const SpecError&) {  // a constraint leaves nothing
    return std::nullopt;
  }
}

/// Where a tensor says which part of the longest dimension belongs to what, few of all others: one has whole rounds of
/// parts. None: no tensor does, or that is not valid.
std::optional<ProblemRequest> of_few_others(const ShapedKernel& kernel, ProblemRequest request) {
  const Family& family = kernel.family;
  if (std::ranges::none_of(family.tensors, [](const TensorDecl& t) { return !t.partition.empty(); }))
    return std::nullopt;
  std::int64_t longest = 0;
  for (const Dimension& dimension : family.dimensions)
    if (!dimension.quiet) longest = std::max(longest, request.dimensions.at(dimension.name));
  for (const Dimension& dimension : family.dimensions)
    if (!dimension.quiet && request.dimensions.at(dimension.name) < longest)
      request.dimensions[dimension.name] = std::clamp(kFewOthers, dimension.minimum, dimension.maximum);
  const auto problem = valid_problem(kernel, request);
  return problem && is_valid_on(kernel.variant, *problem, kernel.device, kernel.configuration) ? std::optional(request)
                                                                                               : std::nullopt;
}

/// For all of the device's multiprocessors.
CheckedProblem as_it_is(const ShapedKernel& kernel, ProblemRequest request, const ShapeLimits& limits,
                        MadeFor made_for) {
  const Problem problem = make_problem(kernel.family, request);
  // What is done to each element is so little that how many bytes there are does not matter: NaN among parts, say.
  const Thoroughness thoroughness =
      flops_of(kernel.family, problem) <= kFewFlops ? Thoroughness::usual : thoroughness_of(kernel, problem, limits);
  return {std::move(request), made_for, thoroughness, kernel.device.sms};
}

}  // namespace

std::optional<CheckedProblem> shared_workspace_batch(const ShapedKernel& kernel, const ProblemRequest& base) {
  const ProblemRequest one = shortened(kernel, base);
  const auto problem = valid_problem(kernel, one);
  const DeviceInfo device = kernel.device.with_sms(std::min(kSmsOfBatch, kernel.device.sms));
  if (!problem || !is_valid_on(kernel.variant, *problem, device, kernel.configuration)) return std::nullopt;
  const auto plan = shape_plan(kernel, *problem, device);
  if (!plan || !blocks_share(*plan)) return std::nullopt;
  for (const Dimension& dimension : kernel.family.dimensions) {
    ProblemRequest several = one;
    std::int64_t& extent = several.dimensions[dimension.name];
    if (!dimension.quiet || extent >= kBatch || dimension.maximum < kBatch) continue;
    extent = kBatch;
    const auto more = valid_problem(kernel, several);
    if (!more || !is_valid_on(kernel.variant, *more, device, kernel.configuration)) continue;
    const auto more_plan = shape_plan(kernel, *more, device);
    if (more_plan && most_blocks(*more_plan) > most_blocks(*plan))
      return CheckedProblem{several, MadeFor::shared_workspaces, Thoroughness::thorough, device.sms};
  }
  return std::nullopt;
}

std::vector<CheckedProblem> many_parts_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                              const ShapeLimits& limits) {
  std::vector<CheckedProblem> found;
  const auto request = cheapest_of_many(kernel, base, limits, 1);
  if (!request) return found;
  const std::size_t turns = limits.with_flags > 0 ? std::min(most_flag_values(kernel.family), kTurnsOfParts) : 1;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    ProblemRequest turned = with_flags_turned(kernel, *request, turn);
    if (turn == 0 || turned.flags != request->flags)
      found.push_back(as_it_is(kernel, std::move(turned), limits, MadeFor::many_parts));
  }
  return found;
}

std::vector<CheckedProblem> many_rounds_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                               const ShapeLimits& limits) {
  std::vector<CheckedProblem> found;
  std::optional<Configuration> small;
  auto request = cheapest_of_many(kernel, base, limits, kRoundsOfParts);
  if (!request) {
    small = smallest_sibling(kernel, base);
    if (small)
      request = cheapest_of_many({kernel.family, kernel.variant, *small, kernel.device}, base, limits, kRoundsOfParts);
  }
  if (!request) return found;
  const ShapedKernel its = {kernel.family, kernel.variant, small ? *small : kernel.configuration, kernel.device};
  const auto add = [&](ProblemRequest one) {
    found.push_back(as_it_is(kernel, std::move(one), limits, MadeFor::many_rounds));
    found.back().configuration = small;
  };
  if (auto few = of_few_others(its, *request)) add(std::move(*few));
  add(std::move(*request));
  return found;
}

}  // namespace kerlab::session
