#pragma once
// For references of what only moves (rule = "bits"): a number in ACC has lost which NaN it was. The error scale, which
// such an output does not need, says so.
#include "common/types.cuh"

/// Of what is infinite or no number: its fraction below the hidden bit, with its sign; of numbers anything.
template <int FRACTION, typename Word> __device__ __forceinline__ ACC fraction_of_special(Word bits) {
  constexpr Word kHidden = Word(1) << FRACTION, kSign = Word(1) << (8 * sizeof(Word) - 1);
  const Word magnitude = bits & Word(kSign - 1);
  if (magnitude < (Word(kSign - 1) & Word(~Word(kHidden - 1)))) return 0;
  const ACC fraction = static_cast<ACC>(kHidden | (magnitude & Word(kHidden - 1)));
  return (bits & kSign) != 0 ? -fraction : fraction;
}

/// What the reference of a copy writes to `scale`.
template <typename T> __device__ __forceinline__ ACC copied_scale(T) { return 0; }  // integers have no other bits
__device__ __forceinline__ ACC copied_scale(double x) { return fraction_of_special<52>(__builtin_bit_cast(unsigned long long, x)); }
__device__ __forceinline__ ACC copied_scale(float x) { return fraction_of_special<23>(__builtin_bit_cast(unsigned, x)); }
__device__ __forceinline__ ACC copied_scale(tf32_t x) { return copied_scale(x.value); }
__device__ __forceinline__ ACC copied_scale(bf16_t x) { return fraction_of_special<7>(x.bits); }
__device__ __forceinline__ ACC copied_scale(fp16_t x) { return fraction_of_special<10>(x.bits); }
__device__ __forceinline__ ACC copied_scale(e4m3_t x) { return fraction_of_special<3>(x.bits); }
__device__ __forceinline__ ACC copied_scale(e5m2_t x) { return fraction_of_special<2>(x.bits); }
