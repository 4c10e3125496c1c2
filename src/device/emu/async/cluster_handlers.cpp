// mapa, getctarank: addresses in the shared memory of a cluster. barrier.cluster.arrive.

#include "device/emu/async/cluster.h"
#include "device/emu/async/cluster_barrier.h"
#include "device/emu/async/shared_place.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;
using ptx::Space;

bool is_generic(const Op& op) {
  return op.instruction->modifiers.space == Space::generic;
}

/// The operand as an offset into the shared window.
std::uint64_t window_offset(const Issuer& who) {
  const std::uint64_t address = lane_value(who, 1) - (is_generic(*who.op) ? kSharedWindow : 0);
  if (address >= kWindowBytes) {
    raise(FaultKind::illegal_address, *who.warp, *who.op, who.lane, "is asked of an address outside shared memory",
          lane_value(who, 1), 1);
  }
  return address;
}

void map_address(Warp& warp, const Op& op, std::uint32_t mask) {
  const Cluster& cluster = *warp.cta->cluster;
  each_lane(warp, op, mask, [&](const Issuer& who) {
    const std::uint64_t rank = lane_value(who, 2);
    if (rank >= cluster.blocks.size()) {
      raise(FaultKind::illegal_address, warp, op, who.lane, "names a block that the cluster does not have");
    }
    const std::uint64_t mapped = cluster_address(static_cast<std::uint32_t>(rank), offset_of(window_offset(who)));
    write_result(who, mapped + (is_generic(op) ? kSharedWindow : 0));
  });
}

void rank_of_address(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask, [&](const Issuer& who) { write_result(who, window_offset(who) >> kClusterShift); });
}

}  // namespace

Handler select_cluster(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::mapa:
      return map_address;
    case Opcode::getctarank:
      return rank_of_address;
    case Opcode::barrier_cluster_arrive:
      return arrive_at_cluster_barrier;
    default:
      return nullptr;
  }
}

}  // namespace kerlab::emu
