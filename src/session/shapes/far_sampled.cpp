#include <algorithm>
#include <cmath>

#include "plan/shared_workspaces.h"
#include "plan/sparse_tensor.h"
#include "session/shapes/far_strategy.h"
#include "session/shapes/valid_shape.h"
#include "spec/request_of.h"

namespace kerlab::session {

namespace {

constexpr double k32Bits = 4294967296.0;
constexpr double kBeyond32Bits = 1.0625 * k32Bits;  // elements: what is kept in 32 bits without a sign fails as well
constexpr double kBeyond31Bits = 1.5 * static_cast<double>(kFarElements);
// Bytes: who counts accesses of 16 has more than 2^31 of them.
constexpr double k31BitsOfAccesses = 16.0 * static_cast<double>(kFarElements);
constexpr double kBeyond31BitsOfAccesses = 1.0625 * k31BitsOfAccesses;
// Where no extent goes beyond 2^31 by itself, nearly so: bytes and products of four do not fit 32 bits there.
constexpr double kNearly31Bits = 0.95 * static_cast<double>(kFarElements);
// Where none comes near that, since its extents end before: what fp32 does not hold, and is filled in a second.
constexpr double kLarge = 1 << 25;
// Of a dimension: what is kept in 16 bits is wrong for most of it. Of a batch, which grids hold in 16 bits: many.
constexpr std::int64_t kLongDimension = std::int64_t{1} << 18, kLargeBatch = 1024;
// Of rows so long four are beyond 2^31.
constexpr std::int64_t kVeryLong = std::int64_t{1} << 29;
constexpr std::uint32_t kMostRows = 65535;  // of a grid, in y and z
constexpr int kSmsForAll = 1 << 20;         // more than there are work tiles
constexpr double kFlopsOfFar = 3e8, kBytesOfFar = 48e6, kBlocksOfFar = 6;
constexpr double kShareOfFilling = 0.25;   // of the cost of a byte that a kernel reads
constexpr double kWarpsOfWhole = 1 << 17;  // start in a second or two
constexpr double kShareOfMemory = 0.9;
constexpr std::int64_t kMostKept = std::int64_t{1} << 30;  // elements of a tensor of which all are there

double blocks_of_cluster(const Launch& launch) {
  return static_cast<double>(launch.cluster.x) * launch.cluster.y * launch.cluster.z;
}

class SampledFar : public FarStrategy {
 public:
  SampledFar(const ShapedKernel& kernel, const Problem& asked) : kernel_(kernel), asked_(asked) {
    std::string why_not;
    if (const auto instance = far_instance(kernel, asked, kernel.device.sms, why_not)) program_ = instance->defines;
  }

  [[nodiscard]] std::vector<FarTries> tries() const override {
    const double accesses = kBeyond31BitsOfAccesses * static_cast<double>(elements_in(asked_.dtype, 16)) / 16;
    FarTries beyond{{}, kFarElements + kFarElements / 4};
    for (const double elements : {accesses, kBeyond32Bits, kBeyond31Bits})
      for (FarTry& one : tries_of_samples(kernel_.family, asked_, elements)) beyond.tries.push_back(std::move(one));
    return {std::move(beyond),
            {tries_of_samples(kernel_.family, asked_, kNearly31Bits), static_cast<std::int64_t>(0.9 * kNearly31Bits)},
            {tries_of_samples(kernel_.family, asked_, kLarge), static_cast<std::int64_t>(0.9 * kLarge)}};
  }
  /// A family that has such problems is not tried near 2^31.
  [[nodiscard]] bool goes_on_refused() const override { return false; }

  [[nodiscard]] ProblemRequest base() const override {
    ProblemRequest request = request_of(asked_);
    request.row_padding = {};  // sparse tensors are dense
    return request;
  }

  [[nodiscard]] CheckedProblem checked(const ProblemRequest& request) const override {
    return {request, MadeFor::far_index, Thoroughness::drawn, kernel_.device.sms, {}, Executed::some_blocks};
  }

  [[nodiscard]] FarGoals goals_of(const Problem& problem, std::int64_t elements) const override {
    FarGoals goals;
    double bytes = 0;
    for (const Tensor& tensor : tensors_of(kernel_.family, problem)) {
      // Of what is changed in place the results are kept beside it.
      bytes += (tensor.role == Role::inout ? 2.0 : 1.0) * static_cast<double>(tensor.bytes());
      if (is_sparse(tensor) && tensor.range.order != IntegerOrder::none) return {};  // what repeats itself has no order
      if (tensor.elements() > kMostKept && !is_sparse(tensor)) return {};
      if (tensor.unread || tensor.elements() <= elements) continue;
      goals.insert({FarGoal::Kind::tensor, tensor.name});
      if (static_cast<double>(tensor.elements()) > k32Bits) goals.insert({FarGoal::Kind::elements, tensor.name});
      if (static_cast<double>(tensor.bytes()) > k31BitsOfAccesses) goals.insert({FarGoal::Kind::accesses, tensor.name});
    }
    if (goals.empty() || bytes > room()) return {};
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
      if (problem.dimensions[d].second > (kernel_.family.dimensions[d].quiet ? kLargeBatch : kLongDimension))
        goals.insert({FarGoal::Kind::dimension, problem.dimensions[d].first});
    for (const auto& [dimension, extent] : problem.dimensions)
      if (extent > kVeryLong) goals.insert({FarGoal::Kind::very_long, dimension});
    return goals;
  }

