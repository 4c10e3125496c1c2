// Operands of mbarriers, clusters, bulk copies: what each form's `operands` asks for.
//   []          an address                        32, 64       a register of that width, or a number
//   pred        a predicate register: a result    result, result32   a register of the type's width, of 32 bits
//   state       a 64-bit register or "_": a result; "_" alone for another block's mbarrier
//   number      a number alone                    value, values      of the type; values: a vector with .v2, .v4
//   variable    of the type, or a variable        size               32 bits, bytes: a multiple of 16
//   coordinates {dimensions of 32 bits}           offsets            {dimensions - 2 of 16 bits}
//   mask        16 bits, with .multicast alone    "?"                may be missing
//   wgmma       see hopper_wgmma.cpp

#include <fmt/core.h>

#include "device/emu/ptx/hopper_forms.h"
#include "device/emu/ptx/lexer.h"

namespace kerlab::ptx {
namespace {

using enum Opcode;

class FormChecker {
 public:
  FormChecker(Kernel& kernel, const Form& form, Instruction& instruction)
      : kernel_(kernel), form_(form), instruction_(instruction), m_(instruction.modifiers) {}

  void run() {
    std::string_view wanted = form_.operands;
    std::size_t i = 0;
    while (!wanted.empty()) {
      const std::size_t end = std::min(wanted.find(' '), wanted.size());
      std::string_view what = wanted.substr(0, end);
      wanted.remove_prefix(std::min(end + 1, wanted.size()));
      const bool optional = what.ends_with('?');
      if (optional) what.remove_suffix(1);
      if (what == "mask" && !m_.multicast) continue;
      if (i == instruction_.operands.size()) {
        if (optional) break;
        fail(fmt::format("has {} operands, more are needed", i));
      }
      operand(what, i++);
    }
    if (i < instruction_.operands.size()) {
      fail(fmt::format("takes {} operands, {} given", i, instruction_.operands.size()));
    }
    values();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Unsupported(at_line(instruction_.location.ptx_line, fmt::format("'{}' {}", instruction_.text, what)));
  }
  [[noreturn]] void fail(std::size_t i, const std::string& what) const {
    throw Unsupported(
        at_line(instruction_.location.ptx_line, fmt::format("operand {} of '{}' {}", i + 1, instruction_.text, what)));
  }

  [[nodiscard]] int type_bits() const { return instruction_.types.empty() ? 0 : bits(instruction_.types.back()); }

  void operand(std::string_view what, std::size_t i) {
    Operand& given = instruction_.operands[i];
    if (what == "[]") {
      address(i, given);
    } else if (what == "pred") {
      if (given.kind != OperandKind::reg || given.negated || type_of(given) != Type::pred) {
        fail(i, "is no predicate register");
      }
    } else if (what == "state") {
      state(i, given);
    } else if (what == "number") {
      if (given.kind != OperandKind::immediate) fail(i, "must be a number");
    } else if (what == "coordinates") {
      vector(i, given, m_.dimensions, 32);
    } else if (what == "offsets") {
      vector(i, given, m_.dimensions - 2, 16);
    } else if (what == "values" && m_.vector > 1) {
      if (m_.vector * type_bits() > 128) fail(i, "has more than 128 bits");
      vector(i, given, m_.vector, type_bits());
    } else if (what == "result" || what == "result32") {
      if (given.kind != OperandKind::reg) fail(i, "is a result and no register");
      value(i, given, what == "result" ? type_bits() : 32);
    } else if (what == "variable") {
      if (given.kind != OperandKind::symbol) value(i, given, type_bits());
    } else {
      value(i, given, what == "mask" ? 16 : what == "32" || what == "size" ? 32 : what == "64" ? 64 : type_bits());
    }
  }

  [[nodiscard]] Type type_of(const Operand& given) const { return kernel_.registers[given.value].type; }

  void address(std::size_t i, const Operand& given) const {
    if (given.kind != OperandKind::address) fail(i, "is no address");
    if (given.base_is_symbol) return;
    const int width = bits(type_of(given));
    if (width != 32 && width != 64) fail(i, "has a base that is no register of 32 or 64 bits");
  }

  void state(std::size_t i, const Operand& given) {
    if (given.kind == OperandKind::none) return;
    if (m_.shared_cluster) fail(i, "must be '_' with .shared::cluster: another block's state is not told");
    if (given.kind != OperandKind::reg) fail(i, "is a result and no register");
    value(i, instruction_.operands[i], 64);
  }

  void value(std::size_t i, Operand& given, int width) const {
    if (given.kind == OperandKind::immediate) {
      if (width < 64) given.bits &= (1ull << width) - 1;
      return;
    }
    if (given.kind == OperandKind::special) return;
    if (given.kind != OperandKind::reg || given.negated) fail(i, "is no register and no number");
    const Type type = type_of(given);
    if (type == Type::pred) fail(i, "is a predicate where a value is expected");
    if (bits(type) != width) {
      fail(i, fmt::format("('{}') has {} bits, {} are needed", kernel_.registers[given.value].name, bits(type), width));
    }
  }

  void vector(std::size_t i, const Operand& given, int count, int width) {
    if (given.kind != OperandKind::vector) fail(i, "is no vector");
    if (given.count != count) fail(i, fmt::format("has {} elements, {} are needed", given.count, count));
    for (std::int32_t k = 0; k < given.count; ++k) value(i, kernel_.elements[given.value + k], width);
  }

  void within(std::size_t i, std::uint64_t least, std::uint64_t most) const {
    const std::uint64_t given = instruction_.operands[i].bits;
    if (given < least || given > most) fail(i, fmt::format("is {}, not {} to {}", given, least, most));
  }

  void multiple(std::size_t i, std::uint64_t of) const {
    const Operand& given = instruction_.operands[i];
    if (given.kind == OperandKind::immediate && given.bits % of != 0) {
      fail(i, fmt::format("is {}, not a multiple of {}", given.bits, of));
    }
  }

  void values() {
    std::vector<Operand>& operands = instruction_.operands;
    switch (instruction_.opcode) {
      case cp_async_bulk:
      case cp_reduce_async_bulk:
        return multiple(2, 16);
      case cp_async_bulk_prefetch:
        return multiple(1, 16);
      case setmaxnreg:
        within(0, 24, 256);
        return multiple(0, 8);
      case mbarrier_try_wait:
        // How long to suspend: a hint.
        if (operands.size() == 4) operands.pop_back();
        return;
      case tensormap_cp_fenceproxy:
        return within(2, 128, 128);
      case fence_proxy:
        if (!operands.empty()) within(1, 128, 128);
        return;
      case tensormap_replace:
        return map_field();
      default:
        return;
    }
  }

  // What a field can be is known here when it is a number.
  void map_field() const {
    switch (m_.field) {
      case MapField::box_dim:
      case MapField::global_dim:
      case MapField::element_stride:
      case MapField::global_stride:
        return within(1, 0, 4);
      case MapField::elemtype:
        return within(1, 0, 12);
      case MapField::interleave_layout:
        return within(1, 0, 2);
      case MapField::swizzle_mode:
        return within(1, 0, 3);
      case MapField::fill_mode:
        return within(1, 0, 1);
      default:
        return;
    }
  }

  Kernel& kernel_;
  const Form& form_;
  Instruction& instruction_;
  const Modifiers& m_;
};

}  // namespace

void check_form(Kernel& kernel, const Form& form, Instruction& instruction) {
  if (instruction.opcode == wgmma_mma_async) return check_wgmma(kernel, instruction);
  FormChecker(kernel, form, instruction).run();
}

}  // namespace kerlab::ptx
