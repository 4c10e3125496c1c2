// wmma: load, product and store through shared memory, against the rule of the tensor core applied to the matrices.
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "device/emu/machine/cta.h"
#include "device/emu/numeric/tensor_core.h"
#include "one_warp.h"

namespace kerlab::emu {
namespace {

using ptx::Fragment;
using ptx::Opcode;
using ptx::Type;

struct Form {
  int m, n, k;
  Type a, c;
  bool a_column, b_column, c_column;
};

/// A matrix in shared memory, one line after another with a gap between them.
struct Layout {
  int rows, columns, bytes, begin;
  bool column;
  [[nodiscard]] int stride() const { return (column ? rows : columns) + 16; }
  [[nodiscard]] int at(int row, int col) const {
    return begin + bytes * (column ? col * stride() + row : row * stride() + col);
  }
};

class Lab {
 public:
  Lab(const Form& form, Select select)
      : form_(form),
        select_(select),
        warp_(64),
        a_{form.m, form.k, ptx::bits(form.a) / 8, 0, form.a_column},
        b_{form.k, form.n, ptx::bits(form.a) / 8, 4096, form.b_column},
        c_{form.m, form.n, ptx::bits(form.c) / 8, 8192, form.c_column} {
    cta_.launch = &launch_;
    cta_.shared = shared_.data();
    cta_.shared_bytes = static_cast<std::uint32_t>(shared_.size());
    warp_.warp().cta = &cta_;
  }
  std::uint32_t get(const Layout& m, int row, int col) const {
    std::uint32_t value = 0;
    std::memcpy(&value, shared_.data() + m.at(row, col), static_cast<std::size_t>(m.bytes));
    return value;
  }
  void set(const Layout& m, int row, int col, std::uint32_t value) {
    std::memcpy(shared_.data() + m.at(row, col), &value, static_cast<std::size_t>(m.bytes));
  }
  void run() {
    const int registers = form_.a == Type::f16 ? 8 : 0;
    const int a_count = registers != 0 ? registers : form_.m * form_.k * a_.bytes / 128;
    const int b_count = registers != 0 ? registers : form_.n * form_.k * b_.bytes / 128;
    const int c_count = form_.m * form_.n * c_.bytes / 128;
    transfer(Opcode::wmma_load, Fragment::a, form_.a, a_, 0, a_count);
    transfer(Opcode::wmma_load, Fragment::b, form_.a, b_, 8, b_count);
    transfer(Opcode::wmma_load, Fragment::c, form_.c, c_, 16, c_count);
    const std::vector<Type> types = form_.a == Type::f16 ? std::vector<Type>{form_.c, form_.c}
                                                         : std::vector<Type>{form_.c, form_.a, form_.a, form_.c};
    const ptx::Instruction instruction = matrix_instruction(Opcode::wmma_mma, form_.m, form_.n, form_.k, types);
    const Handler handler = select_(instruction);
    REQUIRE(handler != nullptr);
    VectorOp op(handler, {{16, c_count}, {0, a_count}, {8, b_count}, {16, c_count}});  // D in C's registers
    op.op().instruction = &instruction;
    op(warp_.warp());
    transfer(Opcode::wmma_store, Fragment::d, form_.c, c_, 16, c_count);
  }
  const Layout& a() const { return a_; }
  const Layout& b() const { return b_; }
  const Layout& c() const { return c_; }

 private:
  void transfer(Opcode opcode, Fragment fragment, Type type, const Layout& matrix, int first, int count) {
    ptx::Instruction instruction = matrix_instruction(opcode, form_.m, form_.n, form_.k, {type});
    instruction.modifiers.fragment = fragment;
    instruction.modifiers.a_column = matrix.column;
    instruction.modifiers.b_column = false;
    instruction.modifiers.space = ptx::Space::shared;
    instruction.operands.resize(3);
    const Handler handler = select_(instruction);
    REQUIRE(handler != nullptr);
    for (int lane = 0; lane < kLanes; ++lane) {
      warp_.slot(40)[lane] = static_cast<std::uint32_t>(matrix.begin - 16);
      warp_.slot(41)[lane] = static_cast<std::uint32_t>(matrix.stride());
    }
    std::vector<std::int32_t> list;
    for (int j = 0; j < count; ++j) list.push_back(first + j);
    const int registers = opcode == Opcode::wmma_store ? 1 : 0;
    Op op = scalar_op(handler, instruction, {{40, 32}, {40, 32}, {41, 32}});
    op.slot[registers] = 0;
    op.count[registers] = static_cast<std::uint8_t>(count);
    op.list = list.data();
    op.immediate = 16;
    handler(warp_.warp(), op, ~0u);
  }

