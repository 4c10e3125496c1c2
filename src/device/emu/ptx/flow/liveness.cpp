#include <fmt/core.h>

#include <algorithm>

#include "device/emu/ptx/flow/control_flow.h"

namespace kerlab::ptx {
namespace {

using Bits = std::vector<std::uint64_t>;

constexpr std::int64_t kMostWords = 1 << 26;  ///< of one set for each block

void set(Bits& bits, std::int32_t index) {
  bits[index / 64] |= 1ull << (index % 64);
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

template <typename Visit>
void each_bit(const Bits& bits, Visit&& visit) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
      visit(w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
    }
  }
}

/// What a block reads before it writes it, and what it writes.
struct BlockUse {
  std::vector<std::int32_t> read_first, written;
};

std::vector<BlockUse> block_uses(const Kernel& kernel, const ControlFlow& flow) {
  std::vector<BlockUse> uses(flow.blocks.size());
  std::vector<std::int32_t> written_in(kernel.registers.size(), -1), registers;  // the block that wrote it last
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    for (std::int32_t i = flow.blocks[b].begin; i < flow.blocks[b].end; ++i) {
      registers_read(kernel, kernel.instructions[i], registers);
      for (const std::int32_t value : registers) {
        if (written_in[value] != static_cast<std::int32_t>(b)) uses[b].read_first.push_back(value);
      }
      registers_written(kernel, kernel.instructions[i], registers);
      for (const std::int32_t value : registers) {
        written_in[value] = static_cast<std::int32_t>(b);
        uses[b].written.push_back(value);
      }
    }
  }
  return uses;
}

/// Backwards, so that one pass does for what has no loops. `in` only grows.
void solve(const ControlFlow& flow, const std::vector<Bits>& written, std::vector<Bits>& in, std::vector<Bits>& out) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = flow.blocks.size(); b-- > 0;) {
      for (const std::int32_t next : flow.blocks[b].successors) {
        for (std::size_t w = 0; w < out[b].size(); ++w) out[b][w] |= in[next][w];
      }
      for (std::size_t w = 0; w < out[b].size(); ++w) {
        const std::uint64_t before = in[b][w];
        in[b][w] |= out[b][w] & ~written[b][w];
        changed = changed || in[b][w] != before;
      }
    }
  }
}

}  // namespace

void registers_read(const Kernel& kernel, const Instruction& instruction, std::vector<std::int32_t>& out) {
  out.clear();
  const auto count = static_cast<std::size_t>(results(instruction));
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    const bool read = i >= count || instruction.guard >= 0 || operand.kind == OperandKind::address ||
                      instruction.opcode == Opcode::wgmma_mma_async;  // accumulates
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
  const std::vector<BlockUse> uses = block_uses(kernel, flow);
  // Only what some block reads from before it can be live between blocks: few of all registers. They are numbered anew.
  std::vector<std::int32_t> number(kernel.registers.size(), -1), crossing;
  for (const BlockUse& use : uses) {
    for (const std::int32_t value : use.read_first) {
      if (number[value] >= 0) continue;
      number[value] = static_cast<std::int32_t>(crossing.size());
      crossing.push_back(value);
    }
  }
  const std::size_t few = (crossing.size() + 63) / 64;
  std::vector<Bits> in(flow.blocks.size(), Bits(few)), out(flow.blocks.size(), Bits(few));
  std::vector<Bits> written(flow.blocks.size(), Bits(few));
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    for (const std::int32_t value : uses[b].read_first) set(in[b], number[value]);
    for (const std::int32_t value : uses[b].written) {
      if (number[value] >= 0) set(written[b], number[value]);
    }
  }
  solve(flow, written, in, out);
  Liveness result;
  result.in.assign(flow.blocks.size(), Bits(words));
  result.out = result.in;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    each_bit(in[b], [&](std::size_t bit) { set(result.in[b], crossing[bit]); });
    each_bit(out[b], [&](std::size_t bit) { set(result.out[b], crossing[bit]); });
  }
  return result;
}

}  // namespace kerlab::ptx
