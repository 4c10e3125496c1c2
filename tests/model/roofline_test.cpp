#include "model/roofline.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "catch.h"
#include "model/profile.h"

using namespace kerlab;

namespace fs = std::filesystem;

namespace {
DeviceInfo unlisted() {
  DeviceInfo device;
  device.name = "Invented GPU";
  device.cc_major = 9;
  device.sms = 100;
  device.clock_mhz = 2000;
  device.memory_clock_mhz = 2500;
  device.memory_bus_bits = 4096;
  device.fp64_ratio = 0.5;
  return device;
}

DeviceInfo named(const char* name) {
  DeviceInfo device = unlisted();
  device.name = name;
  return device;
}
}  // namespace

TEST_CASE("ceilings: a listed device has its published figures", "[model]") {
  const DeviceInfo h200 = named("NVIDIA H200");
  const Ceilings fma = theoretical_ceilings(h200, DType::fp32, false);
  CHECK(fma.bytes_per_s == Approx(4.8e12));
  CHECK(fma.flops_per_s == Approx(66.9e12));
  CHECK(fma.unit == "FMA");
  CHECK(fma.source() == "theoretical");
  const Ceilings tensor = theoretical_ceilings(h200, DType::bf16, true);
  CHECK(tensor.flops_per_s == Approx(989.4e12));
  CHECK(tensor.unit == "tensor pipe");
}

TEST_CASE("ceilings: a dtype without tensor cores uses the FMA units", "[model]") {
  const Ceilings ceilings = theoretical_ceilings(named("NVIDIA H200"), DType::fp32, true);
  CHECK(ceilings.unit == "FMA");
  CHECK(ceilings.flops_per_s == Approx(66.9e12));
  CHECK(theoretical_ceilings(named("NVIDIA H200"), DType::bf16, false).flops_per_s == Approx(133.8e12));
}

TEST_CASE("ceilings: an unlisted device is computed from clocks and widths", "[model]") {
  const Ceilings fp32 = theoretical_ceilings(unlisted(), DType::fp32, false);
  CHECK(fp32.flops_per_s == Approx(100.0 * 128 * 2 * 2e9));
  CHECK(fp32.bytes_per_s == Approx(2500e6 * 2 * 4096 / 8));
  CHECK(theoretical_ceilings(unlisted(), DType::fp64, false).flops_per_s == Approx(100.0 * 128 * 2e9));
  CHECK(theoretical_ceilings(unlisted(), DType::bf16, true).flops_per_s == Approx(100.0 * 4096 * 2e9));
  CHECK(theoretical_ceilings(unlisted(), DType::e4m3, true).flops_per_s == Approx(100.0 * 8192 * 2e9));
  DeviceInfo ampere = unlisted();
  ampere.cc_major = 8;
  CHECK(theoretical_ceilings(ampere, DType::fp32, false).flops_per_s == Approx(100.0 * 64 * 2 * 2e9));
}

TEST_CASE("roofline: bound, ridge and the least time", "[model]") {
  const Ceilings ceilings{
      .bytes_per_s = 1e12, .flops_per_s = 50e12, .unit = "FMA", .clock = {}, .measured_peak = false};
  const Roofline memory = roofline(10e9, 1e9, ceilings);
  CHECK(memory.intensity == Approx(10));
  CHECK(memory.ridge == Approx(50));
  CHECK(memory.memory_bound);
  CHECK(memory.minimum_us == Approx(1000));
  CHECK(memory.roof_flops == Approx(10e12));
  const Roofline compute = roofline(1e12, 1e9, ceilings);
  CHECK_FALSE(compute.memory_bound);
  CHECK(compute.minimum_us == Approx(20000));
  CHECK(compute.roof_flops == Approx(50e12));
}

TEST_CASE("roofline: unknown ceilings and empty problems give zeros, not infinities", "[model]") {
  const Roofline unknown = roofline(1e9, 1e9, Ceilings{});
  CHECK(unknown.minimum_us == 0);
  CHECK(unknown.roof_flops == 0);
  CHECK(unknown.ridge == 0);
  const Roofline empty = roofline(0, 0, Ceilings{1, 1, "FMA", {}, false});
  CHECK(empty.minimum_us == 0);
  CHECK(empty.intensity == 0);
}

TEST_CASE("device profiles: longest match wins, mistakes are named", "[model]") {
  const fs::path folder = fs::temp_directory_path() / fmt::format("kerlab-profiles-{}", ::getpid());
  fs::create_directories(folder);
  write_atomic(folder / "a.toml", std::string_view("match = ['X100']\nbandwidth = 1e12\n[flops]\nfp32 = 2e12\n"));
  write_atomic(folder / "b.toml", std::string_view("match = ['X100 PCIe', 'Y']\nbandwidth = 2e12\n"));
  CHECK(find_profile(folder, "NVIDIA X100 SXM")->bandwidth == 1e12);
  CHECK(find_profile(folder, "NVIDIA X100 SXM")->flops.at("fp32") == 2e12);
  CHECK(find_profile(folder, "NVIDIA X100 PCIe")->bandwidth == 2e12);
  CHECK_FALSE(find_profile(folder, "Z").has_value());
  CHECK_FALSE(find_profile(folder / "missing", "Y").has_value());
  write_atomic(folder / "c.toml", std::string_view("match = ['Z']\nbandwidth = -1\n"));
  CHECK_THROWS_WITH(find_profile(folder, "Z"), Catch::Contains("c.toml:2:") && Catch::Contains("bandwidth"));
  write_atomic(folder / "c.toml", std::string_view("match = \n"));
  CHECK_THROWS_WITH(find_profile(folder, "Z"), Catch::Contains("c.toml:1:"));
  fs::remove_all(folder);
}

TEST_CASE("device profiles: all that are shipped can be read", "[model]") {
  CHECK_FALSE(find_profile(share_folder() / "configs" / "devices", "no such device").has_value());
  CHECK(find_profile(share_folder() / "configs" / "devices", "NVIDIA H200").has_value());
}
