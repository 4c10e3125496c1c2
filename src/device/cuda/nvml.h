#pragma once
// NVIDIA's management library: driver version, power, clocks. Optional: without it the texts are empty.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/device_conditions.h"

namespace kerlab::device {

/// A process that has a context on a GPU, or draws with it.
struct GpuProcess {
  std::int64_t pid = 0;                      ///< as the machine numbers it, which in a container is not as /proc does
  std::optional<std::int64_t> memory_bytes;  ///< none: not known
};

class Nvml {
 public:
  Nvml();  ///< opens libnvidia-ml.so.1 where it is; never throws
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] std::string driver_version() const;  ///< "580.159.04"
  /// "SM 1980 MHz, memory 3201 MHz, 312 W, 45 C, no throttle" of the GPU with this UUID ("GPU-...").
  [[nodiscard]] std::string health_text(const std::string& uuid) const;
  /// The same as numbers; what is not known is 0.
  [[nodiscard]] DeviceConditions conditions(const std::string& uuid) const;
  /// The energy counter of the GPU with this UUID; nothing where it has none (older than Volta) or NVML is missing.
  [[nodiscard]] std::optional<double> energy_joules(const std::string& uuid) const;
  /// Of the GPU with this UUID, this process as well; empty where NVML cannot tell.
  [[nodiscard]] std::vector<GpuProcess> processes(const std::string& uuid) const;

 private:
  [[nodiscard]] void* symbol(const char* name) const;
  void* library_ = nullptr;
};

}  // namespace kerlab::device
