#include "spec/tolerance.h"

#include <cmath>

#include "catch.h"

using namespace kerlab;

namespace {
ToleranceDecl rule(const char* name) {
  ToleranceDecl declared;
  declared.rule = name;
  return declared;
}
const double kU32 = std::ldexp(1.0, -24);
}  // namespace

TEST_CASE("tolerance: dot products grow with their length", "[spec]") {
  // n = length + 2: the roundings of alpha and beta.
  const Tolerance fp32 = make_tolerance(rule("dot"), {62}, DType::fp32, DType::fp32, false);
  CHECK(fp32.value_factor == Approx(kU32 * 2 * 8).epsilon(0.001));
  CHECK(fp32.scale_factor == Approx(kU32 * 2 * 8 * 2));
  CHECK(fp32.absolute == std::ldexp(1.0, -150) + std::ldexp(fp32.value_factor, -126));
  const Tolerance bf16 = make_tolerance(rule("dot"), {62}, DType::bf16, DType::bf16, false);
  CHECK(bf16.value_factor == Approx(kU32 * (3 * 8 + 0.75 * 64)));
  CHECK(bf16.scale_factor == Approx(kU32 * 2 * (3 * 8 + 64 / 8.0)));
  const Tolerance fp8 = make_tolerance(rule("dot"), {62}, DType::e4m3, DType::bf16, false);
  CHECK(fp8.value_factor == Approx(std::ldexp(1.0, -14) * (1.5 * 8 + 64 / 2.0)));
  CHECK(fp8.scale_factor == Approx(std::ldexp(1.0, -14) * 2 * (1.5 * 8 + 64 / 32.0)));
  const Tolerance fp64 = make_tolerance(rule("dot"), {62}, DType::fp64, DType::fp64, false);
  CHECK(fp64.value_factor == Approx(std::ldexp(1.0, -53) * 16));
}

TEST_CASE("tolerance: sums of fp8 that go to fp32 now and then err no more for being long", "[spec]") {
  const auto fp8 = [](std::int64_t terms, std::int64_t promoted_every) {
    return make_tolerance(rule("dot"), {terms, promoted_every}, DType::e4m3, DType::bf16, false);
  };
  CHECK(fp8(100, 128) == fp8(100, 0));
  CHECK(fp8(65536, 128).value_factor < 1.01 * fp8(128, 0).value_factor);
  CHECK(fp8(65536, 128).value_factor > fp8(128, 0).value_factor);
  CHECK(fp8(65536, 0).value_factor > 100 * fp8(65536, 128).value_factor);
  // Other types have one accumulator.
  CHECK(make_tolerance(rule("dot"), {4096, 128}, DType::bf16, DType::bf16, false) ==
        make_tolerance(rule("dot"), {4096}, DType::bf16, DType::bf16, false));
}

TEST_CASE("tolerance: a reference in float adds its own bound", "[spec]") {
  const Tolerance exact = make_tolerance(rule("dot"), {62}, DType::fp32, DType::fp32, false);
  const Tolerance in_float = make_tolerance(rule("dot"), {62}, DType::fp32, DType::fp32, true);
  CHECK(in_float.value_factor == Approx(exact.value_factor + kU32 * 2 * 8).epsilon(0.001));
}

TEST_CASE("tolerance: a sum is added up in fp32, whatever its type", "[spec]") {
  for (const DType dtype : {DType::fp32, DType::bf16, DType::fp16}) {
    const Tolerance sum = make_tolerance(rule("sum"), {62}, dtype, DType::fp32, false);
    CHECK(sum == make_tolerance(rule("dot"), {62}, DType::fp32, DType::fp32, false));
  }
}

TEST_CASE("tolerance: a long sum to nearest may lose its small terms", "[spec]") {
  constexpr double kTerms = 1 << 20;
  const Tolerance sum = make_tolerance(rule("sum"), {(1 << 20) - 2}, DType::fp32, DType::fp32, false);
  CHECK(sum.value_factor == Approx(kU32 * (2 * 1024 + kTerms / 64)));  // sqrt(n u) / 16 of n
  CHECK(sum.scale_factor == Approx(kU32 * 2 * 2 * 1024));
  const Tolerance cores = make_tolerance(rule("dot"), {(1 << 20) - 2}, DType::bf16, DType::fp32, false);
  CHECK(cores.value_factor == Approx(kU32 * (3 * 1024 + 0.75 * kTerms)));
}

TEST_CASE("tolerance: rowwise and exact", "[spec]") {
  const Tolerance row = make_tolerance(rule("rowwise"), {0}, DType::fp16, DType::fp16, false);
  CHECK(row.value_factor == 0);
  CHECK(row.scale_factor == std::ldexp(1.0, -22));
  CHECK(make_tolerance(rule("rowwise"), {0}, DType::fp16, DType::fp16, true).scale_factor == std::ldexp(1.0, -21));
  CHECK(make_tolerance(rule("bits"), {}, DType::bf16, DType::bf16, true).bits);
  CHECK(make_tolerance(rule("bits"), {}, DType::bf16, DType::bf16, true).absolute == 0);
  CHECK(make_tolerance(rule("exact"), {100}, DType::fp32, DType::fp32, true) == Tolerance{});
  CHECK(make_tolerance(rule("dot"), {100}, DType::int32, DType::int32, false) == Tolerance{});
}

TEST_CASE("tolerance: an fp64 accumulator of a shorter type", "[spec]") {
  ToleranceDecl declared = rule("dot");
  declared.accumulator = DType::fp64;
  CHECK(make_tolerance(declared, {62}, DType::fp32, DType::fp32, false).value_factor ==
        Approx(std::ldexp(1.0, -53) * 16));
}
