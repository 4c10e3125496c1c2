#pragma once
// What a device reaches in practice: measured once by the kernels of common/ceilings.cu and kept in the database.

#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "measure/timing.h"
#include "model/roofline.h"
#include "session/run/rig.h"

namespace kerlab::session {

struct MeasuredCeilings {
  std::vector<Ceiling> rows;              ///< empty: not measured yet
  ClockKind clock = ClockKind::measured;  ///< another one: of a device that is no GPU
  std::string created;                    ///< UTC

  /// 0: that one was not measured.
  [[nodiscard]] double value(const std::string& name) const;
};

/// Under which name a device's ceilings are stored: its class, told apart from a pretended device's of the same class.
std::string ceilings_class(const DeviceInfo& device);

MeasuredCeilings stored_ceilings(const Database& database, const DeviceInfo& device);
/// About half a second on a GPU, after compiling them; stores what it finds. Throws Error when the device cannot.
MeasuredCeilings measure_ceilings(Rig& rig, Database& database);

/// The ceiling kernel for a pipe: "bf16_mma" for bf16 on the "tensor pipe", "fp32_fma" for fp32 on "FMA".
std::string peak_name(DType dtype, const std::string& unit);

/// Measured bandwidth (`bandwidth`: copy, read, write) and peak of the pipe of `theoretical`. A peak that no ceiling
/// kernel measures stays theoretical, and `measured_peak` says so. Empty: no bandwidth was measured.
std::optional<Ceilings> practical_ceilings(const MeasuredCeilings& measured, const std::string& bandwidth, DType dtype,
                                           const Ceilings& theoretical);

}  // namespace kerlab::session
