#include "common/recipe.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "catch.h"

namespace lab = kerlab::lab;

namespace {

lab::FillArguments fill(lab::u32 recipe, double parameter = 0, lab::i64 columns = 64) {
  lab::FillArguments a{};
  a.recipe = recipe;
  a.seed = 1;
  a.tensor = lab::tensor_number("A", 1);
  a.columns = columns;
  a.parameter0 = parameter;
  return a;
}

std::vector<double> values(lab::u32 dtype, const lab::FillArguments& a, int count) {
  const lab::Format f = lab::format_of(dtype);
  const lab::u64 key = lab::stream_key(a.seed, a.tensor);
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(lab::decode(f, lab::element_bits(f, a, key, lab::encode(f, a.parameter0), static_cast<lab::u64>(i))));
  }
  return out;
}

struct Moments {
  double mean = 0, variance = 0, skew = 0, kurtosis = 0;
};
Moments moments(const std::vector<double>& x) {
  Moments m;
  const auto n = static_cast<double>(x.size());
  for (const double v : x) m.mean += v / n;
  for (const double v : x) m.variance += (v - m.mean) * (v - m.mean) / n;
  for (const double v : x) m.skew += std::pow((v - m.mean) / std::sqrt(m.variance), 3) / n;
  for (const double v : x) m.kurtosis += std::pow((v - m.mean) / std::sqrt(m.variance), 4) / n;
  return m;
}

}  // namespace

TEST_CASE("normal recipe looks like N(0, 1)", "[verify]") {
  const int count = 400000;
  const std::vector<double> x = values(lab::kFp32, fill(lab::kNormal), count);
  const Moments m = moments(x);
  CHECK(std::fabs(m.mean) < 4 / std::sqrt(count));
  CHECK(std::fabs(m.variance - 1) < 0.01);
  CHECK(std::fabs(m.skew) < 0.02);
  CHECK(m.kurtosis == Approx(2.969).margin(0.04));
  // The share within one and two deviations, and between two lattice steps of the binomial.
  int one = 0, two = 0, narrow = 0;
  for (const double v : x) one += std::fabs(v)<1, two += std::fabs(v) < 2, narrow += v> 0.1 && v < 0.2;
  CHECK(one / double(count) == Approx(0.6827).margin(0.004));
  CHECK(two / double(count) == Approx(0.9545).margin(0.002));
  CHECK(narrow / double(count) == Approx(0.03943).margin(0.0015));
}

TEST_CASE("normal values of neighbours, tensors and seeds are not correlated", "[verify]") {
  const int count = 100000;
  const auto correlation = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum / static_cast<double>(a.size());
  };
  lab::FillArguments a = fill(lab::kNormal);
  const std::vector<double> base = values(lab::kFp64, a, count);
  CHECK(std::fabs(correlation({base.begin(), base.end() - 1}, {base.begin() + 1, base.end()})) < 0.02);
  a.seed = 2;
  CHECK(std::fabs(correlation(base, values(lab::kFp64, a, count))) < 0.02);
  a.seed = 1;
  a.tensor = lab::tensor_number("B", 1);
  CHECK(std::fabs(correlation(base, values(lab::kFp64, a, count))) < 0.02);
}

TEST_CASE("normal values are one rounding of one fixed-point number", "[verify]") {
  const lab::FillArguments a = fill(lab::kNormal);
  const lab::u64 key = lab::stream_key(a.seed, a.tensor);
  const std::vector<double> single = values(lab::kFp32, a, 5000), half = values(lab::kFp16, a, 5000);
  for (std::size_t i = 0; i < single.size(); ++i) {
    const lab::Value v = lab::normal_value(key, i);
    const double exact = std::ldexp(static_cast<double>(v.magnitude), v.exponent) * (v.negative ? -1 : 1);
    CHECK(single[i] == Approx(exact).epsilon(6e-8));
    CHECK(half[i] == Approx(exact).epsilon(4.9e-4).margin(6e-8));
  }
}

TEST_CASE("uniform recipe covers -1 up to 1", "[verify]") {
  const std::vector<double> x = values(lab::kFp64, fill(lab::kUniform), 200000);
  const Moments m = moments(x);
  CHECK(std::fabs(m.mean) < 0.006);
  CHECK(m.variance == Approx(1.0 / 3).margin(0.004));
  CHECK(*std::min_element(x.begin(), x.end()) >= -1);
  CHECK(*std::max_element(x.begin(), x.end()) < 1);
}

