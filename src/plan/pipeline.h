#pragma once
// How the blocks of an emulated launch pipelined TMA copies and wgmma, and how evenly they shared the tiles: what a
// time model must know of pipeline stages and of load balance, and what sums over the launch do not tell.

#include <algorithm>
#include <cstdint>

#include "base/modules.h"

namespace kerlab::plan {

/// Sums over the blocks executed, but for the last two.
struct Pipeline {
  std::int64_t blocks = 0;          ///< executed
  std::int64_t expected = 0;        ///< bytes that mbarriers expected (expect_tx)
  std::int64_t most_expected = 0;   ///< of these, by the mbarrier that expected most
  std::int64_t waits = 0;           ///< wgmma.wait_group, per warp
  std::int64_t unfinished = 0;      ///< wgmma groups that these waits left in flight
  std::int64_t most_products = 0;   ///< FLOPs of wgmma of the block that did most
  std::int64_t least_products = 0;  ///< and of the one that did least
  bool operator==(const Pipeline&) const = default;
  Pipeline& operator+=(const Pipeline& other) {
    if (other.blocks == 0) return *this;
    most_products = std::max(most_products, other.most_products);
    least_products = blocks == 0 ? other.least_products : std::min(least_products, other.least_products);
    blocks += other.blocks;
    expected += other.expected;
    most_expected += other.most_expected;
    waits += other.waits;
    unfinished += other.unfinished;
    return *this;
  }
};

}  // namespace kerlab::plan
