#include "common/plant.h"

#include <cmath>
#include <set>
#include <vector>

#include "catch.h"
#include "common/recipe.h"

namespace lab = kerlab::lab;

namespace {

constexpr int kRows = 24, kColumns = 50;

lab::FillArguments matrix(lab::u32 base = lab::kNormal, int rows = kRows, int columns = kColumns) {
  lab::FillArguments a{};
  a.recipe = base;
  a.seed = 1;
  a.tensor = lab::tensor_number("A", 1);
  a.count = lab::i64{rows} * columns;
  a.rows = rows;
  a.columns = columns;
  return a;
}

lab::FillArguments planted(lab::FillArguments a, lab::u32 what, double value, bool along_columns = false,
                           lab::i64 phase = 0, lab::i64 every = 1, lab::i64 count = 4) {
  a.plant[a.plants++] = {what, along_columns ? 1u : 0u, every, phase, count, value};
  return a;
}

std::vector<double> values(const lab::FillArguments& a, lab::u32 dtype = lab::kFp32) {
  const lab::Format f = lab::format_of(dtype);
  const lab::u64 key = lab::stream_key(a.seed, a.tensor), constant = lab::encode(f, a.parameter0);
  std::vector<double> out;
  for (lab::i64 i = 0; i < a.count; ++i)
    out.push_back(lab::decode(f, lab::element_bits(f, a, key, constant, static_cast<lab::u64>(i))));
  return out;
}

double at(const std::vector<double>& x, int row, int column, int columns = kColumns) {
  return x[static_cast<std::size_t>(row * columns + column)];
}

}  // namespace

TEST_CASE("a value is planted into the lines asked for, and into no others", "[verify]") {
  const std::vector<double> base = values(matrix());
  const std::vector<double> rows = values(planted(matrix(), lab::kPlantValue, 3.5, false, 2, 5));
  const std::vector<double> columns = values(planted(matrix(), lab::kPlantValue, 3.5, true, 2, 5));
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kColumns; ++c) {
      REQUIRE(at(rows, r, c) == (r % 5 == 2 ? 3.5 : at(base, r, c)));
      REQUIRE(at(columns, r, c) == (c % 5 == 2 ? 3.5 : at(base, r, c)));
    }
}

TEST_CASE("a zero is planted with its sign", "[verify]") {
  for (const double x : values(planted(matrix(), lab::kPlantValue, -0.0))) REQUIRE((x == 0 && std::signbit(x)));
  for (const double x : values(planted(matrix(), lab::kPlantValue, 0.0))) REQUIRE((x == 0 && !std::signbit(x)));
}

TEST_CASE("one element of each line is planted: among the first, the last, anywhere", "[verify]") {
  const int rows = 400, columns = 1000;
  const std::vector<double> x = values(planted(matrix(lab::kNormal, rows, columns), lab::kPlantOne, 1000));
  int begin = 0, first = 0, last = 0, ragged = 0, inside = 0;
  for (int r = 0; r < rows; ++r) {
    int found = -1, count = 0;
    for (int c = 0; c < columns; ++c)
      if (at(x, r, c, columns) == 1000) found = c, ++count;
    REQUIRE(count == 1);
    begin += found == 0;
    first += found > 0 && found < 32;
    last += found == columns - 1;
    ragged += found >= columns - 8 && found < columns - 1;
    inside += found >= 32 && found < columns - 8;
  }
  for (const int count : {begin, first, last, ragged, inside}) CHECK(count > 25);
  const std::vector<double> along = values(planted(matrix(), lab::kPlantOne, 1000, true));
  for (int c = 0; c < kColumns; ++c) {
    int count = 0;
    for (int r = 0; r < kRows; ++r) count += at(along, r, c) == 1000;
    REQUIRE(count == 1);
  }
}

TEST_CASE("one-hot columns have a 1 each, of every matrix of a batch", "[verify]") {
  lab::FillArguments a = planted(matrix(), lab::kPlantOneHot, 0, true);
  a.rows = kRows / 2;  // two matrices
  const std::vector<double> x = values(a, lab::kE4m3);
  for (int half = 0; half < 2; ++half)
    for (int c = 0; c < kColumns; ++c) {
      double sum = 0;
      for (int r = 0; r < kRows / 2; ++r) sum += at(x, half * kRows / 2 + r, c);
      REQUIRE(sum == 1);
    }
}

TEST_CASE("points are few, and the last element is one of them", "[verify]") {
  const std::vector<double> x = values(planted(matrix(), lab::kPlantPoints, std::nan(""), false, 0, 1, 6));
  int found = 0;
  for (const double v : x) found += std::isnan(v);
  CHECK(found >= 4);
  CHECK(found <= 6);
  CHECK(std::isnan(x.back()));
}

