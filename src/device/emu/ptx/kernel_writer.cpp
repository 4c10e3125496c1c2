#include "device/emu/ptx/kernel_writer.h"

#include <fmt/core.h>

#include <utility>

#include "device/emu/ptx/check.h"
#include "device/emu/ptx/function.h"
#include "device/emu/ptx/lexer.h"
#include "device/emu/ptx/names.h"
#include "device/emu/ptx/opcodes.h"

namespace kerlab::ptx {

Operand register_operand(std::int32_t value) {
  Operand operand;
  operand.kind = OperandKind::reg;
  operand.value = value;
  return operand;
}

void KernelWriter::move(const Operand& to, const Operand& from) {
  make(Opcode::mov, {out_.registers[to.value].type}, {to, from});
}

void KernelWriter::load(const Operand& to, std::int32_t symbol) {
  access(Opcode::ld, symbol, to);
}

void KernelWriter::access(Opcode opcode, std::int32_t symbol, const Operand& value) {
  static constexpr std::pair<std::int64_t, Type> kTypes[] = {
      {1, Type::b8}, {2, Type::b16}, {4, Type::b32}, {8, Type::b64}};
  Operand address;
  address.kind = OperandKind::address;
  address.base_is_symbol = true;
  address.value = symbol;
  for (const auto& [bytes, type] : kTypes) {
    if (bytes != out_.symbols[symbol].bytes) continue;
    if (opcode == Opcode::ld) return make(opcode, {type}, {value, address}, Space::local);
    return make(opcode, {type}, {address, value}, Space::local);
  }
  refuse(line_, fmt::format("'{}' is no parameter of 1, 2, 4 or 8 bytes", out_.symbols[symbol].name));
}

void KernelWriter::make(Opcode opcode, std::vector<Type> types, std::vector<Operand> operands, Space space) {
  std::string text(name(opcode));
  if (space != Space::generic) text += fmt::format(".{}", name(space));
  if (opcode != Opcode::vprintf_call && opcode != Opcode::assertfail_call) text += fmt::format(".{}", name(types[0]));
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.modifiers.space = space;
  instruction.types = std::move(types);
  instruction.operands = std::move(operands);
  instruction.location = location_;
  instruction.text = text;
  check(out_, instruction);
  add(std::move(instruction));
}

std::int32_t KernelWriter::branch(const Instruction& from, std::int32_t registers) {
  Instruction instruction;
  instruction.opcode = Opcode::bra;
  instruction.text = "bra";
  instruction.location = from.location;
  instruction.guard = from.guard < 0 ? -1 : from.guard + registers;
  instruction.guard_negated = from.guard_negated;
  instruction.operands.resize(1);
  instruction.operands[0].kind = OperandKind::label;
  add(std::move(instruction));
  return static_cast<std::int32_t>(out_.instructions.size()) - 1;
}

void KernelWriter::add(Instruction&& instruction) {
  if (static_cast<std::int64_t>(out_.instructions.size()) >= kMostInstructions) {
    refuse(instruction.location.ptx_line,
           fmt::format("more than {} instructions once all calls are inlined", kMostInstructions));
  }
  out_.instructions.push_back(std::move(instruction));
}

void KernelWriter::refuse(std::int32_t line, const std::string& reason) {
  throw Unsupported(at_line(line, reason));
}

}  // namespace kerlab::ptx
