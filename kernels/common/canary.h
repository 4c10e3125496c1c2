#pragma once
// What lab_canary computes: exact in fp32, so host and device agree to the bit. One block has kCanaryBlock threads;
// each uses a fused multiply-add, a neighbour through shared memory and one through a shuffle.

#include "common/number.h"

namespace kerlab::lab {

inline constexpr int kCanaryBlock = 256;
inline constexpr int kCanaryShared = 37;  // partner through shared memory: thread ^ 37
inline constexpr int kCanaryShuffle = 5;  // partner in the warp: lane ^ 5

/// x * 3 + 1 with x < 2^16: exact.
KERLAB_BOTH float canary_start(i64 index) {
  return static_cast<float>(index & 0xFFFF) * 3.0f + 1.0f;
}
KERLAB_BOTH u32 canary_finish(i64 index, float via_shared, float via_shuffle) {
  return (static_cast<u32>(via_shared) * 2654435761u) ^ (static_cast<u32>(via_shuffle) + static_cast<u32>(index));
}

/// The word that lab_canary must write at `index`.
KERLAB_BOTH u32 canary_expected(i64 index) {
  const float via_shared = canary_start(index ^ kCanaryShared);
  const float via_shuffle = canary_start((index ^ kCanaryShuffle) ^ kCanaryShared);
  return canary_finish(index, via_shared, via_shuffle);
}

}  // namespace kerlab::lab
