#include "device/emu/ptx/check.h"

#include <fmt/core.h>

#include <algorithm>

#include "device/emu/ptx/lexer.h"

namespace kerlab::ptx {
namespace {

using enum Opcode;

/// Bits a register must have: exactly, or (ld, st, cvt; PTX ISA, section Operand Size Exceeding Instruction-Type Size)
/// at least.
struct Width {
  int bits = 0;  ///< 0: anything but a predicate
  bool at_least = false;
};

bool is_any(Opcode opcode, std::initializer_list<Opcode> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

bool wants_address(Opcode opcode, std::size_t i) {
  switch (opcode) {
    case ld:
    case ldu:
    case atom:
    case ldmatrix:
    case wmma_load:
      return i == 1;
    case st:
    case red:
    case prefetch:
    case stmatrix:
    case wmma_store:
      return i == 0;
    case cp_async:
      return i < 2;
    default:
      return false;
  }
}

class Checker {
 public:
  Checker(const Kernel& kernel, const Instruction& instruction)
      : kernel_(kernel), instruction_(instruction), m_(instruction.modifiers), results_(results(instruction)) {}

  void run() const {
    if (instruction_.opcode == elect && !instruction_.has_second_result) fail(0, "is not followed by \"|predicate\"");
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      const Operand& operand = instruction_.operands[i];
      if ((operand.kind == OperandKind::label) != wants_label(i)) {
        fail(i, wants_label(i) ? "is no label" : "is a label where none is expected");
      }
      if ((operand.kind == OperandKind::address) != wants_address(instruction_.opcode, i)) {
        fail(i, operand.kind == OperandKind::address ? "is an address where none is expected" : "is no address");
      }
      if (operand.kind == OperandKind::address) {
        address(i, operand);
      } else if (operand.kind == OperandKind::vector) {
        vector(i, operand);
      } else if (operand.kind != OperandKind::label) {
        single(i, operand);
      }
    }
  }

 private:
  [[noreturn]] void fail(std::size_t i, const std::string& what) const {
    throw Unsupported(
        at_line(instruction_.location.ptx_line, fmt::format("operand {} of '{}' {}", i + 1, instruction_.text, what)));
  }

  [[nodiscard]] bool is_result(std::size_t i) const { return static_cast<int>(i) < results_; }
  [[nodiscard]] int type_bits(std::size_t i) const {
    return i < instruction_.types.size() ? bits(instruction_.types[i]) : 0;
  }
  [[nodiscard]] int last_bits() const { return instruction_.types.empty() ? 0 : bits(instruction_.types.back()); }

  [[nodiscard]] bool wants_label(std::size_t i) const {
    return (instruction_.opcode == bra && i == 0) || (instruction_.opcode == brx && i == 1);
  }

  void address(std::size_t i, const Operand& operand) const {
    if (operand.base_is_symbol) return;
    const int width = bits(kernel_.registers[operand.value].type);
    if (width != 32 && width != 64) fail(i, "has a base that is no register of 32 or 64 bits");
  }

  void single(std::size_t i, const Operand& operand) const {
    if (instruction_.opcode != mov && vector_wanted(i)) fail(i, "is no vector");
    if (operand.kind == OperandKind::none) {
      const bool allowed = is_result(i) && is_any(instruction_.opcode, {atom, setp, elect, shfl, match, lop3});
      if (!allowed) fail(i, "may not be '_'");
      return;
    }
    if (is_result(i) && operand.kind != OperandKind::reg) fail(i, "is a result and no register");
    const bool logic = is_any(instruction_.opcode, {mov, and_, or_, xor_, not_});
    const bool explicit_cluster =
        operand.kind == OperandKind::special && operand.special == Special::is_explicit_cluster;
    const bool constant = operand.kind == OperandKind::immediate || explicit_cluster;
    if (operand.kind != OperandKind::reg && wants_predicate(i) && !(logic && constant)) {
      fail(i, "is no predicate");
    }
    if (operand.kind == OperandKind::reg) reg(i, operand, width(i));
  }

  void reg(std::size_t i, const Operand& operand, Width wanted) const {
    const Register& given = kernel_.registers[operand.value];
    const bool either = instruction_.opcode == cp_async && i == 3;
    if (!either && wants_predicate(i) != (given.type == Type::pred)) {
      fail(i, given.type == Type::pred ? "is a predicate where a value is expected"
                                       : fmt::format("('{}') is no predicate", given.name));
    }
    if (operand.negated && given.type != Type::pred) fail(i, "is negated and no predicate");
    if (given.type == Type::pred || wanted.bits == 0) return;
    const int has = bits(given.type);
    if (wanted.at_least ? has < wanted.bits : has != wanted.bits) {
      fail(i, fmt::format("('{}') has {} bits, {} are needed", given.name, has, wanted.bits));
    }
  }

  /// Instructions whose operand is written in braces.
  [[nodiscard]] bool vector_wanted(std::size_t i) const {
    switch (instruction_.opcode) {
      case ld:
      case ldu:
        return i == 0 && m_.vector > 1;
      case st:
      case red:
        return i == 1 && m_.vector > 1;
      case atom:
        return i != 1 && m_.vector > 1;
      case ldmatrix:
        return i == 0;
      case stmatrix:
        return i == 1;
      case mma:
      case wmma_mma:
        return true;
      case wmma_load:
        return i == 0;
      case wmma_store:
        return i == 1;
      case mov:
        return i < 2;
      default:
        return false;
    }
  }

  void vector(std::size_t i, const Operand& operand) const {
    if (!vector_wanted(i)) fail(i, "is a vector where none is expected");
    const bool counted = is_any(instruction_.opcode, {ld, ldu, st, atom, red, ldmatrix, stmatrix});
    if (counted && operand.count != m_.vector) {
      fail(i, fmt::format("has {} elements, {} are needed", operand.count, m_.vector));
    }
    Width wanted = width(i);
    if (instruction_.opcode == mov) {
      const bool good = operand.count == 2 || operand.count == 4 || operand.count == 8;
      if (!good || last_bits() / operand.count < 8) fail(i, fmt::format("cannot have {} elements", operand.count));
      wanted = {last_bits() / operand.count, false};
      if (instruction_.operands[1 - i].kind == OperandKind::vector) fail(i, "is a vector and so is the other one");
    }
    if (instruction_.opcode == mma) matrix(i, operand);
    for (std::int32_t k = 0; k < operand.count; ++k) {
      const Operand& element = kernel_.elements[operand.value + k];
      if (element.kind == OperandKind::reg) {
        reg(i, element, wanted);
      } else if (element.kind == OperandKind::none) {
        if (!is_result(i) || !is_any(instruction_.opcode, {mov, ld, ldu, atom})) fail(i, "may not have '_'");
      } else if (is_result(i)) {
        fail(i, "is a result and has elements that are no registers");
      }
    }
  }

  /// How many registers a fragment of mma takes: its bits over the 32 lanes (PTX ISA, section mma). m8n8k4 of f16 is
  /// four products side by side.
  void matrix(std::size_t i, const Operand& operand) const {
    if (instruction_.types.size() != 4) fail(i, "has no type of its own");
    const int side_by_side = m_.m == 8 && m_.n == 8 && m_.k == 4 && instruction_.types[1] == Type::f16 ? 4 : 1;
    const int elements = (i == 1 ? m_.m * m_.k : i == 2 ? m_.k * m_.n : m_.m * m_.n) * side_by_side;
    const int wanted = elements * type_bits(i) / 32 / (type_bits(i) == 64 ? 64 : 32);
    if (operand.count != wanted) fail(i, fmt::format("has {} elements, {} are needed", operand.count, wanted));
  }

  [[nodiscard]] bool wants_predicate(std::size_t i) const {
    const auto at = static_cast<int>(i);
    const int count = static_cast<int>(instruction_.operands.size());
    const bool second = instruction_.has_second_result && at == 1;
    switch (instruction_.opcode) {
      case setp:
        return at < results_ || (m_.boolean != Boolean::none && at == results_ + 2);
      case set:
        return m_.boolean != Boolean::none && at == 3;
      case isspacep:
      case testp:
        return at == 0;
      case vote:
        return at == 1 || (at == 0 && m_.vote != VoteMode::ballot);
      case bar:
      case barrier:
        return m_.reduce && (at == count - 1 || (at == 0 && m_.boolean != Boolean::none));
      case selp:
        return at == 3;
      case lop3:
        return second || at == 5 + (instruction_.has_second_result ? 1 : 0);
      case shfl:
      case match:
      case elect:
        return second;
      case mov:
      case and_:
      case or_:
      case xor_:
      case not_:
        return instruction_.types.back() == Type::pred;
      default:
        return false;
    }
  }

  [[nodiscard]] Width width(std::size_t i) const {
    const bool first = i == 0;
    switch (instruction_.opcode) {
      case cvt:
        return {first ? type_bits(0) : last_bits(), true};
      case ld:
      case ldu:
      case st:
        return {last_bits(), true};
      case set:
        return {first ? type_bits(0) : last_bits(), false};
      case slct:
        return {i == 3 ? last_bits() : type_bits(0), false};
      case mul:
        return {first && m_.part == Part::wide ? 2 * last_bits() : last_bits(), false};
      case mad:
        return {(first || i == 3) && m_.part == Part::wide ? 2 * last_bits() : last_bits(), false};
      case popc:
      case clz:
      case bfind:
        return {first ? 32 : last_bits(), false};
      case shl:
      case shr:
        return {i == 2 ? 32 : last_bits(), false};
      case bfe:
        return {i >= 2 ? 32 : last_bits(), false};
      case bfi:
        return {i >= 3 ? 32 : last_bits(), false};
      case match:
        return {i + 2 == instruction_.operands.size() ? last_bits() : 32, false};
      case mma:
        return {type_bits(i) == 64 ? 64 : 32, false};
      case wmma_load:
      case wmma_store:
        return {vector_wanted(i) && last_bits() == 64 ? 64 : 32, false};
      case wmma_mma:
        return {last_bits() == 64 ? 64 : 32, false};
      case isspacep:
        return {};
      case vprintf_call:
      case assertfail_call:
        return {type_bits(i), false};
      default:
        return fixed(i);
    }
  }

  /// Of the rest: 32 bits for what has no types of its own, else the last type's for all operands.
  [[nodiscard]] Width fixed(std::size_t) const {
    const bool always_32 =
        is_any(instruction_.opcode, {bar, barrier,   bar_warp, vote,     activemask, redux,     shfl,     elect,
                                     fns, nanosleep, pmevent,  ldmatrix, stmatrix,   movmatrix, cp_async, prmt,
                                     brx, dp4a,      dp2a,     shf,      mul24,      mad24,     bmsk,     szext});
    if (always_32) return {32, false};
    return {last_bits(), false};
  }

  const Kernel& kernel_;
  const Instruction& instruction_;
  const Modifiers& m_;
  int results_;
};

}  // namespace

void check(const Kernel& kernel, const Instruction& instruction) {
  Checker(kernel, instruction).run();
}

}  // namespace kerlab::ptx
