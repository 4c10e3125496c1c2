// Operands: registers, numbers, special registers, addresses, vectors, labels.

#include <fmt/core.h>

#include <charconv>

#include "device/emu/ptx/function_parser.h"
#include "device/emu/ptx/names.h"

namespace kerlab::ptx {
namespace {

/// The type that an immediate operand is cut to; none: 64 bits. It is the source type, save where operands have types
/// of their own, which are then wide enough as they are.
Type immediate_type(const DecodedOpcode& decoded, std::size_t index) {
  using enum Opcode;
  if (decoded.types.empty()) return Type::none;
  if (decoded.form != nullptr && decoded.opcode != st_async && decoded.opcode != red_async) return Type::none;
  const Type type = decoded.types.back();
  switch (decoded.opcode) {
    case mad:
    case mad24:
      return decoded.modifiers.part == Part::wide && index == 3 ? Type::none : type;
    case slct:
      return index < 3 ? decoded.types.front() : type;
    case selp:
      return type;
    case shl:
    case shr:
    case shf:
    case bfe:
    case bfi:
      return index == 1 || (decoded.opcode != shl && decoded.opcode != shr && index == 2) ? type : Type::u32;
    case vote:
    case match:
    case redux:
    case shfl:
    case elect:
    case bar:
    case barrier:
    case wmma_load:
    case wmma_store:
    case fns:
      return Type::u32;
    default:
      return type;
  }
}

}  // namespace

Operand FunctionParser::operand(const DecodedOpcode& decoded, std::size_t index) {
  const Token& token = tokens_.peek();
  Operand result;
  if (token.kind == TokenKind::word) {
    tokens_.next();
    if (token.text == "_") return result;
    if (decoded.opcode == Opcode::bra || (decoded.opcode == Opcode::brx && index == 1)) {
      result.kind = OperandKind::label;
      return result;
    }
    return named(token);
  }
  if (token.is('[')) return address(decoded);
  if (token.is('{')) return vector(decoded, index);
  if (tokens_.accept('!')) {
    const Token name = tokens_.peek();
    result.kind = OperandKind::reg;
    result.negated = true;
    result.value = find_register(tokens_.expect_word("a predicate register"));
    if (result.value < 0 || kernel_.registers[result.value].type != Type::pred) {
      throw Error(at_line(name.line, fmt::format("'{}' is no predicate register", name.text)));
    }
    return result;
  }
  if (token.kind == TokenKind::number || token.is('-') || token.is('+')) return number(immediate_type(decoded, index));
  tokens_.fail(fmt::format("an operand expected, {} found", tokens_.shown()));
}

Operand FunctionParser::number(Type type) {
  const bool negative = tokens_.accept('-');
  if (!negative) tokens_.accept('+');
  if (tokens_.peek().kind != TokenKind::number)
    tokens_.fail(fmt::format("a number expected, {} found", tokens_.shown()));
  const Literal value = literal(tokens_.next());
  // A floating type of 16 bits takes no decimal literal (PTX ISA, section Floating-Point Constants).
  if (value.kind == Literal::Kind::decimal && type != Type::none && bits(type) < 32)
    tokens_.unsupported("a decimal literal of 16 bits");
  Operand result;
  result.kind = OperandKind::immediate;
  result.bits = bits_as(type == Type::pred ? Type::none : type, value, negative);
  if (type == Type::pred) result.bits = result.bits != 0 ? 1 : 0;
  return result;
}

// A register, a variable, a special register or WARP_SZ; a symbol may have an offset.
Operand FunctionParser::named(const Token& token) {
  Operand result;
  result.value = find_register(token.text);
  if (result.value >= 0) {
    result.kind = OperandKind::reg;
    return result;
  }
  if (const NameEntry* entry = module_.names.find(token.text)) {
    result.kind = OperandKind::symbol;
    result.value = entry->kind == NameKind::module_variable ? module_symbol(entry->index) : entry->index;
    if (tokens_.peek().is('+') || tokens_.peek().is('-')) result.offset = tokens_.expect_integer("an offset");
    return result;
  }
  if (token.text == "WARP_SZ") {
    result.kind = OperandKind::immediate;
    result.bits = 32;
    return result;
  }
  if (const std::optional<Special> special = find_special(token.text)) {
    result.kind = OperandKind::special;
    result.special = *special;
    return result;
  }
  const auto unsupported = module_.unsupported_names.find(token.text);
  if (unsupported != module_.unsupported_names.end()) {
    throw Unsupported(at_line(token.line, fmt::format("'{}': {}", token.text, unsupported->second)));
  }
  if (token.text[0] == '%') {
    throw Unsupported(at_line(
        token.line,
        fmt::format("'{}' is no declared register and no special register of the emulated device", token.text)));
  }
  throw Error(at_line(token.line, fmt::format("'{}' is not declared", token.text)));
}

Operand FunctionParser::address(const DecodedOpcode& decoded) {
  tokens_.expect('[');
  Operand result;
  const Token token = tokens_.peek();
  if (token.kind == TokenKind::word) {
    tokens_.next();
    const Operand base = named(token);
    if (base.kind != OperandKind::reg && base.kind != OperandKind::symbol) {
      throw Error(at_line(token.line, fmt::format("'{}' is no address", token.text)));
    }
    result.base_is_symbol = base.kind == OperandKind::symbol;
    result.value = base.value;
    result.offset = base.offset;
    if (tokens_.peek().is('+') || tokens_.peek().is('-')) result.offset = tokens_.expect_integer("an offset");
  } else {
    // A number is an address too: held by a register, so that every address has a base.
    Instruction move;
    move.opcode = Opcode::mov;
    move.types = {Type::b64};
    move.text = "mov.b64";
    move.location = location_at(token.line);
    move.operands.resize(2);
    move.operands[0].kind = OperandKind::reg;
    move.operands[0].value = result.value = add_register(Type::b64, "%address");
    move.operands[1] = number(Type::none);
    add(std::move(move));
  }
  result.kind = OperandKind::address;
  const bool is_map = tokens_.peek().is(',') && decoded.modifiers.dimensions > 0;
  if (tokens_.peek().is(',') && !is_map) tokens_.unsupported("an address with coordinates");
  if (!is_map) tokens_.expect(']');
  return result;
}

/// The rest of "[map, {coordinates}]", if that is what the last operand began.
void FunctionParser::coordinates(const DecodedOpcode& decoded, Instruction& into) {
  if (tokens_.peek_back().is(']')) return;
  tokens_.expect(',');
  if (!tokens_.peek().is('{')) tokens_.fail(fmt::format("coordinates in {{ }} expected, {} found", tokens_.shown()));
  into.operands.push_back(vector(decoded, into.operands.size()));
  tokens_.expect(']');
}

Operand FunctionParser::vector(const DecodedOpcode& decoded, std::size_t index) {
  tokens_.expect('{');
  Operand result;
  result.kind = OperandKind::vector;
  result.value = static_cast<std::int32_t>(kernel_.elements.size());
  while (!tokens_.accept('}')) {
    if (tokens_.peek().is('{') || tokens_.peek().is('[')) tokens_.fail("a register or a number expected in { }");
    kernel_.elements.push_back(operand(decoded, index));
    ++result.count;
    if (!tokens_.accept(',') && !tokens_.peek().is('}')) tokens_.expect('}');
  }
  return result;
}

std::int32_t FunctionParser::find_register(std::string_view name) {
  if (const NameEntry* entry = module_.names.find(name)) {
    return entry->kind == NameKind::register_ ? entry->index : -1;
  }
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == name.size()) return -1;
  const NameEntry* entry = module_.register_ranges.find(name.substr(0, last + 1));
  if (entry == nullptr) return -1;
  const std::string_view digits = name.substr(last + 1);
  if (digits.size() > 1 && digits[0] == '0') return -1;
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || number >= ranges_[entry->index].count) return -1;
  // Registers come to be when they are first named: most of a range is often unused.
  const auto at = static_cast<std::size_t>(number);
  RegisterRange& range = ranges_[entry->index];
  if (range.registers.size() <= at) range.registers.resize(at + 1, -1);
  if (range.registers[at] < 0) range.registers[at] = add_register(range.type, name);
  return range.registers[at];
}

std::int32_t FunctionParser::add_register(Type type, std::string_view name) {
  kernel_.registers.push_back({type, std::string(name)});
  return static_cast<std::int32_t>(kernel_.registers.size()) - 1;
}

std::int32_t FunctionParser::module_symbol(std::int32_t variable) {
  const auto [place, is_new] = module_symbols_.try_emplace(variable, static_cast<std::int32_t>(kernel_.symbols.size()));
  if (is_new) {
    kernel_.symbols.push_back(module_.variables[variable]);
    function_.own_symbol.push_back(false);
  }
  return place->second;
}

}  // namespace kerlab::ptx
