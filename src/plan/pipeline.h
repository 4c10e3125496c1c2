#pragma once
// How the blocks of an emulated launch pipelined copies and products of tensor cores, and how evenly they shared the
// products out: what a time model must know of rings of stages and of tiles, which sums do not tell.

#include <algorithm>
#include <cstdint>

#include "base/modules.h"

namespace kerlab::plan {

/// Sums over the blocks executed, but for the last two.
struct Pipeline {
  std::int64_t blocks = 0;          ///< executed
  std::int64_t expected = 0;        ///< bytes that mbarriers were told to expect
  std::int64_t most_expected = 0;   ///< of these, by the mbarrier of the block that was told of most
  std::int64_t waits = 0;           ///< by warp, for groups of wgmma
  std::int64_t unfinished = 0;      ///< groups that these waits left on their way
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