TEST_CASE("ramps rise and fall from one end to the other", "[verify]") {
  lab::FillArguments a = planted(matrix(), lab::kPlantRamp, 40, false, 0, 2);
  const std::vector<double> x = values(planted(a, lab::kPlantRamp, -1e4, false, 1, 2));
  CHECK(at(x, 0, 0) == -40);
  CHECK(at(x, 0, kColumns - 1) == 40);
  CHECK(at(x, 1, 0) == 1e4);
  CHECK(at(x, 1, kColumns - 1) == -1e4);
  for (int c = 1; c < kColumns; ++c) {
    REQUIRE(at(x, 2, c) > at(x, 2, c - 1));
    REQUIRE(at(x, 3, c) < at(x, 3, c - 1));
  }
  CHECK(values(planted(matrix(lab::kNormal, 1, 1), lab::kPlantRamp, 40)).at(0) == 0);
}

TEST_CASE("a mirrored line cancels itself", "[verify]") {
  const std::vector<double> base = values(matrix());
  const std::vector<double> rows = values(planted(matrix(), lab::kPlantMirror, -1));
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kColumns / 2; ++c) {
      REQUIRE(at(rows, r, c) == at(base, r, c));
      REQUIRE(at(rows, r, kColumns - 1 - c) == -at(base, r, c));
    }
  // Of odd length: the middle stays. Along columns, and with the same sign.
  const std::vector<double> odd = values(matrix(lab::kNormal, 7, 3));
  const std::vector<double> x = values(planted(matrix(lab::kNormal, 7, 3), lab::kPlantMirror, 1, true));
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 7; ++r) REQUIRE(at(x, r, c, 3) == at(odd, r < 4 ? r : 6 - r, c, 3));
}

TEST_CASE("masks take half of a line, tails all beyond some place and never its first", "[verify]") {
  const double infinity = HUGE_VAL;
  const std::vector<double> mask = values(planted(matrix(), lab::kPlantMask, -infinity));
  int masked = 0;
  for (const double v : mask) masked += v == -infinity;
  CHECK(masked == Approx(kRows * kColumns / 2).margin(80));
  const std::vector<double> tail = values(planted(matrix(), lab::kPlantTail, -infinity));
  std::set<int> lengths;
  for (int r = 0; r < kRows; ++r) {
    int length = 0;
    while (length < kColumns && at(tail, r, length) != -infinity) ++length;
    REQUIRE(length > 0);
    for (int c = length; c < kColumns; ++c) REQUIRE(at(tail, r, c) == -infinity);
    lengths.insert(length);
  }
  CHECK(lengths.size() > 10);
}

TEST_CASE("values are scaled, spread and shifted exactly", "[verify]") {
  const std::vector<double> base = values(matrix(), lab::kFp64);
  const std::vector<double> scaled = values(planted(matrix(), lab::kPlantScale, -6), lab::kFp64);
  const std::vector<double> spread = values(planted(matrix(), lab::kPlantSpread, 14), lab::kFp64);
  const std::vector<double> shifted = values(planted(matrix(), lab::kPlantShift, 1e4), lab::kFp64);
  std::set<double> factors;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kColumns; ++c) {
      REQUIRE(at(scaled, r, c) == at(base, r, c) / 64);
      REQUIRE(at(shifted, r, c) == Approx(at(base, r, c) + 1e4).epsilon(0).margin(1e-9));
      const double factor = at(spread, r, c) / at(base, r, c);
      REQUIRE(factor == at(spread, r, 0) / at(base, r, 0));
      REQUIRE((factor >= 1 && factor <= 16384 && std::log2(factor) == std::floor(std::log2(factor))));
      factors.insert(factor);
    }
  CHECK(factors.size() > 6);
  // What is no number stays what it is.
  lab::FillArguments a = planted(matrix(), lab::kPlantValue, -HUGE_VAL);
  for (const lab::u32 what : {lab::kPlantScale, lab::kPlantSpread, lab::kPlantShift, lab::kPlantSubnormal})
    a = planted(a, what, 9);
  for (const double v : values(a)) REQUIRE(v == -HUGE_VAL);
}

TEST_CASE("subnormal values lie below the smallest normal number of their type, and are not all 0", "[verify]") {
  for (const lab::u32 dtype : {lab::kFp64, lab::kFp32, lab::kTf32, lab::kBf16, lab::kFp16, lab::kE4m3, lab::kE5m2}) {
    CAPTURE(dtype);
    const double smallest = std::ldexp(1.0, lab::format_of(dtype).minimum_exponent);
    int below = 0, nonzero = 0;
    for (const double v : values(planted(matrix(), lab::kPlantSubnormal, 0), dtype)) {
      below += std::fabs(v) < smallest;
      nonzero += v != 0;
    }
    CHECK(below > kRows * kColumns * 99 / 100);
    CHECK(nonzero > kRows * kColumns / 2);
  }
}

