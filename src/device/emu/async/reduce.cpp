#include "device/emu/async/reduce.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "device/emu/numeric/format.h"

namespace kerlab::emu {
namespace {

using ptx::Atomic;
using ptx::Type;

using Elements = void (*)(bool global, std::byte* to, const std::byte* from, std::size_t bytes);

template <class T, class F>
void each(std::byte* to, const std::byte* from, std::size_t bytes, F f) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T a;
    T b;
    std::memcpy(&a, to + at, sizeof a);
    std::memcpy(&b, from + at, sizeof b);
    a = f(a, b);
    std::memcpy(to + at, &a, sizeof a);
  }
}

template <class T, Atomic kOperation>
void integers(bool /*global*/, std::byte* to, const std::byte* from, std::size_t bytes) {
  each<T>(to, from, bytes, [](T a, T b) -> T {
    switch (kOperation) {
      case Atomic::add:
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
      case Atomic::min:
        return std::min(a, b);
      case Atomic::max:
        return std::max(a, b);
      case Atomic::and_:
        return a & b;
      case Atomic::or_:
        return a | b;
      case Atomic::xor_:
        return a ^ b;
      case Atomic::inc:
        return a >= b ? 0 : a + 1;
      case Atomic::dec:
        return a == 0 || a > b ? b : a - 1;
      default:
        return a;
    }
  });
}

float flushed(float value) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) & 0x7f800000) == 0
                                  ? std::bit_cast<std::uint32_t>(value) & 0x80000000
                                  : std::bit_cast<std::uint32_t>(value));
}

void add_f32(bool global, std::byte* to, const std::byte* from, std::size_t bytes) {
  each<float>(to, from, bytes, [&](float a, float b) {
    const float sum = global ? flushed(flushed(a) + flushed(b)) : a + b;
    return sum == sum ? sum : std::bit_cast<float>(0x7fffffffu);
  });
}

void add_f64(bool /*global*/, std::byte* to, const std::byte* from, std::size_t bytes) {
  each<double>(to, from, bytes, [](double a, double b) { return a + b; });
}

float widen(std::uint16_t bits, const numeric::Format& format) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(
      numeric::pack(numeric::unpack(bits, format), numeric::kF32, numeric::Round::nearest_even)));
}

template <bool kBrain, Atomic kOperation>
void halves(bool /*global*/, std::byte* to, const std::byte* from, std::size_t bytes) {
  const numeric::Format& format = kBrain ? numeric::kBf16 : numeric::kF16;
  each<std::uint16_t>(to, from, bytes, [&](std::uint16_t a, std::uint16_t b) {
    const float x = widen(a, format);
    const float y = widen(b, format);
    if (kOperation == Atomic::add) {
      // Rounding the sum to f32 first does not show: 24 bits are at least twice 11 plus 2.
      return static_cast<std::uint16_t>(numeric::pack(
          numeric::unpack(std::bit_cast<std::uint32_t>(x + y), numeric::kF32), format, numeric::Round::nearest_even));
    }
    if (x != x) return y != y ? static_cast<std::uint16_t>(0x7fff) : b;  // NaN loses
    if (y != y) return a;
    // -0 is below +0.
    const bool b_below = y < x || (x == y && b >> 15 > a >> 15);
    const bool a_below = x < y || (x == y && a >> 15 > b >> 15);
    return (kOperation == Atomic::min ? b_below : a_below) ? b : a;
  });
}

template <class T>
Elements integer(Atomic operation) {
  switch (operation) {
    case Atomic::add:
      return integers<T, Atomic::add>;
    case Atomic::min:
      return integers<T, Atomic::min>;
    case Atomic::max:
      return integers<T, Atomic::max>;
    case Atomic::and_:
      return integers<T, Atomic::and_>;
    case Atomic::or_:
      return integers<T, Atomic::or_>;
    case Atomic::xor_:
      return integers<T, Atomic::xor_>;
    case Atomic::inc:
      return integers<T, Atomic::inc>;
    case Atomic::dec:
      return integers<T, Atomic::dec>;
    default:
      return nullptr;
  }
}

template <bool kBrain>
Elements half(Atomic operation) {
  switch (operation) {
    case Atomic::add:
      return halves<kBrain, Atomic::add>;
    case Atomic::min:
      return halves<kBrain, Atomic::min>;
    case Atomic::max:
      return halves<kBrain, Atomic::max>;
    default:
      return nullptr;
  }
}

Elements find(Atomic operation, Type type) {
  switch (type) {
    case Type::u32:
    case Type::b32:
      return integer<std::uint32_t>(operation);
    case Type::s32:
      return integer<std::int32_t>(operation);
    case Type::u64:
    case Type::b64:
      return integer<std::uint64_t>(operation);
    case Type::s64:
      return integer<std::int64_t>(operation);
    case Type::f16:
      return half<false>(operation);
    case Type::bf16:
      return half<true>(operation);
    case Type::f32:
      return operation == Atomic::add ? add_f32 : nullptr;
    case Type::f64:
      return operation == Atomic::add ? add_f64 : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

bool can_reduce(Atomic operation, Type type) {
  return find(operation, type) != nullptr;
}

void reduce(Atomic operation, Type type, bool global, std::byte* to, const std::byte* from, std::size_t bytes) {
  find(operation, type)(global, to, from, bytes);
}

}  // namespace kerlab::emu
