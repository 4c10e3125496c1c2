#pragma once
// A kernel in the making: what inlining adds to it.

#include <string>
#include <vector>

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

Operand register_operand(std::int32_t value);

class KernelWriter {
 protected:
  void move(const Operand& to, const Operand& from);
  void load(const Operand& to, std::int32_t symbol);
  /// ld or st of a whole variable in local memory.
  void access(Opcode opcode, std::int32_t symbol, const Operand& value);
  void make(Opcode opcode, std::vector<Type> types, std::vector<Operand> operands, Space space = Space::generic);
  /// A branch under the guard of `from`, whose registers begin at `registers`; its target is set later. Returns where
  /// it is.
  std::int32_t branch(const Instruction& from, std::int32_t registers);
  void add(Instruction&& instruction);
  [[noreturn]] static void refuse(std::int32_t line, const std::string& reason);

  std::int32_t line_ = 0;  ///< of the call being expanded
  Location location_;
  Kernel out_;
};

}  // namespace kerlab::ptx
