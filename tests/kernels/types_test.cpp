// Number types of common/types.cuh, on the CPU: every 16-bit pattern there and back, and rounding to nearest even.
#include <cmath>

#include "catch.h"
#include "kernels/cuda_on_cpu.h"
// After it: the number types, for this CPU.
#include "common/types.cuh"

TEST_CASE("types: every fp16 and bf16 value survives the way to float and back", "[kernels]") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const fp16_t half = {static_cast<unsigned short>(bits)};
    const bf16_t bfloat = {static_cast<unsigned short>(bits)};
    if (!std::isnan(to_float(half))) REQUIRE(from_float<fp16_t>(to_float(half)).bits == bits);
    if (!std::isnan(to_float(bfloat))) REQUIRE(from_float<bf16_t>(to_float(bfloat)).bits == bits);
  }
}

TEST_CASE("types: fp16 and bf16 round to the nearest, ties to even", "[kernels]") {
  CHECK(to_float(from_float<fp16_t>(1.0F + 1.0F / 2048)) == 1.0F);                // tie, down to even
  CHECK(to_float(from_float<fp16_t>(1.0F + 3.0F / 2048)) == 1.0F + 2.0F / 1024);  // tie, up to even
  CHECK(to_float(from_float<fp16_t>(65519.0F)) == 65504.0F);
  CHECK(std::isinf(to_float(from_float<fp16_t>(65520.0F))));
  CHECK(to_float(from_float<fp16_t>(std::ldexp(3.0F, -26))) == std::ldexp(1.0F, -24));  // subnormal: 0.75 units
  CHECK(to_float(from_float<fp16_t>(std::ldexp(1.0F, -25))) == 0.0F);                   // tie at half a unit
  CHECK(to_float(from_float<bf16_t>(1.0F + 1.0F / 256)) == 1.0F);
  CHECK(to_float(from_float<bf16_t>(1.0F + 3.0F / 256)) == 1.0F + 2.0F / 128);
  CHECK(std::isnan(to_float(from_float<fp16_t>(NAN))));
  CHECK(std::isnan(to_float(from_float<bf16_t>(NAN))));
}

TEST_CASE("types: every fp8 value survives the way to float and back; what is too large becomes the largest",
          "[kernels]") {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const e4m3_t e4m3 = {static_cast<unsigned char>(bits)};
    const e5m2_t e5m2 = {static_cast<unsigned char>(bits)};
    const float four = to_float(e4m3), five = to_float(e5m2);
    CHECK(std::isnan(four) == ((bits & 0x7f) == 0x7f));
    CHECK(std::isnan(five) == ((bits & 0x7f) > 0x7c));
    if (!std::isnan(four)) REQUIRE(from_float<e4m3_t>(four).bits == bits);
    if (std::isfinite(five)) REQUIRE(from_float<e5m2_t>(five).bits == bits);
  }
  CHECK(to_float(e4m3_t{0x7e}) == 448.0F);
  CHECK(to_float(e4m3_t{0x01}) == std::ldexp(1.0F, -9));
  CHECK(to_float(e5m2_t{0x7b}) == 57344.0F);
  CHECK(std::isinf(to_float(e5m2_t{0x7c})));
  for (const float large : {465.0F, 1e30F, float(INFINITY)}) {
    CHECK(to_float(from_float<e4m3_t>(large)) == 448.0F);
    CHECK(to_float(from_float<e4m3_t>(-large)) == -448.0F);
  }
  CHECK(to_float(from_float<e5m2_t>(-INFINITY)) == -57344.0F);
  CHECK(std::isnan(to_float(from_float<e4m3_t>(NAN))));
  CHECK(std::isnan(to_float(from_float<e5m2_t>(NAN))));
}

TEST_CASE("types: fp8 rounds to the nearest, ties to even, subnormals too", "[kernels]") {
  CHECK(to_float(from_float<e4m3_t>(1.0F + 1.0F / 16)) == 1.0F);                       // tie, down to even
  CHECK(to_float(from_float<e4m3_t>(1.0F + 3.0F / 16)) == 1.25F);                      // tie, up to even
  CHECK(to_float(from_float<e4m3_t>(std::ldexp(3.0F, -10))) == std::ldexp(1.0F, -8));  // tie between 1 and 2 units
  CHECK(to_float(from_float<e4m3_t>(std::ldexp(1.0F, -10))) == 0.0F);                  // tie at half a unit
  CHECK(to_float(from_float<e4m3_t>(std::ldexp(1.9F, -7))) == std::ldexp(1.0F, -6));   // up to a normal number
  CHECK(to_float(from_float<e5m2_t>(1.0F + 1.0F / 8)) == 1.0F);
  CHECK(to_float(from_float<e5m2_t>(1.0F + 3.0F / 8)) == 1.5F);
  CHECK(to_float(from_float<e5m2_t>(std::ldexp(3.0F, -18))) == std::ldexp(1.0F, -16));  // 0.75 units
}

TEST_CASE("types: a vector is as wide and as aligned as one load", "[kernels]") {
  CHECK(alignof(Vector<float, 4>) == 16);
  CHECK(sizeof(Vector<float, 4>) == 16);
  CHECK(alignof(Vector<bf16_t, 4>) == 8);
  CHECK(alignof(Vector<bf16_t, 8>) == 16);
  CHECK(alignof(Vector<float, 1>) == 4);
}
