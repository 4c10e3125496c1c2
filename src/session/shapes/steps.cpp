// The steps of a kernel along each dimension.

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "session/shapes/last_extent.h"
#include "session/shapes/levels.h"
#include "session/shapes/valid_shape.h"
#include "spec/request_of.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kFarthestExtent = 1 << 16, kLargestStep = 4096, kLargestTile = 32768;
constexpr std::int64_t kLargestNumber = 1 << 14;  // 32-bit elements that fit into shared memory
constexpr int kManySms = 1 << 14;                 // multiprocessors: persistent grids are as large as the work is
constexpr std::size_t kMostSteps = 8;
constexpr std::int64_t kSmallestStep = 8;  // less is tried anyway

/// All launches with the dimension at `extent`, or as near to it as the family has it; empty: nothing to say.
std::vector<Launch> launches_at(const ShapedKernel& kernel, const Problem& base, const std::string& dimension,
                                std::int64_t extent) {
  ProblemRequest request = request_of(base);
  request.dimensions[dimension] = extent;
  const auto problem = nearest_problem(kernel.family, request, base);
  const auto plan = problem ? shape_plan(kernel, *problem, kernel.device.with_sms(kManySms)) : std::nullopt;
  return plan ? plan->launches : std::vector<Launch>{};
}

std::vector<Dim3> grids_at(const ShapedKernel& kernel, const Problem& base, const std::string& dimension,
                           std::int64_t extent) {
  std::vector<Dim3> grids;
  for (const Launch& launch : launches_at(kernel, base, dimension, extent)) grids.push_back(launch.grid);
  return grids;
}

/// The numbers that all launches are given.
std::vector<ScalarArgument> numbers_of(const std::vector<Launch>& launches) {
  std::vector<ScalarArgument> numbers;
  for (const Launch& launch : launches)
    for (const Argument& argument : launch.arguments)
      if (const auto* number = std::get_if<ScalarArgument>(&argument)) numbers.push_back(*number);
  return numbers;
}

/// The largest extent with as many blocks as the least has; 0: the grid does not depend on the dimension.
std::int64_t tile_of_grid(const ShapedKernel& kernel, const Problem& base, const Dimension& dimension) {
  const std::int64_t low = std::max<std::int64_t>(1, dimension.minimum);
  const std::int64_t high = std::min(dimension.maximum, kFarthestExtent);
  const auto one = grids_at(kernel, base, dimension.name, low);
  if (one.empty() || grids_at(kernel, base, dimension.name, high) == one) return 0;
  return last_extent(low, high,
                     [&](std::int64_t extent) { return grids_at(kernel, base, dimension.name, extent) == one; });
}

/// The largest extents at which a number that the launches are given is what it is at the least one. Such a number is
/// mostly the share of a block: up to there more of the blocks have one, from there on fewer have larger ones.
std::set<std::int64_t> same_numbers(const ShapedKernel& kernel, const Problem& base, const Dimension& dimension) {
  std::map<std::int64_t, std::vector<ScalarArgument>> known;  // the searches for several numbers begin alike
  const auto numbers_at = [&](std::int64_t extent) -> const std::vector<ScalarArgument>& {
    const auto [at, is_new] = known.try_emplace(extent);
    if (is_new) at->second = numbers_of(launches_at(kernel, base, dimension.name, extent));
    return at->second;
  };
  const std::int64_t least = std::max<std::int64_t>(1, dimension.minimum);
  const std::int64_t most = std::min(dimension.maximum, kFarthestExtent);
  const auto &at_least = numbers_at(least), &at_most = numbers_at(most);
  std::set<std::int64_t> ends;
  for (std::size_t i = 0; i < at_least.size() && at_least.size() == at_most.size(); ++i) {
    if (at_least[i] == at_most[i]) continue;
    const std::int64_t end = last_extent(least, most, [&](std::int64_t extent) {
      const auto& numbers = numbers_at(extent);
      return numbers.size() == at_least.size() && numbers[i] == at_least[i];
    });
    if (end > least + kSmallestStep && end <= kLargestTile) ends.insert(end);
  }
  return ends;
}

/// Numbers of the program up to kLargestNumber, kMostSteps of them: parameters, then derived values.
std::set<std::int64_t> program_numbers(const ShapedKernel& kernel, const Problem& base) {
  std::vector<std::int64_t> numbers = kernel.configuration.values;
  try {
    const Environment all = configured_environment(kernel.variant, base, kernel.configuration, kernel.device);
    for (const Derived& derived : kernel.variant.derived)
      if (derived.define) numbers.push_back(all.at(derived.name));
  } catch (const std::exception&) {  // a derived value that this problem has not
  }
  std::set<std::int64_t> steps;
  for (const std::int64_t number : numbers)
    if (number > kSmallestStep && number <= kLargestNumber && steps.size() < kMostSteps) steps.insert(number);
  return steps;
}

/// The product of the parameters, of as many as make no more than kLargestTile; 0: of none.
std::int64_t round_of(const Configuration& configuration) {
  std::vector<std::int64_t> values = configuration.values;
  std::ranges::sort(values);
  std::int64_t round = 1;
  for (const std::int64_t value : values)
    if (value > 1 && value <= kLargestTile / round) round *= value;
  return round > 1 ? round : 0;
}

/// The same problem with all other dimensions at their least, or 1; none: there is no such problem.
std::optional<Problem> only_along(const ShapedKernel& kernel, const Problem& base, const std::string& name) {
  ProblemRequest request = request_of(base);
  for (const Dimension& dimension : kernel.family.dimensions)
    if (dimension.name != name && !dimension.quiet)
      request.dimensions[dimension.name] = std::max<std::int64_t>(1, dimension.minimum);
  return nearest_problem(kernel.family, request, base);
}

}  // namespace

std::vector<KernelSteps> steps_of(const ShapedKernel& kernel, const Problem& base) {
  const std::set<std::int64_t> numbers = program_numbers(kernel, base);
  std::vector<KernelSteps> steps;
  for (const Dimension& dimension : kernel.family.dimensions) {
    KernelSteps& own = steps.emplace_back();
    if (dimension.quiet) continue;
    const std::int64_t tile = tile_of_grid(kernel, base, dimension);
    if (tile > kSmallestStep && tile <= kLargestStep) {
      own.own.push_back(tile);
    } else {
      own.own.assign(numbers.begin(), numbers.end());
      own.round = round_of(kernel.configuration);
    }
    const auto along = only_along(kernel, base, dimension.name);
    const std::int64_t alone = along ? tile_of_grid(kernel, *along, dimension) : 0;
    if (alone != tile && alone > 1 && alone <= kLargestTile) own.alone = alone;
    for (const std::int64_t end : same_numbers(kernel, along ? *along : base, dimension))
      if (end != tile && end != alone) own.shares.push_back(end);
  }
  return steps;
}

double flops_in_tiles(const Family& family, const std::vector<KernelSteps>& steps, Problem problem) {
  for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
    for (const std::int64_t step : steps[d].own) {
      std::int64_t& extent = problem.dimensions[d].second;
      extent = (extent + step - 1) / step * step;
    }
  return flops_of(family, problem);
}

}  // namespace kerlab::session
