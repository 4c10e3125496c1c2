#include "common/number.h"

#include <cmath>
#include <limits>
#include <random>

#include "catch.h"
#include "plan/dtype.h"

namespace lab = kerlab::lab;
using kerlab::plan::DType;

namespace {

/// Rounding done in double arithmetic, independently of the integer path.
double round_in_double(const kerlab::plan::DTypeInfo& type, double x) {
  if (x == 0) return 0;
  const int exponent = std::max(std::ilogb(x), type.minimum_exponent);
  const double unit = std::ldexp(1.0, exponent - (type.precision - 1));
  return std::nearbyint(x / unit) * unit;
}

const lab::u32 kFloats[] = {lab::kFp64, lab::kFp32, lab::kTf32, lab::kBf16, lab::kFp16, lab::kE4m3, lab::kE5m2};

}  // namespace

TEST_CASE("number formats agree with the data type table", "[verify]") {
  for (lab::u32 id = 0; id < lab::kNumberIds; ++id) {
    const auto& type = kerlab::plan::info(static_cast<DType>(id));
    const lab::Format f = lab::format_of(id);
    CAPTURE(type.name);
    CHECK(f.bytes == type.bytes);
    CHECK(f.per_byte == type.per_byte);
    CHECK(f.is_float == type.is_float);
    CHECK(f.precision == type.precision);
    if (type.is_float) {
      CHECK(f.minimum_exponent == type.minimum_exponent);
      CHECK(lab::decode(f, f.maximum << f.shift) == type.maximum);
    } else {
      CHECK(static_cast<double>(f.maximum) == type.maximum);
    }
  }
}

TEST_CASE("fp32 and fp64 encode and decode like the host", "[verify]") {
  std::mt19937_64 random(7);
  const lab::Format single = lab::format_of(lab::kFp32), twice = lab::format_of(lab::kFp64);
  for (int i = 0; i < 20000; ++i) {
    const double x = lab::double_of(random());
    if (std::isnan(x)) continue;
    const double moderate =
        std::ldexp(std::copysign(1.0 + std::fabs(std::fmod(x, 1.0)), x), static_cast<int>(i % 290) - 160);
    const auto narrowed = static_cast<float>(moderate);
    lab::u32 bits = 0;
    __builtin_memcpy(&bits, &narrowed, 4);
    if (narrowed != 0) CHECK(lab::encode(single, moderate) == bits);
    CHECK(lab::decode(single, bits) == narrowed);
    if (x != 0) CHECK(lab::encode(twice, x) == lab::bits_of(x));
  }
}

TEST_CASE("every format rounds once, to nearest even", "[verify]") {
  std::mt19937_64 random(11);
  for (const lab::u32 id : kFloats) {
    const auto& type = kerlab::plan::info(static_cast<DType>(id));
    const lab::Format f = lab::format_of(id);
    CAPTURE(type.name);
    const int low = type.minimum_exponent - type.precision - 1;
    for (int i = 0; i < 5000; ++i) {
      const int span = id == lab::kFp64 ? 40 : 16;
      const int exponent =
          i % 2 == 0 ? -8 + static_cast<int>(random() % 14) : std::max(low, -1000) + static_cast<int>(random() % span);
      // Few bits: many exact ties.
      const double x = std::ldexp(static_cast<double>(random() % 4096 + 1) * (i % 3 == 0 ? -1 : 1), exponent - 11);
      if (std::fabs(x) > type.maximum) continue;
      const double expected = round_in_double(type, x);
      CHECK(lab::decode(f, lab::encode(f, x)) == expected);
    }
  }
}

TEST_CASE("every bit pattern of the small formats survives decode and encode", "[verify]") {
  for (const lab::u32 id : {lab::kBf16, lab::kFp16, lab::kE4m3, lab::kE5m2}) {
    const lab::Format f = lab::format_of(id);
    const lab::u64 count = lab::u64{1} << (8 * f.bytes);
    for (lab::u64 bits = 0; bits < count; ++bits) {
      const double x = lab::decode(f, bits);
      if (std::isnan(x)) continue;
      if (x == 0) {
        CHECK(lab::encode(f, x) == 0);
      } else if (std::isinf(x) && f.overflow == f.maximum) {
        CHECK(lab::decode(f, lab::encode(f, x)) == std::copysign(lab::decode(f, f.maximum), x));
      } else if (lab::encode(f, x) != bits) {
        FAIL("bits " << bits << " of format " << id << " came back as " << lab::encode(f, x));
      }
    }
  }
}

TEST_CASE("every code of the types of few bits survives decode and encode", "[verify][types]") {
  for (const lab::u32 id : {lab::kBool, lab::kInt4, lab::kUint4, lab::kE2m1, lab::kE8m0, lab::kInt16, lab::kUint16}) {
    const lab::Format f = lab::format_of(id);
    const lab::u64 count = id == lab::kBool ? 2 : lab::u64{1} << lab::bits_in(f);
    for (lab::u64 bits = 0; bits < count; ++bits) {
      CAPTURE(id, bits);
      const double x = lab::decode(f, bits);
      const bool least = !f.is_float && f.is_signed && x < -static_cast<double>(f.maximum);  // saturates to -most
      if (least || (x == 0 && bits != 0)) continue;
      CHECK(lab::encode(f, x) == bits);
    }
  }
}

