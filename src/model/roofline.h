#pragma once
// Roofline (Williams et al., CACM 2009): attainable = min(peak, intensity * bandwidth).

#include <optional>
#include <string>
#include <vector>

#include "plan/device_info.h"
#include "plan/dtype.h"
#include "plan/occupancy.h"

namespace kerlab::model {

/// Theoretical ceilings of a device: from configs/devices/*.toml when the name matches, else from clocks and widths.
struct Ceilings {
  double bytes_per_s = 0;
  double flops_per_s = 0;          ///< of the unit that the dtype uses
  std::string unit;                ///< "tensor pipe", "FMA"
  std::optional<ClockKind> clock;  ///< that measured them; none: theoretical
  bool measured_peak = false;      ///< else flops_per_s is theoretical, whatever the bandwidth is
  /// "theoretical", "measured", "measured bandwidth, theoretical compute".
  [[nodiscard]] std::string source() const;
};
Ceilings theoretical_ceilings(const DeviceInfo& device, DType dtype, bool tensor_cores);

struct Roofline {
  double intensity = 0;  ///< FLOP per byte
  double ridge = 0;
  double roof_flops = 0;  ///< attainable FLOP/s
  double minimum_us = 0;  ///< max(flops/peak, bytes/bandwidth)
  bool memory_bound = false;
};
Roofline roofline(double flops, double bytes, const Ceilings& ceilings);

/// What must be on its way to every SM so that DRAM is never idle: its latency times its bandwidth (Little).
double covering_bytes(const DeviceInfo& device, const Ceilings& ceilings);

}  // namespace kerlab::model
