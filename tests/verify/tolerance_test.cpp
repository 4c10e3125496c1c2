#include "common/tolerance.h"

#include <cmath>
#include <limits>

#include "catch.h"

namespace lab = kerlab::lab;

namespace {

const double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

lab::CompareArguments bound(double value_factor, double scale_factor, double absolute, bool exact = false) {
  lab::CompareArguments a{};
  a.value_factor = value_factor;
  a.scale_factor = scale_factor;
  a.absolute = absolute;
  a.exact = exact ? 1 : 0;
  return a;
}

lab::Verdict judge(lab::u32 dtype, double got, double reference, const lab::CompareArguments& a, double scale = 1) {
  const lab::Format f = lab::format_of(dtype);
  const lab::u64 bits = std::isinf(got) && dtype == lab::kE5m2 ? (got > 0 ? 0x7C : 0xFC) : lab::encode(f, got);
  return lab::judge(f, bits, reference, scale, a);
}

}  // namespace

TEST_CASE("half an ulp of each type", "[verify]") {
  CHECK(lab::half_ulp(lab::format_of(lab::kFp32), 1.0) == std::ldexp(1.0, -24));
  CHECK(lab::half_ulp(lab::format_of(lab::kBf16), -3.0) == std::ldexp(1.0, -7));
  CHECK(lab::half_ulp(lab::format_of(lab::kFp16), 0.0) == std::ldexp(1.0, -25));
  CHECK(lab::half_ulp(lab::format_of(lab::kE4m3), 448.0) == 16.0);
  CHECK(lab::half_ulp(lab::format_of(lab::kFp64), 1.0) == std::ldexp(1.0, -53));
  CHECK(lab::half_ulp(lab::format_of(lab::kInt32), 7.0) == 0.5);
}

TEST_CASE("tolerance adds its four parts", "[verify]") {
  const lab::Verdict v = judge(lab::kFp32, 10.5, 10.0, bound(0.01, 0.02, 0.3), 5.0);
  CHECK(v.tolerance == Approx(std::ldexp(1.0, -21) + 0.1 + 0.1 + 0.3));
  CHECK(v.passed);
  CHECK(v.ratio == Approx(1.0).epsilon(1e-5));
  const lab::Verdict beyond = judge(lab::kFp32, 11.0, 10.0, bound(0.01, 0.02, 0.3), 5.0);
  CHECK_FALSE(beyond.passed);
  CHECK(beyond.ratio == Approx(2.0).epsilon(1e-5));
}

TEST_CASE("one rounding of the reference always passes, two ulps never without a bound", "[verify]") {
  for (const lab::u32 id : {lab::kFp32, lab::kTf32, lab::kBf16, lab::kFp16, lab::kE4m3, lab::kE5m2}) {
    const lab::Format f = lab::format_of(id);
    for (double x : {0.3, 1.0, 3.14159, 100.7, 1e-3, 1e-9, -0.77}) {
      const lab::u64 bits = lab::encode(f, x);
      CHECK(lab::judge(f, bits, x, 1, bound(0, 0, 0)).passed);
      CHECK_FALSE(lab::judge(f, bits + (lab::u64{2} << f.shift), x, 1, bound(0, 0, 0)).passed);
    }
  }
}

TEST_CASE("of e2m1 and e8m0 one rounding passes, and no neighbour of it", "[verify][types]") {
  for (const lab::u32 id : {lab::kE2m1, lab::kE8m0}) {
    const lab::Format f = lab::format_of(id);
    for (const double x : {0.3, 0.5, 0.8, 1.0, 1.2, 2.0, 2.2, 3.1, 4.0, 4.4, 5.5, 6.2}) {
      CAPTURE(id, x);
      const lab::u64 bits = lab::encode(f, x);
      CHECK(lab::judge(f, bits, x, 1, bound(0, 0, 0)).passed);
      CHECK_FALSE(lab::judge(f, bits - 1, x, 1, bound(0, 0, 0)).passed);
      if (bits < f.maximum) CHECK_FALSE(lab::judge(f, bits + 1, x, 1, bound(0, 0, 0)).passed);
    }
  }
  const auto passed = [](lab::u32 id, lab::u64 bits, double reference) {
    return lab::judge(lab::format_of(id), bits, reference, 1, bound(0, 0, 0)).passed;
  };
  CHECK(passed(lab::kE2m1, 2, 1.25));  // either where both are as near
  CHECK(passed(lab::kE2m1, 3, 1.25));
  CHECK(passed(lab::kE2m1, 7, 100));
  CHECK_FALSE(passed(lab::kE2m1, 6, 100));
  CHECK(passed(lab::kE8m0, 255, kNan));
  CHECK_FALSE(passed(lab::kE8m0, 254, kNan));
  CHECK_FALSE(passed(lab::kE8m0, 255, 1));
}

