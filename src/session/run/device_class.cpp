#include "session/run/device_class.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace kerlab::session {

namespace {

/// Of one SM: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
struct SmLimits {
  int compute_capability;
  int threads, blocks;
  int shared_kib, shared_per_block_kib;
};
constexpr std::array kSmLimits{
    SmLimits{70, 2048, 32, 96, 96},   SmLimits{75, 1024, 16, 64, 64},    SmLimits{80, 2048, 32, 164, 163},
    SmLimits{86, 1536, 16, 100, 99},  SmLimits{87, 1536, 16, 164, 163},  SmLimits{89, 1536, 24, 100, 99},
    SmLimits{90, 2048, 32, 228, 227}, SmLimits{100, 2048, 32, 228, 227}, SmLimits{103, 2048, 32, 228, 227},
    SmLimits{120, 1536, 24, 100, 99},
};

void add_sm_limits(DeviceInfo& device) {
  const auto* const limits = std::ranges::find(kSmLimits, device.compute_capability(), &SmLimits::compute_capability);
  if (limits == kSmLimits.end()) return;
  device.threads_per_sm = limits->threads;
  device.blocks_per_sm = limits->blocks;
  device.shared_per_sm = limits->shared_kib * 1024;
  device.shared_per_block = limits->shared_per_block_kib * 1024;
  device.shared_reserved = device.cc_major >= 8 ? 1024 : 0;
  device.registers_per_sm = device.registers_per_block = 65536;
  device.threads_per_block = 1024;
}

}  // namespace

DeviceInfo device_of_class(const std::string& device_class) {
  DeviceInfo device;
  const std::size_t at = device_class.rfind(" sm_");
  if (at == std::string::npos) return device;
  int capability = 0;
  long long mebibytes = 0;
  if (std::sscanf(device_class.c_str() + at, " sm_%d %d SM %lld MiB %d/%d MHz %d bit", &capability, &device.sms,
                  &mebibytes, &device.clock_mhz, &device.memory_clock_mhz, &device.memory_bus_bits) != 6) {
    return {};
  }
  device.name = device_class.substr(0, at);
  device.cc_major = capability / 10;
  device.cc_minor = capability % 10;
  device.memory_bytes = mebibytes << 20;
  add_sm_limits(device);
  return device;
}

Capabilities stored_capabilities(const std::string& device_kind) {
  if (const auto kind = kind_named(device_kind)) return capabilities_of(*kind);
  Capabilities none;
  none.is_hardware = none.has_clock = none.can_hang = false;
  return none;
}

}  // namespace kerlab::session
