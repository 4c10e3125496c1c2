#pragma once
// Strips of lanes as explicit vectors: what every handler file is written with. A slot holds 32 lanes; handlers walk
// it in strips of 8 lanes of 32 bits or 4 lanes of 64. GCC vector types, so that one source serves the plain x86-64
// objects (where a strip is two registers) and those for x86-64-v3. Included by .inc files only: KERLAB_ISA names the
// namespace, so the two builds never share a function.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "device/emu/machine/op.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifndef KERLAB_ISA
#error "lanes.h is for the handlers' .inc files: define KERLAB_ISA first"
#endif

// Every function that takes or returns a strip must be inlined: else the plain build warns of the calling convention
// (-Wpsabi), and it would be slow. KERLAB_INLINE for functions, KERLAB_LAMBDA after a lambda's parameters.
#pragma GCC diagnostic ignored "-Wpsabi"
#define KERLAB_INLINE [[gnu::always_inline]] inline
#define KERLAB_LAMBDA __attribute__((always_inline))

/// Before a loop over strips: unrolled where a strip is one register, else not worth its size.
#if defined(__AVX2__)
#define KERLAB_UNROLL _Pragma("GCC unroll 8")
#else
#define KERLAB_UNROLL _Pragma("GCC unroll 1")
#endif

