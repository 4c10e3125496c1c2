#pragma once
// The machine's instruction and the state of a warp, as handlers see them. A handler executes one instruction for the
// 32 lanes of a warp under a mask. Read handlers/README.md before writing one.

#include <cstddef>
#include <cstdint>

#include "base/modules.h"

namespace kerlab::ptx {
struct Instruction;
}

namespace kerlab::emu {

struct Warp;
struct Op;
/// `mask`: lanes that execute (active, guard true); never 0.
using Handler = void (*)(Warp& warp, const Op& op, std::uint32_t mask);

inline constexpr int kLanes = 32;
inline constexpr int kOperands = 7;

/// A decoded instruction. Operand i of the PTX instruction (order of ptx::Instruction) becomes slot[i]:
///   register, 16 or 32 bits   its slot: 32 x u32 (16-bit values are zero-extended)
///   register, 64 bits         its first slot of two: 32 x u64
///   predicate register        its index into Warp::predicates (one bit per lane); bit i of `negated`: !%p
///   immediate, special, symbol   a slot (or two, if width[i] is 64) that holds it in all lanes
///   [base + offset]           the slot of the base (wide_address: 64 bits); the offset is in `immediate`. A symbol
///                             base has its address in a constant slot
///   vector                    list[slot[i] + j] is the slot of element j, -1 for "_"; count[i] elements
///   "_"                       -1
struct Op {
  Handler run = nullptr;
  std::int32_t slot[kOperands] = {-1, -1, -1, -1, -1, -1, -1};
  std::uint8_t width[kOperands] = {};  ///< bits of the register (or element): 1, 16, 32, 64
  std::uint8_t count[kOperands] = {};  ///< elements of a vector operand
  std::uint8_t negated = 0;
  std::uint8_t unchanged = 0;  ///< mma: bit i: operand i holds what an mma before it in this block read there
  bool wide_address = false;
  bool guard_negated = false;
  std::int32_t guard = -1;   ///< predicate index
  std::int32_t second = -1;  ///< predicate index of a second result "d|p" (setp: "p|q")
  std::int64_t immediate = 0;
  const std::int32_t* list = nullptr;
  const ptx::Instruction* instruction = nullptr;  ///< for messages, and for handlers that look at modifiers
};

struct Cta;
struct AsyncCopies;

/// State of one warp that handlers may touch.
struct Warp {
  std::uint32_t* slots = nullptr;       ///< register file, 64-byte aligned; slot s begins at slots + 32 s
  std::uint32_t* predicates = nullptr;  ///< one word per predicate, bit = lane
  std::byte* local = nullptr;           ///< local memory: lane l's begins at local + l * local_stride
  std::int64_t local_stride = 0;
  std::uint32_t index = 0;     ///< in its block
  std::uint32_t carry = 0;     ///< condition code CC.CF, by lane
  std::uint32_t rejoined = 0;  ///< lanes that met others again, after a divergence, and no barrier since
  std::uint32_t parted = 0;    ///< how often activemask has parted such lanes
  Cta* cta = nullptr;
  AsyncCopies* async = nullptr;  ///< cp.async copies not yet visible
};

}  // namespace kerlab::emu
