#include "verify/normwise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "verify/compare.h"

namespace kerlab::verify {
namespace {

struct Norm {
  double value = 0, scale = 0;  // the largest of those that are finite
  bool special = false;         // one is not
};

template <typename Number>
void copy_by_norm(ProblemData& data, std::size_t reference, const Tolerance& tolerance, const Expected& from,
                  const Expected& to) {
  const Tensor& output = data.output(reference);
  const auto count = static_cast<std::size_t>(output.elements());
  std::vector<Number> raw(count);
  std::vector<double> value(count), scale(count);
  data.device().copy_out(std::as_writable_bytes(std::span(raw)), from.value.pointer());
  data.device().copy_in(to.value.pointer(), std::as_bytes(std::span(raw)));
  std::copy(raw.begin(), raw.end(), value.begin());
  data.device().copy_out(std::as_writable_bytes(std::span(raw)), from.scale.pointer());
  std::copy(raw.begin(), raw.end(), scale.begin());
  std::vector<std::int64_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  take_norms(all, output, tolerance, value, scale);
  std::transform(scale.begin(), scale.end(), raw.begin(), [](double x) { return static_cast<Number>(x); });
  data.device().copy_in(to.scale.pointer(), std::as_bytes(std::span(raw)));
}

}  // namespace

std::int64_t elements_of_a_norm(const Tensor& output, const Tolerance& tolerance) {
  const std::size_t dimensions = tolerance.value_factor > 0 ? 2 : 1;
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < std::min(dimensions, output.shape.size()); ++i)
    elements *= output.shape[output.shape.size() - 1 - i];
  return std::max<std::int64_t>(1, elements);
}

void take_norms(std::span<const std::int64_t> elements, const Tensor& output, const Tolerance& tolerance,
                std::span<const double> value, std::span<double> scale) {
  const std::int64_t together = elements_of_a_norm(output, tolerance);
  std::map<std::int64_t, Norm> norms;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Norm& norm = norms[elements[i] / together];
    if (std::isfinite(value[i]) && std::isfinite(scale[i])) {
      norm.value = std::max(norm.value, std::fabs(value[i]));
      norm.scale = std::max(norm.scale, std::fabs(scale[i]));
    } else {
      norm.special = true;
    }
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Norm& norm = norms[elements[i] / together];
    const double bound = kNormwiseFactor * (tolerance.value_factor * norm.value + tolerance.scale_factor * norm.scale);
    scale[i] = norm.special ? -bound : bound;
  }
}

std::vector<Expected> expected_by_norm(ProblemData& data, std::uint32_t recipe, Accuracy accuracy) {
  const std::vector<Expected>& plain = data.expected(recipe);
  data.device().synchronize();
  std::vector<Expected> by_norm;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    Device& device = data.device();
    by_norm.push_back({Allocation(device, plain[i].value.bytes()), Allocation(device, plain[i].scale.bytes())});
    if (data.output(i).elements() == 0 || data.plan().references[i].checker) continue;
    const Tolerance tolerance = tolerance_under(data.plan(), recipe, i, accuracy);
    if (data.plan().references[i].accumulator == DType::fp32)
      copy_by_norm<float>(data, i, tolerance, plain[i], by_norm.back());
    else
      copy_by_norm<double>(data, i, tolerance, plain[i], by_norm.back());
  }
  return by_norm;
}

}  // namespace kerlab::verify
