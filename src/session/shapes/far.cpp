#include "session/shapes/far.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "device/launch_limits.h"
#include "plan/shared_workspaces.h"
#include "plan/sparse_tensor.h"
#include "session/shapes/far_tries.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/thin.h"
#include "session/shapes/valid_shape.h"
#include "spec/request_of.h"

namespace kerlab::session {

namespace {

constexpr double k32Bits = 4294967296.0;
constexpr double kBeyond32Bits = 1.0625 * k32Bits;  // elements: what is kept in 32 bits without a sign fails as well
constexpr double kBeyond31Bits = 1.5 * static_cast<double>(kFarElements);
// Where no extent goes beyond 2^31 by itself, nearly so: bytes and products of four do not fit 32 bits there.
constexpr double kNearly31Bits = 0.95 * static_cast<double>(kFarElements);
constexpr std::int64_t kTile = 256;  // of which long extents are multiples
constexpr std::int64_t kProbe = 1024, kLongest = std::int64_t{1} << 33;
// Of a dimension: what is kept in 16 bits is wrong for most of it. Of a batch, which grids hold in 16 bits: many.
constexpr std::int64_t kLongDimension = std::int64_t{1} << 18, kLargeBatch = 1024;
constexpr std::uint32_t kMostRows = 65535;  // of a grid, in y and z
constexpr int kWarp = 32;
constexpr int kSmsForAll = 1 << 20;  // more than there are work tiles
constexpr double kFlopsOfSample = 3e8, kBytesOfSample = 48e6, kBlocksOfSample = 6;
constexpr double kShareOfFilling = 0.25;   // of the cost of a byte that a kernel reads
constexpr double kWarpsOfWhole = 1 << 17;  // start in a second or two
constexpr double kShareOfMemory = 0.9, kShareOfGpu = 0.7;
constexpr double kFlopsOfWholeBlock = 1e9;  // where all are executed; one thread of it may have them all
constexpr double kReferenceBytes = 16, kSets = 2;
constexpr std::int64_t kMostKept = std::int64_t{1} << 30;  // elements of a tensor of which all are there

const std::string kTensorGoal = "tensor ";

struct FoundProblem {
  CheckedProblem far;
  Problem problem;
  std::set<std::string> goals;  ///< tensors beyond 2^31 elements, long dimensions, a large batch
  bool same_program = false;    ///< as on the problem that was asked for
  double cost = 0;
};

std::int64_t blocks_of_extent(const Dim3& extents) {
  return std::int64_t{extents.x} * extents.y * extents.z;
}

class FarSearch {
 public:
  FarSearch(const ShapedKernel& kernel, const Problem& asked, const std::set<std::string>& tried)
      : kernel_(kernel), asked_(asked), tried_(tried), whole_(kernel.device.is_hardware), base_(request_of(asked)) {
    if (whole_) return;
    base_.row_padding = 0;  // sparse tensors are dense
    if (const auto plan = plan_of(asked, kernel.device.sms)) program_ = plan->defines;
  }

  /// Those with a tensor of more than 2^31 elements, and of more than 2^32 where it fits the device; where the family
  /// has none, those that come near.
  const std::vector<FoundProblem>& find() {
    if (whole_) {
      try_all(tries_of_whole(kernel_.family, asked_, false));
      // A row of so many keeps one thread of a naive kernel busy for minutes, and its rounded sums grow beyond bounds.
      if (found_.empty()) try_all(tries_of_whole(kernel_.family, asked_, true));
      return found_;
    }
    for (const double elements : {kBeyond32Bits, kBeyond31Bits})
      try_all(tries_of_samples(kernel_.family, asked_, elements));
    if (!found_.empty() || !first_why_not_.empty()) return found_;
    most_near_ = static_cast<std::int64_t>(0.9 * kNearly31Bits);
    try_all(tries_of_samples(kernel_.family, asked_, kNearly31Bits));
    return found_;
  }

