// One instruction: guard, opcode, operands; calls.

#include <fmt/format.h>

#include <algorithm>

#include "device/emu/ptx/check.h"
#include "device/emu/ptx/function_parser.h"
#include "device/emu/ptx/opcodes.h"

namespace kerlab::ptx {

const DecodedOpcode& FunctionParser::opcode(const Token& token) {
  const auto known = module_.opcodes.find(token.text);
  if (known != module_.opcodes.end()) return known->second;
  try {
    DecodedOpcode decoded = decode(token.text);
    if (decoded.form != nullptr && !target_has(module_.target, decoded.form->target)) {
      throw Unsupported(
          fmt::format("'{}' needs '.target {}', this is for {}", token.text, decoded.form->target, module_.target));
    }
    return module_.opcodes.emplace(token.text, std::move(decoded)).first->second;
  } catch (const Unsupported& unsupported) {
    throw Unsupported(at_line(token.line, unsupported.what()));
  }
}

void FunctionParser::guard(Instruction& into) {
  if (!tokens_.accept('@')) return;
  into.guard_negated = tokens_.accept('!');
  const Token token = tokens_.peek();
  into.guard = find_register(tokens_.expect_word("a predicate register"));
  if (into.guard < 0 || kernel_.registers[into.guard].type != Type::pred) {
    throw Error(at_line(token.line, fmt::format("'{}' is no predicate register", token.text)));
  }
}

void FunctionParser::instruction() {
  Instruction result;
  result.location = location_at(tokens_.peek().line);
  guard(result);
  const Token token = tokens_.peek();
  tokens_.expect_word("an instruction");
  const DecodedOpcode& decoded = opcode(token);
  result.opcode = decoded.opcode;
  result.modifiers = decoded.modifiers;
  result.types = decoded.types;
  result.text = decoded.text;
  if (decoded.is_call) return call(std::move(result));
  operands(decoded, result);
  tokens_.expect(';');
  adjust(decoded, result);
  if (decoded.form != nullptr) {
    check_form(kernel_, *decoded.form, result);
    return add(std::move(result));
  }
  count_operands(token, result);
  check(kernel_, result);
  if (decoded.absolute_difference) return absolute_difference(result, decoded.accumulate);
  add(std::move(result));
}

void FunctionParser::count_operands(const Token& token, const Instruction& of) const {
  const OpcodeInfo& form = info(of.opcode);
  const auto given = static_cast<int>(of.operands.size()) - (of.has_second_result ? 1 : 0);
  if (given < form.least || given > form.most) {
    throw Error(
        at_line(token.line, fmt::format("'{}' takes {} operands, {} given", token.text,
                                        form.least == form.most ? fmt::to_string(form.least)
                                                                : fmt::format("{} to {}", form.least, form.most),
                                        given)));
  }
}

void FunctionParser::operands(const DecodedOpcode& decoded, Instruction& into) {
  if (tokens_.peek().is(';')) return;
  into.operands.reserve(4);
  do {
    into.operands.push_back(operand(decoded, into.operands.size()));
    if (decoded.modifiers.dimensions > 0 && into.operands.back().kind == OperandKind::address) {
      coordinates(decoded, into);
    }
    if (into.operands.size() == 1 && info(into.opcode).second_result && tokens_.accept('|')) {
      into.operands.push_back(operand(decoded, 0));
      into.has_second_result = true;
    }
    const Operand& last = into.operands.back();
    if (last.kind == OperandKind::label) {
      label_scopes_.back().fixups.push_back({static_cast<std::int32_t>(kernel_.instructions.size()),
                                             static_cast<std::int32_t>(into.operands.size() - 1), -1,
                                             tokens_.peek_back().text, tokens_.peek_back().line});
    }
  } while (tokens_.accept(','));
}

/// Drops hints, and gives parameters of functions their space.
void FunctionParser::adjust(const DecodedOpcode& decoded, Instruction& into) {
  if (decoded.cache_policy && !into.operands.empty()) into.operands.pop_back();
  if (decoded.drop_operands) into.operands.clear();
  if (decoded.create_policy && !into.operands.empty()) {
    into.operands.resize(1);
    Operand zero;
    zero.kind = OperandKind::immediate;
    into.operands.push_back(zero);
  }
  if (decoded.copy_bytes_operand && into.operands.size() > 2) {
    const Operand& bytes = into.operands[2];
    if (bytes.kind != OperandKind::immediate || (bytes.bits != 4 && bytes.bits != 8 && bytes.bits != 16)) {
      throw Error(at_line(into.location.ptx_line, "cp.async copies 4, 8 or 16 bytes"));
    }
    into.modifiers.copy_bytes = static_cast<std::uint8_t>(bytes.bits);
  }
  if (into.opcode == Opcode::ret && function_.entry) into.opcode = Opcode::exit;
  if (into.modifiers.space == Space::param) {
    // Parameters that a function gets or gives are bytes of the thread's local frame.
    bool local = !function_.entry;
    for (const Operand& operand : into.operands) {
      const bool names_symbol =
          operand.kind == OperandKind::symbol || (operand.kind == OperandKind::address && operand.base_is_symbol);
      if (names_symbol) local = kernel_.symbols[operand.value].space == Space::local;
    }
    if (local) into.modifiers.space = Space::local;
  }
}

std::vector<Operand> FunctionParser::call_operands() {
  static const DecodedOpcode kPlain;
  std::vector<Operand> result;
  tokens_.expect('(');
  while (!tokens_.accept(')')) {
    const Operand& given = result.emplace_back(operand(kPlain, 0));
    const bool good = given.kind == OperandKind::reg || given.kind == OperandKind::symbol ||
                      given.kind == OperandKind::immediate || given.kind == OperandKind::none;
    if (!good || given.negated) tokens_.unsupported("a parameter of a call that is no register, variable or number");
    if (!tokens_.accept(',') && !tokens_.peek().is(')')) tokens_.expect(')');
  }
  return result;
}

// "call.uni (retval0), callee, (param0, param1);"
void FunctionParser::call(Instruction into) {
  Call call;
  if (tokens_.peek().is('(')) {
    call.results = call_operands();
    tokens_.expect(',');
  }
  const Token target = tokens_.peek();
  call.callee = tokens_.expect_word("the name of a function");
  if (find_register(target.text) >= 0) {
    throw Unsupported(
        at_line(target.line, "a call through a function pointer: the emulated device runs direct calls only"));
  }
  if (tokens_.accept(',')) call.arguments = call_operands();
  tokens_.expect(';');
  call.at = static_cast<std::int32_t>(kernel_.instructions.size());
  into.opcode = Opcode::nop;
  function_.calls.push_back(std::move(call));
  add(std::move(into));
}

void FunctionParser::add(Instruction&& instruction) {
  if (static_cast<std::int64_t>(kernel_.instructions.size()) >= kMostInstructions) {
    throw Unsupported(at_line(instruction.location.ptx_line,
                              fmt::format("'{}' has more than {} instructions", kernel_.name, kMostInstructions)));
  }
  kernel_.instructions.push_back(std::move(instruction));
}

}  // namespace kerlab::ptx
