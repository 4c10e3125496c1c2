#pragma once
// How long tunes of a family take on this machine, from what earlier ones stored.

#include <optional>
#include <set>
#include <string>

#include "db/database.h"
#include "plan/device_info.h"
#include "spec/spec.h"

namespace kerlab::session {

/// What the sessions were like that are most like the one to come, in seconds.
struct Pace {
  double prepare_s = 0;        ///< from the record's begin until the first candidate ran
  double per_candidate_s = 0;  ///< compilers and devices side by side
  double finals_s = 0;         ///< until the winner was stored
  double tried = 0;            ///< candidates of a session
  double tried_here = 0;       ///< most candidates of a session of this very problem and these variants; 0: none
};

/// None: nothing comparable is stored. `work`: FLOPs of the problem, or bytes where these are more.
std::optional<Pace> pace_of(const Database& database, const Family& family, const Problem& problem,
                            const DeviceInfo& device, const std::set<std::string>& variants);

/// Of a session that tries `left` more candidates; `time_s`: its limit, 0: none.
double seconds_for(const Pace& pace, double left, double time_s, const DeviceInfo& device);

/// Of a time limit, what the finals are to have. `pace`: may be null.
double reserved_for_finals(const Pace* pace, double time_s, const DeviceInfo& device);

}  // namespace kerlab::session