TEST_CASE("numbers that are none, in types that lack them", "[verify]") {
  const auto all = [](double value, lab::u32 dtype) {
    return values(planted(matrix(lab::kNormal, 1, 1), lab::kPlantValue, value), dtype).at(0);
  };
  for (const lab::u32 dtype : {lab::kFp64, lab::kFp32, lab::kTf32, lab::kBf16, lab::kFp16, lab::kE4m3, lab::kE5m2})
    CHECK(std::isnan(all(std::nan(""), dtype)));
  for (const lab::u32 dtype : {lab::kFp64, lab::kFp32, lab::kTf32, lab::kBf16, lab::kFp16})
    CHECK(all(-HUGE_VAL, dtype) == -HUGE_VAL);
  CHECK(all(-HUGE_VAL, lab::kE4m3) == -448);
  CHECK(all(HUGE_VAL, lab::kE5m2) == HUGE_VAL);  // which no conversion gives
  CHECK(all(std::nan(""), lab::kInt8) == 127);
  CHECK(all(-HUGE_VAL, lab::kInt32) == -2147483648.0);
  CHECK(all(-128, lab::kInt8) == -128);
}

TEST_CASE("NaN has either sign, from place to place", "[verify]") {
  for (const lab::u32 dtype : {lab::kFp32, lab::kTf32, lab::kBf16, lab::kFp16, lab::kE4m3, lab::kE5m2}) {
    CAPTURE(dtype);
    const lab::Format f = lab::format_of(dtype);
    for (const auto what : {lab::kPlantOne, lab::kPlantPoints}) {
      const lab::FillArguments a = planted(matrix(), what, std::nan(""), false, 0, 1, 12);
      const lab::u64 key = lab::stream_key(a.seed, a.tensor);
      int negative = 0, positive = 0;
      std::set<lab::u64> patterns;
      for (lab::i64 i = 0; i < a.count; ++i) {
        const lab::u64 bits = lab::element_bits(f, a, key, 0, static_cast<lab::u64>(i));
        if (!std::isnan(lab::decode(f, bits))) continue;
        ++(bits >> (8 * f.bytes - 1) != 0 ? negative : positive);
        if (f.bytes > 1) CHECK(bits + 1 != lab::u64{1} << 8 * f.bytes);  // what outputs are poisoned with
        patterns.insert(bits & ((lab::u64{1} << (8 * f.bytes - 1)) - 1));
      }
      CHECK(negative > 0);
      CHECK(positive > 0);
      // The usual one, all bits, the last bit alone: what rounds by adding to bits makes numbers of some.
      CHECK(patterns.size() == (f.bytes == 1 ? 1 : 3));
    }
  }
}

TEST_CASE("several NaN of a row differ in their bits", "[verify]") {
  const lab::Format f = lab::format_of(lab::kFp32);
  const lab::FillArguments a = planted(matrix(), lab::kPlantMask, std::nan(""), false, 0, 1, 12);
  const lab::u64 key = lab::stream_key(a.seed, a.tensor);
  for (lab::i64 row = 0; row < a.rows; ++row) {
    std::set<lab::u64> patterns;
    for (lab::i64 i = row * a.columns; i < (row + 1) * a.columns; ++i)
      if (const lab::u64 bits = lab::element_bits(f, a, key, 0, static_cast<lab::u64>(i));
          std::isnan(lab::decode(f, bits)))
        patterns.insert(bits);
    CHECK(patterns.size() > 2);
  }
}

TEST_CASE("codes of places differ wherever tiles may be mistaken for each other", "[verify]") {
  for (const lab::u32 dtype :
       {lab::kFp32, lab::kTf32, lab::kBf16, lab::kFp16, lab::kE4m3, lab::kE5m2, lab::kInt8, lab::kInt32}) {
    CAPTURE(dtype);
    const lab::Format f = lab::format_of(dtype);
    for (lab::u64 row : {0, 1, 37, 255})
      for (lab::u64 column : {0, 5, 130}) {
        const lab::i64 code = lab::index_code(f, row, column);
        REQUIRE(lab::decode(f, lab::encode(f, static_cast<double>(code))) == static_cast<double>(code));
        for (int power = 0; power < 16; ++power) {
          REQUIRE(lab::index_code(f, row, column + (lab::u64{1} << power)) != code);
          REQUIRE(lab::index_code(f, row + (lab::u64{1} << power), column) != code);
        }
      }
  }
  const std::vector<double> x = values(matrix(lab::kIndexCoded), lab::kFp32);
  CHECK(at(x, 3, 7) == static_cast<double>(lab::index_code(lab::format_of(lab::kFp32), 3, 7)));
}
