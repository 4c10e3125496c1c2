#pragma once
// PTX integer types as strips: how a type lies in its register (Raw) and as what its arithmetic is done (Value).
// An operation is then a struct with a static `apply` on values, and `each<Operation, D, S...>` is its handler.

#include "device/emu/handlers/lanes.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu::KERLAB_ISA {

/// 16-bit values live zero-extended in 32-bit lanes; the sum of two needs no more than that.
struct U16 {
  using Raw = u32x8;
  using Value = u32x8;
  KERLAB_INLINE static Value in(Raw raw) { return raw & 0xffffu; }
  KERLAB_INLINE static Raw out(Value value) { return value & 0xffffu; }
};
struct S16 {
  using Raw = u32x8;
  using Value = i32x8;
  KERLAB_INLINE static Value in(Raw raw) { return as<i32x8>(raw << 16) >> 16; }
  KERLAB_INLINE static Raw out(Value value) { return as<u32x8>(value) & 0xffffu; }
};
/// A type that is its register.
template <class R, class V = R>
struct Plain {
  using Raw = R;
  using Value = V;
  KERLAB_INLINE static Value in(Raw raw) { return as<V>(raw); }
  KERLAB_INLINE static Raw out(Value value) { return as<R>(value); }
};
using U32 = Plain<u32x8>;
using S32 = Plain<u32x8, i32x8>;
using U64 = Plain<u64x4>;
using S64 = Plain<u64x4, i64x4>;
using U16x2 = Plain<u32x8, Vector<u16, 16>>;
using S16x2 = Plain<u32x8, Vector<i16, 16>>;
/// 32-bit operands beside 64-bit ones: strips of 4 lanes.
using U32Of4 = Plain<u32x4>;
using S32Of4 = Plain<u32x4, i32x4>;

/// The handler of `Operation`: D = Operation::apply(S...).
template <class Operation, class D, class... S>
void each(Warp& warp, const Op& op, u32 mask) {
  map<typename D::Raw, typename S::Raw...>(warp, op, mask, [](typename S::Raw... source) KERLAB_LAMBDA {
    return D::out(Operation::apply(S::in(source)...));
  });
}
template <class Operation, class K, int sources>
constexpr Handler each_of() {
  if constexpr (sources == 1) return each<Operation, K, K>;
  if constexpr (sources == 2) return each<Operation, K, K, K>;
  if constexpr (sources == 3) return each<Operation, K, K, K, K>;
}

/// `Operation` in the width of `type`; for what is the same signed and unsigned.
template <class Operation, int sources>
Handler by_width(ptx::Type type) {
  switch (type) {
    case ptx::Type::b16:
    case ptx::Type::u16:
    case ptx::Type::s16:
      return each_of<Operation, U16, sources>();
    case ptx::Type::b32:
    case ptx::Type::u32:
    case ptx::Type::s32:
      return each_of<Operation, U32, sources>();
    case ptx::Type::b64:
    case ptx::Type::u64:
    case ptx::Type::s64:
      return each_of<Operation, U64, sources>();
    default:
      return nullptr;
  }
}

/// `Operation` on values of `type`, signed or unsigned.
template <class Operation, int sources>
Handler by_type(ptx::Type type) {
  switch (type) {
    case ptx::Type::u16:
      return each_of<Operation, U16, sources>();
    case ptx::Type::s16:
      return each_of<Operation, S16, sources>();
    case ptx::Type::u32:
      return each_of<Operation, U32, sources>();
    case ptx::Type::s32:
      return each_of<Operation, S32, sources>();
    case ptx::Type::u64:
      return each_of<Operation, U64, sources>();
    case ptx::Type::s64:
      return each_of<Operation, S64, sources>();
    default:
      return nullptr;
  }
}

/// The instruction's i-th type; none where it has fewer.
inline ptx::Type type_at(const ptx::Instruction& instruction, std::size_t i) {
  return i < instruction.types.size() ? instruction.types.data()[i] : ptx::Type::none;
}

}  // namespace kerlab::emu::KERLAB_ISA
