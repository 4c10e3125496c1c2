// The lab's kernels as host code against the functions they are made of. Against lab.cu itself: emu_device_test.cpp.
#include "device/emu/native_lab.h"

#include <cstring>
#include <vector>

#include "catch.h"
#include "common/lab_abi.h"
#include "common/recipe.h"
#include "common/tolerance.h"
#include "verify/planted.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

struct Bench {
  DeviceInfo device;
  emu::GlobalMemory memory{std::int64_t{1} << 30};
  NativeLab one{device, memory, 1}, four{device, memory, 4};

  template <typename Arguments>
  bool run(const NativeLab& lab, const char* kernel, const Arguments& arguments) {
    BoundLaunch launch;
    launch.kernel = kernel;
    launch.arguments.emplace_back(sizeof arguments);
    std::memcpy(launch.arguments[0].data(), &arguments, sizeof arguments);
    return lab.run(launch);
  }
  template <typename T>
  T* at(DevicePtr address) {
    return reinterpret_cast<T*>(memory.at(address, sizeof(T)));
  }
};

lab::u64 word(const std::byte* data, const lab::Format& f, std::int64_t index) {
  const auto at = static_cast<lab::u64>(index);
  lab::u64 value = 0;
  std::memcpy(&value, data + lab::byte_of(f, at), static_cast<std::size_t>(f.bytes));
  return lab::bits_of_element(f, value, at);
}

/// Elements that are not what the function for one of them says.
std::int64_t wrong_elements(Bench& bench, const lab::FillArguments& a) {
  const lab::Format f = lab::format_of(a.dtype);
  const std::byte* data = bench.at<std::byte>(a.out);
  const lab::u64 key = lab::stream_key(a.seed, a.tensor), constant = lab::encode(f, a.parameter0);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < a.count; ++i)
    wrong += word(data, f, i) != lab::element_bits(f, a, key, constant, static_cast<lab::u64>(i));
  return wrong;
}

}  // namespace

TEST_CASE("native lab: fill makes every type by every recipe", "[emu][native-lab]") {
  Bench bench;
  constexpr std::int64_t kCount = 5000;
  const DevicePtr out = bench.memory.allocate(kCount * 8 + 64);
  for (lab::u32 dtype = 0; dtype < lab::kNumberIds; ++dtype)
    for (lab::u32 recipe = 0; recipe <= lab::kConstant; ++recipe) {
      const lab::FillArguments a{out, kCount, dtype, recipe, 42, 7, 100, 3.0, 0.0};
      std::memset(bench.at<std::byte>(out), 0x5A, kCount * 8 + 64);
      REQUIRE(bench.run(bench.four, "lab_fill", a));
      INFO("dtype " << dtype << " recipe " << recipe);
      CHECK(wrong_elements(bench, a) == 0);
      CHECK(bench.at<std::byte>(out)[lab::byte_of(lab::format_of(dtype), kCount)] == std::byte{0x5A});
    }
}

TEST_CASE("native lab: fill draws integers of a range", "[emu][native-lab]") {
  Bench bench;
  constexpr std::int64_t kCount = 5000;
  const DevicePtr out = bench.memory.allocate(kCount * 8);
  for (const lab::u32 dtype : {lab::kInt32, lab::kInt64, lab::kUint32})
    for (lab::u32 pattern = lab::kDrawn; pattern <= lab::kEqual; ++pattern) {
      lab::FillArguments a{out, kCount, dtype, lab::kIntegers, 42, 7, 100, 0, 0};
      a.pattern = pattern;
      a.least = 3;
      a.range = 700;
      a.ignores = 1;
      a.ignored[0] = 2;
      REQUIRE(bench.run(bench.four, "lab_fill", a));
      INFO("dtype " << dtype << " pattern " << pattern);
      CHECK(wrong_elements(bench, a) == 0);
    }
}

TEST_CASE("native lab: fill plants what is asked for", "[emu][native-lab]") {
  Bench bench;
  constexpr std::int64_t kCount = 5000;
  const DevicePtr out = bench.memory.allocate(kCount * 8);
  for (lab::u32 dtype = 0; dtype < lab::kNumberIds; ++dtype)
    for (const lab::u32 recipe : {lab::kNormal, lab::kIndexCoded}) {
      lab::FillArguments a{out, kCount, dtype, recipe, 42, 7, 100, 3.0, 0.0};
      a.rows = 10;
      a = test::with_everything_planted(a);
      REQUIRE(bench.run(bench.four, "lab_fill", a));
      INFO("dtype " << dtype << " recipe " << recipe);
      CHECK(wrong_elements(bench, a) == 0);
    }
}

