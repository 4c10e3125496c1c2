#pragma once
// What a kernel was said to do, beside what it was counted to do.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/counts.h"

namespace kerlab::model {

/// One counter (plan/counters.h) of one run. What is not known is empty.
struct Operation {
  std::string_view name, title, unit;
  std::optional<std::int64_t> predicted, counted;
  /// Counted over predicted; empty where one is missing or nothing was predicted to happen.
  [[nodiscard]] std::optional<double> ratio() const;
};

/// A counter (plan/counters.h) with its value.
struct CountedNumber {
  std::string_view name, title, unit;
  std::int64_t value = 0;
};
/// All of them, in the counters' order.
std::vector<CountedNumber> counted_numbers(const Counts& counts);

struct Operations {
  std::vector<Operation> rows;
  std::string scope;  ///< of the counts: "6 of 1024 blocks on emu:h200"; empty: not counted
  std::string note;   ///< why there are none, or how to get them
  [[nodiscard]] bool has_predictions() const;
};

/// Counters of which something is predicted or counted, in the counters' order. `counted` may be null.
std::vector<Operation> compare_operations(const std::vector<std::pair<std::string, std::int64_t>>& predicted,
                                          const Counts* counted);

}  // namespace kerlab::model
