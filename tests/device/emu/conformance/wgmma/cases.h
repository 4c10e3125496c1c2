#pragma once
// What is recorded of wgmma: forms of the instruction, each as a PTX kernel, and cases of each, whose operands are
// drawn the same way on both sides. record.cc gives them to a GPU, wgmma_conformance_test.cpp to the emulated device.
//
// A kernel is one warpgroup; block b does case b. Of a case it reads, from `in` + b x input_bytes: two descriptors
// (with addresses relative to the image), scale-d, padding to 32 bytes; A's registers and C's, 128 threads x registers;
// the image of shared memory. It writes D's registers, 128 threads x registers.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace conformance::wgmma {

enum class Type { f16, bf16, tf32, e4m3, e5m2, s8, u8, b1, f32, s32 };
inline const char* name(Type t) {
  constexpr const char* kNames[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1", "f32", "s32"};
  return kNames[static_cast<int>(t)];
}
inline int bits(Type t) {
  switch (t) {
    case Type::f16:
    case Type::bf16:
      return 16;
    case Type::tf32:
    case Type::f32:
    case Type::s32:
      return 32;
    case Type::b1:
      return 1;
    default:
      return 8;
  }
}
inline bool is_float(Type t) {
  return t != Type::s8 && t != Type::u8 && t != Type::b1 && t != Type::s32;
}

/// One instruction. k is 256 bits of the operands.
struct Form {
  Type d, a, b;
  int n = 8;
  bool a_in_registers = false;
  bool negate_a = false, negate_b = false;
  bool column_a = false, column_b = false;  ///< M-major, N-major
  bool saturate = false;
  int image_bytes = 4096;

  [[nodiscard]] int k() const { return 256 / bits(a); }
  [[nodiscard]] int registers() const { return n * bits(d) / 64; }
  [[nodiscard]] std::size_t input_bytes() const {
    return 32 + 128u * 4 * (4 + static_cast<std::size_t>(registers())) + static_cast<std::size_t>(image_bytes);
  }
  [[nodiscard]] std::size_t output_bytes() const { return 128u * 4 * static_cast<std::size_t>(registers()); }
  [[nodiscard]] std::string text() const {
    std::string s = "m64n" + std::to_string(n) + "k" + std::to_string(k());
    if (saturate) s += ".satfinite";
    s += std::string(".") + name(d) + "." + name(a) + "." + name(b);
    if (a == Type::b1) s += ".and.popc";
    return s;
  }
  /// For people: "m64n8k16.f32.bf16.bf16 a=registers".
  [[nodiscard]] std::string describe() const {
    return text() + (a_in_registers ? " a=registers" : "") + (negate_a ? " -a" : "") + (negate_b ? " -b" : "") +
           (column_a ? " m-major" : "") + (column_b ? " n-major" : "");
  }
};

inline std::string list(const char* prefix, int count) {
  std::string s = "{";
  for (int i = 0; i < count; ++i) s += (i == 0 ? "" : ", ") + std::string(prefix) + std::to_string(i);
  return s + "}";
}

/// "wgmma.mma_async... {d}, a, b, scale-d...;"
inline std::string instruction(const Form& f, const std::string& a, const std::string& b, const std::string& scale) {
  std::string s =
      "wgmma.mma_async.sync.aligned." + f.text() + " " + list("%d", f.registers()) + ", " + a + ", " + b + ", " + scale;
  if (is_float(f.a)) s += std::string(f.negate_a ? ", -1" : ", 1") + (f.negate_b ? ", -1" : ", 1");
  if (f.a == Type::f16 || f.a == Type::bf16) {
    if (!f.a_in_registers) s += f.column_a ? ", 1" : ", 0";
    s += f.column_b ? ", 1" : ", 0";
  }
  return s + ";";
}

/// A module with one kernel, `wgmma`.
inline std::string ptx(const Form& f) {
  const int registers = f.registers();
  const auto number = [](auto x) { return std::to_string(x); };
  std::string s =
      ".version 8.4\n.target sm_90a\n.address_size 64\n"
      ".visible .entry wgmma(.param .u64 in, .param .u64 out)\n.maxntid 128, 1, 1\n{\n"
      ".reg .pred %p<3>;\n.reg .b32 %r<12>;\n.reg .b32 %a<4>;\n.reg .b64 %rd<12>;\n.reg .b32 %d<" +
      number(registers) + ">;\n.shared .align 1024 .b8 image[" + number(f.image_bytes) + "];\n";
  s += "ld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\n"
       "cvta.to.global.u64 %rd0, %rd0;\ncvta.to.global.u64 %rd1, %rd1;\n"
       "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n";
  s += "mul.wide.u32 %rd2, %r1, " + number(f.input_bytes()) + ";\nadd.s64 %rd0, %rd0, %rd2;\n";
  s += "mul.wide.u32 %rd2, %r1, " + number(f.output_bytes()) + ";\nadd.s64 %rd1, %rd1, %rd2;\n";
  s += "mul.wide.u32 %rd2, %r0, " + number(4 * registers) + ";\nadd.s64 %rd1, %rd1, %rd2;\n";
  s += "ld.global.u64 %rd3, [%rd0];\nld.global.u64 %rd4, [%rd0+8];\nld.global.u32 %r2, [%rd0+16];\n"
       "setp.ne.b32 %p0, %r2, 0;\n"
       "mov.u32 %r3, image;\nshr.u32 %r4, %r3, 4;\ncvt.u64.u32 %rd5, %r4;\n"
       "add.s64 %rd3, %rd3, %rd5;\nadd.s64 %rd4, %rd4, %rd5;\n";
  s += "mul.wide.u32 %rd6, %r0, 16;\nadd.s64 %rd6, %rd0, %rd6;\n";
  for (int i = 0; i < 4; ++i) s += "ld.global.u32 %a" + number(i) + ", [%rd6+" + number(32 + 4 * i) + "];\n";
  s += "add.s64 %rd7, %rd0, %rd2;\n";
  for (int i = 0; i < registers; ++i)
    s += "ld.global.u32 %d" + number(i) + ", [%rd7+" + number(32 + 2048 + 4 * i) + "];\n";
  const std::size_t image = f.input_bytes() - static_cast<std::size_t>(f.image_bytes);
  s += "mul.lo.u32 %r5, %r0, 16;\nadd.s64 %rd8, %rd0, " + number(image) + ";\n";
  s += "copy:\ncvt.u64.u32 %rd9, %r5;\nadd.s64 %rd9, %rd8, %rd9;\nadd.u32 %r6, %r3, %r5;\n"
       "ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%rd9];\nst.shared.v4.u32 [%r6], {%r7, %r8, %r9, %r10};\n"
       "add.u32 %r5, %r5, 2048;\nsetp.lt.u32 %p1, %r5, " +
       number(f.image_bytes) + ";\n@%p1 bra copy;\n";
  s += "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n";
  s += instruction(f, f.a_in_registers ? list("%a", 4) : "%rd3", "%rd4", "%p0") + "\n";
  s += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (int i = 0; i < registers; ++i) s += "st.global.u32 [%rd1+" + number(4 * i) + "], %d" + number(i) + ";\n";
  return s + "ret;\n}\n";
}

/// Where a matrix lies in shared memory (PTX ISA, "Shared Memory Matrix Layout"): rows are those of A, columns of B.
struct Layout {
  bool column = false;  ///< M- or N-major
  int mode = 0;         ///< 0 none, 1: 128 bytes, 2: 64, 3: 32
  int start = 0, leading = 0, stride = 0, base = 0;
  std::uint64_t as_is = 0;  ///< a descriptor that the fields above do not make

  [[nodiscard]] std::uint64_t descriptor() const {
    if (as_is != 0) return as_is;
    const auto field = [](int bytes) { return static_cast<std::uint64_t>(bytes & 0x3ffff) >> 4; };
    return field(start) | field(leading) << 16 | field(stride) << 32 | static_cast<std::uint64_t>(base) << 49 |
           static_cast<std::uint64_t>(mode) << 62;
  }
  [[nodiscard]] int span() const { return mode == 0 ? 16 : 256 >> mode; }  ///< bytes that are swizzled together
  /// Of the byte `at` along k (K-major) or along the rows (else).
  [[nodiscard]] int byte(int row, int k, int size) const {
    int at;
    if (!column) {
      const int bytes = k * size;
      at = row / 8 * stride + row % 8 * span() + (mode == 0 ? bytes / 16 * leading + bytes % 16 : bytes);
    } else {
      const int bytes = row * size, across = bytes / span(), within = bytes % span();
      at = mode == 0 ? across * stride + k / 8 * leading + k % 8 * 16 + within
                     : across * leading + k / 8 * stride + k % 8 * span() + within;
    }
    at += start;
    const int pattern = mode == 0 ? 0 : span() / 16 - 1;
    return at ^ ((at >> 7 & pattern) << 4);
  }
};

/// Operands as bits; what differs between cases.
struct Case {
  std::vector<std::uint32_t> a, b, c;  ///< 64 x k; n x k (a column of B one after the other); 64 x n
  Layout layout_a, layout_b;
  bool scale = true;
  std::vector<std::uint8_t> image;  ///< shared memory as it is, where it is not made of a and b
};

/// A pseudo-random sequence that is the same everywhere (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }

 private:
  std::uint64_t state_;
};