TEST_CASE("small_integer recipe gives every integer up to its magnitude", "[verify]") {
  std::vector<int> seen(9);
  for (const double v : values(lab::kE4m3, fill(lab::kSmallInteger, 4), 9000)) {
    REQUIRE(v == std::nearbyint(v));
    REQUIRE(std::fabs(v) <= 4);
    ++seen[static_cast<std::size_t>(v + 4)];
  }
  for (const int count : seen) CHECK(count == Approx(1000).margin(150));
}

TEST_CASE("one_hot recipe has one 1 in every row", "[verify]") {
  const int columns = 37, rows = 200;
  const std::vector<double> x = values(lab::kBf16, fill(lab::kOneHot, 0, columns), columns * rows);
  std::vector<int> used(columns);
  for (int row = 0; row < rows; ++row) {
    int ones = 0;
    for (int column = 0; column < columns; ++column) {
      const double v = x[static_cast<std::size_t>(row * columns + column)];
      REQUIRE((v == 0 || v == 1));
      ones += v == 1;
      used[static_cast<std::size_t>(column)] += v == 1;
    }
    REQUIRE(ones == 1);
  }
  CHECK(std::count(used.begin(), used.end(), 0) < 3);
}

TEST_CASE("recipes give all numbers of the types of few bits", "[verify][types]") {
  const auto codes = [](lab::u32 dtype, lab::u32 recipe) {
    const lab::Format f = lab::format_of(dtype);
    const lab::FillArguments a = fill(recipe, 4);
    std::set<lab::u64> seen;
    for (lab::u64 i = 0; i < 4096; ++i) seen.insert(lab::element_bits(f, a, lab::stream_key(a.seed, a.tensor), 0, i));
    return seen;
  };
  for (const lab::u32 recipe : {lab::kNormal, lab::kUniform}) {
    CHECK(codes(lab::kE2m1, recipe).size() == 16);
    CHECK(codes(lab::kInt4, recipe).size() == 16);
    CHECK(codes(lab::kBool, recipe) == std::set<lab::u64>{0, 1});
  }
  CHECK(codes(lab::kBool, lab::kSmallInteger) == std::set<lab::u64>{0, 1});
  CHECK(codes(lab::kBool, lab::kIndexCoded) == std::set<lab::u64>{0, 1});
  CHECK(codes(lab::kUint4, lab::kUniform).size() == 9);  // of both signs, without it
  CHECK_FALSE(codes(lab::kE8m0, lab::kNormal).contains(0xFF));
}

TEST_CASE("constant recipe and integer types", "[verify]") {
  for (const double v : values(lab::kFp16, fill(lab::kConstant, 0.1), 10)) CHECK(v == Approx(0.1).epsilon(5e-4));
  for (const double v : values(lab::kUint8, fill(lab::kNormal), 1000)) REQUIRE((v >= 0 && v <= 127));
  const Moments m = moments(values(lab::kInt8, fill(lab::kNormal), 20000));
  CHECK(std::sqrt(m.variance) == Approx(16).margin(0.5));
}

namespace {

std::vector<std::int64_t> offsets(lab::u64 seed, int parts, int things, bool gaps) {
  lab::FillArguments a = fill(lab::kPartition, things);
  a.seed = seed;
  a.count = parts + 1;
  a.pattern = gaps ? lab::kGaps : lab::kRouted;
  std::vector<std::int64_t> out;
  for (const double v : values(lab::kInt32, a, parts + 1)) out.push_back(static_cast<std::int64_t>(v));
  return out;
}

}  // namespace

TEST_CASE("a partition begins at 0, never falls, and ends at its total", "[verify]") {
  for (const int parts : {1, 2, 3, 8, 127, 1024})
    for (const int things : {0, 1, 5, 127, 4096, 2147483647})
      for (const bool gaps : {false, true})
        for (const lab::u64 seed : {1, 2, 3}) {
          const std::vector<std::int64_t> x = offsets(seed, parts, things, gaps);
          CAPTURE(parts, things, gaps, seed);
          CHECK(x.front() == 0);
          CHECK(x.back() == things);
          CHECK(std::is_sorted(x.begin(), x.end()));
        }
}

