// Tensors of bool, of 16 and 64 bits and of complex numbers: what only such a type gets wrong is told.

#include "catch.h"
#include "session/check/typed_family.h"

using namespace kerlab::testing;

namespace {

constexpr std::string_view kExact = "{ rule = \"exact\" }";
}  // namespace

TEST_CASE("bool: what is not, or stored as 2, is wrong", "[session][emulated][types]") {
  std::string told;
  judge_typed({.input = "bool",
               .output = "bool",
               .tolerance = kExact,
               .reference = "value[j] = !X[i];",
               .kernel = "const bool is = !X[i];\n"
                         "  reinterpret_cast<unsigned char*>(Y)[i] = BUG == 2 ? X[i] : is ? 1 + BUG : 0;",
               .bugs = 2},
              &told);
  INFO(told);
  CHECK(told.find("got 2, expected 1") != std::string::npos);
}

TEST_CASE("int16: -32768 saturated, or a sign lost, is wrong", "[session][emulated][types]") {
  judge_typed({.input = "int16",
               .output = "int16",
               .tolerance = kExact,
               .recipes = planted("ends", "ends"),
               .reference = "value[j] = X[i];",
               .kernel = "Y[i] = BUG == 1 ? X[i] & 0x7FFF : BUG == 2 && X[i] == -32768 ? -32767 : X[i];",
               .bugs = 2});
}

TEST_CASE("uint16: the upper half read with a sign is wrong", "[session][emulated][types]") {
  judge_typed({.input = "uint16",
               .output = "uint16",
               .tolerance = kExact,
               .recipes = planted("ends", "ends"),
               .reference = "value[j] = X[i] / 2;",
               .kernel = "Y[i] = BUG == 1 ? static_cast<short>(X[i]) / 2 : X[i] / 2;"});
}

TEST_CASE("uint64: through float, or with a sign, is wrong", "[session][emulated][types]") {
  judge_typed({.input = "uint64",
               .output = "uint64",
               .tolerance = kExact,
               .recipes = planted("ends", "ends") + planted("large", "scale", "52"),
               .reference = "value[j] = X[i] / 2;",
               .kernel = "const unsigned long long x = X[i];\n"
                         "  Y[i] = BUG == 1   ? static_cast<unsigned long long>(static_cast<float>(x)) / 2\n"
                         "         : BUG == 2 ? static_cast<unsigned long long>(static_cast<long long>(x) / 2)\n"
                         "                    : x / 2;",
               .bugs = 2});
}

TEST_CASE("complex64: either part is compared", "[session][emulated][types]") {
  std::string told;
  judge_typed({.input = "complex64",
               .output = "complex64",
               .tolerance = "{ rule = \"dot\", length = \"2\" }",
               .recipes = planted("infinities", "points", "inf") + planted("not_a_number", "points", "nan"),
               .reference = "const ACC x = X[i].x, y = X[i].y;\n"
                            "  value[2 * j] = x * x - y * y;\n  value[2 * j + 1] = 2 * x * y;\n"
                            "  scale[2 * j] = sqrt(x * x * x * x + y * y * y * y);\n"
                            "  scale[2 * j + 1] = fabs(2 * x * y);",
               .kernel = "const float2 z = X[i];\n"
                         "  Y[i].x = BUG == 2 ? z.x * z.x + z.y * z.y : z.x * z.x - z.y * z.y;\n"
                         "  Y[i].y = BUG == 1 ? -2 * z.x * z.y : 2 * z.x * z.y;",
               .bugs = 2,
               .input_type = "float2"},
              &told);
  INFO(told);
  CHECK(told.find("].y: got ") != std::string::npos);
}

TEST_CASE("rule bits: a copy that changes a zero's sign or a NaN is wrong", "[session][emulated][types]") {
  std::string told;
  judge_typed(
      {.input = "fp32",
       .output = "fp32",
       .tolerance = "{ rule = \"bits\" }",
       .recipes = planted("ends", "ends") + planted("not_a_number", "points", "nan"),
       .reference = "value[j] = X[i]; scale[j] = copied_scale(X[i]);",
       .kernel = "Y[i] = BUG == 1 && X[i] == 0 ? 0 : BUG == 2 && X[i] != X[i] ? __uint_as_float(0x7fffffff) : X[i];",
       .bugs = 2},
      &told);
  INFO(told);
  CHECK(told.find("got 0, expected -0 +- 0, with its sign") != std::string::npos);
}

TEST_CASE("rule bits: an fp8 number that overflows instead of saturating is wrong", "[session][emulated][types]") {
  judge_typed({.input = "fp32",
               .output = "e5m2",
               .tolerance = "{ rule = \"bits\" }",
               .recipes = planted("large", "scale", "16"),
               .reference = "value[j] = X[i];",
               .kernel =
                   "const e5m2_t y = from_float<e5m2_t>(X[i]);\n"
                   "  Y[i].bits = BUG == 1 && (y.bits & 0x7f) == 0x7b && fabsf(X[i]) > 60000.0f ? y.bits + 1 : y.bits;",
               .output_type = "e5m2_t"});
}
