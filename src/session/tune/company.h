#pragma once
// Other processes on the devices of a session: each is named once, and waited for where the session wants to be alone.

#include "session/run/rig.h"

namespace kerlab::session {

struct CompanyOptions {
  bool exclusive = false;  ///< nothing is timed while anybody else is there
  double patience_s = 0;   ///< how long that may last; 0: for ever
};

class Company {
 public:
  /// Looks at once.
  Company(Rig& rig, CompanyOptions options);

  /// Asks all devices that are idle who is there.
  void look();
  /// What a worker saw while it timed. True: the session wants to be alone, so the times must be taken again.
  bool spoils(std::size_t device, const std::vector<ForeignProcess>& processes);
  /// Whether the device may time now. Where the session wants to be alone and is not, looks twice a second; throws
  /// Error when patience is over.
  bool may_time(std::size_t device);

  /// Whether a stored time may be used: one taken in company only as long as the company stays, and is put up with.
  [[nodiscard]] bool stands(const Measurement& measurement) const;
  /// "python3 (pid 4711)": who was on the device at the last look; empty: nobody.
  [[nodiscard]] std::string on(std::size_t device) const { return name_all(places_[device].now); }
  /// "python3 (pid 4711) on cuda:0, 12 s"; empty: nobody is waited for.
  [[nodiscard]] std::string waiting() const;
  /// Who has come and gone since the last call, for the screen.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
  /// What the summary says of it.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Place {
    std::vector<ForeignProcess> now;   ///< at the last look
    std::vector<ForeignProcess> ever;  ///< in this session
    std::size_t spoilt = 0;            ///< timings in company
    Clock::time_point looked{};
    std::optional<Clock::time_point> waiting_since;
  };
  void ask(std::size_t device);
  void see(std::size_t device, const std::vector<ForeignProcess>& processes);
  [[nodiscard]] const std::string& id(std::size_t device) const { return rig_.devices()[device].info.id; }

  Rig& rig_;
  CompanyOptions options_;
  std::vector<Place> places_;  ///< per device of the rig
  std::vector<std::string> notes_;
};

}  // namespace kerlab::session
