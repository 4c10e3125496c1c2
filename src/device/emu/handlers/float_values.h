#pragma once
// Floating-point values as strips: NaN as the GPU writes it, flushing of subnormals, saturation, rounding modes, fma.

#include "device/emu/handlers/lanes.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu::KERLAB_ISA {

inline constexpr u32 kSingleSign = 0x80000000u;
inline constexpr u32 kSingleInfinity = 0x7f800000u;
inline constexpr u32 kSingleSmallestNormal = 0x00800000u;
inline constexpr u32 kSingleNaN = 0x7fffffffu;
inline constexpr u64 kDoubleSign = 1ull << 63;
inline constexpr u64 kDoubleInfinity = 0x7ffull << 52;
inline constexpr u64 kDoubleQuiet = 1ull << 51;
inline constexpr u64 kDoubleNaN = 0xfff8ull << 48;  ///< what an invalid operation on numbers gives

KERLAB_INLINE i32x8 is_nan(f32x8 x) {
  return ~equal(x, x);
}
KERLAB_INLINE i64x4 is_nan(f64x4 x) {
  return ~equal(x, x);
}

/// Every NaN becomes the GPU's.
KERLAB_INLINE f32x8 canonical(f32x8 x) {
  return choose<f32x8>(is_nan(x), as<f32x8>(broadcast<u32x8>(kSingleNaN)), x);
}

/// .ftz: subnormals become zeros of their sign.
KERLAB_INLINE f32x8 flushed(f32x8 x) {
  const i32x8 magnitude = as<i32x8>(x) & 0x7fffffff;
  const i32x8 keep = less(broadcast<i32x8>(kSingleSmallestNormal - 1), magnitude);
  return as<f32x8>(as<u32x8>(x) & (as<u32x8>(keep) | kSingleSign));
}
template <bool ftz>
KERLAB_INLINE f32x8 flushed_if(f32x8 x) {
  if constexpr (ftz) return flushed(x);
  return x;
}

/// .sat: into [+0, 1]; NaN becomes +0.
KERLAB_INLINE f32x8 saturated(f32x8 x) {
  const f32x8 positive = choose<f32x8>(less(f32x8{}, x), x, f32x8{});
  const f32x8 one = broadcast<f32x8>(1.0f);
  return choose<f32x8>(less(positive, one), positive, one);
}

/// The result of an operation on these operands, where it is NaN: the first operand that is, made quiet.
template <class... Rest>
KERLAB_INLINE u64x4 first_nan(u64x4 otherwise) {
  return otherwise;
}
template <class... Rest>
KERLAB_INLINE u64x4 first_nan(u64x4 otherwise, f64x4 operand, Rest... rest) {
  return choose<u64x4>(is_nan(operand), as<u64x4>(operand) | kDoubleQuiet, first_nan(otherwise, rest...));
}
template <class... Operands>
KERLAB_INLINE f64x4 with_payload(f64x4 result, Operands... operands) {
  const i64x4 nan = is_nan(result);
  if (__builtin_expect(pack(nan) == 0, 1)) return result;
  return choose<f64x4>(nan, as<f64x4>(first_nan(broadcast<u64x4>(kDoubleNaN), operands...)), result);
}

