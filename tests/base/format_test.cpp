#include "base/format.h"

#include "catch.h"

using namespace kerlab;

TEST_CASE("format: bytes", "[base]") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(96 * 1024) == "96 K");
  CHECK(format_bytes(232448) == "227 K");
  CHECK(format_bytes((std::int64_t{3} << 30) / 2) == "1.5 G");
  CHECK(format_bytes((std::int64_t{1} << 20) - 1) == "1 M");
  CHECK(format_bytes(-2048) == "-2 K");
}

TEST_CASE("format: microseconds keep four digits", "[base]") {
  CHECK(format_us(291.4) == "291.4");
  CHECK(format_us(1893.2) == "1893");
  CHECK(format_us(12.345) == "12.35");
  CHECK(format_us(1.2344) == "1.234");
  CHECK(format_us(0.5) == "0.5000");
  CHECK(format_us(123456) == "123456");
  CHECK(format_us(0) == "0");
}

TEST_CASE("format: seconds", "[base]") {
  CHECK(format_seconds(0.25) == "250 ms");
  CHECK(format_seconds(11.2) == "11.2 s");
  CHECK(format_seconds(59.99) == "1 min 00 s");
  CHECK(format_seconds(185) == "3 min 05 s");
  CHECK(format_seconds(7510) == "2 h 05 min");
}

TEST_CASE("format: SI prefixes", "[base]") {
  CHECK(format_si(471.6e12) == "471.6 T");
  CHECK(format_si(3.35e9) == "3.35 G");
  CHECK(format_si(999.99e6) == "1.00 G");
  CHECK(format_si(12) == "12");
  CHECK(format_si(0.325) == "0.325");
}

TEST_CASE("format: the nearest word", "[base]") {
  const std::vector<std::string> words = {"gemm", "softmax", "reduce", "bf16"};
  CHECK(nearest("gem", words) == "gemm");
  CHECK(nearest("sofmtax", words) == "softmax");
  CHECK(nearest("bf61", words) == "bf16");
  CHECK(nearest("convolution", words).empty());
  CHECK(nearest("m", {"N", "M"}) == "M");
  CHECK(nearest("x", words).empty());
  CHECK(nearest("", words).empty());
  CHECK(nearest("gemm", {}).empty());
}
