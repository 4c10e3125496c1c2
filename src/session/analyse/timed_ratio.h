#pragma once
// How much faster one configuration of a kernel was than another, by what is stored.

#include <map>
#include <optional>

#include "db/database.h"
#include "model/what_if.h"

namespace kerlab::session {

/// Times of one kernel on one problem, by configuration. Modelled ones are left out.
class TimedRatios {
 public:
  /// `like`: the trial (stored or not) that others are compared with: same family, variant, problem and source.
  /// `database` may be null: then nothing is known.
  TimedRatios(const Trial& like, const Database* database);

  /// Others that can be compared with it.
  [[nodiscard]] std::vector<std::string> configurations() const;
  /// The time of that configuration over that of the trial's: of one session where there is one that timed both, else
  /// of the newest times. They agree in device class, protocol, cache and clock. None: there are no two such times.
  [[nodiscard]] std::optional<TimedRatio> over(const std::string& configuration) const;

 private:
  struct Timed {
    std::string device_class;
    Measurement measurement;
  };
  std::vector<Timed> own_;
  std::map<std::string, std::vector<Timed>> others_;
};

}  // namespace kerlab::session