struct Floating {
  int exponent_bits, fraction_bits, unused_bits;
};
inline Floating floating(Type t) {
  switch (t) {
    case Type::f16:
      return {5, 10, 0};
    case Type::bf16:
      return {8, 7, 0};
    case Type::tf32:
      return {8, 10, 13};
    case Type::e4m3:
      return {4, 3, 0};
    case Type::e5m2:
      return {5, 2, 0};
    default:
      return {8, 23, 0};
  }
}

/// Kinds of operands.
enum Kind { normal, wide, integers, powers, subnormal, special, overflowing, sparse, large, small, zeros, kKinds };

/// Bits of a number of the format.
inline std::uint32_t draw(Random& random, Type type, int kind) {
  if (type == Type::b1) return random.below(2);
  if (!is_float(type)) {  // integers: all values; the extremes; 32 bits for C
    const std::uint32_t mask = type == Type::s32 ? ~0u : 0xff;
    const auto any = static_cast<std::uint32_t>(random.next()) & mask;
    if (kind == zeros) return 0;
    if (kind == overflowing) return random.below(2) != 0 ? mask >> 1 : (mask >> 1) + 1;  // 127, 128
    if (kind == large)
      return type == Type::s32 ? (random.below(2) != 0 ? 0x7fffffff - any % 65536 : 0x80000000 + any % 65536) : 255;
    return kind == small ? any & 7 : any;
  }
  const Floating f = floating(type);
  const int top = (1 << f.exponent_bits) - 1, bias = top >> 1;
  const bool finite_top = type == Type::e4m3;  // whose largest exponent holds numbers
  std::uint32_t fraction = random.below(1u << f.fraction_bits);
  std::uint32_t sign = random.below(2);
  int exponent = bias;
  switch (kind) {
    case wide:
      exponent = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(top < 40 ? top - 1 : 40)));
      if (top > 40) exponent += bias - 20;
      break;
    case integers:
      exponent = bias + static_cast<int>(random.below(3));
      fraction &= f.fraction_bits < 2 ? 0u : ~0u << (f.fraction_bits - 2);
      break;
    case powers:
      exponent = bias - 6 + static_cast<int>(random.below(12));
      fraction = 0;
      break;
    case subnormal:
      exponent = static_cast<int>(random.below(3));
      if (random.below(8) == 0) fraction = 0;
      break;
    case special:
      if (random.below(48) == 0) {
        exponent = top;
        if (random.below(2) != 0) fraction = finite_top ? (1u << f.fraction_bits) - 1 : 0;
      } else if (random.below(8) == 0) {
        exponent = 0, fraction = 0;
      } else {
        exponent = bias - static_cast<int>(random.below(5));
      }
      break;
    case overflowing:
      exponent = top - 1 - static_cast<int>(random.below(3));
      break;
    case sparse:
      exponent = bias - static_cast<int>(random.below(4));
      if (random.below(4) != 0) exponent = 0, fraction = 0;
      break;
    case large:
      exponent = bias + (top < 40 ? 5 : 12);
      break;
    case small:
      exponent = bias - (top < 40 ? 5 : 12);
      break;
    case zeros:
      exponent = 0, fraction = 0;
      break;
    default:  // roughly the exponents of normal numbers
      while (exponent > bias - 10 && random.below(2) != 0) --exponent;
      if (random.below(4) == 0) ++exponent;
  }
  if (exponent < 0) exponent = 0;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(exponent) << f.fraction_bits | fraction;
  std::uint32_t all = (sign << (f.exponent_bits + f.fraction_bits) | magnitude) << f.unused_bits;
  if (f.unused_bits != 0) all |= random.below(1u << f.unused_bits);  // nobody should look at them
  return all;
}

