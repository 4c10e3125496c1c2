#include "device/emu/ptx/flow/control_flow.h"

namespace kerlab::ptx {
namespace {

bool between_blocks(Space space) {
  return space == Space::global || space == Space::generic;
}

std::vector<bool> read_anywhere(const Kernel& kernel) {
  std::vector<bool> result(kernel.registers.size(), false);
  std::vector<std::int32_t> registers;
  for (const Instruction& instruction : kernel.instructions) {
    // A guarded atomic "reads" its result's old value, which nobody wants for that alone.
    if (instruction.opcode == Opcode::atom) {
      Instruction plain = instruction;
      plain.guard = -1;
      registers_read(kernel, plain, registers);
      if (instruction.guard >= 0) registers.push_back(instruction.guard);
    } else {
      registers_read(kernel, instruction, registers);
    }
    for (const std::int32_t value : registers) result[value] = true;
  }
  return result;
}

}  // namespace

Communication communication(const Kernel& kernel) {
  Communication result = Communication::none;
  std::vector<bool> read;
  std::vector<std::int32_t> written;
  for (const Instruction& instruction : kernel.instructions) {
    const Modifiers& m = instruction.modifiers;
    const bool global = between_blocks(m.space);
    if (instruction.opcode == Opcode::ld && global && m.order != Order::weak) return Communication::communicating;
    const bool reduces = instruction.opcode == Opcode::red || instruction.opcode == Opcode::cp_reduce_async_bulk;
    if ((reduces && global) || instruction.opcode == Opcode::cp_reduce_async_bulk_tensor) {
      result = Communication::ordered;
    }
    // What blocks print shall appear in one order.
    if (instruction.opcode == Opcode::vprintf_call) result = Communication::ordered;
    if (instruction.opcode != Opcode::atom || !global) continue;
    result = Communication::ordered;
    if (read.empty()) read = read_anywhere(kernel);
    registers_written(kernel, instruction, written);
    for (const std::int32_t value : written) {
      if (read[value]) return Communication::communicating;
    }
  }
  return result;
}

}  // namespace kerlab::ptx
