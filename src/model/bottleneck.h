#pragma once
// What takes most of the time, why, and what helps against it: one name, one reason, one suggestion. Decided here for a
// launch that was counted, in model/problem_bottleneck.h for a problem that no kernel is looked at for; of work along
// rows model/row_bottleneck.h knows better what helps. Every screen, page and document shows these and decides nothing
// itself.
//
// Of a launch, the first that holds:
//
//   launch overhead  starting the kernel takes longer than its blocks do
//   DRAM             busy at least 0.8 of the time: the whole device shares it, so that no grid helps
//   too few blocks   fewer than SMs, and at least 0.2 of the SMs have none
//   wave tail        the last wave leaves at least 0.2 of the SMs' time unused
//   a unit of an SM  busy at least 0.8 of the time: the busiest of these
//   special pipe     at work half of the time beside tensor cores: exponentials and products wait for each other
//   latency          no unit is that busy, and blocks wait longer than the units work
//   a unit           several overlap without covering each other: the busiest of them
// So a pipe that is busy is never called latency, and the suggestion is that of the name.

#include <string>

#include "model/time_model.h"
#include "plan/device_info.h"
#include "plan/occupancy.h"

namespace kerlab::model {

struct Bottleneck {
  std::string name;        ///< "tensor pipe", "DRAM", "latency", "too few blocks", ...
  std::string reason;      ///< "busy 87 % of the time"
  std::string suggestion;  ///< what to try
};

/// "tensor pipe: busy 87 % of the time; suggestion: ..."
std::string sentence(const Bottleneck& bottleneck);

inline constexpr const char* kLaunchOverhead = "launch overhead";
inline constexpr const char* kDram = "DRAM";
inline constexpr const char* kTooFewBlocks = "too few blocks";
inline constexpr const char* kWaveTail = "wave tail";
inline constexpr const char* kLatency = "latency";

/// `resident`: with the grid among its limiters (`occupancy_of_grid`).
Bottleneck launch_bottleneck(const ModelledTime& time, const CountedWork& work, const Occupancy& resident,
                             const DeviceInfo& device);

}  // namespace kerlab::model
