#pragma once
// One parameter of a kernel changed by one step: what that does to its time and its resources.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/time_source.h"

namespace kerlab::model {

/// The time of one configuration over that of another, both timed.
struct TimedRatio {
  double ratio = 0, low = 0, high = 0;  ///< from the ends of both 95 % intervals
  std::int64_t trial = 0;               ///< of the changed configuration
  std::string device_class;
  ClockKind clock = ClockKind::measured;
  bool same_session = false;  ///< else drift between the sessions is part of it
};

struct WhatIf {
  std::string parameter;
  std::int64_t from = 0, to = 0;
  std::string others;         ///< "MIN_BLOCKS 1": moved as well, since the step alone is not valid; else empty
  std::string configuration;  ///< all of it
  std::string typed;          ///< as short as it can be typed: "BK=16,STAGES=3"; empty: the default
  std::string failure;        ///< why nothing else is known; empty: it was counted
  double us = 0, ratio = 0;   ///< modelled; over the modelled time of what it is compared with
  std::optional<TimedRatio> timed;
  int registers = 0, spill_bytes = 0, shared_bytes = 0;  ///< of the launch that takes longest
  int blocks_per_sm = 0;
  double occupancy = 0;            ///< fraction, of the SMs with most blocks
  double waves = 0;                ///< blocks over places
  std::string bottleneck;          ///< its name
  std::string from_text, to_text;  ///< `from` and `to` as they are typed; empty: the numbers

  /// What is known best: the timed ratio where there is one. 0: nothing is.
  [[nodiscard]] double best_ratio() const { return timed ? timed->ratio : ratio; }
};

/// Fastest first, those that failed last; else as they were.
void sort_by_ratio(std::vector<WhatIf>& list);

}  // namespace kerlab::model
