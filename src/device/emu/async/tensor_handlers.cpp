// The instructions that issue tensor copies, and those that make tensor maps on the device: operands as in
// ptx::Instruction. What a box is: tma/tensor_copy.h.

#include <cstring>
#include <optional>

#include "device/emu/async/bulk_issue.h"
#include "device/emu/memory.h"
#include "device/emu/tma/tensor_copy.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;
using ptx::Space;

constexpr std::uint32_t kMapBytes = sizeof(TensorMap), kMapAlign = 64;

/// The generic address of a tensor map. A parameter named in the instruction has its offset there.
std::uint64_t map_address(const Issuer& who, int operand) {
  const ptx::Operand& written = who.op->instruction->operands[static_cast<std::size_t>(operand)];
  const bool parameter = written.base_is_symbol && who.op->width[operand] != 64;
  return lane_address(who, operand) + (parameter ? kParameterWindow : 0);
}

void read_coordinates(const Issuer& who, int operand, BulkCopy& copy) {
  const Op& op = *who.op;
  for (int i = 0; i < op.count[operand]; ++i) {
    const std::int32_t slot = op.list[op.slot[operand] + i];
    copy.coordinate[i] = static_cast<std::int32_t>(who.warp->slots[std::ptrdiff_t{slot} * kLanes + who.lane]);
  }
}

/// "[map, {coordinates}]": operands `operand` and the next one.
void set_box(const Issuer& who, int operand, BulkCopy& copy) {
  copy.tensor = true;
  copy.map = read_tensor_map(who, map_address(who, operand));
  read_coordinates(who, operand + 1, copy);
  check_box(who, copy.map, copy.coordinate);
  copy.bytes = box_bytes(copy.map);
}

void load_tensor(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask, [&](const Issuer& who) {
    BulkCopy copy = copy_of(who);
    set_box(who, 1, copy);
    set_target(who, copy, 0, 3, kBoxAlign);
    if (op.instruction->modifiers.multicast) copy.targets = multicast_targets(who, lane_value(who, 4));
    issue(*warp.cta->cluster, copy);
  });
}

void store_tensor(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask, [&](const Issuer& who) {
    BulkCopy copy = copy_of(who);
    copy.direction = BulkDirection::to_global;
    copy.reduce = op.instruction->opcode == Opcode::cp_reduce_async_bulk_tensor;
    set_box(who, 0, copy);
    copy.shared = shared_place(who, 2, Reach::own, shared_bytes(copy), kBoxAlign).offset;
    copy.group = group_of(who);
    issue(*warp.cta->cluster, copy);
  });
}

/// Host memory of the 128 bytes that a tensormap instruction changes.
std::byte* map_bytes(const Issuer& who, int operand, Space space) {
  const std::uint64_t address = lane_address(who, operand);
  const bool in_shared = space == Space::shared || (space == Space::generic && address - kSharedWindow < kWindowBytes);
  if (in_shared) {
    const Reach reach = space == Space::shared ? Reach::own : Reach::generic_own;
    return shared_place(who, operand, reach, kMapBytes, kMapAlign).host();
  }
  const std::optional<AddressRange> range = who.warp->cta->launch->memory->find(address);
  if (address % kMapAlign != 0 || !range || range->end - address < kMapBytes) {
    raise(address % kMapAlign != 0 ? FaultKind::misaligned_address : FaultKind::illegal_address, *who.warp, *who.op,
          who.lane, "finds no place of a tensor map", address, kMapBytes);
  }
  Cta& cta = *who.warp->cta;
  if (cta.launch->record_writes) note_write(cta, address, address + kMapBytes);
  return reinterpret_cast<std::byte*>(address);
}

void replace(Warp& warp, const Op& op, std::uint32_t mask) {
  const ptx::Modifiers& modifiers = op.instruction->modifiers;
  const bool has_ordinal = op.instruction->operands.size() > 2;
  each_lane(warp, op, mask, [&](const Issuer& who) {
    const int ordinal = has_ordinal ? static_cast<int>(lane_value(who, 1)) : 0;
    replace_field(who, modifiers.field, ordinal, lane_value(who, has_ordinal ? 2 : 1),
                  map_bytes(who, 0, modifiers.space));
  });
}

/// All lanes of the warp name the same bytes.
void copy_map(Warp& warp, const Op& op, std::uint32_t mask) {
  const Issuer who{&warp, &op, __builtin_ctz(mask)};
  const std::byte* const from = shared_place(who, 1, Reach::own, kMapBytes, kMapAlign).host();
  std::memcpy(map_bytes(who, 0, Space::global), from, kMapBytes);
}

}  // namespace

Handler select_tensor(const ptx::Instruction& instruction) {
  if (instruction.modifiers.im2col) return nullptr;
  switch (instruction.opcode) {
    case Opcode::cp_async_bulk_tensor:
      return instruction.modifiers.space == Space::global ? store_tensor : load_tensor;
    case Opcode::cp_reduce_async_bulk_tensor:
      return store_tensor;
    case Opcode::tensormap_replace:
      return replace;
    case Opcode::tensormap_cp_fenceproxy:
      return copy_map;
    default:
      return nullptr;
  }
}

}  // namespace kerlab::emu