TEST_CASE("bool, 16 and 64 bits are exact", "[verify][types]") {
  const auto passed = [](lab::u32 id, lab::u64 bits, double reference) {
    return lab::judge(lab::format_of(id), bits, reference, 0, bound(0, 0, 0)).passed;
  };
  CHECK(passed(lab::kBool, 1, 1));
  CHECK_FALSE(passed(lab::kBool, 2, 1));
  CHECK_FALSE(passed(lab::kBool, 0xFF, 1));
  CHECK_FALSE(passed(lab::kBool, 0, 1));
  CHECK(passed(lab::kInt16, 0x8000, -32768));
  CHECK_FALSE(passed(lab::kInt16, 0x8001, -32768));
  CHECK_FALSE(passed(lab::kUint16, 0xFFFE, 65535));
  CHECK(passed(lab::kUint64, ~lab::u64{0}, std::ldexp(1.0, 64)));
  CHECK_FALSE(passed(lab::kUint64, lab::u64{1} << 63, std::ldexp(1.0, 64)));
  CHECK(passed(lab::kInt4, 8, -8));
  CHECK_FALSE(passed(lab::kInt4, 9, -8));
  CHECK(passed(lab::kInt16, 0x8001, -40000));  // what is beyond may be saturated to either
  CHECK(passed(lab::kInt16, 0x8000, -40000));
  CHECK_FALSE(lab::judge(lab::format_of(lab::kInt16), 0x8001, -32768, 0, bound(0, 0, 0, true)).passed);
}

TEST_CASE("NaN passes only where the reference is NaN", "[verify]") {
  for (const bool exact : {false, true}) {
    const lab::CompareArguments a = bound(1, 1, 1e300, exact);
    CHECK_FALSE(judge(lab::kFp32, kNan, 1.0, a).passed);
    CHECK(judge(lab::kFp32, kNan, 1.0, a).nan);
    CHECK(judge(lab::kFp32, kNan, 1.0, a).ratio == kInfinity);
    CHECK(judge(lab::kFp32, kNan, kNan, a).passed);
    CHECK_FALSE(judge(lab::kFp32, 1.0, kNan, a).passed);
    CHECK_FALSE(judge(lab::kFp32, 1.0, kNan, a).nan);
    CHECK_FALSE(judge(lab::kBf16, kNan, kInfinity, a).passed);
  }
}

TEST_CASE("an error scale of -infinity takes either infinity and NaN, and no number", "[verify]") {
  for (const double reference : {kInfinity, -kInfinity, kNan}) {
    CAPTURE(reference);
    for (const double got : {kInfinity, -kInfinity, kNan})
      CHECK(judge(lab::kFp32, got, reference, bound(0.01, 0.02, 0.3), -kInfinity).passed);
    for (const double got : {0.0, 1.0, -3e38})
      CHECK_FALSE(judge(lab::kFp32, got, reference, bound(0.01, 0.02, 0.3), -kInfinity).passed);
    CHECK_FALSE(judge(lab::kFp32, 1.0, reference, bound(0, 0, 0, true), -kInfinity).passed);
  }
  CHECK_FALSE(judge(lab::kFp32, -kInfinity, kInfinity, bound(0.01, 0.02, 0.3), kInfinity).passed);
}

TEST_CASE("an error scale of -infinity beside a number takes it, rounded, infinities and NaN", "[verify]") {
  const lab::CompareArguments a = bound(0, 0.5, 0);
  for (const double got : {kInfinity, -kInfinity, kNan, 3.0}) CHECK(judge(lab::kFp32, got, 3.0, a, -kInfinity).passed);
  CHECK(judge(lab::kBf16, 256, 257.0, a, -kInfinity).passed);
  for (const double got : {0.0, -3.0, 3.001, 4.0}) CHECK_FALSE(judge(lab::kFp32, got, 3.0, a, -kInfinity).passed);
  CHECK(judge(lab::kFp32, kNan, 3.0, a, -kInfinity).tolerance == 0);
}

