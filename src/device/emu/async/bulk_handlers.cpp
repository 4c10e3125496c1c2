// The instructions that issue bulk copies and wait for their groups: operands as in ptx::Instruction.

#include <fmt/format.h>

#include <cstring>

#include "device/emu/async/bulk_issue.h"
#include "device/emu/async/cluster.h"
#include "device/emu/async/reduce.h"
#include "device/emu/memory.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;
using ptx::Space;

constexpr std::uint32_t kAlign = 16, kMbarrierBytes = 8;

[[noreturn]] void fail(const Issuer& who, FaultKind kind, const std::string& what, std::uint64_t address = 0,
                       std::uint64_t bytes = 0) {
  raise(kind, *who.warp, *who.op, who.lane, what.c_str(), address, static_cast<int>(bytes));
}

std::uint32_t* groups_of(const Issuer& who) {
  return who.warp->cta->bulk_groups + std::size_t{who.warp->index} * kLanes + static_cast<std::size_t>(who.lane);
}

/// The address of an operand in global memory; the copy must stay within one allocation.
std::uint64_t global_place(const Issuer& who, int operand, std::uint32_t bytes, const char* verb) {
  const std::uint64_t address = lane_address(who, operand);
  if (address % kAlign != 0) {
    fail(who, FaultKind::misaligned_address,
         fmt::format("{} global memory at an address that is no multiple of {}", verb, kAlign), address, bytes);
  }
  const std::optional<AddressRange> range = who.warp->cta->launch->memory->find(address);
  if (bytes > 0 && (!range || range->end - address < bytes)) {
    fail(who, FaultKind::illegal_address, fmt::format("{} outside every allocation", verb), address, bytes);
  }
  return address;
}

}  // namespace

BulkCopy copy_of(const Issuer& who) {
  BulkCopy copy;
  copy.op = who.op;
  copy.rank = who.warp->cta->rank;
  copy.warp = who.warp->index;
  copy.lane = static_cast<std::uint32_t>(who.lane);
  return copy;
}

std::uint32_t group_of(const Issuer& who) {
  return *groups_of(who);
}

std::uint32_t multicast_targets(const Issuer& who, std::uint64_t mask) {
  const Cluster& cluster = *who.warp->cta->cluster;
  const auto targets = static_cast<std::uint32_t>(mask & 0xffff);
  if (targets >> cluster.blocks.size() != 0) {
    fail(who, FaultKind::illegal_address,
         fmt::format("is sent to the blocks {:#x} of a cluster of {}", targets, cluster.blocks.size()));
  }
  for (std::size_t rank = 0; rank < cluster.blocks.size(); ++rank) {
    if ((targets >> rank & 1) != 0 && cluster.blocks[rank]->ended) {
      fail(who, FaultKind::illegal_address, fmt::format("is sent to block {} of its cluster, which has ended", rank));
    }
  }
  return targets;
}

void set_target(const Issuer& who, BulkCopy& copy, int to, int mbarrier, std::uint32_t align) {
  const ptx::Modifiers& modifiers = who.op->instruction->modifiers;
  const Reach reach = modifiers.shared_cluster ? Reach::cluster : Reach::own;
  const SharedPlace target = shared_place(who, to, reach, shared_bytes(copy), align);
  const SharedPlace signalled = shared_place(who, mbarrier, reach, kMbarrierBytes, kMbarrierBytes);
  if (target.block != signalled.block) {
    fail(who, FaultKind::illegal_address, "completes on an mbarrier of another block than it writes to");
  }
  copy.target = target.offset;
  copy.targets = 1u << target.block->rank;
  copy.on_mbarrier = true;
  copy.mbarrier = signalled.offset;
}

