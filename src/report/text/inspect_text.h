#pragma once
// What `kerlab inspect` prints about one kernel.

#include <string>
#include <vector>

#include "model/inspection.h"
#include "report/form/json.h"
#include "trial/trial.h"

namespace kerlab::report {

/// A time that is on record.
struct RecordedTime {
  std::int64_t trial = 0;
  std::string device_class;
  Measurement measurement;
};

/// A kernel with what was counted and modelled of it.
struct InspectedKernel {
  Trial trial;             ///< id 0: not stored
  std::string title, how;  ///< "gemm 512x512x512 fp32 nn"; "default"
  std::string device;      ///< that counted: "emu:h200"
  std::string note;
  std::string completion;  ///< what was changed of what was typed to make it valid, and why; empty: nothing
  std::vector<LaunchInspection> launches;
  double modelled_us = 0, roof_us = 0, flops = 0, bytes = 0;
  std::vector<RecordedTime> recorded;
};

/// "12 %, limited by the grid: 1 block per SM (2 would fit)"
std::string occupancy_text(const LaunchInspection& launch);

/// `hot_spots`: so many source lines of each launch.
std::string inspect_text(const InspectedKernel& kernel, int hot_spots, bool color, int width);
/// The body of the JSON document.
JsonValue::Object inspect_value(const InspectedKernel& kernel);

}  // namespace kerlab::report
