// IR -> readable text.

#include <fmt/core.h>

#include <set>

#include "device/emu/ptx/ir.h"
#include "device/emu/ptx/names.h"

namespace kerlab::ptx {
namespace {

std::string register_text(const Kernel& kernel, std::int32_t index) {
  if (index < 0 || index >= static_cast<std::int32_t>(kernel.registers.size())) return fmt::format("%?{}", index);
  return fmt::format("{}#{}", kernel.registers[index].name, index);
}

std::string offset_text(std::int64_t offset) {
  return offset == 0 ? "" : fmt::format("{:+}", offset);
}

std::string symbol_text(const Kernel& kernel, std::int32_t index) {
  if (index < 0 || index >= static_cast<std::int32_t>(kernel.symbols.size())) return fmt::format("?{}", index);
  return kernel.symbols[index].name;
}

std::string operand_text(const Kernel& kernel, const Operand& operand, bool is_table) {
  switch (operand.kind) {
    case OperandKind::none:
      return "_";
    case OperandKind::reg:
      return (operand.negated ? "!" : "") + register_text(kernel, operand.value);
    case OperandKind::immediate:
      return fmt::format("0x{:x}", operand.bits);
    case OperandKind::special:
      return std::string(name(operand.special));
    case OperandKind::symbol:
      return symbol_text(kernel, operand.value) + offset_text(operand.offset);
    case OperandKind::address:
      return fmt::format(
          "[{}{}]", operand.base_is_symbol ? symbol_text(kernel, operand.value) : register_text(kernel, operand.value),
          offset_text(operand.offset));
    case OperandKind::vector: {
      std::string text = "{";
      for (std::int32_t i = 0; i < operand.count; ++i) {
        text += (i > 0 ? ", " : "") + operand_text(kernel, kernel.elements[operand.value + i], false);
      }
      return text + "}";
    }
    case OperandKind::label:
      return fmt::format("{}{}", is_table ? "T" : "L", operand.value);
  }
  return "?";
}

}  // namespace

std::string to_text(const Kernel& kernel, const Instruction& instruction) {
  std::string text;
  if (instruction.guard >= 0) {
    text = fmt::format("@{}{} ", instruction.guard_negated ? "!" : "", register_text(kernel, instruction.guard));
  }
  text += instruction.text.empty() ? std::string(name(instruction.opcode)) : instruction.text;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    text += i == 0 ? " " : i == 1 && instruction.has_second_result ? "|" : ", ";
    text += operand_text(kernel, instruction.operands[i], instruction.opcode == Opcode::brx);
  }
  const Modifiers& m = instruction.modifiers;
  if (instruction.opcode == Opcode::wgmma_mma_async) {
    text += fmt::format(", {}, {}, {:d}, {:d}", m.negate_a ? -1 : 1, m.negate_b ? -1 : 1, m.a_column, m.b_column);
  }
  return text + ";";
}

std::string to_text(const Kernel& kernel) {
  std::string text = fmt::format(".entry {} // {} bytes of parameters, {} shared, {} local\n{{\n", kernel.name,
                                 kernel.parameter_bytes, kernel.shared_bytes, kernel.local_bytes);
  for (const Symbol& symbol : kernel.symbols) {
    text += fmt::format("  .{} .align {} .b8 {}[{}]; // at {}\n", name(symbol.space), symbol.align, symbol.name,
                        symbol.bytes, symbol.offset);
  }
  for (std::size_t i = 0; i < kernel.registers.size(); ++i) {
    text += fmt::format("  .reg .{} {};\n", name(kernel.registers[i].type),
                        register_text(kernel, static_cast<std::int32_t>(i)));
  }
  std::set<std::int32_t> labels;
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.opcode == Opcode::bra) labels.insert(instruction.operands[0].value);
  }
  for (std::size_t i = 0; i < kernel.branch_tables.size(); ++i) {
    text += fmt::format("  T{}: .branchtargets", i);
    for (const std::int32_t target : kernel.branch_tables[i]) {
      text += fmt::format(" L{}", target);
      labels.insert(target);
    }
    text += ";\n";
  }
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const Instruction& instruction = kernel.instructions[i];
    if (labels.contains(static_cast<std::int32_t>(i))) text += fmt::format("L{}:\n", i);
    text += fmt::format("  {}  // {}\n", to_text(kernel, instruction), instruction.location.ptx_line);
  }
  return text + "}\n";
}

}  // namespace kerlab::ptx