  /// Tensors that are far in a problem that is not among those found, with the reason of the first of them.
  [[nodiscard]] const std::map<std::string, std::string>& refused() const { return refused_; }

  /// Of the first problem that was refused; empty: there was none.
  [[nodiscard]] const std::string& why_not() const { return first_why_not_; }

 private:
  void try_all(const std::vector<FarTry>& tries) {
    for (const FarTry& one : tries) try_along(one.others, one.along, one.elements);
  }

  [[nodiscard]] std::optional<std::vector<Tensor>> tensors_with(Extents extents, const std::vector<std::string>& along,
                                                                std::int64_t extent) const {
    try {
      return tensors_of(kernel_.family, make_problem(kernel_.family, request_with(std::move(extents), along, extent)));
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  [[nodiscard]] ProblemRequest request_with(Extents extents, const std::vector<std::string>& along,
                                            std::int64_t extent) const {
    // One that ends before goes along as far as it can: rows of a sparse matrix beside far more numbers.
    for (const Dimension& dimension : kernel_.family.dimensions)
      if (std::ranges::find(along, dimension.name) != along.end())
        extents[dimension.name] = std::min(extent, dimension.maximum);
    ProblemRequest request = base_;
    request.dimensions = std::move(extents);
    return request;
  }

  /// So long that a tensor has so many elements, for each of the tensors that grow.
  void try_along(const Extents& others, const std::vector<std::string>& along, double elements) {
    const auto near = tensors_with(others, along, kProbe), farther = tensors_with(others, along, 2 * kProbe);
    if (!near || !farther || near->size() != farther->size()) return;
    for (std::size_t t = 0; t < near->size(); ++t) {
      const auto few = static_cast<double>((*near)[t].elements()), more = static_cast<double>((*farther)[t].elements());
      if (few < 1 || more < 1.5 * few) continue;
      const double degree = std::log2(more / few);
      const double extent = kProbe * std::pow(elements / few, 1 / degree);
      if (extent > static_cast<double>(kLongest)) continue;
      try_problem(request_with(others, along, (static_cast<std::int64_t>(extent) / kTile + 1) * kTile));
    }
  }

  void try_problem(const ProblemRequest& request) {
    std::optional<Problem> problem;
    try {
      problem = make_problem(kernel_.family, request);
    } catch (const Error&) {
      return;
    }
    if (!known_.insert(problem->key()).second) return;
    const Thoroughness thoroughness = whole_ ? Thoroughness::quick : Thoroughness::drawn;
    FoundProblem found{{request, MadeFor::far_index, thoroughness, kernel_.device.sms, {}, !whole_},
                       std::move(*problem),
                       {},
                       false,
                       0};
    found.goals = whole_ ? goals_of_whole(found.problem) : goals_of(found.problem);
    if (found.goals.empty()) return;
    why_not_.clear();
    if (whole_ ? is_launched(found) : choose_device(found)) {
      found_.push_back(std::move(found));
      return;
    }
    if (first_why_not_.empty()) first_why_not_ = why_not_;
    for (const std::string& goal : found.goals)
      if (goal.starts_with(kTensorGoal))
        refused_.emplace(goal.substr(kTensorGoal.size()),
                         why_not_.empty() ? "the configuration is not valid there" : why_not_);
  }

  /// None: nothing is far, or all is more than the device holds.
  [[nodiscard]] std::set<std::string> goals_of(const Problem& problem) const {
    std::set<std::string> goals;
    double bytes = 0;
    for (const Tensor& tensor : tensors_of(kernel_.family, problem)) {
      bytes += static_cast<double>(tensor.bytes());
      if (is_sparse(tensor) && tensor.range.order != IntegerOrder::none) return {};  // what repeats itself has no order
      if (tensor.elements() > kMostKept && !is_sparse(tensor)) return {};
      if (tensor.unread || tensor.elements() <= most_near_) continue;
      goals.insert(kTensorGoal + tensor.name);
      if (static_cast<double>(tensor.elements()) > k32Bits) goals.insert(fmt::format("{} beyond 32 bits", tensor.name));
    }
    if (goals.empty() || bytes > kShareOfMemory * static_cast<double>(kernel_.device.memory_bytes)) return {};
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
      if (problem.dimensions[d].second > (kernel_.family.dimensions[d].quiet ? kLargeBatch : kLongDimension))
        goals.insert(problem.dimensions[d].first);
    return goals;
  }

  /// The same of a GPU, of what has never been tried.
  [[nodiscard]] std::set<std::string> goals_of_whole(const Problem& problem) const {
    std::set<std::string> goals;
    std::int64_t most = 0;
    for (const Tensor& tensor : tensors_of(kernel_.family, problem)) {
      if (!tensor.unread) most = std::max(most, tensor.elements());
      if (!tensor.unread && tensor.elements() > kFarElements) goals.insert(kTensorGoal + tensor.name);
    }
    if (goals.empty() || needed_bytes(problem) > most_bytes()) return {};
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d) {
      const auto& [dimension, extent] = problem.dimensions[d];
      const bool quiet = kernel_.family.dimensions[d].quiet;
      // So that where the second of a batch begins is far as well.
      if (quiet ? extent > 1 && most / extent > kFarElements : extent > kThinExtent && !tried_.contains(dimension))
        goals.insert(dimension);
    }
    return goals;
  }

  [[nodiscard]] double most_bytes() const { return kShareOfGpu * static_cast<double>(kernel_.device.memory_bytes); }

  /// What a check of it takes on a GPU.
  [[nodiscard]] double needed_bytes(const Problem& problem) const {
    double bytes = kSets * bytes_of_tensors(kernel_.family, problem);
    for (const Tensor& tensor : tensors_of(kernel_.family, problem))
      if (tensor.role != Role::input) bytes += kReferenceBytes * static_cast<double>(tensor.elements());
    return bytes;
  }

  /// Of a GPU: all of it is.
  bool is_launched(FoundProblem& found) {
    const auto plan = plan_of(found.problem, kernel_.device.sms);
    if (!plan) return false;
    const double flops = flops_of(kernel_.family, found.problem);
    const double most_flops = limits_for(kernel_.device).long_flops;
    if (flops > most_flops) why_not_ = "its reference would take too long";
    double blocks = 1;
    for (const Launch& launch : plan->plan.launches) {
      if (why_not_.empty()) why_not_ = launch_limit_error(kernel_.device, launch, {});
      blocks = std::max(blocks, blocks_in_grid(launch));
    }
    if (why_not_.empty() && flops > kFlopsOfWholeBlock * blocks) why_not_ = "a single block has too much to do";
    found.cost = std::max(flops / most_flops, needed_bytes(found.problem) / most_bytes());
    return why_not_.empty();
  }

  [[nodiscard]] std::optional<Instance> plan_of(const Problem& problem, int sms) {
    const DeviceInfo device = kernel_.device.with_sms(sms);
    if (!is_valid_on(kernel_.variant, problem, device, kernel_.configuration)) return std::nullopt;
    try {
      return instantiate(kernel_.family, kernel_.variant, problem, kernel_.configuration, device);
    } catch (const Error& error) {
      if (why_not_.empty()) why_not_ = error.what();
      return std::nullopt;
    }
  }

  bool choose_device(FoundProblem& found) {
    const Problem& problem = found.problem;
    const auto plan = plan_of(problem, kernel_.device.sms), many = plan_of(problem, kSmsForAll);
    if (many && !(plan && plan->plan == many->plan)) found.far.sms = kSmsForAll;
    if (!many && !plan) return false;
    const Instance& taken = many ? *many : *plan;
    found.same_program = taken.defines == program_;
    return is_sampled(taken.plan) && is_cheap(problem, taken.plan.launches.front(), found.cost);
  }

  bool is_sampled(const LaunchPlan& plan) {
    const bool alone = plan.launches.size() == 1 && !blocks_share(plan);
    if (!alone) why_not_ = "some of its blocks do not stand for all: it has several launches, or a workspace";
    const bool possible = alone && plan.launches.front().grid.y <= kMostRows &&
                          plan.launches.front().grid.z <= kMostRows &&
                          plan.launches.front().grid.x < static_cast<std::uint32_t>(kFarElements);
    if (alone && !possible && why_not_.empty()) why_not_ = "its grid would be too large";
    return possible;
  }

  bool is_cheap(const Problem& problem, const Launch& launch, double& cost) {
    const double blocks = std::max(kBlocksOfSample, 2.0 * static_cast<double>(blocks_of_extent(launch.cluster)));
    // Of blocks that cannot stand for others all are executed.
    const bool whole = kernel_.variant.sampling == Sampling::small;
    const double share = whole ? 1.0 : std::min(1.0, blocks / static_cast<double>(blocks_of_extent(launch.grid)));
    const double flops = share * flops_of(kernel_.family, problem);
    const double bytes = share < 1 ? share * bytes_of(kernel_.family, problem) : bytes_of_whole(problem);
    const double warps = whole ? blocks_in_grid(launch) * std::ceil(threads_in_block(launch) / kWarp) : 0;
    cost = std::max({flops / kFlopsOfSample, bytes / kBytesOfSample, warps / kWarpsOfWhole});
    if (cost > 1 && why_not_.empty())
      why_not_ =
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
  const std::set<std::string>& tried_;
  bool whole_;  ///< all blocks are executed
  ProblemRequest base_;
  std::vector<std::string> program_;
  std::set<std::string> known_;
  std::vector<FoundProblem> found_;
  std::int64_t most_near_ = kFarElements + kFarElements / 4;  ///< elements of what is not far
  std::map<std::string, std::string> refused_;                ///< tensors
  std::string why_not_, first_why_not_;                       ///< of the problem that is looked at
};

/// That which has the most of what none before it has; of several a program that is compiled anyway, then the least.
/// What they have goes to `reached`.
std::vector<CheckedProblem> cover(const std::vector<FoundProblem>& found, std::size_t most,
                                  std::set<std::string>& reached) {
  std::vector<CheckedProblem> chosen;
  while (chosen.size() < most) {
    const FoundProblem* best = nullptr;
    double value = 0;
    for (const FoundProblem& one : found) {
      const auto gained = std::ranges::count_if(one.goals, [&](const auto& goal) { return !reached.contains(goal); });
      const double worth = static_cast<double>(4 * gained) + (one.same_program ? 2 : 0) - one.cost;
      if (gained == 0 || (best != nullptr && worth <= value)) continue;
      best = &one;
      value = worth;
    }
    if (best == nullptr) break;
    chosen.push_back(best->far);
    reached.insert(best->goals.begin(), best->goals.end());
  }
  return chosen;
}

}  // namespace

FarProblems far_problems(const ShapedKernel& kernel, const Problem& asked, std::size_t most,
                         const std::set<std::string>& tried) {
  FarSearch search(kernel, asked, tried);
  FarProblems far;
  std::set<std::string> reached;
  const bool more = kernel.device.is_hardware && std::ranges::any_of(kernel.family.dimensions, &Dimension::quiet);
  far.problems = cover(search.find(), most + (more ? 1 : 0), reached);
  if (far.problems.empty())
    far.why_not = search.why_not().empty() ? "it takes no problem of so many that fits the device" : search.why_not();
  else
    for (const auto& [tensor, why_not] : search.refused())
      if (!reached.contains(kTensorGoal + tensor)) far.left.push_back(fmt::format("{} ({})", tensor, why_not));
  return far;
}

}  // namespace kerlab::session