TEST_CASE("infinities of the reference must be met", "[verify]") {
  for (const bool exact : {false, true}) {
    const lab::CompareArguments a = bound(0.1, 0, 0, exact);
    CHECK(judge(lab::kFp32, kInfinity, kInfinity, a).passed);
    CHECK_FALSE(judge(lab::kFp32, -kInfinity, kInfinity, a).passed);
    CHECK_FALSE(judge(lab::kFp32, 3e38, kInfinity, a).passed);
    CHECK_FALSE(judge(lab::kFp32, kInfinity, 1.0, a).passed);
    CHECK(judge(lab::kE4m3, 448, kInfinity, a).passed);
  }
}

TEST_CASE("a reference beyond the largest number may overflow", "[verify]") {
  for (const bool exact : {false, true}) {
    const lab::CompareArguments a = bound(0, 0, 0, exact);
    CHECK(judge(lab::kFp16, kInfinity, 70000.0, a).passed);
    CHECK_FALSE(judge(lab::kFp16, -kInfinity, 70000.0, a).passed);
    CHECK_FALSE(judge(lab::kFp16, 65504.0, 70000.0, a).passed);
    CHECK_FALSE(judge(lab::kFp16, kInfinity, 60000.0, a).passed);
    CHECK(judge(lab::kE5m2, 57344.0, 90000.0, a).passed);
    CHECK(judge(lab::kE5m2, kInfinity, 90000.0, a).passed);
    CHECK(judge(lab::kE4m3, -448.0, -1000.0, a).passed);
  }
}

TEST_CASE("an unusable tolerance passes nothing", "[verify]") {
  CHECK_FALSE(judge(lab::kFp32, 1.0, 2.0, bound(0, 1, 0), kInfinity).passed);
  CHECK_FALSE(judge(lab::kFp32, 1.0, 2.0, bound(0, 1, 0), kNan).passed);
  CHECK_FALSE(judge(lab::kFp64, 1.0, 2.0, bound(0, 0, kInfinity)).passed);
}

TEST_CASE("exact mode compares bits after one rounding", "[verify]") {
  const lab::CompareArguments a = bound(1, 1, 1, true);
  CHECK(judge(lab::kBf16, 257.0, 257.0, a).passed);  // both round to 256
  CHECK_FALSE(judge(lab::kFp32, 256.0, 257.0, a).passed);
  CHECK(lab::judge(lab::format_of(lab::kFp32), 0x80000000u, 0.0, 1, a).passed);
  CHECK(judge(lab::kInt32, -5, -5, a).passed);
  CHECK_FALSE(judge(lab::kInt32, -5, -6, a).passed);
}

TEST_CASE("specials that may be NaN: where the value or its scale is no number, or too large", "[verify]") {
  lab::CompareArguments a = bound(1e-6, 1e-6, 0);
  CHECK_FALSE(judge(lab::kFp32, kNan, kInfinity, a).passed);
  a.may_be_nan = 1;
  CHECK(judge(lab::kFp32, kNan, kInfinity, a).passed);
  CHECK(judge(lab::kFp32, kNan, -kInfinity, a).passed);
  CHECK(judge(lab::kFp32, kNan, 0, a, kNan).passed);
  CHECK(judge(lab::kFp32, kNan, 4e38, a).passed);
  CHECK(judge(lab::kFp32, kInfinity, kInfinity, a).passed);
  CHECK_FALSE(judge(lab::kFp32, -kInfinity, kInfinity, a).passed);
  CHECK_FALSE(judge(lab::kFp32, 1.0, kInfinity, a).passed);
  CHECK_FALSE(judge(lab::kFp32, kNan, 1.0, a).passed);
  CHECK_FALSE(judge(lab::kFp32, kInfinity, 1.0, a).passed);
}

TEST_CASE("a negative scale: of a matrix that holds what is no number any element may be none", "[verify]") {
  lab::CompareArguments a = bound(0, 1, 0);
  CHECK_FALSE(judge(lab::kFp32, kNan, 1.0, a, -0.25).passed);
  a.may_be_nan = 1;
  CHECK(judge(lab::kFp32, kNan, 1.0, a, -0.25).passed);
  CHECK(judge(lab::kFp32, -kInfinity, 1.0, a, -0.25).passed);
  CHECK(judge(lab::kFp32, 1.25, 1.0, a, -0.25).passed);
  CHECK_FALSE(judge(lab::kFp32, 1.5, 1.0, a, -0.25).passed);
}

