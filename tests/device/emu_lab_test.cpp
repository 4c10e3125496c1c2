// The lab's kernels as host code against kernels/common/lab.cu itself, executed as PTX: the same bits.
#include <cstring>
#include <random>

#include "catch.h"
#include "common/canary.h"
#include "common/lab_abi.h"
#include "common/number.h"
#include "device/emu/emu_device.h"
#include "device/emu/emu_device_profile.h"
#include "verify/lab_image.h"
#include "verify/planted.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

/// The same device twice: lab kernels as host code, and as PTX (a module that is not labelled "lab").
struct Both {
  EmuDevice device{read_emulated_device(profile_folder(), "h200"), {.threads = 2}};
  ModuleId native = 0, interpreted = 0;

  Both() {
    const auto image = emulated_image(test::compile_lab("sm_90a").ptx, {});
    native = device.load(image, "lab");
    interpreted = device.load(image, "lab as PTX");
  }
  template <typename Arguments>
  void run(bool as_ptx, const char* kernel, const Arguments& arguments, std::uint32_t blocks = 3) {
    BoundLaunch launch;
    launch.module = as_ptx ? interpreted : native;
    launch.kernel = kernel;
    launch.grid.x = blocks;
    launch.block.x = 256;
    launch.arguments.emplace_back(sizeof arguments);
    std::memcpy(launch.arguments[0].data(), &arguments, sizeof arguments);
    device.launch(launch, LaunchMode::run);
  }
  std::vector<std::byte> bytes(DevicePtr source, std::size_t count) {
    std::vector<std::byte> copy(count);
    device.copy_out(copy, source);
    return copy;
  }
};

}  // namespace

TEST_CASE("lab kernels: fill has the same bits as host code and as PTX", "[emu][nvrtc]") {
  Both both;
  constexpr lab::i64 kCount = 1500;
  const Allocation one(both.device, kCount * 8), two(both.device, kCount * 8);
  const auto check = [&](lab::FillArguments a) {
    INFO("dtype " << a.dtype << " recipe " << a.recipe << " plants " << a.plants);
    both.run(false, "lab_fill", a);
    a.out = two.pointer();
    both.run(true, "lab_fill", a);
    CHECK(both.bytes(one.pointer(), kCount * 8) == both.bytes(two.pointer(), kCount * 8));
  };
  for (lab::u32 dtype = 0; dtype < lab::kNumberIds; ++dtype)
    for (const lab::u32 recipe :
         {lab::kNormal, lab::kUniform, lab::kSmallInteger, lab::kOneHot, lab::kConstant, lab::kIndexCoded}) {
      lab::FillArguments a{one.pointer(), kCount, dtype, recipe, 42, 7, 100, -2.75, 0};
      a.rows = 5;
      if (recipe == lab::kSmallInteger) a.parameter0 = 9;
      check(a);
      if (recipe == lab::kNormal || recipe == lab::kSmallInteger) check(test::with_everything_planted(a));
    }
  for (lab::u32 pattern = lab::kRouted; pattern <= lab::kPower; ++pattern)
    for (const lab::u32 dtype : {lab::kInt32, lab::kInt64}) {  // offsets
      lab::FillArguments a{one.pointer(), kCount, dtype, lab::kPartition, 42, 7, 100, 100000, 0};
      a.pattern = pattern;
      check(a);
      a.parameter0 = 700;  // fewer things than parts
      check(a);
    }
  for (lab::u32 pattern = lab::kDrawn; pattern <= lab::kEqual; ++pattern)
    for (const lab::i64 range : {lab::i64{77}, lab::i64{1} << 40}) {
      lab::FillArguments a{one.pointer(), kCount, lab::kInt64, lab::kIntegers, 42, 7, 100, 0, 0};
      a.pattern = pattern;
      a.least = -5;
      a.range = range;
      a.ignores = pattern == lab::kSkewed ? 1 : 0;
      a.ignored[0] = -100;
      check(a);
    }
}

