#include "plan/device_info.h"

#include <fmt/format.h>

#include <algorithm>

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

std::optional<DeviceKind> kind_named(std::string_view name) {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::emulated, DeviceKind::script})
    if (plan::name(kind) == name) return kind;
  return std::nullopt;
}

Capabilities capabilities_of(DeviceKind kind) {
  Capabilities it;
  if (kind == DeviceKind::cuda) return it;
  it.is_hardware = false;
  it.is_scripted = kind == DeviceKind::script;
  it.has_clock = it.can_hang = it.is_scripted;
  it.is_slow = it.loads_ptx = it.counts_exactly = it.executes_samples = !it.is_scripted;
  return it;
}

void DeviceInfo::set_kind(DeviceKind its) {
  kind = its;
  static_cast<Capabilities&>(*this) = capabilities_of(its);
}

int DeviceInfo::clusters_at_once(std::int64_t blocks) const {
  const auto* const size = std::ranges::lower_bound(kClusterSizes, blocks);
  return size == kClusterSizes.end() ? 0 : max_active_clusters[static_cast<std::size_t>(size - kClusterSizes.begin())];
}

void DeviceInfo::assume_clusters() {
  for (std::size_t i = 0; i < kClusterSizes.size(); ++i)
    max_active_clusters[i] = cc_major >= 9 ? sms / kClusterSizes[i] : 0;
}

DeviceInfo DeviceInfo::with_sms(int its) const {
  DeviceInfo other = *this;
  if (its == sms) return other;
  other.sms = its;
  other.assume_clusters();
  return other;
}

ClockKind DeviceInfo::clock() const {
  return !has_clock ? ClockKind::modelled : is_scripted ? ClockKind::scripted : ClockKind::measured;
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
