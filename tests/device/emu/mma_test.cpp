// mma.sync through the handlers: against recordings, against the rule on random operands of all kinds, speed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "device/emu/numeric/tensor_core.h"
#include "one_warp.h"
#include "recordings.h"

namespace kerlab::emu {
namespace {

using ptx::Type;

/// One kind of mma: operand type, K and accumulator.
struct Form {
  Type type;
  int k;
  bool f16_accumulator = false;
  Type b = Type::none;  ///< none: as A
  [[nodiscard]] Type b_type() const { return b == Type::none ? type : b; }
};
const std::vector<Form> kForms = {{Type::bf16, 16},
                                  {Type::bf16, 8},
                                  {Type::f16, 16},
                                  {Type::f16, 8},
                                  {Type::f16, 16, true},
                                  {Type::f16, 8, true},
                                  {Type::tf32, 8},
                                  {Type::tf32, 4},
                                  {Type::e4m3, 32},
                                  {Type::e5m2, 32},
                                  {Type::e4m3, 16},
                                  {Type::e5m2, 16},
                                  {Type::e4m3, 32, true},
                                  {Type::e5m2, 32, true},
                                  {Type::e4m3, 16, true},
                                  {Type::e4m3, 32, false, Type::e5m2},
                                  {Type::e5m2, 32, true, Type::e4m3},
                                  {Type::e5m2, 16, false, Type::e4m3}};

const numeric::Format& format_of(Type type) {
  switch (type) {
    case Type::f16:
      return numeric::kF16;
    case Type::bf16:
      return numeric::kBf16;
    case Type::tf32:
      return numeric::kTf32;
    case Type::e4m3:
      return numeric::kE4m3;
    default:
      return numeric::kE5m2;
  }
}
std::string describe(const Form& form) {
  return std::string("m16n8k") + std::to_string(form.k) + " type " + std::to_string(static_cast<int>(form.type)) +
         (form.f16_accumulator ? " f16" : " f32");
}

/// Operands as matrices of bits, and where they lie in the registers, said once more than in the handlers.
struct Matrices {
  std::vector<std::uint32_t> a, b, c;  ///< M x K, K x 8, M x 8
};

class Runner {
 public:
  Runner(const Form& form, Select select)
      : form_(form), bits_(form.type == Type::tf32 ? 32 : format_of(form.type).bits()), warp_(24) {
    const Type accumulator = form.f16_accumulator ? Type::f16 : Type::f32;
    handler_ = select(
        matrix_instruction(ptx::Opcode::mma, 16, 8, form.k, {accumulator, form.type, form.b_type(), accumulator}));
    REQUIRE(handler_ != nullptr);
    per_register_ = 32 / bits_;
    a_registers_ = 16 * form.k * bits_ / 1024;
    b_registers_ = a_registers_ / 2;
    c_registers_ = form.f16_accumulator ? 2 : 4;
  }
  void load(const Matrices& in) {
    std::fill(warp_.slot(0), warp_.slot(16), 0u);
    for (int lane = 0; lane < 32; ++lane) {
      const int group = lane / 4, in_group = lane % 4;
      for (int r = 0; r < a_registers_; ++r) {
        for (int p = 0; p < per_register_; ++p) {
          const int k = in_group * per_register_ + p;
          const int row = group + (r % 2) * 8, a_k = k + (r / 2) * 4 * per_register_, b_k = k + r * 4 * per_register_;
          warp_.slot(r)[lane] |= in.a[at(row * form_.k + a_k)] << (p * bits_ % 32);
          if (r < b_registers_) warp_.slot(4 + r)[lane] |= in.b[at(b_k * 8 + group)] << (p * bits_ % 32);
        }
      }
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t c = in.c[at((group + 8 * (i / 2)) * 8 + in_group * 2 + i % 2)];
        if (form_.f16_accumulator) {
          warp_.slot(8 + i / 2)[lane] |= c << (16 * (i % 2));
        } else {
          warp_.slot(8 + i)[lane] = c;
        }
      }
    }
  }
  void run(int d = 12, std::uint32_t mask = ~0u) {
    VectorOp op(handler_, {{d, c_registers_}, {0, a_registers_}, {4, b_registers_}, {8, c_registers_}});
    op(warp_.warp(), mask);
  }
  std::uint32_t result(int row, int column, int d = 12) {
    const int lane = row % 8 * 4 + column / 2;
    if (form_.f16_accumulator) return warp_.slot(d + row / 8)[lane] >> (16 * (column % 2)) & 0xffff;
    return warp_.slot(d + row / 8 * 2 + column % 2)[lane];
  }
  OneWarp& warp() { return warp_; }
  /// Of one call, best of many.
  double seconds() {
    VectorOp op(handler_, {{12, c_registers_}, {0, a_registers_}, {4, b_registers_}, {8, c_registers_}});
    double best = 1;
    for (int repeat = 0; repeat < 300; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 50; ++i) op(warp_.warp());
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 50);
    }
    return best;
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  Form form_;
  int bits_, per_register_ = 1, a_registers_ = 4, b_registers_ = 2, c_registers_ = 4;
  Handler handler_ = nullptr;
  OneWarp warp_;
};

