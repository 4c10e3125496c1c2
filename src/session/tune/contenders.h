#pragma once
// Stored trials that compete with those of a session: a decision ignores no verified trial of its problem and device,
// whatever the session was asked to try.

#include "session/tune/screening.h"

namespace kerlab::session {

struct StoredContenders {
  std::deque<VariantSource> sources;  ///< that `outside` refers to
  std::deque<Screened> trials;        ///< of today's kernel, toolchain and check, with a comparable time
  std::int64_t winner = 0;            ///< trial of the newest decision, whether it is among them or not; 0: none
};

/// Whether a stored time may be compared with one that is taken now: the same clock, cache, data and, of modelled
/// times, the same model.
bool is_comparable(const Measurement& measurement, const ProblemSetup& setup, const DeviceInfo& device);

/// What the database holds of the times of a problem on a device.
class StoredTimes {
 public:
  StoredTimes(const Database& database, const ProblemSetup& setup, const DeviceInfo& device, const Company& company);
  /// The one it is chosen by: the newest comparable one of the sweep, else of the finals, else another; null: none.
  [[nodiscard]] const Measurement* of(std::int64_t trial) const;
  /// Whether it was in the finals of this session or of a later one.
  [[nodiscard]] bool was_finalist_since(std::int64_t trial, std::int64_t session) const;

 private:
  struct Times {
    std::map<TimingStage, Measurement> newest;  ///< the comparable ones
    std::int64_t last_finals = 0;
  };
  std::map<std::int64_t, Times> times_;
};

/// The best of those that `screening` did not try, as many as may come to the finals, and the winner of the newest
/// decision.
StoredContenders stored_contenders(const Rig& rig, const CandidateSpace& space, const ProblemSetup& setup,
                                   const Database& database, const StoredTimes& times, const Screening& screening,
                                   const std::optional<Decision>& decision);

}  // namespace kerlab::session
