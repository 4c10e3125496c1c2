#include "device/emu/async/shared_place.h"

#include <fmt/format.h>

#include <cstring>

#include "device/emu/async/cluster.h"
#include "device/emu/machine/place.h"

namespace kerlab::emu {

Cta* block_of(Cta& cta, std::uint64_t address) {
  const std::uint64_t rank = address >> kClusterShift;
  if (rank == cta.rank) return &cta;
  if (cta.cluster == nullptr || rank >= cta.cluster->blocks.size()) return nullptr;
  return cta.cluster->blocks[rank];
}

std::uint64_t lane_value(const Issuer& who, int operand) {
  const std::uint32_t* const slot = who.warp->slots + std::ptrdiff_t{who.op->slot[operand]} * kLanes;
  if (who.op->width[operand] != 64) return slot[who.lane];
  std::uint64_t wide = 0;
  std::memcpy(&wide, slot + 2 * who.lane, sizeof wide);
  return wide;
}

std::uint32_t alike(const Issuer& who, int operand, std::uint32_t lanes) {
  const std::uint32_t* const slot = who.warp->slots + std::ptrdiff_t{who.op->slot[operand]} * kLanes;
  std::uint32_t same = 0;
  if (who.op->width[operand] == 64) {
    const std::uint32_t low = slot[2 * who.lane], high = slot[2 * who.lane + 1];
    for (int lane = 0; lane < kLanes; ++lane)
      same |= std::uint32_t{((slot[2 * lane] ^ low) | (slot[2 * lane + 1] ^ high)) == 0} << lane;
    return same & lanes;
  }
  const std::uint32_t value = slot[who.lane];
  for (int lane = 0; lane < kLanes; ++lane) same |= std::uint32_t{slot[lane] == value} << lane;
  return same & lanes;
}

void write_result(const Issuer& who, std::uint64_t value) {
  if (who.op->slot[0] < 0) return;
  std::uint32_t* const slot = who.warp->slots + std::ptrdiff_t{who.op->slot[0]} * kLanes;
  if (who.op->width[0] == 64) {
    std::memcpy(slot + 2 * who.lane, &value, sizeof value);
  } else {
    slot[who.lane] = static_cast<std::uint32_t>(value);
  }
}

std::uint64_t lane_address(const Issuer& who, int operand) {
  const auto offset =
      static_cast<std::uint64_t>(who.op->instruction->operands[static_cast<std::size_t>(operand)].offset);
  const std::uint64_t base = lane_value(who, operand);
  return who.op->width[operand] == 64 ? base + offset : static_cast<std::uint32_t>(base + offset);
}

Reach reach_of(const ptx::Instruction& instruction) {
  if (instruction.modifiers.space == ptx::Space::generic) return Reach::generic_own;
  return instruction.modifiers.shared_cluster ? Reach::cluster : Reach::own;
}

SharedPlace shared_place(const Issuer& who, int operand, Reach reach, std::uint64_t bytes, std::uint32_t align) {
  const std::uint64_t written = lane_address(who, operand);
  const auto fail = [&](FaultKind kind, const std::string& what) {
    raise(kind, *who.warp, *who.op, who.lane, what.c_str(), written, static_cast<int>(bytes));
  };
  std::uint64_t address = written;
  if (reach == Reach::generic_own) {
    address -= kSharedWindow;
    if (address >= kWindowBytes) fail(FaultKind::illegal_address, "has a generic address outside shared memory");
  }
  Cta& cta = *who.warp->cta;
  if (reach != Reach::cluster && address >> kClusterShift != cta.rank) {
    fail(FaultKind::illegal_address, address < kWindowBytes
                                         ? "reaches for another block's shared memory, which needs .shared::cluster"
                                         : "is outside shared memory");
  }
  Cta* const block = block_of(cta, address);
  if (block == nullptr) fail(FaultKind::illegal_address, "names a block that the cluster does not have");
  if (block->ended) {
    fail(FaultKind::illegal_address,
         "reaches for the shared memory of " + block_name(block->index) + ", which has ended");
  }
  const std::uint32_t offset = offset_of(address);
  if (offset % align != 0) {
    fail(FaultKind::misaligned_address, fmt::format("has an address that is no multiple of {}", align));
  }
  if (bytes > block->shared_bytes || offset > block->shared_bytes - bytes) {
    fail(FaultKind::illegal_address,
         fmt::format("is outside the block's {} bytes of shared memory", block->shared_bytes));
  }
  return {block, offset};
}

}  // namespace kerlab::emu