inline Layout dense(bool column, int mode, int start) {
  Layout l;
  l.column = column;
  l.mode = mode;
  l.start = start;
  l.stride = mode == 0 ? 256 : 8 * l.span();
  l.leading = mode == 0 ? 128 : column ? 2 * l.stride : 16;
  return l;
}

/// Matrices side by side: A at 0, B behind it.
inline void pack(const Form& f, Case& one, int mode_a, int mode_b) {
  one.layout_a = dense(f.column_a, mode_a, 0);
  int last = 0;
  for (int corner = 0; corner < 4 && !f.a_in_registers; ++corner)
    last = std::max(last, one.layout_a.byte(corner % 2 * 63, corner / 2 * (f.column_a ? 15 : 31), f.column_a ? 2 : 1));
  one.layout_b = dense(f.column_b, mode_b, (last + 1023) / 1024 * 1024);
}

/// The case as the kernel reads it.
inline std::vector<std::uint8_t> input(const Form& f, const Case& one) {
  std::vector<std::uint8_t> bytes(f.input_bytes());
  const auto put = [&](std::size_t at, std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i)
      bytes.at(at + static_cast<std::size_t>(i)) = static_cast<std::uint8_t>(value >> (8 * i));
  };
  put(0, one.layout_a.descriptor(), 8);
  put(8, one.layout_b.descriptor(), 8);
  put(16, one.scale ? 1 : 0, 4);
  const int size = bits(f.a), k = f.k();
  const std::size_t image = f.input_bytes() - static_cast<std::size_t>(f.image_bytes);
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const auto element = [&](std::size_t where, int bit, std::uint32_t value) {
    if (size == 1) {
      bytes.at(where) = static_cast<std::uint8_t>(bytes.at(where) | value << bit);
    } else {
      put(where, value, size / 8);
    }
  };
  const auto in_image = [&](const Layout& l, int row, int i) {
    return image + at(size == 1 ? l.byte(row, i / 8, 1) : l.byte(row, i, size / 8));
  };
  for (std::size_t i = 0; i < one.image.size(); ++i) bytes.at(image + i) = one.image[i];
  for (int row = 0; row < 64 && !one.a.empty(); ++row) {
    for (int i = 0; i < k; ++i) {
      const std::uint32_t value = one.a.at(at(row * k + i));
      if (!f.a_in_registers) {
        element(in_image(one.layout_a, row, i), i % 8, value);
        continue;
      }
      // "Register Fragments": lane 4 (row % 8) + word % 4, register 2 (word / 4) + row / 8 % 2.
      const int word = i * size / 32, thread = row / 16 * 32 + row % 8 * 4 + word % 4, reg = word / 4 * 2 + row / 8 % 2;
      element(32 + at(4 * (4 * thread + reg) + i * size % 32 / 8), i % 8, value);
    }
  }
  for (int row = 0; row < f.n && !one.b.empty(); ++row)
    for (int i = 0; i < k; ++i) element(in_image(one.layout_b, row, i), i % 8, one.b.at(at(row * k + i)));
  const int registers = f.registers(), per = 32 / bits(f.d);
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < f.n; ++column) {
      const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
      const int index = column / 8 * 4 + row / 8 % 2 * 2 + column % 2;  // of 32 bits; 16-bit ones are pairs
      put(32 + 2048 + at(4 * (thread * registers) + index / per * 4 + index % per * bits(f.d) / 8),
          one.c.at(at(row * f.n + column)), bits(f.d) / 8);
    }
  }
  return bytes;
}

