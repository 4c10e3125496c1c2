// vabsdiff4 d, a, b, c: of the four bytes of a and b the absolute differences: their sum added to c, or four bytes
// again (PTX ISA, section SIMD Video Instructions). Few kernels use it, so it is written with bfe, sad and bfi.

#include "device/emu/ptx/function_parser.h"

namespace kerlab::ptx {
namespace {

Operand constant(std::uint64_t value) {
  Operand operand;
  operand.kind = OperandKind::immediate;
  operand.bits = value;
  return operand;
}

}  // namespace

void FunctionParser::absolute_difference(const Instruction& whole, bool accumulate) {
  const bool is_unsigned = whole.types[0] == Type::u32;
  const auto fresh = [&] {
    Operand operand;
    operand.kind = OperandKind::reg;
    operand.value = add_register(Type::b32, "%byte");
    return operand;
  };
  const auto emit = [&](Opcode opcode, Type type, std::string_view text, std::vector<Operand> operands) {
    Instruction instruction = whole;
    instruction.opcode = opcode;
    instruction.types = {type};
    instruction.text = text;
    instruction.operands = std::move(operands);
    add(std::move(instruction));
  };
  Operand result = accumulate ? whole.operands[3] : constant(0);
  for (std::uint64_t byte = 0; byte < 4; ++byte) {
    Operand bytes[2];
    for (std::size_t i = 0; i < 2; ++i) {
      bytes[i] = fresh();
      emit(Opcode::bfe, whole.types[0], is_unsigned ? "bfe.u32" : "bfe.s32",
           {bytes[i], whole.operands[1 + i], constant(8 * byte), constant(8)});
    }
    const Operand difference = fresh();
    emit(Opcode::sad, whole.types[0], is_unsigned ? "sad.u32" : "sad.s32",
         {difference, bytes[0], bytes[1], accumulate ? result : constant(0)});
    if (accumulate) {
      result = difference;
      continue;
    }
    const Operand merged = fresh();
    emit(Opcode::bfi, Type::b32, "bfi.b32", {merged, difference, result, constant(8 * byte), constant(8)});
    result = merged;
  }
  emit(Opcode::mov, Type::b32, "mov.b32", {whole.operands[0], result});
}

}  // namespace kerlab::ptx