TEST_CASE("a partition is uneven; without gaps as many parts as there can be are not empty", "[verify]") {
  const auto sizes = [](const std::vector<std::int64_t>& x) {
    std::vector<std::int64_t> out;
    for (std::size_t i = 1; i < x.size(); ++i) out.push_back(x[i] - x[i - 1]);
    return out;
  };
  const std::vector<std::int64_t> even = sizes(offsets(1, 128, 128 * 1000, false));
  CHECK(*std::min_element(even.begin(), even.end()) < 250);
  CHECK(*std::max_element(even.begin(), even.end()) > 2000);
  CHECK(*std::min_element(even.begin(), even.end()) > 100);
  for (const int things : {1, 5, 64, 127, 128, 129}) {
    const std::vector<std::int64_t> few = sizes(offsets(1, 128, things, false));
    CHECK(std::count(few.begin(), few.end(), 0) == std::max(0, 128 - things));
  }
  const std::vector<std::int64_t> gaps = sizes(offsets(1, 1000, 100000, true));
  CHECK(std::count(gaps.begin(), gaps.end(), 0) == Approx(250).margin(60));
  CHECK(std::count(gaps.begin(), gaps.end(), 1) == Approx(250).margin(60));
}

namespace {

std::vector<std::int64_t> integers(lab::u32 pattern, lab::i64 least, lab::i64 end, int count, bool ignores = false) {
  lab::FillArguments a = fill(lab::kIntegers);
  a.count = count;
  a.pattern = pattern;
  a.least = least;
  a.range = end - least;
  a.ignores = ignores ? 1 : 0;
  a.ignored[0] = -100;
  std::vector<std::int64_t> out;
  for (const double v : values(lab::kInt64, a, count)) out.push_back(static_cast<std::int64_t>(v));
  return out;
}

std::int64_t number_of(const std::vector<std::int64_t>& x, std::int64_t value) {
  return std::count(x.begin(), x.end(), value);
}

}  // namespace

TEST_CASE("what is ignored are several numbers by turns", "[verify]") {
  lab::FillArguments a = fill(lab::kIntegers);
  a.count = 4000;
  a.pattern = lab::kSkewed;
  a.range = 50;
  a.ignores = 3;
  const lab::i64 ignored[] = {-1, -100, -2147483648LL};
  std::copy(std::begin(ignored), std::end(ignored), a.ignored);
  std::map<double, int> found;
  for (const double v : values(lab::kInt64, a, static_cast<int>(a.count))) ++found[v < 0 ? v : 0.0];
  CHECK(found.size() == 4);
  for (const lab::i64 one : ignored) CHECK(found[static_cast<double>(one)] == Approx(500.0 / 3).margin(50));
}

TEST_CASE("integers of a range keep to it, and its ends occur", "[verify]") {
  const lab::i64 large = lab::i64{1} << 40;
  for (lab::u32 pattern = lab::kDrawn; pattern <= lab::kSawtooth; ++pattern)
    for (const auto& [least, end] : {std::pair<lab::i64, lab::i64>{0, 7}, {-3, 4}, {5, 6}, {0, 50257}, {-9, large}}) {
      CAPTURE(pattern, least, end);
      const std::vector<std::int64_t> x = integers(pattern, least, end, 1000);
      CHECK(*std::min_element(x.begin(), x.end()) >= least);
      CHECK(*std::max_element(x.begin(), x.end()) < end);
      const bool many = end - least > 1000;
      const bool anywhere = pattern == lab::kDrawn || pattern == lab::kBanded;
      if (pattern != lab::kEqual && !(anywhere && many)) CHECK(number_of(x, least) > 0);
      if (pattern == lab::kEqual) CHECK(number_of(x, end - 1) == 1000);
      if (!many || pattern == lab::kSkewed || pattern == lab::kEnds) CHECK(number_of(x, end - 1) > 0);
    }
}

