#pragma once
// The check that comes before every timing: run on several recipes with poisoned outputs, compare, look at the guards
// and at the inputs. One wait for the device per check, or one per launch where somebody wants to know that it goes on.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "verify/candidate.h"
#include "verify/check_report.h"

namespace kerlab::verify {

/// What outputs hold before a run. NaN in every float type; and a finite number, for kernels that treat NaN kindly.
inline constexpr std::uint32_t kPoisonNan = 0xFFFFFFFF, kPoisonFinite = 0x7B7B7B7B;

/// Of a thorough check: runs of the first recipe, whose bits must agree.
inline constexpr std::size_t kRunsOfFirst = 10;

/// Launches of a thorough check in a row, between which nothing is poisoned: whoever counts, and misbehaves from some
/// launch on, has been found out when that is no later.
inline constexpr int kLaunchesInARow = 64;

/// What a check is to do beside running recipes.
struct CheckWishes {
  bool thorough = false;          ///< both poisons and a repeat per recipe, ten runs of the first, a fresh one
  bool nondeterministic = false;  ///< runs may differ bit by bit
  /// Of one kernel that somebody looks at, not of one in a sweep: as many exact elements as a thorough check compares,
  /// and where it fails which ones are wrong. A thorough one always does.
  bool explain = false;
  /// Called where a launch and its comparison have ended, which is waited for; none: nothing is, before the end.
  std::function<void()> progress = {};
};

class Checker {
 public:
  explicit Checker(ProblemData& data);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// `recipes`: indices into ProblemPlan::recipes. Quick: one run per recipe, poisons alternating.
  CheckReport check(Candidate& candidate, std::span<const std::uint32_t> recipes, CheckWishes wishes);
  /// One run on the buffers of the first recipe, those that are timed, with other data: whoever keeps results for an
  /// address is found out.
  CheckReport check_fresh(Candidate& candidate, ProblemData::Fresh which);
  /// `launches` in a row on the first recipe, then one on inputs of which a few elements were changed in place, and
  /// nothing is poisoned: whoever keeps results for inputs that it knows by some of their elements, leaves itself a
  /// word in a workspace or in its outputs, or counts, is found out.
  CheckReport check_kept(Candidate& candidate, int launches);
  /// What has become of guards; empty: untouched. `own`: those of the candidate's workspaces.
  struct Damage {
    std::string what;
    bool own = false;
  };
  /// Guards of the workspaces and of the first `sets` sets; repairs them.
  Damage scan(const Candidate& candidate, int sets);

 private:
  struct Run;
  [[nodiscard]] std::vector<Run> plan_runs(std::span<const std::uint32_t> recipes, CheckWishes wishes) const;
  [[nodiscard]] std::vector<NamedBuffer> guarded_buffers(const Candidate& candidate, int set) const;
  /// check_fresh and check_kept as parts of a thorough check.
  void look_for_memory(Candidate& candidate, const CheckWishes& wishes, CheckReport& report);
  CheckReport check_kept_once(Candidate& candidate, int launches);
  CheckReport check_runs(Candidate& candidate, std::vector<Run> runs, CheckWishes wishes);
  void queue(Candidate& candidate, Run& run, const CheckWishes& wishes);
  void tell_progress(const CheckWishes& wishes);
  void look(Run& run, std::size_t attempt);
  CheckReport read(const Candidate& candidate, const std::vector<Run>& runs, CheckWishes wishes);
  CheckReport check_once(Candidate& candidate, std::span<const std::uint32_t> recipes, CheckWishes wishes);
  [[nodiscard]] RecipeReport judge(const Run& run, std::size_t output, CheckWishes wishes) const;
  [[nodiscard]] std::size_t hash_slot(const Run& run, std::size_t attempt, std::size_t output) const;

  ProblemData& data_;
  ReportBuffer reports_;
  EventId begin_, end_;
};

}  // namespace kerlab::verify
