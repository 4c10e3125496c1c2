#pragma once
// How candidates are sampled, and what the samples were: plain structs that travel between worker and parent.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/counts.h"
#include "plan/device_conditions.h"
#include "plan/foreign_process.h"
#include "plan/launch_plan.h"
#include "plan/time_source.h"

namespace kerlab::measure {

/// How to sample. One entry of the schedule = one sample of one loaded candidate.
struct TimingSchedule {
  int rounds = 3;              ///< samples per candidate, interleaved over candidates in a shuffled order per round
  bool cold = true;            ///< rotate over more than twice the L2, else hot
  double abandon_us = 0;       ///< a candidate whose first sample is slower gets no more; 0: never
  double batch_below_us = 10;  ///< faster ones are timed as a graph of many
  bool settle = true;          ///< wait for the clocks first
  std::uint64_t seed = 1;      ///< of the shuffle
  bool mirrored = false;       ///< every second round runs backwards: A B, B A; drift falls on all alike
  bool cross_check = false;    ///< compare with the host's clock and the whole device, once at the end
  bool operator==(const TimingSchedule&) const = default;
};

/// What one launch of an emulated run executed: from this the session models a time.
struct CountedLaunch {
  std::string kernel;
  Dim3 grid, block;
  std::uint32_t dynamic_shared = 0;
  std::int64_t blocks = 0, blocks_run = 0;
  Counts counts;                        ///< of the blocks run
  std::vector<Stretch> stretches = {};  ///< of the blocks run
  Traffic traffic = {};                 ///< of the blocks run
  std::vector<LineCounts> lines = {};   ///< the same by PTX instruction, where asked for
  bool in_graph = false;                ///< started by a CUDA graph, and not the first of it
  Dim3 cluster = {};                    ///< 1,1,1: none
  Pipeline pipeline = {};               ///< of the blocks run
  bool operator==(const CountedLaunch&) const = default;
};

struct SampleSet {
  std::uint32_t id = 0;
  std::vector<double> samples_us;
  std::vector<double> sm_clock_mhz;  ///< per sample; empty when unknown
  std::string protocol;              ///< "events-1", "graph-1"; "host-1": started as an application does
  CacheState cache = CacheState::cold;
  ClockKind clock = ClockKind::measured;
  bool abandoned = false;
  std::string guard_violation;                  ///< scanned after timing as well
  std::string warning;                          ///< "launch-bound", "clocks did not settle", ...
  std::vector<CountedLaunch> launches = {};     ///< of one run; emulated only
  std::vector<ForeignProcess> neighbours = {};  ///< seen on the device before or after
  DeviceConditions conditions = {};             ///< seen between the rounds
  int discarded = 0;      ///< rounds that were taken again, since heat or a brake held the clocks down
  double host_ratio = 0;  ///< the host's time until the whole device was done over the events' time; 0: not compared
  bool operator==(const SampleSet&) const = default;
};

/// One measured ceiling of the device.
struct Ceiling {
  std::string name;  ///< copy, read, write, fp32_fma, fp64_fma, bf16_mma, ...
  std::string unit;  ///< "B/s", "FLOP/s"
  double value = 0;
  bool operator==(const Ceiling&) const = default;
};

}  // namespace kerlab::measure