std::uint32_t expected(const Form& form, const Matrices& in, int row, int column) {
  std::uint32_t a[32], b[32];
  for (int k = 0; k < form.k; ++k) {
    a[k] = in.a[static_cast<std::size_t>(row * form.k + k)];
    b[k] = in.b[static_cast<std::size_t>(k * 8 + column)];
  }
  const auto k = static_cast<std::size_t>(form.k);
  return static_cast<std::uint32_t>(numeric::mma_element(format_of(form.type), format_of(form.b_type()),
                                                         form.f16_accumulator ? numeric::kF16 : numeric::kF32, {a, k},
                                                         {b, k}, in.c[static_cast<std::size_t>(row * 8 + column)]));
}

TEST_CASE("mma.sync gives every bit that an H200 gave", "[mma]") {
  const Type types[] = {Type::f16, Type::bf16, Type::tf32, Type::e4m3, Type::e5m2};
  for (const Isa& isa : isas()) {
    int files = 0;
    for (const Recording& recording : recordings()) {
      if (recording.wgmma) continue;
      ++files;
      Runner runner({types[recording.format], recording.k, !recording.f32_accumulator}, isa.matrix);
      long wrong = 0;
      for (const RecordedCase& one : recording.cases) {
        runner.load({one.a, one.b, one.c});
        runner.run();
        for (int i = 0; i < 128; ++i) wrong += runner.result(i / 8, i % 8) != one.d[static_cast<std::size_t>(i)];
      }
      INFO(isa.name << ", " << recording.name);
      CHECK(wrong == 0);
    }
    CHECK(files >= 6);
  }
}

/// Bits of a format: which kind of numbers, told by `kind`.
enum Kind { normal, wide, subnormal, special, overflowing, integers, sparse, kKinds };
class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(generator_() % n); }
  std::uint32_t bits(const numeric::Format& format, int kind) {
    const int top = (1 << format.exponent_bits) - 1, bias = format.bias();
    int exponent = bias - static_cast<int>(below(5));
    std::uint32_t fraction = below(1u << format.fraction_bits);
    const std::uint32_t sign = below(2);
    switch (kind) {
      case normal:
        exponent = std::max(1, bias - __builtin_ctz(below(1u << 30) | 1u << 30));
        break;
      case wide:
        exponent = 1 + static_cast<int>(below(static_cast<std::uint32_t>(top - 1)));
        break;
      case subnormal:
        exponent = static_cast<int>(below(3));
        if (below(4) == 0) fraction = 0;
        if (below(8) == 0) exponent = 0, fraction = 0;
        break;
      case special:
        if (below(24) == 0) exponent = top, fraction = below(2) != 0 ? 0 : fraction;
        if (below(8) == 0) exponent = 0, fraction = 0;
        break;
      case overflowing:
        exponent = top - 1 - static_cast<int>(below(3));
        break;
      case integers:
        exponent = bias + static_cast<int>(below(3)), fraction &= ~0u << std::max(0, format.fraction_bits - 2);
        break;
      default:
        if (below(3) != 0) exponent = 0, fraction = 0;
    }
    const std::uint32_t magnitude = static_cast<std::uint32_t>(exponent) << format.fraction_bits | fraction;
    std::uint32_t all = (sign << (format.exponent_bits + format.fraction_bits) | magnitude) << format.unused_bits;
    if (format.unused_bits != 0) all |= below(1u << format.unused_bits);  // nobody looks at them
    return all;
  }
  Matrices matrices(const Form& form, int a_kind, int b_kind, int c_kind) {
    Matrices out;
    const numeric::Format& format = format_of(form.type);
    for (int i = 0; i < 16 * form.k; ++i) out.a.push_back(bits(format, a_kind));
    for (int i = 0; i < 8 * form.k; ++i) out.b.push_back(bits(format_of(form.b_type()), b_kind));
    for (int i = 0; i < 128; ++i) out.c.push_back(bits(form.f16_accumulator ? numeric::kF16 : numeric::kF32, c_kind));
    return out;
  }

 private:
  std::mt19937 generator_;
};

