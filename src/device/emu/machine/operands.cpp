#include "device/emu/machine/operands.h"

#include <fmt/format.h>

namespace kerlab::emu {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

/// 16-bit values are zero-extended in their slot.
int slot_bits(Type type) {
  if (type == Type::pred) return 1;
  const int bits = ptx::bits(type);
  return bits > 32 ? 64 : bits > 16 ? 32 : 16;
}

Type type_at(const Instruction& i, std::size_t at) {
  return i.types.empty() ? Type::b32 : i.types[at < i.types.size() ? at : i.types.size() - 1];
}

}  // namespace

int constant_bits(const Instruction& instruction, int i) {
  const int destinations = instruction.has_second_result ? 2 : 1;
  const int source = i - destinations;  // 0: the first source
  const int first = slot_bits(type_at(instruction, 0));
  const int second = slot_bits(type_at(instruction, 1));
  switch (instruction.opcode) {
    case Opcode::cvt:
      return second;
    case Opcode::setp:
      return source >= 2 ? 1 : first;
    case Opcode::set:
      return source >= 2 ? 1 : second;
    case Opcode::selp:
      return source == 2 ? 1 : first;
    case Opcode::slct:
      return source == 2 ? second : first;
    case Opcode::shl:
    case Opcode::shr:
      return source == 1 ? 32 : first;
    case Opcode::bfe:
      return source >= 1 ? 32 : first;
    case Opcode::bfi:
      return source >= 2 ? 32 : first;
    case Opcode::mad:
      return source == 2 && instruction.modifiers.part == ptx::Part::wide ? 2 * first : first;
    case Opcode::isspacep:
      return 64;
    case Opcode::match:
      return source == 1 ? 32 : first;
    case Opcode::vote:
      return source == 0 ? 1 : 32;
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::mov:
    case Opcode::cvta:
      return first;
    case Opcode::nanosleep:
    case Opcode::shfl:
    case Opcode::elect:
    case Opcode::redux:
    case Opcode::bar_warp:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::cp_async:
    case Opcode::cp_async_wait_group:
    case Opcode::wmma_load:
    case Opcode::wmma_store:
      return 32;
    case Opcode::wgmma_mma_async:
      return i == 1 || i == 2 ? 64 : 32;  // descriptors, scale-d
    case Opcode::vprintf_call:
    case Opcode::assertfail_call:
      return 64;
    default:
      return first;
  }
}

Operands::Operands(const ptx::Kernel& kernel, const ptx::RegisterPlaces& places, std::uint64_t global_base,
                   std::uint64_t constant_base, Program& program)
    : kernel_(kernel), places_(places), global_base_(global_base), constant_base_(constant_base), program_(program) {
  program.slots = places.slots;
  program.predicates = places.predicates;
  program.false_predicate = program.predicates++;
  program.true_predicate = program.predicates++;
  program.cluster_predicate = program.predicates++;
}

const ptx::Register& Operands::reg(const Operand& operand) const {
  return kernel_.registers[static_cast<std::size_t>(operand.value)];
}

bool Operands::is_predicate(const Operand& operand) const {
  return operand.kind == OperandKind::reg && reg(operand).type == Type::pred;
}

std::int32_t Operands::predicate(const Operand& operand) const {
  if (operand.kind == OperandKind::none) return -1;
  if (operand.kind == OperandKind::reg) return places_.place[static_cast<std::size_t>(operand.value)];
  if (operand.kind == OperandKind::special) return program_.cluster_predicate;
  return operand.bits != 0 ? program_.true_predicate : program_.false_predicate;
}

/// At the end of the slots.
void Operands::add(Constant constant) {
  program_.constants.push_back(constant);
  program_.slots += constant.wide ? 2 : 1;
}

std::int32_t Operands::constant(std::uint64_t bits, int width) {
  const bool wide = width == 64;
  if (!wide) bits &= (std::uint64_t{1} << width) - 1;
  const auto [at, is_new] = immediates_.try_emplace({bits, wide}, program_.slots);
  if (is_new) add({Constant::Kind::bits, wide, {}, at->first.first, at->second});
  return at->second;
}