/// D, 64 x n, from what the kernel wrote of one case.
inline std::vector<std::uint32_t> result(const Form& f, const std::uint8_t* out) {
  std::vector<std::uint32_t> d;
  const int registers = f.registers(), per = 32 / bits(f.d);
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < f.n; ++column) {
      const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
      const int index = column / 8 * 4 + row / 8 % 2 * 2 + column % 2;
      const std::uint8_t* from = out + 4 * (thread * registers) + index / per * 4 + index % per * bits(f.d) / 8;
      std::uint32_t value = 0;
      for (int i = 0; i < bits(f.d) / 8; ++i) value |= static_cast<std::uint32_t>(from[i]) << (8 * i);
      d.push_back(value);
    }
  }
  return d;
}

/// A form with its cases: `name` says what they are for.
struct Suite {
  std::string name;
  Form form;
  std::vector<Case> cases;
};

inline Case random_case(Random& random, const Form& f, int kind_a, int kind_b, int kind_c) {
  Case one;
  for (int i = 0; i < 64 * f.k(); ++i) one.a.push_back(draw(random, f.a, kind_a));
  for (int i = 0; i < f.n * f.k(); ++i) one.b.push_back(draw(random, f.b, kind_b));
  for (int i = 0; i < 64 * f.n; ++i) one.c.push_back(draw(random, f.d, kind_c));
  return one;
}

