#include "session/shapes/thin.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "device/launch_limits.h"
#include "plan/shared_workspaces.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/valid_shape.h"
#include "verify/emulated/emulated_check.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kShortest = 8192;  // a dimension of fewer is tried at its end by others
constexpr std::int64_t kPacket = 16;      // elements that are whole accesses, whatever the type
constexpr std::int64_t kMany = 256;       // of a batch: an index of 8 bits
// Where it is cheap, beyond 2^18: what is kept in 17 bits is as wrong as in 16.
constexpr std::int64_t kLongThinExtent = 4 * kThinExtent;
constexpr std::array<std::int64_t, 6> kOthers = {1, 8, 16, 64, 136, 264};  // the last where wide tiles want as much
// Of one integer alone it is luck what it is; so is it what comes out as one, or where there is no input.
constexpr std::array<std::int64_t, 6> kOthersOfIntegers = {8, 16, 64, 1, 136, 264};
// Of rows what is planted by turns at the begin, at the end and anywhere.
constexpr std::array<std::int64_t, 6> kOthersOfRows = {4, 8, 16, 64, 136, 264};
// More than a block holds at once of most kernels, and more than any; many have a way of their own between what is
// short and what is beyond 2^16.
constexpr std::int64_t kBetween[] = {12'288, 20'480};
constexpr std::int64_t kBeyond15Bits = 36'864;        // where none beyond 16 is valid
constexpr std::int64_t kFolds[] = {2, 4, 8, 16, 32};  // where a block takes several rows
constexpr double kLongerBytes = 8;
constexpr double kWarps = 1 << 16,
                 kWarpsAtLimit = 1 << 20;      // of a plan that is thin; of one whose grid is at its limit
constexpr double kFlopsOfSingleBlock = 4.5e9;  // a second or two of an emulated device: for one recipe
constexpr double kFlopsOfSample = 3e9, kBlocksOfSample = 6;
constexpr std::size_t kWithOtherFlags = 6, kWithOneFlag = 4;  // each is another program
constexpr double kNotNothing = 2.2345678;                     // of a scalar that is 0: 24 significant bits and more

/// Such a launch fails, and says why: it is no wrong result.
bool beyond_limit(const LaunchPlan& plan, const DeviceInfo& device) {
  return std::ranges::any_of(plan.launches,
                             [&](const Launch& launch) { return !launch_limit_error(device, launch, {}).empty(); });
}

bool at_limit(const LaunchPlan& plan) {
  return std::ranges::any_of(
      plan.launches, [](const Launch& launch) { return std::max(launch.grid.y, launch.grid.z) >= kMostGridRows; });
}

double warps_of(const LaunchPlan& plan) {
  double warps = 0;
  for (const Launch& launch : plan.launches) warps += warps_in_grid(launch);
  return warps;
}

bool starts_fast(const LaunchPlan& plan) {
  return warps_of(plan) <= (at_limit(plan) ? kWarpsAtLimit : kWarps);
}

/// A little more than that, ragged first, then rows of whole 16 bytes, then whole tiles; of a dimension that ends
/// before, its end.
std::vector<std::int64_t> extents_from(const Dimension& dimension, std::int64_t least) {
  std::vector<std::int64_t> extents;
  for (const std::int64_t beyond : {5, 8, 16, 64, 512}) extents.push_back(least + beyond);
  if (dimension.maximum >= extents.front() || least != kThinExtent) return extents;
  extents.clear();
  if (dimension.maximum < kShortest) return extents;
  for (const std::int64_t below : {1, 8, 16, 64, 0}) extents.push_back(dimension.maximum - below);
  return extents;
}

class ThinSearch {
 public:
  ThinSearch(const ShapedKernel& kernel, const ProblemRequest& base, const ShapeLimits& limits)
      : kernel_(kernel), base_(base), steps_(steps_of(kernel, make_problem(kernel.family, base))), limits_(limits) {}

  /// As it is, under other values of the flags and scalars: the `turn`th of each that has so many; and with what is 0
  /// as a number. None: no other, not valid or not cheap.
  [[nodiscard]] std::optional<ProblemRequest> with_others_set(const ProblemRequest& thin, std::size_t turn) const {
    ProblemRequest other = with_flags_turned(kernel_, thin, turn);
    for (const ScalarDecl& scalar : kernel_.family.scalars) {
      double& number = other.scalars.at(scalar.name);
      const double before = std::exchange(number, number == 0 ? kNotNothing : number);
      if (!valid_problem(kernel_, other)) number = before;
    }
    const bool same = other.flags == thin.flags && other.scalars == thin.scalars;
    const auto plan = same ? std::nullopt : plan_of(other);
    return plan && is_cheap(other, *plan) ? std::optional(other) : std::nullopt;
  }

