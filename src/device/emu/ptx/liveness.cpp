#include <fmt/core.h>

#include <algorithm>

#include "device/emu/ptx/control_flow.h"

namespace kerlab::ptx {
namespace {

using Bits = std::vector<std::uint64_t>;

constexpr std::int64_t kMostWords = 1 << 26;  ///< of one set for each block

void set(Bits& bits, std::int32_t index) {
  bits[index / 64] |= 1ull << (index % 64);
}
bool get(const Bits& bits, std::int32_t index) {
  return (bits[index / 64] >> (index % 64) & 1) != 0;
}

template <typename Visit>
void each_register(const Kernel& kernel, const Operand& operand, Visit&& visit) {
  if (operand.kind == OperandKind::reg || (operand.kind == OperandKind::address && !operand.base_is_symbol)) {
    visit(operand.value);
  } else if (operand.kind == OperandKind::vector) {
    for (std::int32_t i = 0; i < operand.count; ++i) {
      const Operand& element = kernel.elements[operand.value + i];
      if (element.kind == OperandKind::reg) visit(element.value);
    }
  }
}

}  // namespace

void registers_read(const Kernel& kernel, const Instruction& instruction, std::vector<std::int32_t>& out) {
  out.clear();
  const auto count = static_cast<std::size_t>(results(instruction));
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    const bool read = i >= count || instruction.guard >= 0 || operand.kind == OperandKind::address;
    if (read) each_register(kernel, operand, [&](std::int32_t value) { out.push_back(value); });
  }
  if (instruction.guard >= 0) out.push_back(instruction.guard);
}

void registers_written(const Kernel& kernel, const Instruction& instruction, std::vector<std::int32_t>& out) {
  out.clear();
  const auto count = static_cast<std::size_t>(results(instruction));
  for (std::size_t i = 0; i < std::min(count, instruction.operands.size()); ++i) {
    const Operand& operand = instruction.operands[i];
    if (operand.kind == OperandKind::address) continue;
    each_register(kernel, operand, [&](std::int32_t value) { out.push_back(value); });
  }
}

Liveness liveness(const Kernel& kernel, const ControlFlow& flow) {
  const std::size_t words = (kernel.registers.size() + 63) / 64;
  if (static_cast<std::int64_t>(words * flow.blocks.size()) > kMostWords) {
    throw Unsupported(fmt::format("kernel '{}': {} registers in {} blocks are more than the emulated device follows",
                                  kernel.name, kernel.registers.size(), flow.blocks.size()));
  }
  std::vector<Bits> read(flow.blocks.size(), Bits(words)), written(flow.blocks.size(), Bits(words));
  std::vector<std::int32_t> registers;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    for (std::int32_t i = flow.blocks[b].begin; i < flow.blocks[b].end; ++i) {
      registers_read(kernel, kernel.instructions[i], registers);
      for (const std::int32_t value : registers) {
        if (!get(written[b], value)) set(read[b], value);
      }
      registers_written(kernel, kernel.instructions[i], registers);
      for (const std::int32_t value : registers) set(written[b], value);
    }
  }
  Liveness result;
  result.out.assign(flow.blocks.size(), Bits(words));
  result.in = std::move(read);
  // Backwards, so that one pass does for what has no loops. `in` only grows: out | read, never less.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = flow.blocks.size(); b-- > 0;) {
      Bits& out = result.out[b];
      for (const std::int32_t next : flow.blocks[b].successors) {
        for (std::size_t w = 0; w < words; ++w) out[w] |= result.in[next][w];
      }
      for (std::size_t w = 0; w < words; ++w) {
        const std::uint64_t in = result.in[b][w] | (out[w] & ~written[b][w]);
        changed = changed || in != result.in[b][w];
        result.in[b][w] = in;
      }
    }
  }
  return result;
}

}  // namespace kerlab::ptx
