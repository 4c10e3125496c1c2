#include "verify/emulated/expected_values.h"

#include <algorithm>

namespace kerlab::verify {

std::vector<ExpectedValues::Value> ExpectedValues::at(std::uint32_t recipe, std::size_t reference,
                                                      std::span<const std::int64_t> elements) {
  Known& known = known_[std::uint64_t{recipe} << 32 | reference];
  compute_missing(known, recipe, reference, elements);
  std::vector<Value> values;
  values.reserve(elements.size());
  for (const std::int64_t element : elements) values.push_back(known.at(element));
  return values;
}

void ExpectedValues::compute_missing(Known& known, std::uint32_t recipe, std::size_t reference,
                                     std::span<const std::int64_t> elements) {
  const std::int64_t width = data_.plan().references.at(reference).outputs_per_index;
  std::vector<std::int64_t> missing;
  for (const std::int64_t element : elements)
    if (!known.contains(element)) missing.push_back(element / width);
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  if (missing.empty()) return;
  std::vector<double> value, scale;
  data_.evaluate(recipe, reference, missing, value, scale);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    for (std::int64_t j = 0; j < width; ++j) {
      const auto at = i * static_cast<std::size_t>(width) + static_cast<std::size_t>(j);
      known[missing[i] * width + j] = {value[at], scale[at]};
    }
  }
}

}  // namespace kerlab::verify
