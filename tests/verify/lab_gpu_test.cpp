// The lab's kernels on a GPU against the same formulas on the host. Skipped without one.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "common/recipe.h"
#include "common/tolerance.h"
#include "device/lab.h"
#include "measure/canary.h"
#include "measure/ceilings.h"
#include "measure/stopwatch.h"
#include "verify/guarded_buffer.h"
#include "verify/lab_image.h"
#include "verify/planted.h"

using namespace kerlab;

namespace {

struct Bench {
  explicit Bench(std::unique_ptr<Device> opened)
      : device(std::move(opened)), lab(*device, test::compile_lab(device->info().arch()).cubin) {}
  std::unique_ptr<Device> device;
  Lab lab;

  template <typename T>
  Allocation upload(const std::vector<T>& values) {
    Allocation memory(*device, values.size() * sizeof(T));
    device->copy_in(memory.pointer(), std::as_bytes(std::span(values)));
    return memory;
  }
  template <typename T>
  std::vector<T> download(const Allocation& memory) {
    std::vector<T> values(memory.bytes() / sizeof(T));
    device->copy_out(std::as_writable_bytes(std::span(values)), memory.pointer());
    return values;
  }
  lab::CompareReport compare(lab::CompareArguments arguments) {
    ReportBuffer reports(*device);
    reports.reset(1, 0, 0);
    arguments.report = reports.compare(0);
    lab.run_over("lab_compare", arguments, arguments.count);
    reports.read();
    return reports.compared()[0];
  }
};

/// What lab_compare should report, one element after the other.
lab::CompareReport compare_on_host(const std::vector<lab::u32>& got, const std::vector<double>& value,
                                   const std::vector<double>& scale, const lab::CompareArguments& a) {
  lab::CompareReport report{};
  const lab::Format f = lab::format_of(a.dtype);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const lab::Verdict v = lab::judge(f, got[i], value[i], scale[i], a);
    report.compared += 1;
    report.mismatches += v.passed ? 0 : 1;
    report.nans += v.nan ? 1 : 0;
    if (!std::isinf(v.ratio)) report.sum_square_ratio += v.ratio * v.ratio;
    if (static_cast<float>(v.ratio) > static_cast<float>(report.max_ratio)) {
      report.max_ratio = v.ratio;
      report.worst_index = static_cast<lab::i64>(i) + 1;
    }
  }
  return report;
}

}  // namespace

TEST_CASE("lab_fill gives the host's bits for every recipe and data type", "[verify][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Bench bench(std::move(device));
  constexpr std::size_t kCount = 40000;
  constexpr lab::u32 kPlanted = 99;    // normal, with everything over it
  constexpr lab::u32 kPatterns = 100;  // and above: integers of a range
  constexpr lab::u32 kOrdered = 200;   // and above: those with an order in each row
  for (lab::u32 dtype = 0; dtype < lab::kNumberIds; ++dtype)
    for (const lab::u32 recipe : std::initializer_list<lab::u32>{
             lab::kNormal, lab::kUniform, lab::kSmallInteger, lab::kOneHot, lab::kPartition, lab::kConstant,
             lab::kIndexCoded, kPlanted, kPatterns + lab::kDrawn, kPatterns + lab::kSkewed, kPatterns + lab::kRamp,
             kPatterns + lab::kSorted, kPatterns + lab::kEnds, kPatterns + lab::kEqual, kPatterns + lab::kBanded,
             kPatterns + lab::kReversed, kPatterns + lab::kSawtooth, kOrdered + lab::kDistinct,
             kOrdered + lab::kRising}) {
      CAPTURE(dtype, recipe);
      const lab::Format f = lab::format_of(dtype);
      const Allocation memory(*bench.device, kCount * static_cast<std::size_t>(f.bytes));
      lab::FillArguments a{memory.pointer(), kCount, dtype, recipe, 77, lab::tensor_number("A", 1), 123, 5.3, 0};
      if (recipe == lab::kSmallInteger) a.parameter0 = 5;
      if (recipe == lab::kPartition) {
        if (dtype != lab::kInt32 && dtype != lab::kInt64) continue;
        a.count = 3000;  // on the host each is the sum of all before it
        a.parameter0 = 100000;
        a.pattern = lab::kPower;
      }
      a.rows = 7;
      if (recipe == kPlanted) {
        a.recipe = lab::kNormal;
        a = test::with_everything_planted(a);
      }
      if (recipe >= kPatterns) {
        a.recipe = lab::kIntegers;
        a.pattern = recipe - kPatterns;
        a.least = 1;
        a.range = 100;
        a.ignores = 1;
      }
      if (recipe >= kOrdered) {
        a.pattern = lab::kDrawn;
        a.order = recipe - kOrdered;
        a.range = 123;
        a.ignores = 0;
      }
      bench.lab.run_over("lab_fill", a, a.count);
      const auto bytes = bench.download<unsigned char>(memory);
      const lab::u64 key = lab::stream_key(a.seed, a.tensor), constant = lab::encode(f, a.parameter0);
      std::size_t differing = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(a.count); ++i) {
        const lab::u64 expected = lab::element_bits(f, a, key, constant, i);
        lab::u64 held = 0;
        std::memcpy(&held, &bytes[lab::byte_of(f, i)], static_cast<std::size_t>(f.bytes));
        differing += expected != lab::bits_of_element(f, held, i) ? 1 : 0;
      }
      CHECK(differing == 0);
    }
}

