// Sums over errors and rows: kernels/common/lab.cu, executed as PTX, against the same formulas on the host.
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "catch.h"
#include "common/rounding.h"
#include "device/emu/emu_device.h"
#include "device/emu/emu_device_profile.h"
#include "verify/lab_image.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

constexpr lab::i64 kRows = 40, kColumns = 50, kCount = kRows * kColumns;

/// bf16 outputs near fp64 references, on an emulated device that executes the lab as PTX.
struct Data {
  EmuDevice device{read_emulated_device(profile_folder(), "h200"), {.threads = 2}};
  ModuleId module = device.load(emulated_image(test::compile_lab("sm_90a").ptx, {}), "lab as PTX");
  Allocation got{device, kCount * 2}, value{device, kCount * 8}, scale{device, kCount * 8}, report{device, 4096};
  lab::Format format = lab::format_of(lab::kBf16);
  std::vector<std::uint16_t> bits = std::vector<std::uint16_t>(kCount);
  std::vector<double> values = std::vector<double>(kCount), scales = std::vector<double>(kCount, 1.0);
  lab::CompareArguments rule{};

  Data() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> part(0.5, 1.5);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = part(random) / kColumns;
      bits[i] = static_cast<std::uint16_t>(lab::encode(format, values[i] * (i % 7 == 0 ? 1.0005 : 1.0)));
    }
    rule.got = got.pointer(), rule.value = value.pointer(), rule.scale = scale.pointer();
    rule.count = kCount, rule.dtype = lab::kBf16, rule.rounding = 1;
    rule.value_factor = 1e-3, rule.report = report.pointer();
  }
  template <typename Arguments>
  void run(const char* kernel, const Arguments& arguments) {
    device.copy_in(got.pointer(), std::as_bytes(std::span(bits)));
    device.copy_in(value.pointer(), std::as_bytes(std::span(values)));
    device.copy_in(scale.pointer(), std::as_bytes(std::span(scales)));
    device.fill(report.pointer(), 0, 1024);
    BoundLaunch launch;
    launch.module = module;
    launch.kernel = kernel;
    launch.grid.x = 3;
    launch.block.x = 256;
    launch.arguments.emplace_back(sizeof arguments);
    std::memcpy(launch.arguments[0].data(), &arguments, sizeof arguments);
    device.launch(launch, LaunchMode::run);
  }
  template <typename Report>
  Report found() {
    Report result;
    device.copy_out(std::as_writable_bytes(std::span(&result, 1)), report.pointer());
    return result;
  }
  [[nodiscard]] double tolerance(std::size_t i) const { return lab::tolerance_at(format, values[i], scales[i], rule); }
};

}  // namespace

TEST_CASE("lab kernels: sums of errors in half ulps are those of the host", "[emu][nvrtc]") {
  Data data;
  data.run("lab_compare", data.rule);
  const lab::RoundingSums there = data.found<lab::CompareReport>().rounding;
  lab::RoundingSums here{};
  for (std::size_t i = 0; i < data.values.size(); ++i)
    lab::add_rounding(here, data.format, lab::decode(data.format, data.bits[i]), data.values[i], data.tolerance(i));
  CHECK(here.elements >= kCount - 2);  // one may lie in the middle between two numbers
  CHECK(here.elements <= kCount);
  CHECK(there.elements == here.elements);
  for (const auto member : {&lab::RoundingSums::beyond, &lab::RoundingSums::outward, &lab::RoundingSums::spread,
                            &lab::RoundingSums::square, &lab::RoundingSums::ideal, &lab::RoundingSums::allowed})
    CHECK(there.*member == Approx(here.*member).epsilon(1e-9).margin(1e-9));
  CHECK(there.spread > 0);
  data.rule.rounding = 0;
  data.run("lab_compare", data.rule);
  CHECK(data.found<lab::CompareReport>().rounding.elements == 0);
}

TEST_CASE("lab kernels: rows that do not sum to the target are counted, the worst first", "[emu][nvrtc]") {
  Data data;
  for (lab::i64 row = 0; row < kRows; ++row) {
    double sum = 0;
    for (lab::i64 i = 0; i < kColumns; ++i) sum += data.values[static_cast<std::size_t>(row * kColumns + i)];
    // Rows 11 and 30 are a little larger than they should be.
    const double target = row == 11 ? 1.01 : row == 30 ? 1.02 : 1.0;
    for (lab::i64 i = 0; i < kColumns; ++i) {
      const auto at = static_cast<std::size_t>(row * kColumns + i);
      data.values[at] *= target / sum;
      data.bits[at] = static_cast<std::uint16_t>(lab::encode(data.format, data.values[at]));
    }
  }
  data.rule.value_factor = 1e-5;
  const lab::RowSumArguments rows{
      data.rule.got, data.rule.value,      data.rule.scale, kRows, kColumns, lab::kBf16, 0, 1e-5, 0, 0,
      1.0,           data.report.pointer()};
  data.run("lab_row_sums", rows);
  const auto found = data.found<lab::RowSumReport>();
  std::vector<double> errors;
  for (lab::i64 row = 0; row < kRows; ++row) {
    lab::RowSum sums{};
    for (lab::i64 i = row * kColumns; i < (row + 1) * kColumns; ++i) {
      const auto at = static_cast<std::size_t>(i);
      lab::add_to_row(sums, data.format, lab::decode(data.format, data.bits[at]), data.values[at], data.tolerance(at));
    }
    errors.push_back(lab::row_error(sums, 1));
    CHECK((errors.back() > 1) == (row == 11 || row == 30));
  }
  CHECK(found.wrong == 2);
  const std::size_t worst = errors[11] > errors[30] ? 11 : 30;
  CHECK(~static_cast<std::uint32_t>(found.worst_key) == worst);
  const float ratio = std::bit_cast<float>(static_cast<std::uint32_t>(found.worst_key >> 32));
  CHECK(ratio == Approx(errors[worst]).epsilon(1e-6));
  CHECK(ratio > 1);
}
