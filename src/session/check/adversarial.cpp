#include <algorithm>
#include <optional>

#include "base/error.h"
#include "session/check/check.h"
#include "session/run/valid_shape.h"

namespace kerlab::session {

namespace {

constexpr double kMostBytes = 64 << 20;  // of tensors: small problems, many of them
constexpr double kMostFlops = 4e9;       // of a problem: its reference is computed for each

constexpr std::int64_t kQuietExtent = 3;
constexpr std::int64_t kPrimes[] = {127, 131, 137, 139, 149, 151, 157, 163};
constexpr std::int64_t kRowPadding = 48;                              // bytes: no multiple of a sector
constexpr std::int64_t kUneven[] = {17, 19, 23, 21, 29, 31, 37, 39};  // steps

/// What wide loads and tensor maps ask for, rows of whole 16 bytes; extents of which tiles are no multiple either.
std::int64_t step_of(DType dtype) {
  return std::max<std::int64_t>(8, 16 / info(dtype).bytes);
}

double tensor_bytes(const Family& family, const Problem& problem) {
  double bytes = 0;
  for (const Tensor& tensor : tensors_of(family, problem)) bytes += static_cast<double>(tensor.bytes());
  return bytes;
}

/// None where the family has no such problem.
std::optional<Problem> problem_of(const Family& family, const ProblemRequest& request) {
  try {
    return make_problem(family, request);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

class Shapes {
 public:
  Shapes(const Family& family, const Problem& problem) : family_(family), problem_(problem) {
    base_.dtype = name(problem.dtype);
    base_.flags = {problem.flags.begin(), problem.flags.end()};
    base_.scalars = {problem.scalars.begin(), problem.scalars.end()};
    base_.row_padding = problem.row_padding;
    // Of dimensions that mostly stay at their defaults (batch) a few are as good as many.
    for (std::size_t d = 0; d < family.dimensions.size(); ++d)
      if (family.dimensions[d].quiet)
        base_.dimensions[family.dimensions[d].name] = std::min(problem.dimensions[d].second, kQuietExtent);
  }

  [[nodiscard]] ProblemRequest request(const std::vector<std::int64_t>& extents) const {
    ProblemRequest request = base_;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const Dimension& dimension = family_.dimensions[d];
      if (dimension.quiet) continue;
      request.dimensions[dimension.name] = std::clamp(extents[d], dimension.minimum, dimension.maximum);
    }
    return request;
  }

  void add(const std::vector<std::int64_t>& extents) { add(request(extents)); }

  /// With other scalars than those asked for, save what mostly stays at its default: fractions where the family takes
  /// them. `most`: so many of them.
  void add_with_other_scalars(const std::vector<std::int64_t>& extents, std::size_t most) {
    ProblemRequest fractions = request(extents), whole = fractions;
    std::size_t changed = 0;
    for (const ScalarDecl& scalar : family_.scalars) {
      if (scalar.quiet || changed == most) continue;
      const double value = base_.scalars.at(scalar.name);
      fractions.scalars[scalar.name] = value == 0 ? -0.75 : value * 1.25;
      whole.scalars[scalar.name] = value == 0 ? -1 : value + 1;
      ++changed;
    }
    if (changed > 0 && !add(fractions)) add(whole);
  }

  /// With gaps behind the rows; of the variants that take them.
  void add_with_padding(const std::vector<std::int64_t>& extents) {
    ProblemRequest padded = request(extents);
    padded.row_padding = kRowPadding;
    add(padded);
  }

  AdversarialShapes take() { return std::move(found_); }

 private:
  bool add(const ProblemRequest& request) {
    const std::optional<Problem> problem = nearest_problem(family_, request, problem_);
    if (!problem) return false;
    if (tensor_bytes(family_, *problem) > kMostBytes || flops_of(family_, *problem) > kMostFlops) {
      ++found_.left_out;
      return false;
    }
    ProblemRequest valid = request;
    valid.dimensions = {problem->dimensions.begin(), problem->dimensions.end()};
    const bool known = std::any_of(found_.shapes.begin(), found_.shapes.end(), [&](const ProblemRequest& s) {
      return s.dimensions == valid.dimensions && s.scalars == valid.scalars && s.row_padding == valid.row_padding;
    });
    if (!known) found_.shapes.push_back(std::move(valid));
    return true;
  }

  const Family& family_;
  const Problem& problem_;
  ProblemRequest base_;
  AdversarialShapes found_;
};

}  // namespace

namespace {

/// Several rounds of a loop and a tail at once, one dimension at a time; of it the residues modulo 8 that tiles beside
/// which extents stand by one never have: paths for accesses of 2 and 4 elements.
void add_long_ragged(Shapes& shapes, std::size_t count, std::int64_t others) {
  for (std::size_t d = 0; d < count; ++d)
    for (const std::int64_t extent : {2051, 1029, 1030, 1034, 1036}) {
      std::vector<std::int64_t> extents(count, others);
      extents[d] = extent;
      shapes.add(extents);
    }
}

}  // namespace

AdversarialShapes adversarial_shapes(const Family& family, const Problem& problem, std::int64_t tile) {
  Shapes shapes(family, problem);
  const std::size_t count = family.dimensions.size();
  const std::int64_t step = step_of(problem.dtype);
  for (const std::int64_t extent : {std::int64_t{1}, tile - 1, tile, tile + 1, tile + step})
    shapes.add(std::vector<std::int64_t>(count, extent));
  std::vector<std::int64_t> primes, uneven;
  for (std::size_t d = 0; d < count; ++d) {
    primes.push_back(kPrimes[d % std::size(kPrimes)]);
    // Beyond the tile: some take no problem that is smaller, and would never see other scalars, or padded rows.
    const std::int64_t beyond = tile + step * static_cast<std::int64_t>(1 + 2 * d);
    uneven.push_back(std::max(step * kUneven[d % std::size(kUneven)], beyond));
  }
  shapes.add(primes);
  shapes.add(uneven);
  for (std::size_t d = 0; d < count; ++d) {
    for (const std::int64_t others : {tile + 1, tile + step}) {
      std::vector<std::int64_t> extents(count, others);
      extents[d] = 0;  // raised to the dimension's minimum
      shapes.add(extents);
      extents[d] = others == tile + 1 ? 1 : step;  // less than a tile, and than a pipeline of them
      shapes.add(extents);
    }
  }
  for (const std::size_t most : {std::size_t{1}, SIZE_MAX}) {  // not every variant takes them all
    shapes.add_with_other_scalars(primes, most);
    shapes.add_with_other_scalars(uneven, most);
  }
  shapes.add_with_padding(primes);
  shapes.add_with_padding(uneven);
  add_long_ragged(shapes, count, step);
  return shapes.take();
}

FarShape far_shape(const Family& family, const Problem& problem, const DeviceInfo& device) {
  constexpr std::int64_t kFar = std::int64_t{1} << 31;
  const std::int64_t step = step_of(problem.dtype);
  const std::int64_t root = step * (46341 / step + 1);  // the least such whose square is beyond 2^31
  constexpr double kReferenceBytes = 16, kSets = 2, kShare = 0.7;
  FarShape best;
  if (device.kind == DeviceKind::emulated) best.why_not = "indices beyond 2^31 are not checked on an emulated device";
  if (device.kind != DeviceKind::cuda) return best;
  const Shapes shapes(family, problem);
  const std::size_t count = family.dimensions.size();
  double least = kShare * static_cast<double>(device.memory_bytes);
  best.why_not = "indices beyond 2^31 are not checked: no tensor of so many elements fits this device";
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i; j < count; ++j) {
      std::vector<std::int64_t> extents(count, step);
      extents[i] = extents[j] = i == j ? kFar + step : root;
      const ProblemRequest request = shapes.request(extents);
      const std::optional<Problem> far = problem_of(family, request);
      if (!far) continue;
      bool beyond = false;
      double bytes = kSets * tensor_bytes(family, *far);
      for (const Tensor& tensor : tensors_of(family, *far)) {
        beyond = beyond || tensor.elements() > kFar;
        if (tensor.role != Role::input) bytes += kReferenceBytes * static_cast<double>(tensor.elements());
      }
      if (!beyond || bytes > least) continue;
      least = bytes;
      best = {request, {}};
    }
  return best;
}

}  // namespace kerlab::session
