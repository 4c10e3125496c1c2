#include "search/other_values.h"

#include <algorithm>

#include "base/random.h"

namespace kerlab::search {

OtherValues::OtherValues(const SearchSpace& space, const std::vector<std::size_t>& best) : space_(space) {
  for (std::size_t c = 0; c < space.columns(); ++c) {
    if (!space.is_parameter(c)) continue;
    Column& column = columns_.emplace_back();
    column.column = c;
    for (const std::size_t candidate : best) column.of_best[space.row(candidate)[c]] = true;
  }
}

void OtherValues::tried(std::size_t candidate) {
  const auto row = space_.row(candidate);
  for (Column& column : columns_) ++column.tried[row[column.column]];
}

void OtherValues::offered(std::size_t candidate) {
  const auto row = space_.row(candidate);
  for (Column& column : columns_) column.offered[row[column.column]] = true;
}

std::optional<OtherValues::Value> OtherValues::draw(std::uint64_t& random) const {
  std::optional<Value> drawn;
  double sum = 0;
  for (const Column& column : columns_) {
    std::array<double, 256> weights{};
    double count = 0;
    for (std::size_t cell = 0; cell < weights.size(); ++cell) {
      if (!column.offered[cell] || column.of_best[cell]) continue;
      weights[cell] = 1.0 / (1.0 + column.tried[cell]);
      ++count;
    }
    for (std::size_t cell = 0; cell < weights.size(); ++cell) {
      if (weights[cell] <= 0) continue;
      sum += weights[cell] / count;
      if (random_uniform(random) * sum < weights[cell] / count)
        drawn = Value{column.column, static_cast<std::uint8_t>(cell)};
    }
  }
  return drawn;
}

}  // namespace kerlab::search
