#include "session/shapes/workers.h"

#include <algorithm>
#include <utility>

#include "session/shapes/last_extent.h"
#include "session/shapes/valid_shape.h"
#include "spec/request_of.h"
#include "spec/space/unsupported.h"

namespace kerlab::session {

namespace {

constexpr int kPlaces = 1 << 14;  // multiprocessors: no piece of work shares a block
constexpr std::int64_t kFarthestOfWork = std::int64_t{1} << 22;
constexpr std::int64_t kShortOfWork = 40;
constexpr std::int64_t kRagged = 3;  // beyond half
constexpr double kFewestWorkers = 3;
constexpr double kMoreBytesOfWork = 8;  // next to nothing is done to them: 528 blocks of 4096 numbers

/// A kernel along one dimension, all others short.
class Along {
 public:
  Along(const ShapedKernel& kernel, const Dimension& dimension, ProblemRequest request)
      : kernel_(kernel), dimension_(dimension), request_(std::move(request)) {}

  /// However little there is to do.
  [[nodiscard]] bool is_always_shared() const { return is_shared_at(least()); }

  /// The longest extent at which each piece of work still has a block of its own, though not at some beyond; none:
  /// blocks are never shared, or always.
  [[nodiscard]] std::optional<std::int64_t> last_unshared() const {
    const std::int64_t most = std::min(dimension_.maximum, kFarthestOfWork);
    if (is_shared_at(least()) || !is_shared_at(most)) return std::nullopt;
    return last_extent(least(), most, [&](std::int64_t extent) { return !is_shared_at(extent); });
  }

  /// The problem there, or with the next extent from there on that is valid.
  [[nodiscard]] std::optional<Problem> at(std::int64_t extent) const {
    constexpr std::int64_t kFarthestNext = 16;
    for (std::int64_t more = 0; more < kFarthestNext; ++more) {
      const auto problem = valid_problem(kernel_, with(extent + more));
      if (problem && is_valid_on(kernel_.variant, *problem, kernel_.device, kernel_.configuration)) return problem;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::int64_t least() const { return std::max<std::int64_t>(1, dimension_.minimum); }

  [[nodiscard]] ProblemRequest with(std::int64_t extent) const {
    ProblemRequest request = request_;
    request.dimensions[dimension_.name] = extent;
    return request;
  }

  [[nodiscard]] bool is_shared_at(std::int64_t extent) const {
    const auto problem = nearest_problem(kernel_.family, with(extent), make_problem(kernel_.family, request_));
    if (!problem) return false;
    const auto some = shape_plan(kernel_, *problem, kernel_.device);
    const auto all = shape_plan(kernel_, *problem, kernel_.device.with_sms(kPlaces));
    if (!some || !all || some->launches.size() != all->launches.size()) return false;
    for (std::size_t i = 0; i < some->launches.size(); ++i) {
      const double blocks = blocks_in_grid(some->launches[i]);
      if (blocks >= kFewestWorkers && blocks < blocks_in_grid(all->launches[i])) return true;
    }
    return false;
  }

  const ShapedKernel& kernel_;
  const Dimension& dimension_;
  ProblemRequest request_;
};

/// All dimensions but that one no longer than a few tens, where that is valid.
ProblemRequest short_but(const ShapedKernel& kernel, const ProblemRequest& base, const Dimension& along) {
  ProblemRequest request = base;
  for (const Dimension& dimension : kernel.family.dimensions) {
    std::int64_t& extent = request.dimensions[dimension.name];
    if (dimension.quiet || &dimension == &along || extent <= kShortOfWork || kShortOfWork < dimension.minimum) continue;
    const std::int64_t before = std::exchange(extent, kShortOfWork);
    if (!valid_problem(kernel, request)) extent = before;
  }
  return request;
}

}  // namespace

std::vector<CheckedProblem> worker_shapes(const ShapedKernel& kernel, const ProblemRequest& base,
                                          const ShapeLimits& limits) {
  std::vector<CheckedProblem> found;
  for (const Dimension& dimension : kernel.family.dimensions) {
    if (dimension.quiet) continue;
    const Along along(kernel, dimension, short_but(kernel, base, dimension));
    const auto last = along.last_unshared();
    std::vector<std::int64_t> extents;
    if (last) extents = {*last / 2 + kRagged, *last + 1};
    if (along.is_always_shared()) extents = {base.dimensions.at(dimension.name)};
    for (const std::int64_t extent : extents) {
      const auto problem = along.at(extent);
      if (!problem || bytes_of_tensors(kernel.family, *problem) > kMoreBytesOfWork * limits.bytes ||
          flops_of(kernel.family, *problem) > limits.flops)
        continue;
      found.push_back({request_of(*problem), MadeFor::idle_workers, Thoroughness::drawn, kernel.device.sms});
    }
    if (!found.empty()) return found;
  }
  return found;
}

}  // namespace kerlab::session
