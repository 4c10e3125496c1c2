// Operands and memory.

#include <fmt/core.h>

#include <cstring>

#include "device/emu/oracle/state.h"

namespace kerlab::oracle {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Special;

void fail(const Instruction& instruction, const std::string& what) {
  throw Error(fmt::format("oracle: ptx line {}: '{}' {}", instruction.location.ptx_line, instruction.text, what));
}

namespace {

u64 address_of(const Block& block, const ptx::Symbol& symbol) {
  if (symbol.space == Space::global) return block.launch->global_base + static_cast<u64>(symbol.offset);
  if (symbol.space == Space::constant) return block.launch->constant_base + static_cast<u64>(symbol.offset);
  return static_cast<u64>(symbol.offset);
}

u64 special_register(const Block& block, const Lane& lane, Special which) {
  const Dim3 size = block.launch->block, grid = block.launch->grid;
  const u32 lane_id = lane.index % 32, bit = 1u << lane_id;
  switch (which) {
    case Special::tid_x:
      return lane.index % size.x;
    case Special::tid_y:
      return lane.index / size.x % size.y;
    case Special::tid_z:
      return lane.index / size.x / size.y;
    case Special::ntid_x:
      return size.x;
    case Special::ntid_y:
      return size.y;
    case Special::ntid_z:
      return size.z;
    case Special::ctaid_x:
      return block.index.x;
    case Special::ctaid_y:
      return block.index.y;
    case Special::ctaid_z:
      return block.index.z;
    case Special::nctaid_x:
      return grid.x;
    case Special::nctaid_y:
      return grid.y;
    case Special::nctaid_z:
      return grid.z;
    case Special::laneid:
      return lane_id;
    case Special::warpid:
      return lane.index / 32;
    case Special::nwarpid:
      return (block.lanes.size() + 31) / 32;
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_le:
      return (bit - 1) | bit;
    case Special::lanemask_gt:
      return ~((bit - 1) | bit);
    case Special::lanemask_ge:
      return ~(bit - 1);
    case Special::dynamic_smem_size:
      return block.launch->dynamic_shared;
    case Special::total_smem_size:
      return block.shared.size();
    case Special::cluster_nctaid_x:
    case Special::cluster_nctaid_y:
    case Special::cluster_nctaid_z:
    case Special::cluster_nctarank:
      return 1;
    default:
      return 0;  // clocks and the like: tests do not look at them
  }
}

}  // namespace

u64 value_of(const Block& block, const Lane& lane, const Operand& operand) {
  const ptx::Kernel& kernel = *block.launch->kernel;
  switch (operand.kind) {
    case OperandKind::reg: {
      const u64 value = lane.registers[static_cast<std::size_t>(operand.value)];
      return operand.negated ? value ^ 1 : value;
    }
    case OperandKind::immediate:
      return operand.bits;
    case OperandKind::special:
      return special_register(block, lane, operand.special);
    case OperandKind::symbol:
      return address_of(block, kernel.symbols[static_cast<std::size_t>(operand.value)]) +
             static_cast<u64>(operand.offset);
    case OperandKind::address: {
      const auto index = static_cast<std::size_t>(operand.value);
      const u64 base = operand.base_is_symbol ? address_of(block, kernel.symbols[index]) : lane.registers[index];
      return base + static_cast<u64>(operand.offset);
    }
    default:
      return 0;
  }
}

const Operand& element(const Block& block, const Operand& vector, int index) {
  if (vector.kind != OperandKind::vector) return vector;
  return block.launch->kernel->elements[static_cast<std::size_t>(vector.value + index)];
}

int width(const Block& block, const Operand& operand) {
  if (operand.kind != OperandKind::reg) return 64;
  return ptx::bits(block.launch->kernel->registers[static_cast<std::size_t>(operand.value)].type);
}

void set(const Block& block, Lane& lane, const Operand& operand, u64 value) {
  if (operand.kind == OperandKind::none) return;
  lane.registers[static_cast<std::size_t>(operand.value)] = low(value, width(block, operand));
}

std::byte* memory_at(Block& block, Lane& lane, const Instruction& instruction, Space space, u64 address,
                     std::size_t bytes) {
  if (space == Space::generic || space == Space::global || space == Space::constant) {
    const u64 window = address & kWindowMask, offset = address & ~kWindowMask;
    if (window == kSharedWindow) return memory_at(block, lane, instruction, Space::shared, offset, bytes);
    if (window == kLocalWindow) return memory_at(block, lane, instruction, Space::local, offset, bytes);
    for (Buffer& buffer : *block.memory)
      if (address >= buffer.base && address + bytes <= buffer.base + buffer.bytes.size())
        return buffer.bytes.data() + (address - buffer.base);
    fail(instruction, fmt::format("accesses {} bytes at {:#x}, where nothing is", bytes, address));
  }
  std::vector<std::byte>& memory = space == Space::shared ? block.shared : lane.local;
  address = low(address, 32);
  if (address + bytes > memory.size())
    fail(instruction, fmt::format("accesses {} bytes at offset {} of {}", bytes, address, memory.size()));
  return memory.data() + address;
}

u64 load(Block& block, Lane& lane, const Instruction& instruction, Space space, u64 address, std::size_t bytes) {
  if (address % bytes != 0) fail(instruction, fmt::format("is misaligned: {:#x}", address));
  const bool parameter =
      space == Space::param || (space == Space::generic && (address & kWindowMask) == kParameterWindow);
  u64 value = 0;
  if (parameter) {
    const auto& parameters = block.launch->parameters;
    address &= ~kWindowMask;
    if (address + bytes > parameters.size()) fail(instruction, "reads beyond the parameters");
    std::memcpy(&value, parameters.data() + address, bytes);
  } else {
    std::memcpy(&value, memory_at(block, lane, instruction, space, address, bytes), bytes);
  }
  return value;
}

void store(Block& block, Lane& lane, const Instruction& instruction, Space space, u64 address, std::size_t bytes,
           u64 value) {
  if (address % bytes != 0) fail(instruction, fmt::format("is misaligned: {:#x}", address));
  std::memcpy(memory_at(block, lane, instruction, space, address, bytes), &value, bytes);
}

}  // namespace kerlab::oracle
