// Which registers an asynchronous matrix multiplication may still write or read: from wgmma.mma_async to the next
// wgmma.wait_group that waits for all. Their places must not be given to others there, even when no later instruction
// names them.

#include <algorithm>

#include "device/emu/ptx/flow/control_flow.h"

namespace kerlab::ptx {
namespace {

using Bits = std::vector<std::uint64_t>;

void registers_of(const Kernel& kernel, const Instruction& instruction, Bits& into) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Operand& operand = instruction.operands[i];
    if (operand.kind != OperandKind::vector) continue;
    for (std::int32_t k = 0; k < operand.count; ++k) {
      const std::int32_t value = kernel.elements[operand.value + k].value;
      into[value / 64] |= 1ull << (value % 64);
    }
  }
}

bool waits_for_all(const Instruction& instruction) {
  return instruction.opcode == Opcode::wgmma_wait_group && instruction.guard < 0 && instruction.operands[0].bits == 0;
}

}  // namespace

void follow_flight(const Kernel& kernel, const Instruction& instruction, std::vector<std::uint64_t>& flying) {
  if (waits_for_all(instruction)) std::fill(flying.begin(), flying.end(), 0);
  if (instruction.opcode == Opcode::wgmma_mma_async) registers_of(kernel, instruction, flying);
}

std::vector<std::vector<std::uint64_t>> in_flight(const Kernel& kernel, const ControlFlow& flow) {
  const bool any = std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                               [](const Instruction& i) { return i.opcode == Opcode::wgmma_mma_async; });
  if (!any) return {};
  std::vector<Bits> in(flow.blocks.size(), Bits((kernel.registers.size() + 63) / 64));
  Bits out;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
      out = in[b];
      for (std::int32_t i = flow.blocks[b].begin; i < flow.blocks[b].end; ++i) {
        follow_flight(kernel, kernel.instructions[i], out);
      }
      for (const std::int32_t next : flow.blocks[b].successors) {
        for (std::size_t w = 0; w < out.size(); ++w) {
          changed = changed || (out[w] & ~in[next][w]) != 0;
          in[next][w] |= out[w];
        }
      }
    }
  }
  return in;
}

}  // namespace kerlab::ptx
