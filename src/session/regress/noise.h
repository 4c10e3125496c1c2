#pragma once
// `kerlab noise`: what the times of this device are worth. The regression gate with the same kernel on both sides: what
// it shows is noise, and the smallest slow-down that it could tell from it.

#include "db/database.h"
#include "session/find/suite.h"
#include "session/regress/time_gate.h"

namespace kerlab::session {

struct NoiseOptions {
  RigOptions rig;                      ///< its target is not used
  std::vector<SuiteProblem> problems;  ///< of each the first variant named, else the winner's kernel
  GateOptions gate;
};

struct NoiseRow {
  std::string title, label, how;  ///< problem; "hopper BM=128 ..."; "winner, trial 12"
  std::string kind;               ///< compute, memory: what bounds the problem; launch: under 10 us
  GateOutcome twice;              ///< the kernel against itself
  double spread = 0;              ///< of the samples of one process: median absolute deviation over the median
};

struct NoiseReport {
  DeviceInfo device;
  std::vector<NoiseRow> rows;
  std::vector<std::string> notes;  ///< problems left out, with the reason
  int processes = 0;               ///< that were started for it
  double seconds = 0;
};

/// Blocks. Nothing is checked or stored: only kernels that have passed elsewhere should be asked for. Throws UsageError
/// for an emulated device, which has no noise; Error when not one problem can be run.
NoiseReport measure_noise(const NoiseOptions& options, const Database* database,
                          const std::function<void(const std::string&)>& progress);

}  // namespace kerlab::session
