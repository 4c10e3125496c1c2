#pragma once
// What kernels/common/lab.cu would have reported, made up from what the script says of the last configuration launched.

#include <map>

#include "device/script/script.h"
#include "device/script/scripted_memory.h"

namespace kerlab::device {

/// What the configurations launched so far have done to the pretended memory.
struct ScriptedDamage {
  Outcome last = Outcome::ok;                   ///< ok, wrong or nan: what a comparison finds
  std::string label;                            ///< of the last configuration launched
  bool guard = false;                           ///< the next guard scan finds damage
  std::map<DevicePtr, std::uint64_t> modified;  ///< address -> how often it was changed: shows in hashes of it
};

class LabKernels {
 public:
  LabKernels(const DeviceInfo& device, ScriptedMemory& memory) : device_(device), memory_(memory) {}

  /// Executes a kernel of lab.cu at virtual time `now_us`; returns how long it takes. Unknown kernels do nothing.
  /// `sick`: the canary comes out wrong.
  double run(const BoundLaunch& launch, double now_us, bool sick, ScriptedDamage& damage);

 private:
  template <typename Report>
  Report& report(DevicePtr base, std::uint32_t slot);
  double fill(const BoundLaunch& launch, ScriptedDamage& damage);
  double guard_scan(const BoundLaunch& launch, ScriptedDamage& damage);
  double hash(const BoundLaunch& launch, const ScriptedDamage& damage);
  double compare(const BoundLaunch& launch, const ScriptedDamage& damage);
  double clock(const BoundLaunch& launch, double now_us);
  double canary(const BoundLaunch& launch, bool sick);
  [[nodiscard]] double move_us(double bytes) const;

  const DeviceInfo& device_;
  ScriptedMemory& memory_;
};

}  // namespace kerlab::device
