#pragma once
// What a key is. The family defines KEY: 0 u32, 1 i32, 2 f32, 3 u64.

#if KEY == 3
using Key = unsigned long long;
#else
using Key = unsigned;
#endif

constexpr Key kLargest = ~Key(0);
constexpr Key kSign = 0x80000000U;

/// Integers without sign that are in the order of the keys. Of i32 the sign is flipped; of f32, where it is set, all bits.
__device__ __forceinline__ Key ordered(Key key) {
  if (KEY == 1) return key ^ kSign;
  if (KEY == 2) return (key & kSign) != 0 ? ~key : key ^ kSign;
  return key;
}
/// The key again.
__device__ __forceinline__ Key restored(Key order) {
  if (KEY == 1) return order ^ kSign;
  if (KEY == 2) return (order & kSign) != 0 ? order ^ kSign : ~order;
  return order;
}
