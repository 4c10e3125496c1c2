#pragma once
// NVIDIA's management library: driver version, power, clocks. Optional: without it the texts are empty.

#include <optional>
#include <string>

namespace kerlab {

class Nvml {
 public:
  Nvml();  ///< opens libnvidia-ml.so.1 where it is; never throws
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] std::string driver_version() const;  ///< "580.159.04"
  /// "SM 1980 MHz, memory 3201 MHz, 312 W, 45 C, no throttle" of the GPU with this UUID ("GPU-...").
  [[nodiscard]] std::string health_text(const std::string& uuid) const;
  /// The energy counter of the GPU with this UUID; nothing where it has none (older than Volta) or NVML is missing.
  [[nodiscard]] std::optional<double> energy_joules(const std::string& uuid) const;

 private:
  [[nodiscard]] void* symbol(const char* name) const;
  void* library_ = nullptr;
};

/// Names of the bits of NVML's clock event (throttle) reasons; "no throttle" when none slows the clock.
std::string throttle_text(unsigned long long reasons);

}  // namespace kerlab
