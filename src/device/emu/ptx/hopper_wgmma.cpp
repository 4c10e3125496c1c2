// wgmma.mma_async: "{d}, a, b, scale-d" and numbers: two scales for floating types, then for 16-bit types the layouts
// of those operands that are in shared memory (PTX ISA, section wgmma.mma_async).

#include <fmt/core.h>

#include "device/emu/ptx/hopper_forms.h"
#include "device/emu/ptx/lexer.h"

namespace kerlab::ptx {
namespace {

class WgmmaChecker {
 public:
  WgmmaChecker(const Kernel& kernel, Instruction& instruction)
      : kernel_(kernel), instruction_(instruction), m_(instruction.modifiers) {}

  void run() {
    shape();
    const std::vector<Operand>& operands = instruction_.operands;
    if (operands.size() < 4) fail(fmt::format("has {} operands, d, a, b and scale-d are needed", operands.size()));
    const Type accumulator = instruction_.types[0];
    registers(0, m_.n / (accumulator == Type::f16 ? 4 : 2), accumulator == Type::f32 ? Type::f32 : Type::b32);
    if (operands[1].kind == OperandKind::vector) {
      registers(1, 4, Type::b32);
    } else {
      descriptor(1);
    }
    descriptor(2);
    scale_d();
    numbers();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Unsupported(at_line(instruction_.location.ptx_line, fmt::format("'{}' {}", instruction_.text, what)));
  }

  [[nodiscard]] Type input() const { return instruction_.types[1]; }
  [[nodiscard]] bool integer() const { return !is_float(input()); }

  void shape() const {
    const int bits_of_input = input() == Type::tf32 ? 32 : bits(input());
    const int depth = 256 / bits_of_input;
    if (m_.m != 64 || m_.k != depth) {
      fail(fmt::format("has shape m{}n{}k{}: .{} takes m64, k{}", m_.m, m_.n, m_.k, name(input()), depth));
    }
    if (m_.n < 8 || m_.n > 256 || m_.n % 8 != 0) {
      fail(fmt::format("has n = {}: n is a multiple of 8 from 8 to 256", m_.n));
    }
    if (integer() && m_.n % 16 != 0 && m_.n != 8 && m_.n != 24) {
      fail(fmt::format("has n = {}: n of .{} is 8, 24 or a multiple of 16", m_.n, name(input())));
    }
  }

  void registers(std::size_t i, int count, Type type) const {
    const Operand& given = instruction_.operands[i];
    const std::string_view which = i == 0 ? "d" : "a";
    if (given.kind != OperandKind::vector) fail(fmt::format("has a '{}' that is no vector", which));
    if (given.count != count) fail(fmt::format("has {} registers for '{}', {} are needed", given.count, which, count));
    for (std::int32_t k = 0; k < given.count; ++k) {
      const Operand& element = kernel_.elements[given.value + k];
      if (element.kind != OperandKind::reg) fail(fmt::format("has elements of '{}' that are no registers", which));
      const Type has = kernel_.registers[element.value].type;
      if (bits(has) != 32) fail(fmt::format("has registers for '{}' that are not of 32 bits", which));
      if (type == Type::b32 && has == Type::f32) {
        fail(fmt::format("has floating-point registers for '{}': packed values are in .b32", which));
      }
    }
  }

  void descriptor(std::size_t i) const {
    const Operand& given = instruction_.operands[i];
    const bool good = given.kind == OperandKind::immediate ||
                      (given.kind == OperandKind::reg && bits(kernel_.registers[given.value].type) == 64);
    if (!good) {
      fail(fmt::format("has a '{}' that is no matrix descriptor (64 bits){}", i == 1 ? "a" : "b",
                       i == 1 ? " and no vector" : ""));
    }
  }

  void scale_d() {
    Operand& given = instruction_.operands[3];
    if (given.kind == OperandKind::reg && kernel_.registers[given.value].type == Type::pred) return;
    if (given.kind != OperandKind::immediate) fail("has a scale-d that is no predicate");
    given.bits = given.bits != 0 ? 1 : 0;
  }

  void numbers() {
    const bool from_registers = instruction_.operands[1].kind == OperandKind::vector;
    const bool half = input() == Type::f16 || input() == Type::bf16;
    const std::size_t scales = integer() ? 0 : 2, layouts = !half ? 0 : from_registers ? 1 : 2;
    const std::size_t given = instruction_.operands.size() - 4;
    if (given != scales + layouts) {
      if (!half && given > scales) {
        fail(fmt::format(".{} takes {} numbers after scale-d, {} given: only 16-bit types can be transposed",
                         name(input()), scales, given));
      }
      fail(fmt::format(".{} takes {} numbers after scale-d, {} given", name(input()), scales + layouts, given));
    }
    if (scales > 0) {
      m_.negate_a = scale(4);
      m_.negate_b = scale(5);
    }
    std::size_t next = 4 + scales;
    if (half && !from_registers) m_.a_column = transposed(next++);
    if (half) m_.b_column = transposed(next);
    instruction_.operands.resize(4);
  }

  [[nodiscard]] std::uint64_t number(std::size_t i) const {
    if (instruction_.operands[i].kind != OperandKind::immediate) fail("has a scale or layout that is no number");
    return instruction_.operands[i].bits;
  }
  [[nodiscard]] bool scale(std::size_t i) const {
    const std::uint64_t value = number(i);
    if (value != 1 && value != ~0ull) fail(fmt::format("has operand {} neither 1 nor -1", i + 1));
    return value != 1;
  }
  [[nodiscard]] bool transposed(std::size_t i) const {
    const std::uint64_t value = number(i);
    if (value > 1) fail(fmt::format("has operand {} neither 0 nor 1", i + 1));
    return value == 1;
  }

  const Kernel& kernel_;
  Instruction& instruction_;
  Modifiers& m_;
};

}  // namespace

void check_wgmma(const Kernel& kernel, Instruction& instruction) {
  WgmmaChecker(kernel, instruction).run();
}

}  // namespace kerlab::ptx