/// Elements of `rounds` fragments of every mixture of operand kinds that differ from the rule.
long differences(const Form& form, Select select, int rounds, std::string& first) {
  Random random(static_cast<unsigned>(form.k + 100 * static_cast<int>(form.type)));
  Runner runner(form, select);
  long wrong = 0;
  for (int i = 0; i < rounds * kKinds * kKinds; ++i) {
    const int kind = i % kKinds, c_kind = i / kKinds % kKinds;
    const Matrices in =
        random.matrices(form, kind, random.below(4) == 0 ? static_cast<int>(random.below(kKinds)) : kind, c_kind);
    runner.load(in);
    runner.run();
    for (int e = 0; e < 128; ++e) {
      const std::uint32_t want = expected(form, in, e / 8, e % 8), got = runner.result(e / 8, e % 8);
      if (want == got) continue;
      if (wrong++ == 0) {
        char text[160];
        std::snprintf(text, sizeof text, "round %d (kind %d, c %d) row %d column %d: %08x instead of %08x", i, kind,
                      c_kind, e / 8, e % 8, got, want);
        first = text;
      }
    }
  }
  return wrong;
}

TEST_CASE("mma.sync follows the rule for operands of all kinds", "[mma]") {
  for (const Isa& isa : isas()) {
    for (const Form& form : kForms) {
      std::string first;
      const long wrong = differences(form, isa.matrix, 3, first);
      INFO(isa.name << ", " << describe(form) << ": " << first);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("mma.sync follows the rule for millions of elements", "[.long][mma]") {
  for (const Isa& isa : isas()) {
    for (const Form& form : kForms) {
      std::string first;
      const long wrong = differences(form, isa.matrix, 400, first);
      INFO(isa.name << ", " << describe(form) << ": " << first);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("mma.sync may write where it reads, and only active lanes", "[mma]") {
  for (const Isa& isa : isas()) {
    for (const Form& form : kForms) {
      Random random(7);
      const Matrices in = random.matrices(form, normal, normal, normal);
      Runner runner(form, isa.matrix);
      INFO(isa.name << ", " << describe(form));
      for (const int d : {0, 3, 4, 8, 9, 7}) {
        runner.load(in);
        runner.run(d);
        long wrong = 0;
        for (int e = 0; e < 128; ++e) wrong += runner.result(e / 8, e % 8, d) != expected(form, in, e / 8, e % 8);
        CHECK(wrong == 0);
      }
      runner.load(in);
      std::fill(runner.warp().slot(12), runner.warp().slot(16), 0xdeadbeef);
      const std::uint32_t mask = 0x8001f00e;
      runner.run(12, mask);
      long wrong = 0;
      for (int e = 0; e < 128; ++e) {
        const int lane = e / 8 % 8 * 4 + e % 8 / 2;
        const std::uint32_t kept = form.f16_accumulator ? (e % 2 != 0 ? 0xdead : 0xbeef) : 0xdeadbeef;
        wrong += runner.result(e / 8, e % 8) != ((mask >> lane & 1) != 0 ? expected(form, in, e / 8, e % 8) : kept);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("speed of mma.sync", "[.bench]") {
  for (const Isa& isa : isas()) {
    for (const Form& form : kForms) {
      Random random(3);
      Runner runner(form, isa.matrix);
      for (const int kind : {int{normal}, int{wide}}) {
        runner.load(random.matrices(form, kind, kind, normal));
        const double seconds = runner.seconds();
        std::printf("%-9s %-24s %-7s %7.1f ns %6.1f GFLOP/s\n", isa.name, describe(form).c_str(),
                    kind == normal ? "normal" : "wide", seconds * 1e9, 256.0 * form.k / seconds * 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace kerlab::emu