TEST_CASE("native lab: rows that hold few plants or none are filled as those that hold many", "[emu][native-lab]") {
  Bench bench;
  constexpr std::int64_t kCount = 5003;  // the last row is cut off
  const DevicePtr out = bench.memory.allocate(kCount * 8);
  for (const lab::u32 dtype : {lab::kBf16, lab::kFp32, lab::kE4m3, lab::kE2m1, lab::kInt32})
    for (const std::int64_t columns : {7, 100, 6000}) {
      lab::FillArguments a{out, kCount, dtype, lab::kNormal, 42, 7, columns, 3.0, 0.0};
      a.rows = 10;
      a = test::with_everything_planted(a);
      for (lab::u32 i = 0; i < a.plants; ++i) {
        a.plant[i].along_columns = 0;
        a.plant[i].every = a.plant[i].what == lab::kPlantOne ? 2 : 11;
        a.plant[i].phase = i % 2;
      }
      REQUIRE(bench.run(bench.four, "lab_fill", a));
      INFO("dtype " << dtype << " columns " << columns);
      CHECK(wrong_elements(bench, a) == 0);
    }
}

TEST_CASE("native lab: a comparison finds the worst element and counts the wrong ones", "[emu][native-lab]") {
  Bench bench;
  constexpr std::int64_t kCount = 200000;
  const DevicePtr got = bench.memory.allocate(kCount * 4), value = bench.memory.allocate(kCount * 8),
                  scale = bench.memory.allocate(kCount * 8), report = bench.memory.allocate(256);
  auto* g = bench.at<float>(got);
  auto* v = bench.at<double>(value);
  auto* s = bench.at<double>(scale);
  for (std::int64_t i = 0; i < kCount; ++i) v[i] = g[i] = static_cast<float>(i % 1000), s[i] = 1;
  g[150000] += 1;
  g[7] += 0.5F;
  g[199999] = std::numeric_limits<float>::quiet_NaN();
  g[90000] += 0.001F;
  const lab::CompareArguments a{got, value, scale, kCount, lab::kFp32, 0, 0, 0, 0, 0.01, 0, report};
  lab::CompareReport reports[2];
  for (int i = 0; i < 2; ++i) {
    std::memset(bench.at<std::byte>(report), 0, sizeof(lab::CompareReport));
    REQUIRE(bench.run(i == 0 ? bench.one : bench.four, "lab_compare", a));
    reports[i] = *bench.at<lab::CompareReport>(report);
  }
  CHECK(std::memcmp(&reports[0], &reports[1], sizeof reports[0]) == 0);
  CHECK(reports[0].compared == kCount);
  CHECK(reports[0].mismatches == 3);
  CHECK(reports[0].nans == 1);
  CHECK(reports[0].worst_index == 200000);
  CHECK(lab::is_infinite(reports[0].max_ratio));
  // Over the numbers alone, added to what is there already.
  const lab::CompareArguments part{got, value, scale, kCount - 1, lab::kFp32, 0, 0, 0, 0, 0.01, 0, report};
  std::memset(bench.at<std::byte>(report), 0, sizeof(lab::CompareReport));
  REQUIRE(bench.run(bench.four, "lab_compare", part));
  REQUIRE(bench.run(bench.four, "lab_compare", part));
  const auto& found = *bench.at<lab::CompareReport>(report);
  CHECK(found.mismatches == 4);
  CHECK(found.nans == 0);
  CHECK(found.worst_index == 150001);
  CHECK(found.worst_got == 1.0);
  CHECK(found.worst_expected == 0.0);
  CHECK(found.max_ratio == Approx(100).epsilon(1e-6));
  CHECK(found.sum_square_ratio == Approx(2 * (1e4 + 2500 + 0.01)).epsilon(1e-3));
}

