// CheckSession: problems with more than 2^31 elements in a tensor.

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/format.h"
#include "base/interrupt.h"
#include "session/check/check.h"
#include "session/run/elsewhere.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/thin.h"
#include "session/shapes/valid_shape.h"
#include "spec/request_of.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kQuietExtent = 3;
constexpr std::int64_t kFar = std::int64_t{1} << 31;
constexpr std::size_t kMostFar = 3;
constexpr std::int64_t kLongFar = std::int64_t{1} << 17;
constexpr double kAsMuch = 1.25;

/// What wide loads and tensor maps ask for, rows of whole 16 bytes.
std::int64_t far_step(DType dtype) {
  return std::max<std::int64_t>(8, elements_in(dtype, 16));
}

/// None where the family has no such problem.
std::optional<Problem> far_problem(const Family& family, const ProblemRequest& request) {
  try {
    return make_problem(family, request);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

/// As `problem`, but for its extents; of dimensions that mostly stay at their defaults (batch) a few are as good as
/// many.
ProblemRequest far_request(const Family& family, const Problem& problem, const std::vector<std::int64_t>& extents,
                           std::int64_t quiet) {
  ProblemRequest request = request_of(problem);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const Dimension& dimension = family.dimensions[d];
    const std::int64_t extent =
        dimension.quiet ? std::min(problem.dimensions[d].second * quiet, kQuietExtent) : extents[d];
    request.dimensions[dimension.name] = std::clamp(extent, dimension.minimum, dimension.maximum);
  }
  return request;
}

/// What a check of it takes on the device.
double needed_bytes(const Family& family, const Problem& problem) {
  constexpr double kReferenceBytes = 16, kSets = 2;
  double bytes = kSets * bytes_of_tensors(family, problem);
  for (const Tensor& tensor : tensors_of(family, problem))
    if (tensor.role != Role::input) bytes += kReferenceBytes * static_cast<double>(tensor.elements());
  return bytes;
}

/// The least request found so far in which a tensor is far.
struct Least {
  double bytes;
  ProblemRequest request;
};

/// Requests that make one dimension long, or two: one of them beyond 2^17, so that nobody keeps it in 16 bits.
std::vector<ProblemRequest> long_requests(const Family& family, const Problem& problem, std::int64_t quiet) {
  const std::int64_t step = far_step(problem.dtype);
  const std::size_t count = family.dimensions.size();
  std::vector<ProblemRequest> requests;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      if (family.dimensions[i].quiet || family.dimensions[j].quiet) continue;
      std::vector<std::int64_t> extents(count, step);
      extents[j] = kFar / kLongFar + step;
      extents[i] = i == j ? kFar + step : kLongFar + step;
      requests.push_back(far_request(family, problem, extents, quiet));
    }
  return requests;
}

/// Of each tensor the least problem that makes it far; of those that need about as much the one in which most
/// dimensions are beyond 2^16 that are not in `tried`, where these go.
std::vector<Least> least_far(const Family& family, const Problem& problem, double most_bytes, std::int64_t quiet,
                             std::set<std::string>& tried) {
  std::vector<std::vector<Least>> fitting;  // of each tensor
  for (const ProblemRequest& request : long_requests(family, problem, quiet)) {
    const std::optional<Problem> far = far_problem(family, request);
    const double bytes = far ? needed_bytes(family, *far) : most_bytes;
    if (bytes >= most_bytes) continue;
    const std::vector<Tensor> tensors = tensors_of(family, *far);
    fitting.resize(std::max(fitting.size(), tensors.size()));
    for (std::size_t t = 0; t < tensors.size(); ++t)
      if (tensors[t].elements() > kFar) fitting[t].push_back({bytes, request});
  }
  const auto is_new = [&](const auto& one) { return one.second > kThinExtent && !tried.contains(one.first); };
  std::vector<Least> least;
  for (const std::vector<Least>& of_tensor : fitting) {
    if (of_tensor.empty()) continue;
    const double bytes = std::ranges::min_element(of_tensor, {}, &Least::bytes)->bytes;
    const auto worth = [&](const Least& one) {
      return one.bytes > kAsMuch * bytes ? -1 : std::ranges::count_if(one.request.dimensions, is_new);
    };
    least.push_back(*std::ranges::max_element(of_tensor, {}, worth));
    for (const auto& [dimension, extent] : least.back().request.dimensions)
      if (extent > kThinExtent) tried.insert(dimension);
  }
  return least;
}