  /// With another value of that flag alone. None: not valid or not cheap.
  [[nodiscard]] std::optional<ProblemRequest> with_flag_set(const ProblemRequest& thin, const Flag& flag) const {
    for (ProblemRequest& other : with_other_values(thin, flag)) {
      const auto plan = valid_problem(kernel_, other) ? plan_of(other) : std::nullopt;
      if (plan && is_cheap(other, *plan)) return std::move(other);
    }
    return std::nullopt;
  }

  /// Of blocks that share out what is reduced along the dimension, each more than 16 bits count.
  [[nodiscard]] std::optional<ProblemRequest> long_blocks(const Dimension& dimension) const {
    const auto thin = first_valid(dimension, kThinExtent);
    const auto plan = thin ? plan_of(*thin) : std::nullopt;
    if (!plan) return std::nullopt;
    for (const std::int64_t each : {kLongThinExtent, kThinExtent}) {
      ProblemRequest longer = *thin;
      longer.dimensions[dimension.name] = each * static_cast<std::int64_t>(most_blocks(*plan)) + 5;
      const auto more = valid_problem(kernel_, longer) ? plan_of(longer) : std::nullopt;
      const bool shared_out = more && most_blocks(*more) == most_blocks(*plan) && written(longer) == written(*thin);
      if (shared_out && is_cheap(longer, *more)) return longer;
    }
    return std::nullopt;
  }

  /// So many of what mostly stays at its default that 8 bits do not hold them, where each has blocks of its own.
  [[nodiscard]] std::optional<ProblemRequest> many(const Dimension& dimension) const {
    const auto found = dimension.maximum > 2 * kMany ? first_valid(dimension, kMany) : std::nullopt;
    const auto plan = found ? plan_of(*found) : std::nullopt;
    if (!plan || !is_cheap(*found, *plan)) return std::nullopt;
    ProblemRequest one = *found;
    one.dimensions[dimension.name] = std::max<std::int64_t>(1, dimension.minimum);
    const auto few = valid_problem(kernel_, one) ? plan_of(one) : std::nullopt;
    return few && most_blocks(*few) < most_blocks(*plan) ? found : std::nullopt;
  }

  /// The dimension beyond 2^16, and where a grid is not at its limit by that, as much longer as it takes.
  [[nodiscard]] std::vector<ProblemRequest> along(const Dimension& dimension) const {
    std::vector<ProblemRequest> found;
    const auto thin = first_valid(dimension, kThinExtent);
    const auto plan = thin ? plan_of(*thin) : std::nullopt;
    if (!plan) return found;
    const auto longer = at_limit(*plan) ? std::nullopt : first_valid(dimension, kLongThinExtent);
    const auto longer_plan = longer ? plan_of(*longer) : std::nullopt;
    if (longer_plan && !at_limit(*longer_plan) && is_cheap(*longer, *longer_plan))
      found.push_back(*longer);
    else if (is_cheap(*thin, *plan, is_of_integers() ? kLongerBytes : 1))  // ids that are all the same are counted
      found.push_back(*thin);
    if (at_limit(*plan)) return found;
    for (const std::int64_t fold : kFolds) {
      ProblemRequest folded = *thin;
      folded.dimensions[dimension.name] *= fold;
      const auto more = valid_problem(kernel_, folded) ? plan_of(folded) : std::nullopt;
      if (!more || !at_limit(*more)) continue;
      if (is_cheap(folded, *more, kLongerBytes)) found.push_back(folded);
      break;
    }
    return found;
  }

  /// The dimension beyond 2^16, of whole accesses and no whole tiles: who takes them has a way of their own.
  [[nodiscard]] std::optional<ProblemRequest> of_accesses(const Dimension& dimension) const {
    auto found = first_valid(dimension, kThinExtent + kPacket, kOthersOfRows, kPacket);
    return found && is_cheap(*found) ? found : std::nullopt;
  }

  /// Longer than what is tried beside other dimensions, and valid where more than 2^16 are not.
  [[nodiscard]] std::vector<ProblemRequest> between(const Dimension& dimension) const {
    std::vector<ProblemRequest> found;
    std::vector<std::int64_t> between(std::begin(kBetween), std::end(kBetween));
    if (!first_valid(dimension, kThinExtent)) between.push_back(kBeyond15Bits);
    for (const std::int64_t least : between)
      if (auto request = first_valid(dimension, least, kOthersOfRows); request && is_cheap(*request))
        found.push_back(std::move(*request));
    return found;
  }