TEST_CASE("lab_compare counts and finds what the host finds", "[verify][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Bench bench(std::move(device));
  std::mt19937_64 random(3);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const bool exact : {false, true})
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{1000003}}) {
      CAPTURE(exact, count);
      std::vector<double> value(count), scale(count, 2.0);
      std::vector<lab::u32> got(count);
      const lab::Format f = lab::format_of(lab::kFp32);
      for (std::size_t i = 0; i < count; ++i) {
        value[i] = std::ldexp(static_cast<double>(random() % 100000) - 50000, -10);
        const double error = exact ? 0 : std::ldexp(static_cast<double>(random() % 1000) - 500, -28);
        got[i] = static_cast<lab::u32>(lab::encode(f, value[i] + error));
      }
      for (std::size_t hits = 0; hits < count / 1000; ++hits) {
        const std::size_t i = random() % count;
        switch (hits % 5) {
          case 0:
            got[i] = 0x7FC00000;
            break;
          case 1:
            value[i] = std::nan("");
            break;
          case 2:
            value[i] = infinity;
            break;
          case 3:
            got[i] ^= 0x00100000;
            break;
          default:
            value[i] = 1e39, got[i] = 0x7F800000;
            break;
        }
      }
      const Allocation on_got = bench.upload(got), on_value = bench.upload(value), on_scale = bench.upload(scale);
      lab::CompareArguments a{};
      a.got = on_got.pointer(), a.value = on_value.pointer(), a.scale = on_scale.pointer();
      a.count = static_cast<lab::i64>(count), a.dtype = lab::kFp32, a.exact = exact ? 1 : 0;
      a.value_factor = 1e-7, a.scale_factor = 1e-6;
      const lab::CompareReport there = bench.compare(a), here = compare_on_host(got, value, scale, a);
      CHECK(there.compared == count);
      CHECK(there.mismatches == here.mismatches);
      CHECK(there.nans == here.nans);
      CHECK(there.sum_square_ratio == Approx(here.sum_square_ratio).epsilon(1e-9));
      if (here.mismatches > 0) CHECK(there.worst_index == here.worst_index);
      if (std::isinf(here.max_ratio)) {
        CHECK(std::isinf(there.max_ratio));
      } else {
        CHECK(there.max_ratio == Approx(here.max_ratio).epsilon(1e-9));
      }
      if (here.worst_index > 0) {
        const double worst = lab::decode(f, got[static_cast<std::size_t>(here.worst_index - 1)]);
        CHECK(std::isnan(there.worst_got) == std::isnan(worst));
        if (!std::isnan(worst)) CHECK(there.worst_got == Approx(worst).margin(1e-300));
      }
    }
}

