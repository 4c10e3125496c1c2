#pragma once
// Where the elements of mma fragments lie: PTX ISA "Matrix Fragments for mma.m16n8k*". With E elements in a 32-bit
// register (one of 64 bits), lane = 4 row + k / E for A, 4 column + k / E for B, and
//   A: register r, part p holds row 8 (r & 1) + lane / 4, k = E (lane % 4) + p + 4 E (r >> 1)
//   B: register r, part p holds column lane / 4,          k = E (lane % 4) + p + 4 E r
//   C, D of 32 or 64 bits: register r holds row 8 (r >> 1) + lane / 4, column 2 (lane % 4) + (r & 1); of 16 bits
//   register r holds row 8 r + lane / 4, columns 2 (lane % 4) and the next.
// m8n8k* is the same with the registers of the lower 8 rows missing.

#include "device/emu/handlers/lanes.h"

namespace kerlab::emu::KERLAB_ISA {

/// The slots of a vector operand, or of one register.
struct Registers {
  u32* slot[8];
  bool unchanged = false;                ///< since an mma read it last: Op::unchanged
  alignas(64) u32 unwanted[2 * kLanes];  ///< where "_" is written

  Registers() = default;
  /// Of a vector of so many registers.
  template <int kCount>
  KERLAB_INLINE Registers(Warp& warp, const Op& op, int operand, std::integral_constant<int, kCount>) {
    using Numbers = Vector<i32, kCount>;
    using Addresses = Vector<u64, kCount>;
    Numbers numbers;
    __builtin_memcpy(&numbers, op.list + op.slot[operand], sizeof numbers);
    const Addresses addresses = reinterpret_cast<std::uintptr_t>(warp.slots) +
                                __builtin_convertvector(numbers, Addresses) * sizeof(u32[kLanes]);
    __builtin_memcpy(slot, &addresses, sizeof addresses);
    i32 any = 0;
#pragma GCC unroll 4
    for (int j = 0; j < kCount; ++j) any |= numbers[j];
    for (int j = 0; any < 0 && j < kCount; ++j)
      if (numbers[j] < 0) slot[j] = unwanted;
    unchanged = (op.unchanged >> operand & 1) != 0;
  }
  KERLAB_INLINE Registers(Warp& warp, const Op& op, int operand) {
    const int count = op.count[operand] == 0 ? 1 : op.count[operand];
    const i32* const numbers = op.count[operand] == 0 ? &op.slot[operand] : op.list + op.slot[operand];
    for (int j = 0; j < count && j < 8; ++j) slot[j] = numbers[j] < 0 ? unwanted : slot_of(warp, numbers[j]);
  }
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
};

}  // namespace kerlab::emu::KERLAB_ISA
