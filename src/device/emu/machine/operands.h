#pragma once
// Operands of an instruction -> slots of an operation (the contract of op.h), with the constants they need.

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "device/emu/machine/op.h"
#include "device/emu/machine/program.h"
#include "device/emu/ptx/flow/control_flow.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

class Operands {
 public:
  /// Constants are appended to `program.constants` and its slots; lists to `program.lists`.
  Operands(const ptx::Kernel& kernel, const ptx::RegisterPlaces& places, std::uint64_t global_base,
           std::uint64_t constant_base, Program& program);

  /// Everything but `run`, `instruction` and `list`.
  void fill(const ptx::Instruction& instruction, Op& op);
  /// Where a predicate operand, register or immediate, lies.
  std::int32_t predicate(const ptx::Operand& operand) const;
  /// A slot (two, if 64 bits wide) with this in all lanes.
  std::int32_t constant(std::uint64_t bits, int width);
  std::int32_t special(ptx::Special special, bool wide);
  [[nodiscard]] bool is_predicate(const ptx::Operand& operand) const;
  /// What the address of a variable is in its space; in .shared from the beginning of the block's.
  [[nodiscard]] std::uint64_t address(const ptx::Operand& operand) const;

 private:
  [[nodiscard]] const ptx::Register& reg(const ptx::Operand& operand) const;
  std::int32_t value(const ptx::Operand& operand, int bits);
  std::int32_t symbol(const ptx::Operand& operand, int width);
  void add(Constant constant);
  void fill_address(const ptx::Operand& operand, int i, Op& op);
  void fill_vector(const ptx::Operand& operand, int i, int bits, Op& op);

  const ptx::Kernel& kernel_;
  const ptx::RegisterPlaces& places_;
  std::uint64_t global_base_, constant_base_;
  Program& program_;
  std::map<std::pair<std::uint64_t, bool>, std::int32_t> immediates_, shared_addresses_;
  std::map<std::pair<ptx::Special, bool>, std::int32_t> specials_;
};

/// Bits of operand i if it is not a register: 1, 16, 32 or 64. By opcode and type (PTX ISA, the instruction's section).
int constant_bits(const ptx::Instruction& instruction, int i);

}  // namespace kerlab::emu
