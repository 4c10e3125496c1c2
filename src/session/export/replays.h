#pragma once
// `kerlab replay`: strategies over recorded sweeps, without a GPU.

#include "model/sweep.h"
#include "search/replay.h"
#include "session/run/rig.h"

namespace kerlab::session {

struct ReplayOptions {
  std::string strategy = "surrogate";
  int seeds = 100;
  std::size_t batch = 16;  ///< asked for at once: what compilers have under way
  bool spills = false;     ///< those that a tune without --spills rejects are timed too
  bool runs = false;       ///< each search is kept, and goes on until it has the best
};

/// Evaluations until a share of the best was reached, over the seeds.
struct ReplayStep {
  double share = 0;                      ///< 0.95: the best over the cost reached
  std::size_t within = 0;                ///< configurations that are so good
  double median = 0, low = 0, high = 0;  ///< low, high: of 80 % of the seeds
  double random = 0;                     ///< median of a random search
};

/// A sweep, or all sweeps of one problem, whose variants compete.
struct ReplayedSpace {
  std::string name;
  std::size_t configurations = 0, failed = 0, variants = 0;
  std::vector<ReplayStep> steps;      ///< 90, 95, 99 %; 100 % where each search is kept
  double best_us = 0, median_us = 0;  ///< of what did not fail
  using Improvements = std::vector<Replay::Improvement>;
  std::vector<Improvements> runs = {}, random_runs = {};  ///< of each seed, where searches are kept
};

/// Of every sweep, then of every problem that several sweeps share. Sweeps of kernels that are no longer there are
/// searched by their parameters alone. Throws UsageError for an unknown strategy.
std::vector<ReplayedSpace> replay_sweeps(const std::vector<Sweep>& sweeps, const KernelPlaces& kernels,
                                         const ReplayOptions& options);

}  // namespace kerlab::session
