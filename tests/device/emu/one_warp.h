#pragma once
// One warp with a few registers, to run a single handler on.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <vector>

#include "device/emu/machine/handlers.h"
#include "device/emu/machine/op.h"
#include "device/emu/ptx/ir.h"
#include "modules.h"

namespace kerlab::emu {

namespace portable {
Handler select_convert(const ptx::Instruction& instruction);
Handler select_matrix(const ptx::Instruction& instruction);
}  // namespace portable
namespace v3 {
Handler select_convert(const ptx::Instruction& instruction);
Handler select_matrix(const ptx::Instruction& instruction);
}  // namespace v3

/// The sets that this processor runs.
struct Isa {
  const char* name;
  Select convert, matrix;
};
inline std::vector<Isa> isas() {
  std::vector<Isa> all{{"portable", portable::select_convert, portable::select_matrix}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")) {
    all.push_back({"v3", v3::select_convert, v3::select_matrix});
  }
  return all;
}

class OneWarp {
 public:
  explicit OneWarp(int slots) : memory_(static_cast<std::size_t>(slots + 1) * kLanes) {
    auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    warp_.slots = memory_.data() + ((64 - address % 64) % 64) / sizeof(std::uint32_t);
  }
  Warp& warp() { return warp_; }
  std::uint32_t* slot(int index) { return warp_.slots + index * kLanes; }

 private:
  std::vector<std::uint32_t> memory_;
  Warp warp_;
};

/// An Op whose operands are vectors of consecutive slots: first slot, number of elements, slots per element.
struct VectorOperand {
  int first, count, slots_each = 1;
};
class VectorOp {
 public:
  VectorOp(Handler handler, std::initializer_list<VectorOperand> operands) {
    op_.run = handler;
    int operand = 0;
    for (const VectorOperand& one : operands) {
      op_.slot[operand] = static_cast<std::int32_t>(list_.size());
      op_.count[operand] = static_cast<std::uint8_t>(one.count);
      op_.width[operand] = static_cast<std::uint8_t>(32 * one.slots_each);
      for (int j = 0; j < one.count; ++j) list_.push_back(one.first + j * one.slots_each);
      ++operand;
    }
    op_.list = list_.data();
  }
  VectorOp(const VectorOp&) = delete;
  VectorOp& operator=(const VectorOp&) = delete;
  Op& op() { return op_; }
  void operator()(Warp& warp, std::uint32_t mask = ~0u) { op_.run(warp, op_, mask); }

 private:
  std::vector<std::int32_t> list_;
  Op op_;
};

/// d = f(a, b...): one register each.
struct ScalarOperand {
  int slot, width;
};
inline Op scalar_op(Handler handler, const ptx::Instruction& instruction,
                    std::initializer_list<ScalarOperand> operands) {
  Op op;
  op.run = handler;
  op.instruction = &instruction;
  int operand = 0;
  for (const ScalarOperand& one : operands) {
    op.slot[operand] = one.slot;
    op.width[operand++] = static_cast<std::uint8_t>(one.width);
  }
  return op;
}

inline ptx::Instruction matrix_instruction(ptx::Opcode opcode, int m, int n, int k, std::vector<ptx::Type> types) {
  ptx::Instruction instruction;
  instruction.opcode = opcode;
  instruction.types = std::move(types);
  instruction.modifiers.m = static_cast<std::uint16_t>(m);
  instruction.modifiers.n = static_cast<std::uint16_t>(n);
  instruction.modifiers.k = static_cast<std::uint16_t>(k);
  instruction.modifiers.b_column = true;
  return instruction;
}

}  // namespace kerlab::emu
