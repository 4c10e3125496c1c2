#include "device/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <vector>

namespace kerlab {
namespace {

// From NVIDIA's NVML API reference; nvml.h is not part of every toolkit installation.
using Handle = void*;
using Init = int (*)();
using GetVersion = int (*)(char*, unsigned);
using GetHandle = int (*)(const char*, Handle*);
using GetValue = int (*)(Handle, unsigned*);
using GetIndexedValue = int (*)(Handle, int, unsigned*);
using GetReasons = int (*)(Handle, unsigned long long*);
using GetEnergy = int (*)(Handle, unsigned long long*);

constexpr int kSuccess = 0;
constexpr int kClockSm = 1, kClockMemory = 2;
constexpr int kTemperatureGpu = 0;

}  // namespace

Nvml::Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  const auto init = reinterpret_cast<Init>(symbol("nvmlInit_v2"));
  if (init != nullptr && init() == kSuccess) return;
  if (library_ != nullptr) dlclose(library_);
  library_ = nullptr;
}

Nvml::~Nvml() {
  const auto shutdown = reinterpret_cast<Init>(symbol("nvmlShutdown"));
  if (shutdown != nullptr) shutdown();
  if (library_ != nullptr) dlclose(library_);
}

void* Nvml::symbol(const char* name) const {
  return library_ == nullptr ? nullptr : dlsym(library_, name);
}

std::string Nvml::driver_version() const {
  const auto get = reinterpret_cast<GetVersion>(symbol("nvmlSystemGetDriverVersion"));
  char text[96] = {};
  return get != nullptr && get(text, sizeof text) == kSuccess ? text : "";
}

std::string Nvml::health_text(const std::string& uuid) const {
  const auto find = reinterpret_cast<GetHandle>(symbol("nvmlDeviceGetHandleByUUID"));
  Handle device = nullptr;
  if (find == nullptr || find(uuid.c_str(), &device) != kSuccess) return {};
  std::vector<std::string> parts;
  unsigned value = 0;
  const auto clock = reinterpret_cast<GetIndexedValue>(symbol("nvmlDeviceGetClockInfo"));
  if (clock != nullptr && clock(device, kClockSm, &value) == kSuccess) parts.push_back(fmt::format("SM {} MHz", value));
  if (clock != nullptr && clock(device, kClockMemory, &value) == kSuccess)
    parts.push_back(fmt::format("memory {} MHz", value));
  const auto power = reinterpret_cast<GetValue>(symbol("nvmlDeviceGetPowerUsage"));
  if (power != nullptr && power(device, &value) == kSuccess) parts.push_back(fmt::format("{} W", (value + 500) / 1000));
  const auto temperature = reinterpret_cast<GetIndexedValue>(symbol("nvmlDeviceGetTemperature"));
  if (temperature != nullptr && temperature(device, kTemperatureGpu, &value) == kSuccess)
    parts.push_back(fmt::format("{} C", value));
  unsigned long long reasons = 0;
  const auto throttle = reinterpret_cast<GetReasons>(symbol("nvmlDeviceGetCurrentClocksThrottleReasons"));
  if (throttle != nullptr && throttle(device, &reasons) == kSuccess) parts.push_back(throttle_text(reasons));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<double> Nvml::energy_joules(const std::string& uuid) const {
  const auto find = reinterpret_cast<GetHandle>(symbol("nvmlDeviceGetHandleByUUID"));
  const auto get = reinterpret_cast<GetEnergy>(symbol("nvmlDeviceGetTotalEnergyConsumption"));
  Handle device = nullptr;
  unsigned long long millijoules = 0;
  if (find == nullptr || get == nullptr || find(uuid.c_str(), &device) != kSuccess ||
      get(device, &millijoules) != kSuccess)
    return std::nullopt;
  return static_cast<double>(millijoules) / 1000;
}

std::string throttle_text(unsigned long long reasons) {
  struct Reason {
    unsigned long long bit;
    const char* text;
  };
  static constexpr Reason kReasons[] = {
      {0x4, "power cap"},    {0x8, "hardware slowdown"}, {0x20, "software thermal"}, {0x40, "hardware thermal"},
      {0x80, "power brake"}, {0x10, "sync boost"},       {0x2, "application clocks"}};
  std::vector<std::string> texts;
  for (const Reason& reason : kReasons)
    if ((reasons & reason.bit) != 0) texts.emplace_back(reason.text);
  return texts.empty() ? "no throttle" : fmt::format("throttled by {}", fmt::join(texts, " + "));
}

}  // namespace kerlab