namespace {

void copy_bulk(Warp& warp, const Op& op, std::uint32_t mask) {
  const ptx::Instruction& instruction = *op.instruction;
  each_lane(warp, op, mask, [&](const Issuer& who) {
    BulkCopy copy = copy_of(who);
    const std::uint64_t bytes = lane_value(who, 2);
    if (bytes % kAlign != 0) {
      fail(who, FaultKind::misaligned_address, fmt::format("moves {} bytes, no multiple of {}", bytes, kAlign));
    }
    copy.bytes = static_cast<std::uint32_t>(bytes);
    copy.reduce = instruction.opcode == Opcode::cp_reduce_async_bulk;
    if (instruction.modifiers.space == Space::global) {
      copy.direction = BulkDirection::to_global;
      copy.global = global_place(who, 0, copy.bytes, "writes");
      copy.shared = shared_place(who, 1, Reach::own, copy.bytes, kAlign).offset;
      copy.group = group_of(who);
      return issue(*warp.cta->cluster, copy);
    }
    if (instruction.modifiers.source_space == Space::global) {
      copy.global = global_place(who, 1, copy.bytes, "reads");
    } else {
      copy.direction = BulkDirection::between_shared;
      copy.shared = shared_place(who, 1, Reach::own, copy.bytes, kAlign).offset;
    }
    set_target(who, copy, 0, 3, kAlign);
    if (instruction.modifiers.multicast) copy.targets = multicast_targets(who, lane_value(who, 4));
    issue(*warp.cta->cluster, copy);
  });
}

/// Bytes of one element of st.async or red.async.
std::uint32_t element_bytes(const ptx::Instruction& instruction) {
  return static_cast<std::uint32_t>(ptx::bits(instruction.types.back())) / 8;
}

void read_values(const Issuer& who, BulkCopy& copy, std::uint32_t bytes) {
  const Op& op = *who.op;
  const int elements = op.count[1] == 0 ? 1 : op.count[1];
  auto* to = reinterpret_cast<std::byte*>(copy.value);
  for (int e = 0; e < elements; ++e, to += bytes) {
    const std::int32_t slot = op.count[1] == 0 ? op.slot[1] : op.list[op.slot[1] + e];
    const std::uint32_t* const lanes = who.warp->slots + std::ptrdiff_t{slot} * kLanes;
    std::memcpy(to, op.width[1] == 64 ? lanes + 2 * who.lane : lanes + who.lane, bytes);
  }
  copy.bytes = bytes * static_cast<std::uint32_t>(elements);
}

void store_async(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask, [&](const Issuer& who) {
    BulkCopy copy = copy_of(who);
    copy.kind = BulkKind::value;
    copy.reduce = op.instruction->opcode == Opcode::red_async;
    read_values(who, copy, element_bytes(*op.instruction));
    set_target(who, copy, 0, 2, copy.bytes);
    issue(*warp.cta->cluster, copy);
  });
}

void commit_group(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask, [](const Issuer& who) { ++*groups_of(who); });
}

void wait_group(Warp& warp, const Op& op, std::uint32_t mask) {
  Cluster& cluster = *warp.cta->cluster;
  each_lane(warp, op, mask, [&](const Issuer& who) {
    const std::uint64_t allowed = lane_value(who, 0);
    const std::uint32_t committed = *groups_of(who);
    if (committed <= allowed || cluster.pending.empty()) return;
    const auto force = op.instruction->modifiers.read ? read_groups : perform_groups;
    force(cluster, warp.cta->rank, warp.index, static_cast<std::uint32_t>(who.lane),
          committed - static_cast<std::uint32_t>(allowed));
  });
  drop_done(cluster);
}

bool is_reduction(const ptx::Instruction& instruction) {
  return !instruction.types.empty() && can_reduce(instruction.modifiers.atomic, instruction.types.back());
}

}  // namespace

Handler select_bulk(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::cp_async_bulk:
      return copy_bulk;
    case Opcode::cp_reduce_async_bulk:
      return is_reduction(instruction) ? copy_bulk : nullptr;
    case Opcode::st_async:
      return instruction.types.empty() ? nullptr : store_async;
    case Opcode::red_async:
      return is_reduction(instruction) ? store_async : nullptr;
    case Opcode::cp_async_bulk_commit_group:
      return commit_group;
    case Opcode::cp_async_bulk_wait_group:
      return wait_group;
    default:
      return nullptr;
  }
}

}  // namespace kerlab::emu
