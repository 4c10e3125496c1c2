#include "plan/device_info.h"

#include <fmt/format.h>

namespace kerlab::plan {

std::string_view name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::emulated:
      return "emulated";
    case DeviceKind::script:
      return "script";
    case DeviceKind::cuda:
      break;
  }
  return "cuda";
}

std::string DeviceInfo::arch() const {
  const bool has_accelerated_features = cc_major == 9 || cc_major >= 10;
  return fmt::format("sm_{}{}", compute_capability(), has_accelerated_features ? "a" : "");
}

std::string DeviceInfo::device_class() const {
  return fmt::format("{} sm_{} {} SM {} MiB {}/{} MHz {} bit", name, compute_capability(), sms, memory_bytes >> 20,
                     clock_mhz, memory_clock_mhz, memory_bus_bits);
}

}  // namespace kerlab::plan