/// A slot with the address of a variable.
std::int32_t Operands::symbol(const Operand& operand, int width) {
  if (kernel_.symbols[static_cast<std::size_t>(operand.value)].space != Space::shared) {
    return constant(address(operand), width);
  }
  const bool wide = width == 64;
  const auto [at, is_new] = shared_addresses_.try_emplace({address(operand), wide}, program_.slots);
  if (is_new) add({Constant::Kind::shared, wide, {}, at->first.first, at->second});
  return at->second;
}

std::int32_t Operands::special(ptx::Special special, bool wide) {
  const auto [at, is_new] = specials_.try_emplace({special, wide}, program_.slots);
  if (is_new) add({Constant::Kind::special, wide, special, 0, at->second});
  return at->second;
}

std::uint64_t Operands::address(const Operand& operand) const {
  const ptx::Symbol& symbol = kernel_.symbols[static_cast<std::size_t>(operand.value)];
  std::uint64_t base = 0;
  if (symbol.space == Space::global || symbol.space == Space::generic) base = global_base_;
  if (symbol.space == Space::constant) base = constant_base_;
  return base + static_cast<std::uint64_t>(symbol.offset) +
         (operand.kind == OperandKind::symbol ? static_cast<std::uint64_t>(operand.offset) : 0);
}

std::int32_t Operands::value(const Operand& operand, int bits) {
  switch (operand.kind) {
    case OperandKind::reg:
      return places_.place[static_cast<std::size_t>(operand.value)];
    case OperandKind::immediate:
      return constant(operand.bits, bits);
    case OperandKind::special:
      return special(operand.special, bits == 64);
    case OperandKind::symbol:
      return symbol(operand, bits == 64 ? 64 : 32);
    default:
      return -1;
  }
}

void Operands::fill_address(const Operand& operand, int i, Op& op) {
  op.immediate = operand.offset;
  if (operand.value < 0) {  // [1234]
    op.slot[i] = constant(operand.bits, 64);
    op.wide_address = true;
  } else if (operand.base_is_symbol) {
    const Space space = kernel_.symbols[static_cast<std::size_t>(operand.value)].space;
    op.wide_address = space == Space::global || space == Space::constant || space == Space::generic;
    op.slot[i] = symbol(operand, op.wide_address ? 64 : 32);
  } else {
    op.wide_address = ptx::bits(reg(operand).type) == 64;
    op.slot[i] = places_.place[static_cast<std::size_t>(operand.value)];
  }
  op.width[i] = op.wide_address ? 64 : 32;
}

void Operands::fill_vector(const Operand& operand, int i, int bits, Op& op) {
  op.slot[i] = static_cast<std::int32_t>(program_.lists.size());
  op.count[i] = static_cast<std::uint8_t>(operand.count);
  for (std::int32_t e = 0; e < operand.count; ++e) {
    const Operand& element = kernel_.elements[static_cast<std::size_t>(operand.value + e)];
    if (element.kind == OperandKind::reg) bits = ptx::bits(reg(element).type);
    program_.lists.push_back(is_predicate(element) ? predicate(element) : value(element, bits));
  }
  op.width[i] = static_cast<std::uint8_t>(bits);
}

void Operands::fill(const Instruction& instruction, Op& op) {
  if (instruction.operands.size() > kOperands) {
    throw ptx::Unsupported(fmt::format("ptx:{}: {} with {} operands is not emulated", instruction.location.ptx_line,
                                       instruction.text, instruction.operands.size()));
  }
  for (int i = 0; i < static_cast<int>(instruction.operands.size()); ++i) {
    const Operand& operand = instruction.operands[static_cast<std::size_t>(i)];
    const int bits = constant_bits(instruction, i);
    if (operand.negated) op.negated = static_cast<std::uint8_t>(op.negated | 1u << i);
    if (operand.kind == OperandKind::address) {
      fill_address(operand, i, op);
    } else if (operand.kind == OperandKind::vector) {
      const bool packs = instruction.opcode == Opcode::mov;  // mov.b32 d, {low, high}
      fill_vector(operand, i, packs ? bits / operand.count : bits, op);
    } else if (is_predicate(operand) || (operand.kind != OperandKind::reg && bits == 1)) {
      op.slot[i] = predicate(operand);
      op.width[i] = 1;
    } else {
      op.slot[i] = value(operand, bits);
      op.width[i] = static_cast<std::uint8_t>(operand.kind == OperandKind::reg ? ptx::bits(reg(operand).type) : bits);
    }
  }
  if (instruction.has_second_result) op.second = op.slot[1];
}

}  // namespace kerlab::emu