  /// Beyond 2^16 where it is not cheap: in a single block, where some blocks stand for all, or where the most of it is
  /// to start so many.
  [[nodiscard]] std::optional<ProblemRequest> costly(const Dimension& dimension) const {
    const auto thin = first_valid(dimension, kThinExtent);
    const auto plan = thin ? plan_of(*thin) : std::nullopt;
    if (!plan || is_cheap(*thin, *plan) || beyond_limit(*plan, kernel_.device)) return std::nullopt;
    const Problem problem = make_problem(kernel_.family, *thin);
    const double bytes = bytes_of_tensors(kernel_.family, problem), blocks = most_blocks(*plan);
    if (bytes > limits_.bytes) return std::nullopt;
    // Of parts of a split as well, each of many rounds.
    if (blocks == 1 || blocks_share(*plan)) return flops_in_tiles(problem) <= kFlopsOfSingleBlock ? thin : std::nullopt;
    const double most = std::min(limits_.long_flops, limits_.block_flops * blocks);
    if (warps_of(*plan) <= kWarpsAtLimit && flops_in_tiles(problem) <= most) return thin;
    const bool sampled = plan->launches.size() == 1 && kernel_.device.executes_samples &&
                         kernel_.variant.sampling != Sampling::small && !blocks_share(*plan) &&
                         !is_executed_whole(flops_of(kernel_.family, problem), bytes);
    const double share = std::min(1.0, kBlocksOfSample / blocks);
    return sampled && share * flops_in_tiles(problem) <= kFlopsOfSample ? thin : std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<ProblemRequest> first_valid(const Dimension& along, std::int64_t least) const {
    return first_valid(along, least, is_of_integers() ? kOthersOfIntegers : kOthers);
  }

  /// `others`: the extents of the other dimensions, first to last; `multiple`: of which the extent is one.
  [[nodiscard]] std::optional<ProblemRequest> first_valid(const Dimension& along, std::int64_t least,
                                                          std::span<const std::int64_t> others,
                                                          std::int64_t multiple = 1) const {
    std::optional<ProblemRequest> first;
    const bool draws = is_of_integers();
    for (const std::int64_t other : others)
      for (const std::int64_t extent : extents_from(along, least)) {
        ProblemRequest request = base_;
        for (const Dimension& dimension : kernel_.family.dimensions)
          if (!dimension.quiet) request.dimensions[dimension.name] = std::max(other, dimension.minimum);
        request.dimensions[along.name] = extent;
        if (extent % multiple != 0) continue;
        if (!valid_problem(kernel_, request)) continue;
        if (!draws || is_cheap(request)) return request;
        if (!first) first = std::move(request);
      }
    return first;
  }

  /// Whether what a single element shows is luck.
  [[nodiscard]] bool is_of_integers() const {
    const auto& declared = kernel_.family.tensors;
    if (std::ranges::any_of(declared, [](const TensorDecl& t) { return !t.range.empty(); }) ||
        std::ranges::all_of(declared, [](const TensorDecl& t) { return t.role == Role::output; }))
      return true;
    return std::ranges::any_of(tensors_of(kernel_.family, make_problem(kernel_.family, base_)),
                               [](const Tensor& t) { return t.role != Role::input && !info(t.dtype).is_float; });
  }

  [[nodiscard]] bool is_cheap(const ProblemRequest& request) const {
    const auto plan = plan_of(request);
    return plan && is_cheap(request, *plan);
  }

  [[nodiscard]] std::optional<LaunchPlan> plan_of(const ProblemRequest& request) const {
    const Problem problem = make_problem(kernel_.family, request);
    const auto few = device_of_few(kernel_.family, kernel_.variant, problem, kernel_.configuration, kernel_.device);
    return shape_plan(kernel_, problem, few ? *few : kernel_.device);
  }

  [[nodiscard]] static double most_blocks(const LaunchPlan& plan) {
    double most = 0;
    for (const Launch& launch : plan.launches) most = std::max(most, blocks_in_grid(launch));
    return most;
  }

  /// Elements of the outputs.
  [[nodiscard]] std::int64_t written(const ProblemRequest& request) const {
    std::int64_t elements = 0;
    for (const Tensor& tensor : tensors_of(kernel_.family, make_problem(kernel_.family, request)))
      if (tensor.role != Role::input) elements += tensor.elements();
    return elements;
  }

  /// `more`: so many times as many bytes.
  [[nodiscard]] bool is_cheap(const ProblemRequest& request, const LaunchPlan& plan, double more = 1) const {
    const Problem problem = make_problem(kernel_.family, request);
    // Of blocks as many as a grid takes the warps are the cost: most of them have nothing to do.
    const double flops = at_limit(plan) ? flops_of(kernel_.family, problem) : flops_in_tiles(problem);
    const double most = std::min(limits_.long_flops, limits_.block_flops * most_blocks(plan));
    return !beyond_limit(plan, kernel_.device) && starts_fast(plan) &&
           bytes_of_tensors(kernel_.family, problem) <= more * limits_.long_bytes && flops <= most;
  }

  [[nodiscard]] double flops_in_tiles(const Problem& problem) const {
    return session::flops_in_tiles(kernel_.family, steps_, problem);
  }

  const ShapedKernel& kernel_;
  const ProblemRequest& base_;
  std::vector<KernelSteps> steps_;
  const ShapeLimits& limits_;
};

}  // namespace