TEST_CASE("lab_compare of 16.7 million elements takes less than 0.3 ms on a data-centre GPU", "[verify][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Bench bench(std::move(device));
  constexpr lab::i64 kCount = lab::i64{4096} * 4096;
  const Allocation got(*bench.device, kCount * 2), value(*bench.device, kCount * 8), scale(*bench.device, kCount * 8);
  const lab::FillArguments fill_got{got.pointer(), kCount, lab::kBf16, lab::kNormal, 1, 1, 4096, 0, 0};
  const lab::FillArguments fill_value{value.pointer(), kCount, lab::kFp64, lab::kNormal, 1, 1, 4096, 0, 0};
  const lab::FillArguments fill_scale{scale.pointer(), kCount, lab::kFp64, lab::kConstant, 1, 1, 4096, 1, 0};
  bench.lab.run_over("lab_fill", fill_got, kCount);
  bench.lab.run_over("lab_fill", fill_value, kCount);
  bench.lab.run_over("lab_fill", fill_scale, kCount);
  ReportBuffer reports(*bench.device);
  reports.reset(1, 0, 0);
  lab::CompareArguments a{got.pointer(),     value.pointer(), scale.pointer(), kCount, lab::kBf16, 0, 0, 0, 0, 0, 0,
                          reports.compare(0)};
  const BoundLaunch launch = bench.lab.bind_over("lab_compare", a, kCount);
  Stopwatch watch(*bench.device);
  double best = watch.time_us(launch);
  for (int i = 0; i < 10; ++i) best = std::min(best, watch.time_us(launch));
  reports.read();
  CHECK(reports.compared()[0].mismatches == 0);  // the same numbers, rounded once
  WARN("lab_compare of 16.7 M bf16 elements: " << best << " us");
  if (bench.device->info().fp64_ratio >= 0.5) CHECK(best < 300);
}

TEST_CASE("guards tell where they were overwritten", "[verify][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Bench bench(std::move(device));
  const GuardedBuffer buffer(*bench.device, 1001);
  const std::vector<NamedBuffer> named{{"D", &buffer}};
  ReportBuffer reports(*bench.device);
  const auto damage = [&] {
    reports.reset(0, 2, 0);
    scan_guards(bench.lab, named, reports, 0);
    reports.read();
    return describe_damage(named, reports.guarded());
  };
  CHECK(damage().empty());
  bench.device->fill(buffer.pointer(), 1, buffer.words());
  CHECK(damage().empty());
  bench.device->fill(buffer.pointer() + 4 * buffer.words() + 8, 0, 3);
  CHECK(damage() == "D: 12 bytes after its end overwritten, first at +8");
  buffer.restore_guards(*bench.device);
  bench.device->fill(buffer.pointer() - 4, 0, 1);
  CHECK(damage() == "D: 4 bytes before its start overwritten, first at -4");
}

TEST_CASE("lab_hash sees every byte and every exchange", "[verify][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Bench bench(std::move(device));
  std::vector<unsigned char> bytes(100003, 7);
  bytes[5] = 9;
  const auto hash = [&] {
    const Allocation memory = bench.upload(bytes);
    ReportBuffer reports(*bench.device);
    reports.reset(0, 0, 2);
    const lab::HashArguments a{memory.pointer(), static_cast<lab::i64>(bytes.size()), 1, 0, reports.hashes()};
    bench.lab.run_over("lab_hash", a, a.bytes / 4);
    reports.read();
    CHECK(reports.hashed()[0] == 0);
    return reports.hashed()[1];
  };
  const lab::u64 first = hash();
  CHECK(hash() == first);
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}, bytes.size() - 1}) {
    bytes[at] ^= 1;
    CHECK(hash() != first);
    bytes[at] ^= 1;
  }
  std::swap(bytes[5], bytes[9]);
  CHECK(hash() != first);
}

TEST_CASE("the canary is right and the ceilings are near what the device is sold for", "[measure][gpu]") {
  auto device = test::gpu();
  if (!device) return;
  Bench bench(std::move(device));
  CHECK(run_canary(bench.lab).right);
  const DeviceInfo& info = bench.device->info();
  const double bandwidth = 2e6 * info.memory_clock_mhz * info.memory_bus_bits / 8;
  std::string shown;
  for (const Ceiling& c : measure_ceilings(bench.lab)) {
    shown += c.name + " " + std::to_string(c.value / 1e12) + " T" + c.unit + "  ";
    CAPTURE(c.name, c.value);
    if (c.unit == "B/s" && info.memory_clock_mhz > 0) {
      CHECK(c.value > 0.5 * bandwidth);
      CHECK(c.value < 1.02 * bandwidth);
    }
    if (c.name == "fp32_fma" && info.cc_major >= 8) CHECK(c.value > 100e6 * info.sms * info.clock_mhz);
  }
  WARN(shown);
}
