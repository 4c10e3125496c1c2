#pragma once
// One warp with registers, memory of all spaces, and single instructions to run on it, without parser and machine.

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device/emu/handlers/async_copies.h"
#include "device/emu/machine/cta.h"
#include "device/emu/machine/op.h"
#include "device/emu/memory.h"
#include "device/emu/ptx/ir.h"
#include "modules.h"

namespace kerlab::emu {

namespace portable {
Handler select_memory(const ptx::Instruction& instruction);
Handler select_atomic(const ptx::Instruction& instruction);
}  // namespace portable
namespace v3 {
Handler select_memory(const ptx::Instruction& instruction);
Handler select_atomic(const ptx::Instruction& instruction);
}  // namespace v3

inline bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/// An operand of a test instruction: where it lies in the register file.
struct Place {
  std::vector<std::int32_t> slots;
  int width = 32;
  bool braces = false;  ///< a vector even if there is one register
};

struct MemoryLab {
  static constexpr int kSlots = 64;

  explicit MemoryLab(bool use_v3 = false) : v3(use_v3 && has_v3()) {
    launch.memory = &memory;
    launch.parameters = parameters.data();
    launch.parameter_bytes = static_cast<std::int64_t>(parameters.size());
    cta.launch = &launch;
    cta.shared = shared.data();
    cta.shared_bytes = static_cast<std::uint32_t>(shared.size());
    warp.slots = slots.data();
    warp.predicates = predicates.data();
    warp.local = local.data();
    warp.local_stride = 64;
    warp.index = 2;
    warp.cta = &cta;
    warp.async = &async;
    for (std::size_t i = 0; i < shared.size(); ++i) shared[i] = static_cast<std::byte>(i * 7 + i / 256);
    for (std::size_t i = 0; i < local.size(); ++i) local[i] = static_cast<std::byte>(i * 5 + i / 64);
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] = static_cast<std::byte>(i + 1);
    slots.fill(0xabababab);
  }

  std::uint32_t& r32(int slot, int lane) { return slots[static_cast<std::size_t>(slot * kLanes + lane)]; }
  std::uint64_t r64(int slot, int lane) const {
    std::uint64_t value;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(slots.data()) + slot * 128 + lane * 8, 8);
    return value;
  }
  void set64(int slot, int lane, std::uint64_t value) {
    std::memcpy(reinterpret_cast<std::byte*>(slots.data()) + slot * 128 + lane * 8, &value, 8);
  }

  /// [base]: addresses of the lanes into slot 0 (and 1), as 32 or 64 bits.
  template <class AddressOf>
  Place address(AddressOf of_lane, int slot = 0) {
    for (int lane = 0; lane < kLanes; ++lane)
      if (wide)
        set64(slot, lane, static_cast<std::uint64_t>(of_lane(lane)));
      else
        r32(slot, lane) = static_cast<std::uint32_t>(of_lane(lane));
    return {{slot}, wide ? 64 : 32, false};
  }

  /// Runs the instruction; the decoded operation stays in `op`.
  void run(const ptx::Instruction& instruction, const std::vector<Place>& operands, std::uint32_t mask = ~0u,
           std::int64_t offset = 0) {
    op = Op{};
    op.instruction = &instruction;
    op.immediate = offset;
    list.clear();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      op.width[i] = static_cast<std::uint8_t>(operands[i].width);
      op.slot[i] = operands[i].slots[0];
      if (operands[i].slots.size() > 1 || operands[i].braces) {
        op.slot[i] = static_cast<std::int32_t>(list.size());
        op.count[i] = static_cast<std::uint8_t>(operands[i].slots.size());
        list.insert(list.end(), operands[i].slots.begin(), operands[i].slots.end());
      }
    }
    op.list = list.data();
    op.wide_address = wide;
    op.run = v3 ? v3::select_memory(instruction) : portable::select_memory(instruction);
    if (op.run == nullptr) op.run = v3 ? v3::select_atomic(instruction) : portable::select_atomic(instruction);
    if (op.run == nullptr) throw Error("no handler for " + instruction.text);
    op.run(warp, op, mask);
  }

  bool v3 = false, wide = true;
  GlobalMemory memory{1 << 26};
  alignas(64) std::array<std::uint32_t, kSlots * kLanes> slots{};
  std::array<std::uint32_t, 8> predicates{};
  std::vector<std::byte> shared = std::vector<std::byte>(4096), local = std::vector<std::byte>(64 * kLanes),
                         parameters = std::vector<std::byte>(96);
  LaunchState launch;
  Cta cta;
  Warp warp;
  AsyncCopies async;
  Op op;
  std::vector<std::int32_t> list;
};

inline ptx::Instruction access(ptx::Opcode opcode, ptx::Space space, ptx::Type type, int vector = 1) {
  ptx::Instruction instruction;
  instruction.opcode = opcode;
  instruction.modifiers.space = space;
  instruction.modifiers.vector = static_cast<std::uint8_t>(vector);
  instruction.types = {type};
  instruction.location.ptx_line = 12;
  instruction.text = opcode == ptx::Opcode::ld ? "ld" : "st";
  return instruction;
}

}  // namespace kerlab::emu