/// Values: operands and C of many kinds, n = 8, K-major without swizzle.
inline Suite values(const Form& f, int seed) {
  Suite suite{"values", f, {}};
  Random random(static_cast<std::uint64_t>(seed) * 1000 + 17);
  struct Mix {
    int a, b, c;
  };
  static constexpr Mix kMixes[] = {{normal, normal, zeros},
                                   {normal, normal, normal},
                                   {normal, normal, large},
                                   {normal, normal, small},
                                   {wide, wide, zeros},
                                   {wide, wide, wide},
                                   {integers, integers, zeros},
                                   {powers, powers, powers},
                                   {subnormal, subnormal, zeros},
                                   {subnormal, normal, subnormal},
                                   {special, special, normal},
                                   {normal, normal, special},
                                   {overflowing, overflowing, overflowing},
                                   {overflowing, normal, overflowing},
                                   {sparse, sparse, zeros},
                                   {zeros, zeros, sparse}};
  for (const Mix& mix : kMixes) {
    suite.cases.push_back(random_case(random, f, mix.a, mix.b, mix.c));
    pack(f, suite.cases.back(), 0, 0);
  }
  suite.cases.push_back(random_case(random, f, normal, normal, special));  // whose C nobody may look at
  pack(f, suite.cases.back(), 0, 0);
  suite.cases.back().scale = false;
  return suite;
}

/// Every swizzle of A with every one of B.
inline Suite swizzles(const Form& f, int seed) {
  Suite suite{"swizzles", f, {}};
  Random random(static_cast<std::uint64_t>(seed) * 1000 + 29);
  for (int mode = 0; mode < 4; ++mode) {
    suite.cases.push_back(random_case(random, f, normal, normal, normal));
    pack(f, suite.cases.back(), f.a_in_registers ? 0 : (mode + 1) % 4, mode);
  }
  return suite;
}

/// Which 16-bit element of shared memory a descriptor makes each element of a matrix: element i holds i, in two cases
/// (its lower and upper 8 bits), and the other matrix picks. Of B: from A's registers; of A: B at the image's end.
inline void add_map(std::vector<Suite>& all, bool of_a, const Layout& layout) {
  Form f{Type::f32, Type::bf16, Type::bf16};
  f.n = of_a ? 16 : 64;
  f.image_bytes = 32768;
  f.a_in_registers = !of_a;
  (of_a ? f.column_a : f.column_b) = layout.column;
  const auto bf16 = [](int whole) {
    const float value = static_cast<float>(whole);
    std::uint32_t word;
    __builtin_memcpy(&word, &value, 4);
    return word >> 16;
  };
  Suite suite{of_a ? "map of A" : "map of B", f, {}};
  for (int part = 0; part < 2; ++part) {
    Case one;
    for (int i = 0; i < f.image_bytes / 2; ++i) {
      const std::uint32_t value = bf16(part == 0 ? i & 255 : i >> 8);
      one.image.push_back(static_cast<std::uint8_t>(value));
      one.image.push_back(static_cast<std::uint8_t>(value >> 8));
    }
    for (int i = 0; i < 64 * 16; ++i) one.a.push_back(i / 16 == i % 16 ? bf16(1) : 0);
    one.b = {one.a.begin(), one.a.begin() + 16 * 16};
    one.c.assign(static_cast<std::size_t>(64 * f.n), 0);
    if (of_a) {
      one.a.clear();
      one.layout_a = layout;
      one.layout_b = dense(false, 0, f.image_bytes - 512);
    } else {
      one.b.clear();
      one.layout_b = layout;
    }
    suite.cases.push_back(std::move(one));
  }
  all.push_back(std::move(suite));
}

