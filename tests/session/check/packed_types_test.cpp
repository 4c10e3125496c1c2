// Tensors of types with two elements to a byte, and of powers of two.

#include "catch.h"
#include "session/check/typed_family.h"

using namespace kerlab::testing;

namespace {

constexpr std::string_view kBitForBit = "{ rule = \"exact\" }";

/// fp32 to e2m1, to nearest even, saturated; two at a time.
constexpr std::string_view kToE2m1 = R"cuda(int both = 0;
  for (int half = 0; half < 2; ++half) {
    const float x = X[2 * i + half], size = fabsf(x);
    int code = size <= 0.25f ? 0 : size < 0.75f ? 1 : size <= 1.25f ? 2 : size < 1.75f ? 3 : size <= 2.5f ? 4
             : size < 3.5f ? 5 : size <= 5.0f ? 6 : 7;
    if (BUG == 1 && size > 7.0f) code = 0;  // wraps instead of saturating
    if (BUG == 2) code = size < 0.5f ? 0 : size < 1 ? 1 : size < 1.5f ? 2 : size < 2 ? 3 : size < 3 ? 4
                       : size < 4 ? 5 : size < 6 ? 6 : 7;  // cut off
    if (BUG == 3 && code > 0) code -= code == 4;
    both |= (code | (x < 0 ? 8 : 0)) << 4 * half;
  }
  Y[i] = both;)cuda";

}  // namespace

TEST_CASE("int4: nibbles exchanged, or a sign lost, is wrong", "[session][emulated][types]") {
  std::string told;
  judge_typed({.input = "int4",
               .output = "int4",
               .tolerance = kBitForBit,
               .reference = "const int bits = X[i / 2] >> i % 2 * 4 & 15;\n  value[j] = bits < 8 ? bits : bits - 16;",
               .kernel = "const unsigned char two = X[i];\n"
                         "  Y[i] = BUG == 1 ? two << 4 | two >> 4 : BUG == 2 ? two & 0x77 : two;",
               .per_thread = 2,
               .bugs = 2},
              &told);
  INFO(told);
  CHECK(told.find("expected") != std::string::npos);
}

TEST_CASE("uint4: 15 taken for -1 is wrong", "[session][emulated][types]") {
  judge_typed({.input = "uint4",
               .output = "fp32",
               .tolerance = kBitForBit,
               .reference = "value[j] = X[i / 2] >> i % 2 * 4 & 15;",
               .kernel = "for (int half = 0; half < 2; ++half) {\n"
                         "    const int code = X[i] >> 4 * half & 15;\n"
                         "    Y[2 * i + half] = BUG == 1 && code > 7 ? code - 16 : code;\n  }",
               .per_thread = 2,
               .output_type = "float"});
}

TEST_CASE("e2m1: without saturation, cut off or one code off is wrong", "[session][emulated][types]") {
  judge_typed({.input = "fp32",
               .output = "e2m1",
               .tolerance = "{ rule = \"sum\", length = \"1\" }",
               .recipes = planted("large", "scale", "2"),
               .reference = "value[j] = X[i];",
               .kernel = kToE2m1,
               .per_thread = 2,
               .bugs = 3,
               .output_type = "unsigned char"});
}

TEST_CASE("e2m1: every code is read", "[session][emulated][types]") {
  judge_typed({.input = "e2m1",
               .output = "fp32",
               .tolerance = kBitForBit,
               .reference =
                   "const int code = X[i / 2] >> i % 2 * 4 & 15, size = code & 7;\n"
                   "  const ACC x = size < 4 ? size * 0.5 : size == 4 ? 2 : size == 5 ? 3 : size == 6 ? 4 : 6;\n"
                   "  value[j] = code < 8 ? x : -x;",
               .kernel = "const float table[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, BUG == 1 ? 8.0f : 6.0f};\n"
                         "  for (int half = 0; half < 2; ++half) {\n"
                         "    const int code = X[i] >> 4 * half & 15;\n"
                         "    Y[2 * i + half] = code < 8 ? table[code & 7] : -table[code & 7];\n  }",
               .per_thread = 2,
               .output_type = "float"});
}

TEST_CASE("e8m0: a scale that is one power off is wrong, either way", "[session][emulated][types]") {
  judge_typed(
      {.input = "fp32",
       .output = "e8m0",
       .tolerance = kBitForBit,
       .recipes = planted("nan", "points", "nan"),
       .reference = "const unsigned int field = __float_as_uint(X[i]) >> 23 & 255;\n"
                    "  value[j] = field == 255 ? ACC(__uint_as_float(0x7fffffff)) : ldexp(ACC(1), int(field) - 127);",
       .kernel = "const unsigned int field = __float_as_uint(X[i]) >> 23 & 255;\n"
                 "  Y[i] = field == 255 ? (BUG == 3 ? 254 : 255) : BUG == 1 ? field + 1 : BUG == 2 && field > 0 ? "
                 "field - 1 : field;",
       .bugs = 3,
       .output_type = "unsigned char"});
}
