#pragma once
// Timed launches are verified, too: a kernel may know that it has been checked before.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/candidate.h"
#include "verify/check_report.h"
#include "verify/report_buffer.h"

namespace kerlab::worker {

/// What is wrong, in a sentence; empty: nothing. Guards are told of elsewhere.
std::string what_is_wrong(const CheckReport& report);
/// The same of a check that came before timing, guards included.
std::string what_is_wrong_untimed(const CheckReport& report);

/// Looks once at each of the candidates that are timed together, between two of its samples: at what the last one has
/// written, and at one more launch, with inputs that it has never seen. Costs two comparisons, one launch and two
/// fills; computes the expected values for the first candidate of a problem only.
class TimedCheck {
 public:
  /// Outputs of all sets and workspaces of all candidates, which must outlive it, hold nothing from here on.
  TimedCheck(ProblemData& data, std::vector<Candidate*> candidates);

  /// Of candidate `which`, whose last launch was on this set. Queued.
  void look(std::size_t which, int set);
  /// Waits, and tells what was wrong with candidate `which`; empty: nothing, or it was never looked at.
  std::vector<std::string> read();

 private:
  struct Slot {
    std::size_t candidate = 0, output = 0;
    std::uint32_t recipe = 0;
    bool timed = false;  ///< of a timed launch
    bool used = false;
  };
  void compare(std::size_t which, int set, std::uint32_t recipe, bool timed);
  /// With the bounds of what the candidate declares.
  [[nodiscard]] const std::vector<Expected>& expected_of(const Candidate& candidate, std::uint32_t recipe) const;

  ProblemData& data_;
  std::vector<Candidate*> candidates_;
  std::uint32_t fresh_ = 0;
  const std::vector<Expected>*expected_ = nullptr, *expected_fresh_ = nullptr;
  /// Of candidates that are right by norm: by recipe, and whether their specials may be NaN.
  std::map<std::pair<std::uint32_t, bool>, std::vector<Expected>> by_norm_;
  ReportBuffer reports_;
  std::vector<Slot> slots_;
  std::map<std::size_t, verify::RecipeReport> judged_;  ///< by slot: of outputs that have a checker
};

}  // namespace kerlab::worker