  bool takes(FarProblem& found, std::string& why_not) const override {
    const Problem& problem = found.problem;
    const auto own = far_instance(kernel_, problem, kernel_.device.sms, why_not);
    auto many = far_instance(kernel_, problem, kSmsForAll, why_not);
    if (many && own && bytes_of_all(problem, many->plan) > room()) many.reset();
    if (many && !(own && own->plan == many->plan)) found.far.sms = kSmsForAll;
    if (!many && !own) return false;
    const Instance& taken = many ? *many : *own;
    found.same_program = taken.defines == program_;
    const bool alone = taken.plan.launches.size() == 1 && !blocks_share(taken.plan);
    if (!alone) found.far.executed = Executed::first_launch;
    if (!alone && bytes_of_all(problem, taken.plan) > room()) {
      if (why_not.empty()) why_not = "its workspaces are larger than the device's memory";
      return false;
    }
    if (alone && warps_before_reference(problem) > kWarpsOfWhole) {
      if (why_not.empty()) why_not = "what is launched before its reference has too much to do";
      return false;
    }
    return is_sampled(taken.plan, alone, why_not) &&
           is_cheap(problem, taken.plan.launches.front(), found.cost, why_not);
  }

 private:
  /// Of launches that are executed whole, however few elements are compared.
  [[nodiscard]] double warps_before_reference(const Problem& problem) const {
    double warps = 0;
    const auto plan = reference_plan(kernel_, problem);
    if (!plan) return warps;  // whoever makes the plan says why
    for (const Launch& launch : plan->before_reference) warps += warps_in_grid(launch);
    return warps;
  }

  [[nodiscard]] double room() const { return kShareOfMemory * static_cast<double>(kernel_.device.memory_bytes); }

  [[nodiscard]] double bytes_of_all(const Problem& problem, const LaunchPlan& plan) const {
    double bytes = bytes_of_tensors(kernel_.family, problem);
    for (const Workspace& workspace : plan.workspaces) bytes += static_cast<double>(workspace.bytes);
    return bytes;
  }

  /// `alone`: its blocks stand for all.
  [[nodiscard]] bool is_sampled(const LaunchPlan& plan, bool alone, std::string& why_not) const {
    const bool waits = !alone && kernel_.variant.sampling == Sampling::small;
    if (waits) why_not = "its blocks wait for each other";
    const bool possible = !waits && plan.launches.front().grid.y <= kMostRows &&
                          plan.launches.front().grid.z <= kMostRows &&
                          plan.launches.front().grid.x < static_cast<std::uint32_t>(kFarElements);
    if (!possible && why_not.empty()) why_not = "its grid would be too large";
    return possible;
  }

  bool is_cheap(const Problem& problem, const Launch& launch, double& cost, std::string& why_not) const {
    const double blocks = std::max(kBlocksOfFar, 2 * blocks_of_cluster(launch));
    // Of blocks that cannot stand for others all are executed.
    const bool whole = kernel_.variant.sampling == Sampling::small;
    const double share = whole ? 1.0 : std::min(1.0, blocks / blocks_in_grid(launch));
    const double flops = share * flops_of(kernel_.family, problem);
    const double bytes = share < 1 ? share * bytes_of(kernel_.family, problem) : bytes_of_whole(problem);
    const double warps = whole ? warps_in_grid(launch) : 0;
    cost = std::max({flops / kFlopsOfFar, bytes / kBytesOfFar, warps / kWarpsOfWhole});
    if (cost > 1 && why_not.empty())
      why_not =
          whole ? "all of its blocks have too much to do (sample = \"none\")" : "a single block has too much to do";
    return cost <= 1;
  }

  /// Of numbers that are found by indices only those are read to which something is done: FLOPs are their cost, however
  /// many there are. All that are not sparse are filled.
  [[nodiscard]] double bytes_of_whole(const Problem& problem) const {
    const double all = bytes_of(kernel_.family, problem);
    const std::vector<Tensor> tensors = tensors_of(kernel_.family, problem);
    const auto is_indices = [](const Tensor& t) { return t.role == Role::input && !info(t.dtype).is_float; };
    if (std::ranges::none_of(tensors, is_indices) || flops_of(kernel_.family, problem) <= 0) return all;
    double bytes = 0;
    for (const Tensor& tensor : tensors) {
      const double share = tensor.role != Role::input || is_indices(tensor) ? 1
                           : is_sparse(tensor)                              ? 0
                                                                            : kShareOfFilling;
      bytes += share * static_cast<double>(tensor.bytes());
    }
    return std::min(all, bytes);
  }

  const ShapedKernel& kernel_;
  const Problem& asked_;
  std::vector<std::string> program_;
};

}  // namespace

std::unique_ptr<FarStrategy> sampled_far(const ShapedKernel& kernel, const Problem& asked) {
  return std::make_unique<SampledFar>(kernel, asked);
}

}  // namespace kerlab::session
