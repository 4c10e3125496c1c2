#pragma once
// The devices of a sweep, each with the candidate that is on it.

#include <optional>
#include <string>
#include <vector>

#include "session/run/evaluation.h"
#include "session/tune/company.h"

namespace kerlab::session {

struct Screened;

class Crew {
 public:
  Crew(Rig& rig, Company& company, const ProblemSetup& setup)
      : rig_(rig), company_(company), setup_(setup), posts_(rig.devices().size()) {}

  /// What became of a device's candidate. None: the device is lost or was not alone, and the candidate must run again.
  struct Finished {
    Screened* screened = nullptr;
    std::size_t device = 0;
    std::optional<Evaluation> evaluation;
  };
  /// Looks without blocking. Throws Error when the last device cannot be used any more.
  std::vector<Finished> poll();

  /// Runs that are about no candidate: data are made, the library is opened.
  void prepare(bool library);
  /// On the first device, where it is idle. False: it is not.
  bool open_library();
  /// A device without work that may time, if there is one.
  [[nodiscard]] std::optional<std::size_t> idle();
  /// False: the device is lost. Throws as `poll`.
  bool begin(std::size_t device, Screened& screened, Protocol protocol);
  /// Whether it has delivered a time: until then its clocks may still be rising.
  [[nodiscard]] bool has_timed(std::size_t device) const { return posts_[device].timed; }

  [[nodiscard]] std::size_t size() const { return posts_.size(); }
  [[nodiscard]] std::size_t running() const;  ///< candidates
  [[nodiscard]] bool busy() const;
  /// A device has work that is about no candidate: `prepare`, `open_library`.
  [[nodiscard]] bool prepares() const;
  /// An equal program is running; when it has ended, this one need not.
  [[nodiscard]] bool runs_twin_of(const Screened& screened) const;
  /// How the library failed when it was opened, if it broke the worker; empty: it did not.
  [[nodiscard]] const std::string& library_trouble() const { return library_trouble_; }
  /// "cuda:1 takes no more part: ...", once each.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  struct Post {
    Screened* screened = nullptr;
    std::optional<EvaluationRun> run;
    bool timed = false;
  };
  [[nodiscard]] bool takes_part(std::size_t device) const { return rig_.devices()[device].lost.empty(); }
  [[nodiscard]] CandidateRunner& runner(std::size_t device) const { return *rig_.devices()[device].runner; }
  bool start(std::size_t device, std::vector<TrialCandidate> candidates, Protocol protocol);
  bool prepare(std::size_t device, bool library);
  bool lose(std::size_t device, const Error& error);

  Rig& rig_;
  Company& company_;
  const ProblemSetup& setup_;
  std::vector<Post> posts_;  ///< per device of the rig
  std::string library_trouble_;
  std::vector<std::string> notes_;
};

}  // namespace kerlab::session