/// Usual descriptors and unusual ones.
inline void add_maps(std::vector<Suite>& all) {
  for (int way = 0; way < 16; ++way) {
    const bool of_a = way >= 8, column = way % 2 != 0;
    const int mode = way / 2 % 4;
    const Layout usual = dense(column, mode, 2048);
    const auto add = [&](auto change) {
      Layout l = usual;
      change(l);
      add_map(all, of_a, l);
    };
    add([](Layout&) {});
    add([](Layout& l) { l.start += 32; });
    add([](Layout& l) { l.leading = 4096; });
    if (of_a && mode != 1) continue;
    add([](Layout& l) { l.start += 16; });
    add([](Layout& l) { l.start += 128; });
    add([](Layout& l) { l.start += 384, l.base = 3; });
    add([](Layout& l) { l.start += 512, l.base = 4; });
    add([](Layout& l) { l.start += 416, l.base = 3; });
    add([](Layout& l) { l.base = 1; });
    add([](Layout& l) { l.base = 5; });
    add([](Layout& l) { l.start += 128, l.base = 5; });
    add([](Layout& l) { l.leading = 0; });
    add([](Layout& l) { l.leading = 208; });
    add([](Layout& l) { l.stride = 0; });
    add([](Layout& l) { l.stride += 48; });
    add([](Layout& l) { l.stride = 128; });
    if (mode != 0 && mode != 1) continue;
    for (const int bit : {14, 15, 30, 31, 46, 47, 48, 52, 53, 60, 61})
      add([&](Layout& l) { l.as_is = l.descriptor() | std::uint64_t{1} << bit; });
  }
}

inline std::vector<Suite> suites() {
  std::vector<Suite> all;
  int seed = 0;
  std::vector<Form> forms = {{Type::f32, Type::bf16, Type::bf16},
                             {Type::f32, Type::f16, Type::f16},
                             {Type::f16, Type::f16, Type::f16},
                             {Type::f32, Type::tf32, Type::tf32}};
  for (const Type d : {Type::f32, Type::f16})
    for (const Type a : {Type::e4m3, Type::e5m2})
      for (const Type b : {Type::e4m3, Type::e5m2}) forms.push_back({d, a, b});
  for (const Form& f : forms) all.push_back(values(f, ++seed));
  for (const Type a : {Type::s8, Type::u8}) {
    for (const Type b : {Type::s8, Type::u8}) {
      for (const bool saturate : {false, true}) {
        Form f{Type::s32, a, b};
        f.saturate = saturate;
        all.push_back(values(f, ++seed));
      }
    }
  }
  all.push_back(values({Type::s32, Type::b1, Type::b1}, ++seed));
  // Signs, and operands that are not finite with signs.
  for (const Type a : {Type::bf16, Type::f16, Type::tf32, Type::e4m3, Type::e5m2}) {
    for (int signs = 1; signs < 4; ++signs) {
      Form f{Type::f32, a, a};
      f.negate_a = (signs & 1) != 0, f.negate_b = (signs & 2) != 0;
      f.a_in_registers = signs == 1;
      all.push_back(values(f, ++seed));
    }
  }
  // Layouts: both majors, all swizzles, A from registers, several n.
  for (const Type a : {Type::bf16, Type::f16, Type::tf32, Type::e4m3, Type::e5m2, Type::s8, Type::u8, Type::b1}) {
    for (const int n : {16, 32, 64, 128, 256}) {
      for (int way = 0; way < 6; ++way) {
        const bool sixteen = bits(a) == 16;
        Form f{is_float(a) ? Type::f32 : Type::s32, a, a};
        f.n = n;
        f.a_in_registers = way >= 4;
        f.column_a = way < 4 && (way & 1) != 0;
        f.column_b = (way & 2) != 0 || way == 5;
        if (!sixteen && (f.column_a || f.column_b)) continue;
        if (n != 16 && n != 64 && way != 0 && way != 3) continue;
        f.image_bytes = n >= 128 ? 45056 : 24576;
        all.push_back(swizzles(f, ++seed));
      }
    }
  }
  add_maps(all);
  return all;
}

/// FNV-1a of D.
inline std::uint64_t hash(const std::vector<std::uint32_t>& d) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const std::uint32_t x : d)
    for (int i = 0; i < 4; ++i) h = (h ^ (x >> (8 * i) & 0xff)) * 0x100000001b3;
  return h;
}

}  // namespace conformance::wgmma
