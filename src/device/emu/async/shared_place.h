#pragma once
// Places in the shared memory of a cluster, as the operands of asynchronous instructions name them.

#include <cstdint>

#include "device/emu/machine/cta.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

/// Who is to blame: a lane that executes an instruction, or that issued a copy.
struct Issuer {
  const Warp* warp = nullptr;
  const Op* op = nullptr;
  int lane = 0;
};

struct SharedPlace {
  Cta* block = nullptr;
  std::uint32_t offset = 0;
  [[nodiscard]] std::byte* host() const { return block->shared + offset; }
  bool operator==(const SharedPlace&) const = default;
};

/// What an address of .shared::cluster (an offset into the window) names: the block, null when the cluster has none of
/// that rank.
Cta* block_of(Cta& cta, std::uint64_t address);
inline std::uint32_t offset_of(std::uint64_t address) {
  return static_cast<std::uint32_t>(address) & ((1u << kClusterShift) - 1);
}
/// The address of a block's shared memory that any block of the cluster can use.
inline std::uint32_t cluster_address(std::uint32_t rank, std::uint32_t offset) {
  return rank << kClusterShift | offset;
}

/// Calls f(Issuer) for each lane of the mask, lowest first.
template <class F>
void each_lane(const Warp& warp, const Op& op, std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(Issuer{&warp, &op, __builtin_ctz(mask)});
}

/// [base + offset] of a lane.
std::uint64_t lane_address(const Issuer& who, int operand);
/// A register or immediate of a lane.
std::uint64_t lane_value(const Issuer& who, int operand);
/// Of `lanes`: those whose register or immediate is that of `who`.
std::uint32_t alike(const Issuer& who, int operand, std::uint32_t lanes);
/// Into the register that is operand 0, if it is wanted.
void write_result(const Issuer& who, std::uint64_t value);

/// Which addresses an operand may have.
enum class Reach : std::uint8_t { own, cluster, generic_own };

/// The place that an address operand names. Faults: `bytes` do not fit, no multiple of `align`, another block's memory
/// where only the own is allowed, no such block, or one that has ended.
SharedPlace shared_place(const Issuer& who, int operand, Reach reach, std::uint64_t bytes, std::uint32_t align);
/// Of an operand in the instruction's own space: generic, .shared::cta or .shared::cluster.
Reach reach_of(const ptx::Instruction& instruction);

}  // namespace kerlab::emu
