#pragma once
// Recorded sweeps (model/sweep.h): out of a database, from where they are shipped, and counted on an emulated device.

#include "db/database.h"
#include "model/sweep.h"
#include "model/sweep_score.h"
#include "model/sweep_steps.h"
#include "model/time_model.h"
#include "session/run/rig.h"
#include "session/run/stepped.h"

namespace kerlab::session {

/// <share>/tuning_db/sweeps.
std::filesystem::path sweeps_folder();
/// <share>/tuning_db/spaces: sweeps of whole spaces, which strategies are replayed over; the time model is not judged
/// by them.
std::filesystem::path spaces_folder();
/// A sweep of ours, a cache file of Kernel Tuner or a T4 file (model/recording.h). Throws Error with the place.
Sweep read_recording(const std::filesystem::path& file);
/// Every *.txt below `folder`, sorted by path. Throws Error for one that is none.
std::vector<Sweep> read_sweeps(const std::filesystem::path& folder);

/// What became of each configuration that was tried on a GPU, by kernel, variant and problem: the newest screening, or
/// why it failed. None with fewer than `least` configurations.
std::vector<Sweep> recorded_sweeps(const Database& database, std::size_t least);

/// A configuration of a sweep as an emulated device counted it.
struct CountedPoint {
  SweepPoint measured;
  std::vector<CountedWork> launches;
  double minimum_us = 0;        ///< the problem's theoretical roof
  std::string problem_message;  ///< why it was not counted; empty: it was
};

struct CountedSweep {
  DeviceInfo device;
  Ceilings ceilings;
  std::vector<CountedPoint> points;
  bool other_source = false;  ///< the kernel is no longer the one that was measured
};

/// Compiles at most `most` configurations (0: all) and counts them on the emulated device of `options`.
Stepped<CountedSweep> count_sweep(RigOptions options, const Sweep& sweep, std::size_t most);

/// As text: a line for each point and what was counted of it, for fitting.
std::string counted_text(const Sweep& sweep, const CountedSweep& counted);

/// Of the points that were counted.
struct ModelledSweep {
  std::vector<double> measured, modelled;  ///< us
};
ModelledSweep model_sweep(const CountedSweep& counted);

/// Counts at most `anchors` configurations of a sweep and their neighbours (step_pairs) on the emulated device of
/// `options`; pairs of which one could not be counted are left out.
Stepped<std::vector<StepRatio>> step_ratios(RigOptions options, const Sweep& sweep, std::size_t anchors);

}  // namespace kerlab::session