TEST_CASE("native lab: hashes, guards, flushes, clocks", "[emu][native-lab]") {
  Bench bench;
  constexpr std::int64_t kBytes = 1000003;
  const DevicePtr data = bench.memory.allocate(kBytes), report = bench.memory.allocate(256);
  auto* bytes = bench.at<std::uint8_t>(data);
  for (std::int64_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37);
  const auto hash = [&](const NativeLab& lab) {
    *bench.at<lab::u64>(report + 8) = 0;
    REQUIRE(bench.run(lab, "lab_hash", lab::HashArguments{data, kBytes, 1, 0, report}));
    return *bench.at<lab::u64>(report + 8);
  };
  const lab::u64 before = hash(bench.one);
  CHECK(hash(bench.four) == before);
  bytes[kBytes - 1] ^= 1;  // in the tail that is no whole word
  CHECK(hash(bench.four) != before);

  auto* words = bench.at<lab::u32>(data);
  std::fill_n(words, 1000, 0xA5A5A5A5u);
  words[400] = 1, words[300] = 2;
  *bench.at<lab::GuardReport>(report + 16) = {};
  REQUIRE(bench.run(bench.four, "lab_guard_scan", lab::GuardArguments{data, 1000, 0xA5A5A5A5u, 1, report}));
  CHECK(bench.at<lab::GuardReport>(report + 16)->damaged == 2);
  CHECK(bench.at<lab::GuardReport>(report + 16)->first == 301);

  REQUIRE(bench.run(bench.four, "lab_flush", lab::FlushArguments{data, 500}));
  CHECK(words[0] == 0xA5A5A5A6u);
  CHECK(words[500] == 0xA5A5A5A5u);
  CHECK(bench.run(bench.four, "lab_flush", lab::FlushArguments{0, 0}));

  bench.device.clock_mhz = 1980;
  REQUIRE(bench.run(bench.one, "lab_clock", lab::ClockArguments{report}));
  const lab::u64 clock = *bench.at<lab::u64>(report), nanoseconds = *bench.at<lab::u64>(report + 8);
  CHECK(static_cast<double>(clock) / static_cast<double>(nanoseconds) == Approx(1.98).epsilon(1e-3));
  CHECK(bench.run(bench.one, "lab_blocker", lab::BlockerArguments{report, 1000}));
}

TEST_CASE("native lab: rows move from one pitch to another, and nothing beside them", "[emu][native-lab]") {
  Bench bench;
  constexpr std::int64_t kRows = 3, kRow = 7, kWide = 16;
  const DevicePtr dense = bench.memory.allocate(256), wide = bench.memory.allocate(256);
  auto* from = bench.at<std::uint8_t>(dense);
  auto* to = bench.at<std::uint8_t>(wide);
  for (std::int64_t i = 0; i < 256; ++i) from[i] = static_cast<std::uint8_t>(i), to[i] = 0xEE;
  REQUIRE(bench.run(bench.four, "lab_repitch", lab::RepitchArguments{wide, dense, kRows, kRow, kWide, kRow}));
  for (std::int64_t i = 0; i < 256; ++i) {
    const std::int64_t row = i / kWide, column = i % kWide;
    CHECK(int{to[i]} == (row < kRows && column < kRow ? row * kRow + column : 0xEE));
  }
  std::fill_n(from, 256, std::uint8_t{0xDD});
  REQUIRE(bench.run(bench.one, "lab_repitch", lab::RepitchArguments{dense, wide, kRows, kRow, kRow, kWide}));
  for (std::int64_t i = 0; i < 256; ++i) CHECK(int{from[i]} == (i < kRows * kRow ? i : 0xDD));
  CHECK(bench.run(bench.one, "lab_repitch", lab::RepitchArguments{0, 0, 0, kRow, kRow, kWide}));
  const lab::RepitchArguments beyond{wide, dense, 20, kRow, kWide, kRow};
  CHECK_THROWS_AS(bench.run(bench.one, "lab_repitch", beyond), DeviceFault);
}

TEST_CASE("native lab: other kernels are not known, and bad pointers and structs are faults", "[emu][native-lab]") {
  Bench bench;
  CHECK_FALSE(bench.run(bench.one, "lab_copy", lab::BandwidthArguments{}));
  CHECK_FALSE(bench.run(bench.one, "gemm", lab::BandwidthArguments{}));
  const DevicePtr out = bench.memory.allocate(1024);
  const lab::FillArguments beyond{out, 257, lab::kFp32, lab::kNormal, 1, 1, 1, 0, 0};
  CHECK_THROWS_AS(bench.run(bench.one, "lab_fill", beyond), DeviceFault);
  CHECK_THROWS_AS(bench.run(bench.one, "lab_fill", lab::FlushArguments{}), DeviceFault);
  const lab::FillArguments unknown{out, 1, 99, lab::kNormal, 1, 1, 1, 0, 0};
  CHECK_THROWS_AS(bench.run(bench.one, "lab_fill", unknown), DeviceFault);
}