  Form form_;
  Select select_;
  OneWarp warp_;
  Layout a_, b_, c_;
  LaunchState launch_;
  Cta cta_;
  alignas(128) std::array<std::byte, 16384> shared_{};
};

const numeric::Format& format_of(Type type) {
  return type == Type::f16 ? numeric::kF16 : type == Type::bf16 ? numeric::kBf16 : numeric::kTf32;
}

/// A number near one, of either sign.
std::uint32_t number(std::mt19937& random, Type type) {
  const auto bits = static_cast<std::uint32_t>(random());
  switch (type) {
    case Type::f16:
      return (bits & 0x83ff) | (12 + bits / 4096 % 6) << 10;
    case Type::bf16:
      return (bits & 0x807f) | (122 + bits / 4096 % 8) << 7;
    case Type::tf32:
    case Type::f32:
      return (bits & 0x807fffff) | (122 + bits / 4096 % 8) << 23;
    default:
      return bits;
  }
}

std::uint32_t product(const Lab& lab, const Form& form, int row, int column, std::uint32_t c) {
  if (form.c == Type::s32) {
    for (int k = 0; k < form.k; ++k) {
      const std::uint32_t x = lab.get(lab.a(), row, k), y = lab.get(lab.b(), k, column);
      c += form.a == Type::s8 ? static_cast<std::uint32_t>(static_cast<std::int8_t>(x) * static_cast<std::int8_t>(y))
                              : x * y;
    }
    return c;
  }
  const int step = form.a == Type::tf32 ? 4 : form.k;
  for (int begin = 0; begin < form.k; begin += step) {
    std::vector<std::uint32_t> a, b;
    for (int k = begin; k < begin + step; ++k)
      a.push_back(lab.get(lab.a(), row, k)), b.push_back(lab.get(lab.b(), k, column));
    c = static_cast<std::uint32_t>(numeric::mma_element(format_of(form.a), format_of(form.a),
                                                        form.c == Type::f16 ? numeric::kF16 : numeric::kF32, a, b, c));
  }
  return c;
}

long wrong_elements(const Form& form, Select select) {
  std::mt19937 random(9);
  Lab lab(form, select);
  std::vector<std::uint32_t> want;
  for (int i = 0; i < form.m; ++i)
    for (int k = 0; k < form.k; ++k) lab.set(lab.a(), i, k, number(random, form.a));
  for (int k = 0; k < form.k; ++k)
    for (int j = 0; j < form.n; ++j) lab.set(lab.b(), k, j, number(random, form.a));
  for (int i = 0; i < form.m; ++i) {
    for (int j = 0; j < form.n; ++j) {
      lab.set(lab.c(), i, j, number(random, form.c));
      want.push_back(product(lab, form, i, j, lab.get(lab.c(), i, j)));
    }
  }
  lab.run();
  long wrong = 0;
  for (int i = 0; i < form.m; ++i)
    for (int j = 0; j < form.n; ++j) wrong += lab.get(lab.c(), i, j) != want[static_cast<std::size_t>(i * form.n + j)];
  return wrong;
}

TEST_CASE("wmma of every shape, type and layout", "[wmma]") {
  const int shapes[][2] = {{16, 16}, {32, 8}, {8, 32}};
  const Type types[][2] = {{Type::f16, Type::f16},  {Type::f16, Type::f32}, {Type::bf16, Type::f32},
                           {Type::tf32, Type::f32}, {Type::s8, Type::s32},  {Type::u8, Type::s32}};
  for (const Isa& isa : isas()) {
    int forms = 0;
    for (const auto& shape : shapes) {
      for (const auto& type : types) {
        if (type[0] == Type::tf32 && shape[0] != 16) continue;
        for (int layouts = 0; layouts < 8; ++layouts) {
          const Form form{shape[0],
                          shape[1],
                          type[0] == Type::tf32 ? 8 : 16,
                          type[0],
                          type[1],
                          (layouts & 1) != 0,
                          (layouts & 2) != 0,
                          (layouts & 4) != 0};
          INFO(isa.name << " m" << form.m << "n" << form.n << "k" << form.k << " type " << static_cast<int>(form.a)
                        << " layouts " << layouts);
          CHECK(wrong_elements(form, isa.matrix) == 0);
          ++forms;
        }
      }
    }
    CHECK(forms == 8 * 16);
  }
}

TEST_CASE("wmma that PTX does not have is refused", "[wmma]") {
  for (const Isa& isa : isas()) {
    CHECK(isa.matrix(matrix_instruction(Opcode::wmma_mma, 16, 16, 16, {Type::f32, Type::f16})) == nullptr);
    CHECK(isa.matrix(matrix_instruction(Opcode::wmma_mma, 16, 8, 16, {Type::f32, Type::f32})) == nullptr);
    CHECK(isa.matrix(matrix_instruction(Opcode::wmma_load, 16, 16, 4, {Type::f16})) == nullptr);
  }
}

}  // namespace
}  // namespace kerlab::emu
