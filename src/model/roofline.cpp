#include "model/roofline.h"

#include <algorithm>

#include "base/file.h"
#include "model/profile.h"

namespace kerlab::model {

namespace {

constexpr double kMemoryLatencyUs = 0.8;  // of a busy HBM

/// FP32 fused multiply-adds per SM and clock.
int fp32_lanes(const DeviceInfo& device) {
  const int cc = device.compute_capability();
  return cc == 60 || (cc >= 70 && cc <= 80) ? 64 : 128;
}

double fma_rate_from_clocks(const DeviceInfo& device) {
  return 2.0 * device.sms * fp32_lanes(device) * device.clock_mhz * 1e6;
}

/// Double data rate: two transfers a clock.
double bandwidth_from_clocks(const DeviceInfo& device) {
  return 2.0 * device.memory_clock_mhz * 1e6 * device.memory_bus_bits / 8;
}

/// Dense tensor-core FLOP per SM and clock for 16-bit inputs; 0 where there are none.
int tensor_flop_per_clock(int cc) {
  if (cc < 70) return 0;
  if (cc < 80) return 1024;
  if (cc == 80) return 2048;
  if (cc < 90) return 1024;
  if (cc < 100) return 4096;
  return cc < 120 ? 8192 : 1024;
}

double tensor_rate_from_clocks(const DeviceInfo& device, DType dtype) {
  const int cc = device.compute_capability();
  const double sixteen_bit = 1.0 * device.sms * tensor_flop_per_clock(cc) * device.clock_mhz * 1e6;
  switch (dtype) {
    case DType::fp16:
      return sixteen_bit;
    case DType::bf16:
      return cc >= 80 ? sixteen_bit : 0;
    case DType::tf32:
      return cc >= 80 ? sixteen_bit / 2 : 0;
    case DType::e4m3:
    case DType::e5m2:
      return cc >= 89 ? sixteen_bit * 2 : 0;
    case DType::int8:
      return cc >= 75 ? sixteen_bit * 2 : 0;
    default:
      return 0;
  }
}

/// What the FMA units do at best with a dtype. Sixteen-bit values go two to a register; integers at most at the rate of
/// FP32.
double fma_rate(const DeviceInfo& device, DType dtype, double fp32_rate) {
  switch (dtype) {
    case DType::fp64:
      return fp32_rate * (device.fp64_ratio > 0 ? device.fp64_ratio : 0.5);
    case DType::fp16:
    case DType::bf16:
      return fp32_rate * 2;
    default:
      return fp32_rate;
  }
}

double listed(const std::map<std::string, double, std::less<>>& rates, DType dtype) {
  const auto found = rates.find(name(dtype));
  return found == rates.end() ? 0 : found->second;
}

}  // namespace

std::string Ceilings::source() const {
  if (!clock) return "theoretical";
  return std::string(name(*clock)) + (measured_peak ? "" : " bandwidth, theoretical compute");
}

Ceilings theoretical_ceilings(const DeviceInfo& device, DType dtype, bool tensor_cores) {
  const auto profile = find_profile(share_folder() / "configs" / "devices", device.name);
  Ceilings ceilings;
  ceilings.bytes_per_s = profile ? profile->bandwidth : bandwidth_from_clocks(device);
  if (tensor_cores) {
    ceilings.unit = "tensor pipe";
    ceilings.flops_per_s = profile ? listed(profile->tensor_flops, dtype) : tensor_rate_from_clocks(device, dtype);
    if (ceilings.flops_per_s > 0) return ceilings;
  }
  ceilings.unit = "FMA";
  ceilings.flops_per_s = profile ? listed(profile->flops, dtype) : 0;
  if (ceilings.flops_per_s > 0) return ceilings;
  const double fp32_listed = profile ? listed(profile->flops, DType::fp32) : 0;
  ceilings.flops_per_s = fma_rate(device, dtype, fp32_listed > 0 ? fp32_listed : fma_rate_from_clocks(device));
  return ceilings;
}

Roofline roofline(double flops, double bytes, const Ceilings& ceilings) {
  Roofline result;
  const double peak = ceilings.flops_per_s, bandwidth = ceilings.bytes_per_s;
  if (bytes > 0) result.intensity = flops / bytes;
  if (bandwidth > 0) result.ridge = peak / bandwidth;
  const double compute_us = peak > 0 ? flops / peak * 1e6 : 0;
  const double memory_us = bandwidth > 0 ? bytes / bandwidth * 1e6 : 0;
  result.memory_bound = memory_us > compute_us;
  result.minimum_us = std::max(compute_us, memory_us);
  result.roof_flops = result.minimum_us > 0 ? flops / result.minimum_us * 1e6 : 0;
  return result;
}

double covering_bytes(const DeviceInfo& device, const Ceilings& ceilings) {
  return device.sms > 0 ? ceilings.bytes_per_s * kMemoryLatencyUs * 1e-6 / device.sms : 0;
}

}  // namespace kerlab::model
