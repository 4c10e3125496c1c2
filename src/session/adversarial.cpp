#include <algorithm>

#include "session/check.h"

namespace kerlab {

namespace {

constexpr double kMostBytes = 64 << 20;  // of tensors: small problems, many of them

constexpr std::int64_t kQuietExtent = 3;
constexpr std::int64_t kPrimes[] = {127, 131, 137, 139, 149, 151, 157, 163};

double tensor_bytes(const Family& family, const Problem& problem) {
  double bytes = 0;
  for (const Tensor& tensor : tensors_of(family, problem)) bytes += static_cast<double>(tensor.bytes());
  return bytes;
}

}  // namespace

std::vector<ProblemRequest> adversarial_shapes(const Family& family, const Problem& problem, std::int64_t tile) {
  ProblemRequest base;
  base.dtype = name(problem.dtype);
  base.flags = {problem.flags.begin(), problem.flags.end()};
  base.scalars = {problem.scalars.begin(), problem.scalars.end()};
  // Of dimensions that mostly stay at their defaults (batch) a few are as good as many.
  for (std::size_t d = 0; d < family.dimensions.size(); ++d)
    if (family.dimensions[d].quiet)
      base.dimensions[family.dimensions[d].name] = std::min(problem.dimensions[d].second, kQuietExtent);
  std::vector<ProblemRequest> shapes;
  const auto add = [&](const std::vector<std::int64_t>& extents) {
    ProblemRequest request = base;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const Dimension& dimension = family.dimensions[d];
      if (dimension.quiet) continue;
      request.dimensions[dimension.name] = std::max(extents[d], dimension.minimum);
    }
    const bool known =
        std::any_of(shapes.begin(), shapes.end(), [&](const auto& s) { return s.dimensions == request.dimensions; });
    if (!known && tensor_bytes(family, make_problem(family, request)) <= kMostBytes)
      shapes.push_back(std::move(request));
  };
  const std::size_t count = family.dimensions.size();
  for (const std::int64_t extent : {std::int64_t{1}, tile - 1, tile, tile + 1})
    add(std::vector<std::int64_t>(count, extent));
  std::vector<std::int64_t> primes;
  for (std::size_t d = 0; d < count; ++d) primes.push_back(kPrimes[d % std::size(kPrimes)]);
  add(primes);
  for (std::size_t d = 0; d < count; ++d) {
    std::vector<std::int64_t> extents(count, tile + 1);
    extents[d] = 0;  // raised to the dimension's minimum
    add(extents);
    extents[d] = 1;
    add(extents);
  }
  return shapes;
}

}  // namespace kerlab