std::vector<ProblemRequest> thin_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                        const ShapeLimits& limits) {
  const ThinSearch search(kernel, base, limits);
  std::vector<ProblemRequest> found;
  std::set<std::string> known;  // where a single block has all of a dimension, long_blocks finds what along has
  const auto add = [&](std::optional<ProblemRequest> request) {
    if (request && known.insert(make_problem(kernel.family, *request).key()).second)
      found.push_back(std::move(*request));
  };
  for (const Dimension& dimension : kernel.family.dimensions) {
    if (dimension.quiet) {
      add(search.many(dimension));
      continue;
    }
    for (ProblemRequest& request : search.along(dimension)) add(std::move(request));
    for (ProblemRequest& request : search.between(dimension)) add(std::move(request));
    add(search.long_blocks(dimension));
  }
  std::size_t most = most_flag_values(kernel.family);
  if (!kernel.family.scalars.empty()) most = std::max<std::size_t>(most, 2);
  const std::size_t own = found.size();
  for (std::size_t turn = 1; turn < most && limits.with_flags > 0; ++turn)
    for (std::size_t i = 0; i < own && found.size() < own + kWithOtherFlags; ++i)
      add(search.with_others_set(found[i], turn));
  // Of several flags also each alone: what they do together may be right. A GPU, on which each of a gemm's programs
  // costs a twentieth of a second, has no time for that.
  const std::size_t turned = found.size();
  const bool alone = kernel.family.flags.size() > 1 && limits.with_flags > 0 && kernel.device.is_slow;
  for (const Flag& flag : kernel.family.flags)
    for (std::size_t i = 0; i < own && alone; ++i)
      if (is_thin(make_problem(kernel.family, found[i])) && found.size() < turned + kWithOneFlag)
        add(search.with_flag_set(found[i], flag));
  for (const Dimension& dimension : kernel.family.dimensions)
    if (!dimension.quiet) add(search.of_accesses(dimension));
  return found;
}

std::vector<ProblemRequest> thin_along(const ShapedKernel& kernel, const ProblemRequest& base,
                                       const ShapeLimits& limits) {
  const ThinSearch search(kernel, base, limits);
  std::vector<ProblemRequest> found;
  const std::size_t turns = most_flag_values(kernel.family);
  for (const Dimension& dimension : kernel.family.dimensions) {
    if (dimension.quiet) continue;
    std::vector<ProblemRequest> along = search.along(dimension);
    if (!along.empty()) found.push_back(std::move(along.front()));
    auto whole = search.of_accesses(dimension);
    if (!whole) continue;
    for (std::size_t turn = 1; turn < turns; ++turn)
      if (auto other = search.with_others_set(*whole, turn)) found.push_back(std::move(*other));
    found.push_back(std::move(*whole));
  }
  return found;
}

std::vector<ProblemRequest> costly_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                          const ShapeLimits& limits) {
  const ThinSearch search(kernel, base, limits);
  std::vector<ProblemRequest> found;
  for (const Dimension& dimension : kernel.family.dimensions)
    if (!dimension.quiet)
      if (auto request = search.costly(dimension)) found.push_back(std::move(*request));
  return found;
}

bool is_thin(const Problem& problem) {
  return std::ranges::any_of(problem.dimensions, [](const auto& one) { return one.second > kThinExtent; });
}

}  // namespace kerlab::session
