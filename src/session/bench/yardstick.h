#pragma once
// The vendor's library alone, on every problem: what kerlab is held against, before there is a winner.

#include <functional>

#include "session/run/library_rows.h"
#include "session/run/problem_setup.h"

namespace kerlab::session {

/// The library's times on one problem.
struct YardstickRow {
  Problem problem;
  double flops = 0, bytes = 0;
  double roof_us = 0;                ///< theoretical
  std::vector<LibraryRow> library;   ///< best, then its own pick; the pick's ratio is its time over the best's
  std::vector<double> sm_clock_mhz;  ///< median of each row's samples; 0: unknown
  std::string protocol;              ///< of the best's samples, as the next
  CacheState cache = CacheState::cold;
  ClockKind clock = ClockKind::measured;
  std::string note;  ///< why there is no row, or what choosing cost
  std::string warning;
};

/// "best of 16 algorithms (no. 3)": 16 and 3; nothing for another label.
struct ChosenAlgorithm {
  int number = 0, offered = 0;
};
std::optional<ChosenAlgorithm> chosen_algorithm(const std::string& label);

class Yardstick {
 public:
  /// `rounds` samples of each, cold unless `hot`.
  Yardstick(RigOptions rig, int rounds, bool hot) : options_(std::move(rig)), rounds_(rounds), hot_(hot) {}
  /// One problem of the family that `target` names. The worker is kept as long as the family stays the same. Throws
  /// Error (inconclusive) where the device has no library, UsageError for a problem that there is not.
  YardstickRow measure(const std::string& target, const ProblemRequest& request);
  /// None before the first problem.
  [[nodiscard]] const Rig* rig() const { return rig_ ? &*rig_ : nullptr; }

 private:
  RigOptions options_;
  int rounds_;
  bool hot_;
  std::optional<Rig> rig_;
};

}  // namespace kerlab::session