TEST_CASE("each pattern of integers is what it is called", "[verify]") {
  for (std::int64_t i = 0; i < 10; ++i)
    CHECK(number_of(integers(lab::kDrawn, 0, 10, 10000), i) == Approx(1000).margin(150));
  const std::vector<std::int64_t> large = integers(lab::kDrawn, 0, lab::i64{1} << 40, 1000);
  CHECK(std::set<std::int64_t>(large.begin(), large.end()).size() == 1000);
  std::map<std::int64_t, int> times;
  for (const std::int64_t x : integers(lab::kSkewed, 0, 50257, 8000)) ++times[x];
  std::vector<int> most;
  for (const auto& [value, count] : times) most.push_back(count);
  std::sort(most.rbegin(), most.rend());
  CHECK(most.at(0) == Approx(3000).margin(200));
  CHECK(most.at(2) == Approx(1000).margin(150));
  CHECK(integers(lab::kRamp, -1, 2, 7) == std::vector<std::int64_t>{-1, 0, 1, -1, 0, 1, -1});
  CHECK(integers(lab::kSorted, 0, 3, 8) == std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 2, 2});
  CHECK(integers(lab::kSorted, 0, 9, 4) == std::vector<std::int64_t>{0, 2, 4, 6});
  CHECK(integers(lab::kReversed, 0, 3, 8) == std::vector<std::int64_t>{2, 2, 1, 1, 1, 0, 0, 0});
  CHECK(integers(lab::kReversed, 0, 9, 4) == std::vector<std::int64_t>{6, 4, 2, 0});
  CHECK(integers(lab::kSawtooth, 0, 3, 5) == std::vector<std::int64_t>{0, 1, 2, 0, 1});
  const std::vector<std::int64_t> teeth = integers(lab::kSawtooth, 5, 1 << 20, 256);
  CHECK(std::is_sorted(teeth.begin(), teeth.begin() + 128));
  CHECK(teeth.at(127) == 5 + 127 * 8191);
  CHECK(std::equal(teeth.begin(), teeth.begin() + 128, teeth.begin() + 128));
  CHECK(number_of(integers(lab::kEnds, 2, 9, 1000), 2) + number_of(integers(lab::kEnds, 2, 9, 1000), 8) == 1000);
}

TEST_CASE("of every eight integers one is ignored, each time another", "[verify]") {
  const std::vector<std::int64_t> x = integers(lab::kEnds, 0, 5, 800, true);
  std::set<std::ptrdiff_t> places;
  for (auto group = x.begin(); group != x.end(); group += 8) {
    REQUIRE(std::count(group, group + 8, -100) == 1);
    places.insert(std::find(group, group + 8, -100) - group);
  }
  CHECK(places.size() == 8);
}

TEST_CASE("recipe bits are frozen", "[verify]") {
  const auto frozen = [](lab::u32 recipe, lab::u32 dtype, double parameter) {
    const lab::FillArguments a = fill(recipe, parameter);
    const lab::Format f = lab::format_of(dtype);
    std::string bytes;
    for (lab::u64 i = 0; i < 1000; ++i) {
      const lab::u64 bits = lab::element_bits(f, a, lab::stream_key(a.seed, a.tensor), lab::encode(f, parameter), i);
      for (int byte = 0; byte < f.bytes; ++byte) bytes.push_back(static_cast<char>(bits >> (8 * byte)));
    }
    return kerlab::digest(bytes).substr(0, 16);
  };
  // A change here changes what stored results mean: raise the recipe's version and kCheckVersion.
  CHECK(frozen(lab::kNormal, lab::kFp32, 0) == "73a51e28c0353cf7");
  CHECK(frozen(lab::kNormal, lab::kBf16, 0) == "f0263c7b6d494c8d");
  CHECK(frozen(lab::kUniform, lab::kFp16, 0) == "e6c1a036c8dc7155");
  CHECK(frozen(lab::kSmallInteger, lab::kE4m3, 4) == "58bc0c29856bec04");
  CHECK(frozen(lab::kOneHot, lab::kInt8, 0) == "3f962cdaa07f6e33");
  CHECK(integers(lab::kDrawn, 0, 1000, 6) == std::vector<std::int64_t>{684, 667, 968, 58, 192, 859});
  CHECK(integers(lab::kSkewed, 0, 1000, 8, true) == std::vector<std::int64_t>{0, -100, 999, 44, 192, 859, 829, 44});
  CHECK(offsets(1, 8, 8192, false) == std::vector<std::int64_t>{0, 341, 716, 3290, 3860, 4082, 5726, 6560, 8192});
  CHECK(offsets(3, 8, 300, true) == std::vector<std::int64_t>{0, 1, 2, 94, 119, 149, 192, 192, 300});
}
