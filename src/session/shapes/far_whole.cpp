#include <algorithm>

#include "device/launch_limits.h"
#include "plan/sparse_tensor.h"
#include "session/shapes/far_strategy.h"
#include "session/shapes/shape_limits.h"
#include "session/shapes/thin.h"
#include "session/shapes/valid_shape.h"
#include "spec/request_of.h"

namespace kerlab::session {

namespace {

constexpr double kShareOfGpu = 0.7;
constexpr double kFlopsOfWholeBlock = 1e9;  // one thread of it may have them all
// A reference of one thread for each of few outputs is never done: an FP64 sum of 2^28 rows takes half a minute.
constexpr double kFlopsOfReferenceThread = 1e8;
constexpr double kReferenceBytes = 16, kSets = 2;

/// FLOPs that a thread of the reference has to do, where it does them all itself.
double flops_of_reference_thread(const ShapedKernel& kernel, const Problem& problem) {
  const auto plan = reference_plan(kernel, problem);
  double most = 0;
  if (!plan || !plan->before_reference.empty()) return most;
  for (const ReferencePlan& reference : plan->references) {
    const double threads = blocks_in_grid(reference.launch) * threads_in_block(reference.launch);
    most = std::max(most, flops_of(kernel.family, problem) / std::max(threads, 1.0));
  }
  return most;
}

class WholeFar : public FarStrategy {
 public:
  WholeFar(const ShapedKernel& kernel, const Problem& asked, const std::set<std::string>& tried)
      : kernel_(kernel), asked_(asked), tried_(tried) {}

  [[nodiscard]] std::vector<FarTries> tries() const override {
    // A row of so many keeps one thread of a naive kernel busy for minutes, and its rounded sums grow beyond bounds.
    return {{tries_of_whole(kernel_.family, asked_, false), kFarElements},
            {tries_of_whole(kernel_.family, asked_, true), kFarElements}};
  }
  [[nodiscard]] bool goes_on_refused() const override { return true; }

  [[nodiscard]] ProblemRequest base() const override { return request_of(asked_); }

  [[nodiscard]] CheckedProblem checked(const ProblemRequest& request) const override {
    return {request, MadeFor::far_index, Thoroughness::quick, kernel_.device.sms};
  }

  /// Of dimensions what has never been tried.
  [[nodiscard]] FarGoals goals_of(const Problem& problem, std::int64_t elements) const override {
    FarGoals goals;
    std::int64_t most = 0;
    for (const Tensor& tensor : tensors_of(kernel_.family, problem)) {
      if (tensor.unread) continue;
      most = std::max(most, tensor.elements());
      if (tensor.elements() > elements) goals.insert({FarGoal::Kind::tensor, tensor.name});
    }
    if (goals.empty() || needed_bytes(problem) > most_bytes()) return {};
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d) {
      const auto& [dimension, extent] = problem.dimensions[d];
      const bool quiet = kernel_.family.dimensions[d].quiet;
      // So that where the second of a batch begins is far as well.
      if (quiet ? extent > 1 && most / extent > elements : extent > kThinExtent && !tried_.contains(dimension))
        goals.insert({FarGoal::Kind::dimension, dimension});
    }
    return goals;
  }

  bool takes(FarProblem& found, std::string& why_not) const override {
    const auto instance = far_instance(kernel_, found.problem, kernel_.device.sms, why_not);
    if (!instance) return false;
    const double flops = flops_of(kernel_.family, found.problem);
    const double most_flops = limits_for(kernel_.device).long_flops;
    if (flops > most_flops || flops_of_reference_thread(kernel_, found.problem) > kFlopsOfReferenceThread)
      why_not = "its reference would take too long";
    double blocks = 1;
    for (const Launch& launch : instance->plan.launches) {
      if (why_not.empty()) why_not = launch_limit_error(kernel_.device, launch, {});
      blocks = std::max(blocks, blocks_in_grid(launch));
    }
    if (why_not.empty() && flops > kFlopsOfWholeBlock * blocks) why_not = "a single block has too much to do";
    found.cost = std::max(flops / most_flops, needed_bytes(found.problem) / most_bytes());
    return why_not.empty();
  }

  /// One more, with several of a batch.
  [[nodiscard]] std::size_t count(std::size_t most) const override {
    return most + (std::ranges::any_of(kernel_.family.dimensions, &Dimension::quiet) ? 1 : 0);
  }

 private:
  [[nodiscard]] double most_bytes() const { return kShareOfGpu * static_cast<double>(kernel_.device.memory_bytes); }

  /// What a check of it takes.
  [[nodiscard]] double needed_bytes(const Problem& problem) const {
    double bytes = kSets * bytes_of_tensors(kernel_.family, problem);
    for (const Tensor& tensor : tensors_of(kernel_.family, problem))
      if (tensor.role != Role::input) bytes += kReferenceBytes * static_cast<double>(tensor.elements());
    return bytes;
  }

  const ShapedKernel& kernel_;
  const Problem& asked_;
  const std::set<std::string>& tried_;
};

}  // namespace

std::unique_ptr<FarStrategy> whole_far(const ShapedKernel& kernel, const Problem& asked,
                                       const std::set<std::string>& tried) {
  return std::make_unique<WholeFar>(kernel, asked, tried);
}

}  // namespace kerlab::session
