#pragma once
// What inspecting a kernel finds: reports read it as it is.

#include <string>
#include <vector>

#include "compile/compiler.h"
#include "model/inspection.h"
#include "plan/launch_plan.h"
#include "trial/trial.h"

namespace kerlab::session {

/// A time that was measured (or modelled) before.
struct StoredTime {
  std::int64_t trial = 0;
  std::string device_class;
  Measurement measurement;
};

struct Inspection {
  Trial trial;                   ///< as compiled with line information; id of the stored one if there is one, else 0
  std::string title, how, note;  ///< problem; how the configuration was chosen
  std::string completion;        ///< as of the subject
  std::string device;            ///< "emu:h200"
  std::vector<LaunchInspection> launches;
  double modelled_us = 0, roof_us = 0;
  double start_us = 0;  ///< of the modelled time: starting the launches
  int started = 0;      ///< launches of one run
  Start start = Start::held;
  double flops = 0, bytes = 0;     ///< of the problem
  bool cost_from_data = false;     ///< both were counted; else formulas say them
  std::vector<StoredTime> stored;  ///< newest of every device class
  SourceBundle source;
};

}  // namespace kerlab::session