TEST_CASE("ends of the smaller and unsigned types", "[verify][types]") {
  const auto value = [](lab::u32 id, lab::u64 bits) { return lab::decode(lab::format_of(id), bits); };
  CHECK(value(lab::kInt16, 0x8000) == -32768);
  CHECK(value(lab::kInt16, 0x7FFF) == 32767);
  CHECK(value(lab::kUint16, 0xFFFF) == 65535);
  CHECK(value(lab::kUint64, ~lab::u64{0}) == std::ldexp(1.0, 64));
  CHECK(value(lab::kInt4, 8) == -8);
  CHECK(value(lab::kUint4, 15) == 15);
  CHECK(value(lab::kBool, 2) == 2);  // what no kernel should have stored is not hidden
  const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (lab::u64 code = 0; code < 8; ++code) {
    CHECK(value(lab::kE2m1, code) == e2m1[code]);
    CHECK(value(lab::kE2m1, code + 8) == -e2m1[code]);
  }
  CHECK(value(lab::kE8m0, 0) == std::ldexp(1.0, -127));
  CHECK(value(lab::kE8m0, 127) == 1);
  CHECK(value(lab::kE8m0, 254) == std::ldexp(1.0, 127));
  CHECK(std::isnan(value(lab::kE8m0, 255)));
}

TEST_CASE("rounding to e2m1 and e8m0", "[verify][types]") {
  const auto rounded = [](lab::u32 id, double x) {
    return lab::decode(lab::format_of(id), lab::encode(lab::format_of(id), x));
  };
  CHECK(rounded(lab::kE2m1, 0.25) == 0);  // to the even one
  CHECK(rounded(lab::kE2m1, 0.26) == 0.5);
  CHECK(rounded(lab::kE2m1, 0.75) == 1);
  CHECK(rounded(lab::kE2m1, 1.25) == 1);
  CHECK(rounded(lab::kE2m1, 2.5) == 2);
  CHECK(rounded(lab::kE2m1, -3.5) == -4);
  CHECK(rounded(lab::kE2m1, 5) == 4);
  CHECK(rounded(lab::kE2m1, 1e9) == 6);
  CHECK(rounded(lab::kE2m1, -std::numeric_limits<double>::infinity()) == -6);
  CHECK(rounded(lab::kE2m1, std::nan("")) == 6);
  CHECK(rounded(lab::kE8m0, 1.49) == 1);
  CHECK(rounded(lab::kE8m0, 1.5) == 2);
  CHECK(rounded(lab::kE8m0, 0.7) == 0.5);
  CHECK(rounded(lab::kE8m0, 0) == std::ldexp(1.0, -127));
  CHECK(rounded(lab::kE8m0, std::ldexp(1.0, -140)) == std::ldexp(1.0, -127));
  CHECK(rounded(lab::kE8m0, 1e300) == std::ldexp(1.0, 127));
  CHECK(std::isnan(rounded(lab::kE8m0, std::nan(""))));
  CHECK(rounded(lab::kBool, 7) == 1);
  CHECK(rounded(lab::kUint64, 1e300) == std::ldexp(1.0, 64));
}

TEST_CASE("two elements of a packed type share a byte, the first in its low bits", "[verify][types]") {
  const lab::Format f = lab::format_of(lab::kInt4);
  CHECK(lab::byte_of(f, 7) == 3);
  CHECK(lab::bits_of_element(f, 0xA5, 6) == 0x5);
  CHECK(lab::bits_of_element(f, 0xA5, 7) == 0xA);
  CHECK(kerlab::plan::bytes_of(DType::int4, 7) == 4);
  CHECK(kerlab::plan::elements_in(DType::e2m1, 16) == 32);
  CHECK(kerlab::plan::elements_in(DType::complex64, 16) == 2);
}

TEST_CASE("overflow gives infinity, or the largest number where the hardware saturates", "[verify]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto there_and_back = [](lab::u32 id, double x) {
    return lab::decode(lab::format_of(id), lab::encode(lab::format_of(id), x));
  };
  CHECK(there_and_back(lab::kFp16, 65519.0) == 65504.0);
  CHECK(there_and_back(lab::kFp16, 65520.0) == infinity);
  CHECK(there_and_back(lab::kBf16, -1e39) == -infinity);
  CHECK(there_and_back(lab::kTf32, 3.402e38) == infinity);
  CHECK(there_and_back(lab::kE4m3, 1000.0) == 448.0);
  CHECK(there_and_back(lab::kE5m2, -1e9) == -57344.0);
  CHECK(there_and_back(lab::kInt8, 1000.0) == 127.0);
  CHECK(there_and_back(lab::kInt8, -1000.0) == -127.0);
  CHECK(there_and_back(lab::kInt32, -2.5) == -2.0);
  CHECK(there_and_back(lab::kInt64, 1e30) == 9223372036854775807.0);
  CHECK(there_and_back(lab::kUint8, -7.0) == 7.0);
  CHECK(std::isnan(there_and_back(lab::kFp16, std::nan(""))));
}