std::string not_far_note(const std::string& variant, const Problem& problem, const std::string& why_not) {
  return fmt::format("{}: indices beyond 2^31 are not checked on {}: {}", variant, problem.title(), why_not);
}

}  // namespace

FarShapes far_shapes(const Family& family, const Problem& problem, const DeviceInfo& device,
                     std::set<std::string> tried) {
  constexpr double kShare = 0.7;
  FarShapes found;
  if (!device.is_hardware) return found;
  const double most_bytes = kShare * static_cast<double>(device.memory_bytes);
  std::set<std::string> known;
  const auto add = [&](std::vector<Least> least, std::size_t most) {
    std::ranges::stable_sort(least, {}, &Least::bytes);
    for (const Least& one : least)
      if (most > 0 && known.insert(make_problem(family, one.request).key()).second) {
        found.requests.push_back(one.request);
        --most;
      }
  };
  add(least_far(family, problem, most_bytes, 1, tried), kMostFar);
  // Two matrices of a batch, so that where the second begins is far as well.
  if (std::ranges::any_of(family.dimensions, &Dimension::quiet))
    add(least_far(family, problem, most_bytes, 2, tried), 1);
  if (found.requests.empty())
    found.why_not = "indices beyond 2^31 are not checked: no tensor of so many elements fits this device";
  return found;
}

/// On a GPU few, whole; on an emulated device some blocks of several.
void CheckSession::add_far() {
  const Family& family = rig_.folder().family;
  if (!rig_.device().executes_samples) {
    std::set<std::string> tried;
    for (const Problem& problem : problems_)
      for (const auto& [dimension, extent] : problem.dimensions)
        if (extent > kThinExtent) tried.insert(dimension);
    const FarShapes far = far_shapes(family, asked_, rig_.device(), std::move(tried));
    if (!far.why_not.empty()) notes_.push_back(far.why_not);
    for (const ProblemRequest& request : far.requests) {
      problems_.push_back(make_problem(family, request));
      for (const auto& [source, configuration] : chosen_.configurations) {
        const Variant& variant = *chosen_.sources[source].variant;
        const std::string why_not = why_no_plan(rig_.folder(), variant, problems_.back(), configuration, rig_.device());
        if (why_not.empty())
          add_job(problems_.size() - 1, source, configuration, rig_.device().sms, Thoroughness::quick);
        else
          notes_.push_back(not_far_note(variant.name, problems_.back(), why_not));
      }
    }
    return;
  }
  std::set<std::size_t> done;
  for (const auto& [source, configuration] : chosen_.configurations) {
    end_interrupted_wait();
    // Of thousands of configurations the first: offsets are mostly the same in all.
    if (!done.insert(source).second && (options_.every_configuration || options_.every_value)) continue;
    const Variant& variant = *chosen_.sources[source].variant;
    const FarProblems far = far_problems({family, variant, configuration, rig_.device()}, asked_, kMostFar);
    if (!far.why_not.empty())
      notes_.push_back(fmt::format("{}: indices beyond 2^31 are not checked: {}", variant.name, far.why_not));
    if (!far.left.empty())
      notes_.push_back(
          fmt::format("{}: indices beyond 2^31 are not checked of {}", variant.name, fmt::join(far.left, ", ")));
    for (const FarProblem& one : far.problems) {
      const auto known = std::ranges::find(problems_, one.problem.key(), &Problem::key);
      const auto at = static_cast<std::uint32_t>(known - problems_.begin());
      if (known == problems_.end()) problems_.push_back(one.problem);
      jobs_.push_back({at, one.sms, source, configuration, Thoroughness::quick, true});
    }
  }
}

void CheckSession::run_far(const Job& job) {
  const VariantSource& source = chosen_.sources[job.variant];
  const auto begin = std::chrono::steady_clock::now();
  std::string why_not;
  loaded_ = SIZE_MAX;
  auto found = check_far(rig_, source, job.configuration, {problems_[job.problem], job.sms}, why_not);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (found)
    add_row(job, std::move(*found), took.count());
  else
    notes_.push_back(not_far_note(source.variant->name, problems_[job.problem], why_not));
}

}  // namespace kerlab::session