namespace kerlab::emu::KERLAB_ISA {

using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T, int N>
struct VectorOf {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
/// N lanes of T; arithmetic, comparisons (giving 0 or -1 per lane), `mask ? a : b` and v[i] as GCC defines them.
/// Signed overflow is undefined here too: add, subtract and multiply unsigned.
template <class T, int N>
using Vector = typename VectorOf<T, N>::type;

using u32x8 = Vector<u32, 8>;
using i32x8 = Vector<i32, 8>;
using f32x8 = Vector<float, 8>;
using u64x4 = Vector<u64, 4>;
using i64x4 = Vector<i64, 4>;
using f64x4 = Vector<double, 4>;
using u32x4 = Vector<u32, 4>;
using i32x4 = Vector<i32, 4>;
using f32x4 = Vector<float, 4>;

template <class V>
using Element = std::remove_reference_t<decltype(std::declval<V&>()[0])>;
template <class V>
inline constexpr int kLanesOf = static_cast<int>(sizeof(V) / sizeof(Element<V>));
/// Strips of V's shape in 32 lanes.
template <class V>
inline constexpr int kStrips = kLanes / kLanesOf<V>;

/// The same bits as another vector type of the same size.
template <class To, class From>
KERLAB_INLINE To as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return (To)value;
}
/// Lane by lane conversion, as static_cast.
template <class To, class From>
KERLAB_INLINE To convert_to(From value) {
  return __builtin_convertvector(value, To);
}
template <class V, class T>
KERLAB_INLINE V broadcast(T value) {
  return V{} + static_cast<Element<V>>(value);
}

/// The 32 lanes of a slot (of two slots when they are 64 bits wide).
KERLAB_INLINE u32* slot_of(Warp& warp, std::int32_t slot) {
  return warp.slots + std::int64_t{slot} * kLanes;
}

template <class V>
KERLAB_INLINE V load(const u32* slot, int strip) {
  V value;
  __builtin_memcpy(&value, __builtin_assume_aligned(slot + strip * (sizeof(V) / 4), sizeof(V)), sizeof(V));
  return value;
}
template <class V>
KERLAB_INLINE void store(u32* slot, int strip, V value) {
  __builtin_memcpy(__builtin_assume_aligned(slot + strip * (sizeof(V) / 4), sizeof(V)), &value, sizeof(V));
}

template <std::size_t bytes>
using SignedInteger = std::conditional_t<bytes == 8, i64, std::conditional_t<bytes == 4, i32, i16>>;
/// The integer vector that comparing two V gives.
template <class V>
using MaskOf = Vector<SignedInteger<sizeof(Element<V>)>, kLanesOf<V>>;

/// mask ? a : b. As GCC's operator; but that becomes scalar code where a strip is two registers.
template <class V>
KERLAB_INLINE V choose(MaskOf<V> mask, V a, V b) {
#if defined(__AVX2__)
  return mask ? a : b;
#else
  using M = MaskOf<V>;
  return as<V>((as<M>(a) & mask) | (as<M>(b) & ~mask));
#endif
}
/// Comparisons; likewise. 0 or -1 per lane.
template <class V, class Compare>
KERLAB_INLINE MaskOf<V> compare_strips(V a, V b, Compare compare) {
#if defined(__AVX2__)
  return compare(a, b);
#else
  if constexpr (sizeof(V) == 16) {
    return compare(a, b);
  } else {
    using Half = Vector<Element<V>, kLanesOf<V> / 2>;
    Half x[2];
    Half y[2];
    __builtin_memcpy(x, &a, sizeof a);
    __builtin_memcpy(y, &b, sizeof b);
    const MaskOf<Half> compared[2] = {compare(x[0], y[0]), compare(x[1], y[1])};
    MaskOf<V> result;
    __builtin_memcpy(&result, compared, sizeof result);
    return result;
  }
#endif
}
template <class V>
KERLAB_INLINE MaskOf<V> equal(V a, V b) {
  return compare_strips(a, b, [](auto x, auto y) KERLAB_LAMBDA { return x == y; });
}
template <class V>
KERLAB_INLINE MaskOf<V> less(V a, V b) {
  return compare_strips(a, b, [](auto x, auto y) KERLAB_LAMBDA { return x < y; });
}
template <class V>
KERLAB_INLINE MaskOf<V> less_equal(V a, V b) {
  return compare_strips(a, b, [](auto x, auto y) KERLAB_LAMBDA { return x <= y; });
}

/// A strip of a 32-bit lane mask: -1 where the lane's bit is set, 0 elsewhere. V: any type of the strip's shape.
template <class V>
KERLAB_INLINE MaskOf<V> expand(u32 mask, int strip) {
  const auto bits = static_cast<i32>(mask >> (strip * kLanesOf<V>));
  if constexpr (kLanesOf<V> == 8) {
    constexpr i32x8 select = {1, 2, 4, 8, 16, 32, 64, 128};
    return equal(broadcast<i32x8>(bits) & select, select);
  } else if constexpr (sizeof(V) == 32) {
    constexpr i32x8 select = {1, 1, 2, 2, 4, 4, 8, 8};
    return as<MaskOf<V>>(equal(broadcast<i32x8>(bits) & select, select));
  } else {
    constexpr i32x4 select = {1, 2, 4, 8};
    return (broadcast<i32x4>(bits) & select) == select;
  }
}

/// Stores only the lanes whose bit in `mask` is set.
template <class V>
KERLAB_INLINE void store(u32* slot, int strip, V value, u32 mask) {
  store(slot, strip, choose<V>(expand<V>(mask, strip), value, load<V>(slot, strip)));
}

/// Bit i: whether lane i of a comparison's result (0 or -1) is set.
KERLAB_INLINE u32 pack(i32x8 compared) {
#if defined(__AVX__)
  return static_cast<u32>(_mm256_movemask_ps((__m256)compared));
#elif defined(__SSE2__)
  __m128 half[2];
  __builtin_memcpy(half, &compared, sizeof compared);
  return static_cast<u32>(_mm_movemask_ps(half[0]) | _mm_movemask_ps(half[1]) << 4);
#else
  u32 bits = 0;
  for (int i = 0; i < 8; ++i) bits |= static_cast<u32>(compared[i] & 1) << i;
  return bits;
#endif
}
KERLAB_INLINE u32 pack(i64x4 compared) {
#if defined(__AVX__)
  return static_cast<u32>(_mm256_movemask_pd((__m256d)compared));
#elif defined(__SSE2__)
  __m128d half[2];
  __builtin_memcpy(half, &compared, sizeof compared);
  return static_cast<u32>(_mm_movemask_pd(half[0]) | _mm_movemask_pd(half[1]) << 2);
#else
  u32 bits = 0;
  for (int i = 0; i < 4; ++i) bits |= static_cast<u32>(compared[i] & 1) << i;
  return bits;
#endif
}
KERLAB_INLINE u32 pack(i32x4 compared) {
#if defined(__SSE2__)
  return static_cast<u32>(_mm_movemask_ps((__m128)compared));
#else
  u32 bits = 0;
  for (int i = 0; i < 4; ++i) bits |= static_cast<u32>(compared[i] & 1) << i;
  return bits;
#endif
}
/// A strip's bits, where they belong in a 32-bit lane mask.
template <class M>
KERLAB_INLINE u32 pack(M compared, int strip) {
  return pack(compared) << (strip * kLanesOf<M>);
}

/// A source operand's predicate, `negated` applied.
KERLAB_INLINE u32 read_predicate(const Warp& warp, const Op& op, int operand) {
  const u32 bits = warp.predicates[op.slot[operand]];
  return (op.negated >> operand & 1) != 0 ? ~bits : bits;
}
/// Writes the lanes of `mask`; nothing for "_" (index -1).
KERLAB_INLINE void write_predicate(Warp& warp, std::int32_t index, u32 bits, u32 mask) {
  if (index >= 0) warp.predicates[index] = (warp.predicates[index] & ~mask) | (bits & mask);
}

/// The work of most handlers: destination (operand 0) = f(operand 1, operand 2, ...), strip by strip, in the lanes of
/// `mask`. D, S...: the vector types of destination and sources, all of the same number of lanes.
/// Where the widths differ (mul.wide) a destination of two slots may hold a source in one of them; then nothing is
/// written before all has been read.
template <class D, class... S, class F, std::size_t... I>
KERLAB_INLINE void map_operands(Warp& warp, const Op& op, u32 mask, F f, std::index_sequence<I...>) {
  static_assert(((kLanesOf<S> == kLanesOf<D>)&&...));
  u32* const d = slot_of(warp, op.slot[0]);
  const u32* const s[] = {slot_of(warp, op.slot[1 + I])...};
  if constexpr (((sizeof(S) == sizeof(D)) && ...)) {
    if (mask == ~0u) {
      KERLAB_UNROLL
      for (int strip = 0; strip < kStrips<D>; ++strip) store<D>(d, strip, f(load<S>(s[I], strip)...));
    } else {
      KERLAB_UNROLL
      for (int strip = 0; strip < kStrips<D>; ++strip) store<D>(d, strip, f(load<S>(s[I], strip)...), mask);
    }
  } else {
    alignas(64) u32 result[kStrips<D> * sizeof(D) / 4];
    KERLAB_UNROLL
    for (int strip = 0; strip < kStrips<D>; ++strip) store<D>(result, strip, f(load<S>(s[I], strip)...));
    KERLAB_UNROLL
    for (int strip = 0; strip < kStrips<D>; ++strip) store<D>(d, strip, load<D>(result, strip), mask);
  }
}
template <class D, class... S, class F>
KERLAB_INLINE void map(Warp& warp, const Op& op, u32 mask, F f) {
  map_operands<D, S...>(warp, op, mask, f, std::index_sequence_for<S...>{});
}

}  // namespace kerlab::emu::KERLAB_ISA