TEST_CASE("lab kernels: compare, guard scan, hash, flush agree", "[emu][nvrtc]") {
  Both both;
  constexpr lab::i64 kCount = 2000;
  const Allocation got(both.device, kCount * 4), value(both.device, kCount * 8), scale(both.device, kCount * 8),
      report(both.device, 4096);
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> g(kCount);
  std::vector<double> v(kCount), s(kCount);
  for (std::size_t i = 0; i < g.size(); ++i) {
    v[i] = normal(random);
    s[i] = std::abs(normal(random));
    g[i] = static_cast<float>(v[i]) + 1e-6F * normal(random);
  }
  const auto reports = [&](const char* kernel, auto arguments, std::size_t bytes) {
    std::vector<std::byte> found[2];
    for (const bool as_ptx : {false, true}) {
      both.device.fill(report.pointer(), 0, 1024);
      both.run(as_ptx, kernel, arguments);
      found[as_ptx ? 1 : 0] = both.bytes(report.pointer(), bytes);
    }
    return std::pair(found[0], found[1]);
  };
  for (const float spoiled : {1.0F, 1e30F, std::numeric_limits<float>::quiet_NaN()}) {
    g[1234] = spoiled;
    both.device.copy_in(got.pointer(), std::as_bytes(std::span(g)));
    both.device.copy_in(value.pointer(), std::as_bytes(std::span(v)));
    both.device.copy_in(scale.pointer(), std::as_bytes(std::span(s)));
    for (const lab::u32 exact : {0u, 1u}) {
      const lab::CompareArguments a{
          got.pointer(), value.pointer(), scale.pointer(), kCount, lab::kFp32, 0, exact, 0, 1e-7, 1e-6,
          1e-9,          report.pointer()};
      auto [native, ptx] = reports("lab_compare", a, sizeof(lab::CompareReport));
      lab::CompareReport x, y;
      std::memcpy(&x, native.data(), sizeof x);
      std::memcpy(&y, ptx.data(), sizeof y);
      CHECK(x.mismatches > 0);
      CHECK(x.sum_square_ratio == Approx(y.sum_square_ratio).epsilon(1e-12));  // summed in another order
      x.sum_square_ratio = y.sum_square_ratio = 0;
      CHECK(std::memcmp(&x, &y, sizeof x) == 0);
    }
  }
  const auto guards =
      reports("lab_guard_scan", lab::GuardArguments{got.pointer(), kCount, 0x12345678, 2, report.pointer()}, 64);
  CHECK(guards.first == guards.second);
  const auto hashes =
      reports("lab_hash", lab::HashArguments{got.pointer(), kCount * 4 - 1, 3, 0, report.pointer()}, 64);
  CHECK(hashes.first == hashes.second);
  CHECK(hashes.first[24] != std::byte{0});
  const Allocation native_rows(both.device, 4096), ptx_rows(both.device, 4096);
  for (const bool as_ptx : {false, true}) {
    const DevicePtr to = (as_ptx ? ptx_rows : native_rows).pointer();
    both.device.fill(to, 0xEEEEEEEE, 1024);
    both.run(as_ptx, "lab_repitch", lab::RepitchArguments{to, got.pointer(), 43, 61, 80, 61});
  }
  CHECK(both.bytes(native_rows.pointer(), 4096) == both.bytes(ptx_rows.pointer(), 4096));
  both.run(false, "lab_flush", lab::FlushArguments{got.pointer(), kCount});
  const auto once = both.bytes(got.pointer(), kCount * 4);
  both.device.copy_in(got.pointer(), std::as_bytes(std::span(g)));
  both.run(true, "lab_flush", lab::FlushArguments{got.pointer(), kCount});
  CHECK(both.bytes(got.pointer(), kCount * 4) == once);
}

TEST_CASE("lab kernels: the canary is executed, not answered", "[emu][nvrtc]") {
  Both both;
  constexpr lab::i64 kCount = 4 * lab::kCanaryBlock;
  const Allocation out(both.device, kCount * 4);
  both.run(false, "lab_canary", lab::CanaryArguments{out.pointer(), kCount}, 4);
  std::vector<lab::u32> words(kCount);
  both.device.copy_out(std::as_writable_bytes(std::span(words)), out.pointer());
  for (lab::i64 i = 0; i < kCount; ++i) CHECK(words[static_cast<std::size_t>(i)] == lab::canary_expected(i));
}
