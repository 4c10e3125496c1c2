#include "device/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

namespace kerlab::device {
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
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;  // all ones: not known
  unsigned gpu_instance, compute_instance;
};
using GetProcesses = int (*)(Handle, unsigned* count, ProcessInfo*);

constexpr int kSuccess = 0;
constexpr int kClockSm = 1, kClockMemory = 2;
constexpr int kTemperatureGpu = 0;
constexpr unsigned kMostProcesses = 256;

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
  const DeviceConditions now = conditions(uuid);
  if (now.watts > 0) parts.push_back(fmt::format("{:.0f} W", now.watts));
  if (now.celsius > 0) parts.push_back(fmt::format("{:.0f} C", now.celsius));
  const std::string reasons = clock_reasons(now.reasons);
  parts.push_back(reasons.empty() ? "no throttle" : "throttled by " + reasons);
  return fmt::format("{}", fmt::join(parts, ", "));
}

DeviceConditions Nvml::conditions(const std::string& uuid) const {
  const auto find = reinterpret_cast<GetHandle>(symbol("nvmlDeviceGetHandleByUUID"));
  Handle device = nullptr;
  if (find == nullptr || find(uuid.c_str(), &device) != kSuccess) return {};
  DeviceConditions now;
  unsigned value = 0;
  const auto power = reinterpret_cast<GetValue>(symbol("nvmlDeviceGetPowerUsage"));
  if (power != nullptr && power(device, &value) == kSuccess) now.watts = value / 1000.0;
  const auto temperature = reinterpret_cast<GetIndexedValue>(symbol("nvmlDeviceGetTemperature"));
  if (temperature != nullptr && temperature(device, kTemperatureGpu, &value) == kSuccess) now.celsius = value;
  unsigned long long reasons = 0;
  const auto throttle = reinterpret_cast<GetReasons>(symbol("nvmlDeviceGetCurrentClocksThrottleReasons"));
  if (throttle != nullptr && throttle(device, &reasons) == kSuccess) now.reasons = reasons;
  return now;
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

std::vector<GpuProcess> Nvml::processes(const std::string& uuid) const {
  const auto find = reinterpret_cast<GetHandle>(symbol("nvmlDeviceGetHandleByUUID"));
  Handle device = nullptr;
  if (find == nullptr || find(uuid.c_str(), &device) != kSuccess) return {};
  std::vector<GpuProcess> processes;
  for (const char* kind : {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v3"}) {
    const auto get = reinterpret_cast<GetProcesses>(symbol(kind));
    // Twice the room that is told of: some drivers of 2023 wrote entries of 32 bytes.
    std::vector<ProcessInfo> infos(std::size_t{2} * kMostProcesses);
    unsigned count = kMostProcesses;
    if (get == nullptr || get(device, &count, infos.data()) != kSuccess) continue;
    for (unsigned i = 0; i < std::min(count, kMostProcesses); ++i) {
      const bool known = std::ranges::any_of(processes, [&](const GpuProcess& one) { return one.pid == infos[i].pid; });
      if (known) continue;
      processes.push_back({infos[i].pid, std::nullopt});
      if (infos[i].memory != ~0ull) processes.back().memory_bytes = static_cast<std::int64_t>(infos[i].memory);
    }
  }
  return processes;
}

}  // namespace kerlab::device
