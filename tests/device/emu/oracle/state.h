#pragma once
// The state of an emulated block as the oracle keeps it, and operands.

#include <array>
#include <deque>

#include "device/emu/oracle/oracle.h"

namespace kerlab::oracle {

inline constexpr u64 kSharedWindow = 1ull << 60, kLocalWindow = 2ull << 60, kParameterWindow = 3ull << 60,
                     kWindowMask = ~((1ull << 60) - 1);

enum class Wait : std::uint8_t { none, warp, barrier, done };

struct PendingCopy {
  u64 target = 0;
  std::vector<std::byte> data;
};

struct Lane {
  std::vector<u64> registers;
  std::vector<std::byte> local;
  i64 pc = 0;
  Wait wait = Wait::none;
  u64 barrier = 0, barrier_threads = 0;  ///< of a barrier: which, and how many threads it expects (0: all)
  bool carry = false;
  u32 index = 0;  ///< in its block
  std::deque<std::vector<PendingCopy>> groups;
  std::vector<PendingCopy> open_group;
};

struct Block {
  const Launch* launch = nullptr;
  std::vector<Buffer>* memory = nullptr;
  Dim3 index;
  std::vector<std::byte> shared;
  std::vector<Lane> lanes;
  /// Warps that announced themselves with bar.arrive: barrier -> threads.
  std::array<u64, 16> arrived{};
};

[[noreturn]] void fail(const ptx::Instruction& instruction, const std::string& what);

inline u64 low(u64 value, int bits) {
  return bits >= 64 ? value : value & ((1ull << bits) - 1);
}
inline i64 extend(u64 value, int bits) {
  return bits >= 64 ? static_cast<i64>(value) : static_cast<i64>(value << (64 - bits)) >> (64 - bits);
}

/// An operand's value: of a symbol its address, of an address base + offset, of a predicate 0 or 1.
u64 value_of(const Block& block, const Lane& lane, const ptx::Operand& operand);
const ptx::Operand& element(const Block& block, const ptx::Operand& vector, int index);
/// Writes a register (nothing for "_"); bits beyond its width are dropped.
void set(const Block& block, Lane& lane, const ptx::Operand& operand, u64 value);
int width(const Block& block, const ptx::Operand& operand);  ///< of a register, in bits

/// `bytes` bytes of memory at an address in a space; fails if there are none.
std::byte* memory_at(Block& block, Lane& lane, const ptx::Instruction& instruction, ptx::Space space, u64 address,
                     std::size_t bytes);
u64 load(Block& block, Lane& lane, const ptx::Instruction& instruction, ptx::Space space, u64 address,
         std::size_t bytes);
void store(Block& block, Lane& lane, const ptx::Instruction& instruction, ptx::Space space, u64 address,
           std::size_t bytes, u64 value);

/// Families: false when the instruction is none of theirs.
bool run_memory(Block& block, Lane& lane, const ptx::Instruction& instruction);
bool run_scalar(Block& block, Lane& lane, const ptx::Instruction& instruction);
/// Of a warp: `members` have arrived at the instruction and execute it together.
bool run_warp(Block& block, const std::vector<Lane*>& members, const ptx::Instruction& instruction);
bool run_matrix(Block& block, const std::vector<Lane*>& members, const ptx::Instruction& instruction);
/// Lanes of the warp that an instruction waits for; 0: it waits for nobody.
u32 waits_for(const Block& block, const Lane& lane, const ptx::Instruction& instruction);

}  // namespace kerlab::oracle
