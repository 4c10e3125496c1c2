// The small problem on which every candidate is checked first: an emulated device executes it whole, beside some blocks
// of the one that was asked for.

#include <algorithm>

#include "session/run/problem_setup.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/small_shapes.h"
#include "session/shapes/valid_shape.h"
#include "verify/emulated/emulated_check.h"

namespace kerlab::session {

namespace {

struct Sample {
  const Variant* variant = nullptr;
  Configuration configuration;
  std::vector<std::string> defines;  ///< on the problem asked for
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
    if (!violated_constraint(variant, problem, device, configuration).empty()) continue;
    std::vector<std::string> defines = instantiate(folder.family, variant, problem, configuration, device).defines;
    found.push_back({&variant, std::move(configuration), std::move(defines)});
  }
  return found;
}

/// Shapes on which candidates may be checked first, and how many of the samples run the same program there.
class SmallShape {
 public:
  SmallShape(const Family& family, const Problem& problem, const DeviceInfo& device, std::vector<Sample> samples)
      : family_(family), problem_(problem), device_(device), samples_(std::move(samples)) {}

  /// The first multiple of all dimensions with which most of them are, or else their extents; then of each dimension
  /// the least that loses none. None: on no shape any is.
  std::optional<Problem> best() {
    if (samples_.empty()) return std::nullopt;
    std::vector<std::int64_t> multiples;
    for (const std::int64_t multiple : kSmallMultiples) {
      const std::vector<std::int64_t> all(problem_.dimensions.size(), multiple);
      if (is_better(all)) multiples = all;
    }
    const bool none = multiples.empty();
    if (none) {
      multiples = extents_asked_for();
      most_ = samples_.size();
    }
    for (std::size_t d = 0; d < multiples.size(); ++d)
      for (const std::int64_t multiple : kSmallMultiples) {
        if (multiple >= multiples[d]) break;
        std::vector<std::int64_t> finer = multiples;
        finer[d] = multiple;
        if (!is_as_good(finer)) continue;
        multiples = finer;
        break;
      }
    const bool is_small = best_ && is_executed_whole(flops_of(family_, *best_), bytes_of(family_, *best_));
    return none && !is_small ? std::nullopt : std::move(best_);
  }

 private:
  /// Where a few dimensions decide the program (the length of a head), these stay as they are.
  [[nodiscard]] std::vector<std::int64_t> extents_asked_for() const {
    std::vector<std::int64_t> extents;
    for (const auto& [name, extent] : problem_.dimensions) extents.push_back(std::max<std::int64_t>(1, extent));
    return extents;
  }

  [[nodiscard]] std::optional<Problem> problem_of(const std::vector<std::int64_t>& multiples) const {
    const auto request = small_shape(family_, problem_, SmallShapes::within, multiples);
    return request ? nearest_problem(family_, *request, problem_) : std::nullopt;
  }

  [[nodiscard]] bool is_same_program(const Sample& sample, const Problem& small) const {
    const auto device = device_of_any(*sample.variant, small, sample.configuration, device_);
    return device &&
           instantiate(family_, *sample.variant, small, sample.configuration, *device).defines == sample.defines;
  }

  [[nodiscard]] std::size_t count(const Problem& small) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(samples_, [&](const Sample& sample) { return is_same_program(sample, small); }));
  }

  bool is_better(const std::vector<std::int64_t>& multiples) {
    auto small = problem_of(multiples);
    const std::size_t same = small ? count(*small) : 0;
    if (same <= most_) return false;
    most_ = same;
    best_ = std::move(small);
    return true;
  }

  bool is_as_good(const std::vector<std::int64_t>& multiples) {
    auto small = problem_of(multiples);
    if (!small || count(*small) < most_) return false;
    best_ = std::move(small);
    return true;
  }

  const Family& family_;
  const Problem& problem_;
  const DeviceInfo& device_;
  std::vector<Sample> samples_;
  std::size_t most_ = 0;
  std::optional<Problem> best_;
};

}  // namespace

std::vector<ProblemRequest> small_shapes(const Family& family, const Problem& problem, bool ragged_anyway) {
  std::vector<ProblemRequest> shapes;
  const SmallShapes how = ragged_anyway ? SmallShapes::ragged : SmallShapes::within;
  for (const std::int64_t multiple : kSmallMultiples)
    if (auto request = small_shape(family, problem, how, multiple)) shapes.push_back(std::move(*request));
  return shapes;
}

std::optional<SmallProblem> choose_small_problem(const KernelFolder& folder, const Problem& problem,
                                                 const DeviceInfo& device) {
  if (folder.family.accuracy.against_recordings) return std::nullopt;  // nobody recorded it
  if (small_shapes(folder.family, problem).empty()) return std::nullopt;
  std::optional<Problem> best;
  for (const bool nearest : {false, true})
    if (!best) best = SmallShape(folder.family, problem, device, samples(folder, problem, device, nearest)).best();
  if (!best) return std::nullopt;
  ReferenceInstance reference = instantiate_reference(folder.family, *best, device);
  return SmallProblem{std::move(*best), std::move(reference.plan), std::move(reference.defines)};
}

}  // namespace kerlab::session
