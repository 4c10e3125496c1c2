#pragma once
// What devices there are and what the chosen one can do: for `kerlab device`.

#include "session/run/ceilings.h"

namespace kerlab::session {

/// One dtype on one pipe. Rates in FLOP/s; 0: not known.
struct PipeRate {
  std::string dtype, unit;
  double theoretical = 0, measured = 0;
};

struct DeviceReport {
  std::vector<DeviceInfo> gpus;      ///< of this machine
  std::string none_because;          ///< why there are none
  std::vector<DeviceInfo> emulated;  ///< profiles that this machine can emulate
  std::optional<DeviceInfo> chosen;  ///< what --device opened; none: auto, and nothing to open
  double theoretical_bytes_per_s = 0;
  std::vector<PipeRate> pipes;
  MeasuredCeilings measured;
};

/// Throws Error when a device was asked for (by name, by a worker command, by `measure`) and cannot be opened.
DeviceReport look_at_devices(const RigOptions& options, bool measure, Database& database);

/// What the pipes of a device do by its data sheet, beside what was measured.
std::vector<PipeRate> pipe_rates(const DeviceInfo& device, const MeasuredCeilings& measured);

}  // namespace kerlab::session
