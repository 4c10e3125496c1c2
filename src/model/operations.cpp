#include "model/operations.h"

#include <algorithm>

#include "plan/counters.h"

namespace kerlab::model {

std::optional<double> Operation::ratio() const {
  if (!predicted || !counted || *predicted == 0) return std::nullopt;
  return static_cast<double>(*counted) / static_cast<double>(*predicted);
}

bool Operations::has_predictions() const {
  return std::ranges::any_of(rows, [](const Operation& row) { return row.predicted.has_value(); });
}

std::vector<CountedNumber> counted_numbers(const Counts& counts) {
  std::vector<CountedNumber> numbers;
  for (const Counter& counter : counters())
    numbers.push_back({counter.name, counter.title, counter.unit, counts.*counter.value});
  return numbers;
}

std::vector<Operation> compare_operations(const std::vector<std::pair<std::string, std::int64_t>>& predicted,
                                          const Counts* counted) {
  std::vector<Operation> rows;
  for (const Counter& counter : counters()) {
    Operation row{counter.name, counter.title, counter.unit, {}, {}};
    const auto at = std::ranges::find(predicted, counter.name, [](const auto& entry) { return entry.first; });
    if (at != predicted.end()) row.predicted = at->second;
    if (counted != nullptr && (row.predicted || counted->*counter.value != 0)) row.counted = counted->*counter.value;
    if (row.predicted || row.counted) rows.push_back(row);
  }
  return rows;
}

}  // namespace kerlab::model
