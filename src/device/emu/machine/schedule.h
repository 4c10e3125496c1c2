#pragma once
// The order in which blocks that run together go on: one of those that a GPU may take.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "device/emu/machine/machine.h"

namespace kerlab::emu {

class ScheduleOrder {
 public:
  explicit ScheduleOrder(Schedule schedule) : schedule_(schedule) {}

  /// Of one pass over so many blocks, the oldest at 0. After kPasses passes they are ascending whatever was asked for:
  /// of blocks that wait for the one before them as many passes as blocks would be needed.
  const std::vector<std::size_t>& next(std::size_t running) {
    order_.resize(running);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (passes_++ >= kPasses) return order_;
    if (schedule_ == Schedule::descending) std::ranges::reverse(order_);
    if (schedule_ == Schedule::shuffled)
      for (std::size_t i = running; i > 1; --i) std::swap(order_[i - 1], order_[below(i)]);
    return order_;
  }

 private:
  static constexpr int kPasses = 256;

  std::size_t below(std::size_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state_ >> 33) % count);
  }

  Schedule schedule_;
  int passes_ = 0;
  std::uint64_t state_ = 0x9E3779B97F4A7C15u;
  std::vector<std::size_t> order_;
};

}  // namespace kerlab::emu