/// a * b + c, rounded once. The plain build asks the C library, lane by lane.
KERLAB_INLINE f32x8 fused(f32x8 a, f32x8 b, f32x8 c) {
#if defined(__FMA__)
  return (f32x8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  f32x8 result = {};
  for (int i = 0; i < 8; ++i) result[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return result;
#endif
}
KERLAB_INLINE f64x4 fused(f64x4 a, f64x4 b, f64x4 c) {
#if defined(__FMA__)
  return (f64x4)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  f64x4 result = {};
  for (int i = 0; i < 4; ++i) result[i] = __builtin_fma(a[i], b[i], c[i]);
  return result;
#endif
}

/// MXCSR's rounding control while it lives: operands must be loaded and results stored between construction and end,
/// which the memory clobbers keep the compiler from changing.
template <ptx::Rounding rounding>
class RoundingScope {
 public:
  KERLAB_INLINE RoundingScope() : saved_(_mm_getcsr()) {
    constexpr u32 control = rounding == ptx::Rounding::rz ? 3 : rounding == ptx::Rounding::rp ? 2 : 1;
    _mm_setcsr((saved_ & ~0x6000u) | control << 13);
    asm volatile("" ::: "memory");
  }
  KERLAB_INLINE ~RoundingScope() {
    asm volatile("" ::: "memory");
    _mm_setcsr(saved_);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  u32 saved_;
};
template <>
class RoundingScope<ptx::Rounding::rn> {};  // the processor's own

/// f32 results of an Operation on f32 sources, with everything that the modifiers say.
template <class Operation, int sources, ptx::Rounding rounding, bool ftz, bool sat>
void single_each(Warp& warp, const Op& op, u32 mask) {
  [[maybe_unused]] const RoundingScope<rounding> scope;
  auto finish = [](f32x8 result) KERLAB_LAMBDA {
    result = flushed_if<ftz>(result);
    return sat ? saturated(result) : canonical(result);
  };
  if constexpr (sources == 1) {
    map<f32x8, f32x8>(warp, op, mask,
                      [finish](f32x8 a) KERLAB_LAMBDA { return finish(Operation::apply(flushed_if<ftz>(a))); });
  } else if constexpr (sources == 2) {
    map<f32x8, f32x8, f32x8>(warp, op, mask, [finish](f32x8 a, f32x8 b) KERLAB_LAMBDA {
      return finish(Operation::apply(flushed_if<ftz>(a), flushed_if<ftz>(b)));
    });
  } else {
    map<f32x8, f32x8, f32x8, f32x8>(warp, op, mask, [finish](f32x8 a, f32x8 b, f32x8 c) KERLAB_LAMBDA {
      return finish(Operation::apply(flushed_if<ftz>(a), flushed_if<ftz>(b), flushed_if<ftz>(c)));
    });
  }
}
template <class Operation, int sources, ptx::Rounding rounding>
Handler single_rounded(const ptx::Modifiers& modifiers) {
  if (modifiers.ftz) {
    return modifiers.sat ? single_each<Operation, sources, rounding, true, true>
                         : single_each<Operation, sources, rounding, true, false>;
  }
  return modifiers.sat ? single_each<Operation, sources, rounding, false, true>
                       : single_each<Operation, sources, rounding, false, false>;
}
/// The handler of an f32 instruction, by its rounding, .ftz and .sat.
template <class Operation, int sources>
Handler single_handler(const ptx::Modifiers& modifiers) {
  switch (modifiers.rounding) {
    case ptx::Rounding::none:
    case ptx::Rounding::rn:
      return single_rounded<Operation, sources, ptx::Rounding::rn>(modifiers);
    case ptx::Rounding::rz:
      return single_rounded<Operation, sources, ptx::Rounding::rz>(modifiers);
    case ptx::Rounding::rm:
      return single_rounded<Operation, sources, ptx::Rounding::rm>(modifiers);
    case ptx::Rounding::rp:
      return single_rounded<Operation, sources, ptx::Rounding::rp>(modifiers);
    default:
      return nullptr;
  }
}

/// Of several NaN operands an H200 passes on the last one; Operation::kFirstNaN: the first.
template <class Operation, int sources, ptx::Rounding rounding>
void double_each(Warp& warp, const Op& op, u32 mask) {
  [[maybe_unused]] const RoundingScope<rounding> scope;
  if constexpr (sources == 1) {
    map<f64x4, f64x4>(warp, op, mask, [](f64x4 a) KERLAB_LAMBDA { return with_payload(Operation::apply(a), a); });
  } else if constexpr (sources == 2) {
    map<f64x4, f64x4, f64x4>(warp, op, mask, [](f64x4 a, f64x4 b) KERLAB_LAMBDA {
      if constexpr (requires { Operation::kFirstNaN; }) return with_payload(Operation::apply(a, b), a, b);
      return with_payload(Operation::apply(a, b), b, a);
    });
  } else {
    map<f64x4, f64x4, f64x4, f64x4>(warp, op, mask, [](f64x4 a, f64x4 b, f64x4 c) KERLAB_LAMBDA {
      return with_payload(Operation::apply(a, b, c), c, b, a);
    });
  }
}
template <class Operation, int sources>
Handler double_handler(const ptx::Modifiers& modifiers) {
  switch (modifiers.rounding) {
    case ptx::Rounding::none:
    case ptx::Rounding::rn:
      return double_each<Operation, sources, ptx::Rounding::rn>;
    case ptx::Rounding::rz:
      return double_each<Operation, sources, ptx::Rounding::rz>;
    case ptx::Rounding::rm:
      return double_each<Operation, sources, ptx::Rounding::rm>;
    case ptx::Rounding::rp:
      return double_each<Operation, sources, ptx::Rounding::rp>;
    default:
      return nullptr;
  }
}

}  // namespace kerlab::emu::KERLAB_ISA