TEST_CASE("the least number of an integer type is itself, and nothing else is", "[verify]") {
  const lab::CompareArguments a = bound(0, 0, 0, true);
  CHECK(lab::judge(lab::format_of(lab::kInt8), 0x80, -128, 0, a).passed);
  CHECK(lab::judge(lab::format_of(lab::kInt8), 0x81, -200, 0, a).passed);
  CHECK_FALSE(lab::judge(lab::format_of(lab::kInt8), 0x80, -127, 0, a).passed);
}

namespace {
lab::Verdict judge_bits(lab::u32 dtype, lab::u64 bits, double reference, double scale) {
  lab::CompareArguments a{};
  a.exact = lab::kSameBits;
  return lab::judge(lab::format_of(dtype), bits, reference, scale, a);
}
}  // namespace

TEST_CASE("bits: zeros have their sign", "[verify]") {
  CHECK(judge_bits(lab::kFp32, 0x80000000, -0.0, 0).passed);
  CHECK_FALSE(judge_bits(lab::kFp32, 0, -0.0, 0).passed);
  CHECK_FALSE(judge_bits(lab::kFp32, 0x80000000, 0.0, 0).passed);
  CHECK(judge_bits(lab::kBf16, 0x8000, -1e-300, 0).passed);  // what rounds to 0 keeps it
  CHECK_FALSE(judge_bits(lab::kBf16, 0, -1e-300, 0).passed);
  CHECK(judge_bits(lab::kInt8, 0x80, -128, 0).passed);
  CHECK(judge_bits(lab::kInt32, 0, -0.0, 0).passed);
}

TEST_CASE("bits: a NaN has the fraction and the sign that the scale says, or any", "[verify]") {
  const double fraction = 0x800001;  // with the hidden bit
  CHECK(judge_bits(lab::kFp32, 0x7F800001, kNan, fraction).passed);
  CHECK(judge_bits(lab::kFp32, 0xFF800001, kNan, -fraction).passed);
  CHECK_FALSE(judge_bits(lab::kFp32, 0x7FC00001, kNan, fraction).passed);
  CHECK_FALSE(judge_bits(lab::kFp32, 0xFF800001, kNan, fraction).passed);
  CHECK(judge_bits(lab::kFp64, 0x7FFFFFFFFFFFFFFF, kNan, 0x1FFFFFFFFFFFFFp0).passed);
  CHECK(judge_bits(lab::kFp16, 0x7C01, kNan, 0x401).passed);
  CHECK(judge_bits(lab::kE4m3, 0xFF, kNan, -0xF).passed);
  CHECK_FALSE(judge_bits(lab::kE4m3, 0x7F, kNan, -0xF).passed);
  CHECK(judge_bits(lab::kFp32, 0xFFFFFFFF, kNan, 0).passed);  // not told
  CHECK_FALSE(judge_bits(lab::kFp32, 0x3F800000, kNan, 0).passed);
  CHECK(judge_bits(lab::kFp32, 0x7FC00000, 1, 0).nan);
}

TEST_CASE("bits: what is beyond an fp8 type is its largest number, an infinity that is copied stays one", "[verify]") {
  CHECK(judge_bits(lab::kE5m2, 0x7B, 90000, 0).passed);
  CHECK_FALSE(judge_bits(lab::kE5m2, 0x7C, 90000, 0).passed);
  CHECK(judge_bits(lab::kE5m2, 0xFB, -kInfinity, 0).passed);
  CHECK_FALSE(judge_bits(lab::kE5m2, 0xFC, -kInfinity, 0).passed);
  CHECK(judge_bits(lab::kE5m2, 0xFC, -kInfinity, -4).passed);
  CHECK_FALSE(judge_bits(lab::kE5m2, 0xFB, -kInfinity, -4).passed);
  CHECK(judge_bits(lab::kFp16, 0x7C00, 70000, 0).passed);
  CHECK(judge_bits(lab::kTf32, 0x7F800000, kInfinity, 0x800000).passed);
}

TEST_CASE("integers of 64 bits are held to what a double of the reference knows of them", "[verify][types]") {
  const auto passed = [](lab::u64 bits, double reference) {
    return lab::judge(lab::format_of(lab::kInt64), bits, reference, 0, bound(0, 0, 0)).passed;
  };
  CHECK_FALSE(passed((lab::u64{1} << 52) + 1, 0x1p52));
  CHECK(passed((lab::u64{1} << 60) + 4096, 0x1p60));
  CHECK_FALSE(passed((lab::u64{1} << 60) + (lab::u64{1} << 30), 0x1p60));
  CHECK(passed(12345, 0x1p70));  // beyond the type none is right
}
