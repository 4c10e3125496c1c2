#include "base/format.h"

#include "catch.h"

using namespace kerlab;

TEST_CASE("format: bytes", "[base]") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(999) == "999 B");
  CHECK(format_bytes(1000) == "1 kB");
  CHECK(format_bytes(96 * 1024) == "98.3 kB");
  CHECK(format_bytes(232448) == "232.4 kB");
  CHECK(format_bytes(1'500'000'000) == "1.5 GB");
  CHECK(format_bytes(999'999) == "1 MB");
  CHECK(format_bytes(-2048) == "-2 kB");
}

TEST_CASE("format: counts have thousands separators", "[base]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(8847360) == "8,847,360");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(grouped(-123) == "-123");
  CHECK(format_count(1, "block") == "1 block");
  CHECK(format_count(1536, "block") == "1,536 blocks");
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
  CHECK(format_si(2.5e3) == "2.50 k");
  CHECK(format_si(471.6e12, "FLOP/s") == "471.6 TFLOP/s");
  CHECK(format_si(3.35e12, "B/s") == "3.35 TB/s");
  CHECK(format_si(12, "B/s") == "12 B/s");
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
