#pragma once
// The check that comes before every timing: run on several recipes with poisoned outputs, compare, look at the guards
// and at the inputs. One wait for the device per check.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/candidate.h"
#include "verify/check_report.h"

namespace kerlab {

/// What outputs hold before a run. NaN in every float type; and a finite number, for kernels that treat NaN kindly.
inline constexpr std::uint32_t kPoisonNan = 0xFFFFFFFF, kPoisonFinite = 0x7B7B7B7B;

class Checker {
 public:
  explicit Checker(ProblemData& data);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// `recipes`: indices into ProblemPlan::recipes. Quick: one run per recipe, poisons alternating. Thorough: both
  /// poisons and a repeat per recipe; bits that differ between them are told in the detail, not failed (atomics may do
  /// that).
  CheckReport check(Candidate& candidate, std::span<const std::uint32_t> recipes, bool thorough);
  /// Guards of the first `sets` sets and of the workspaces; repairs them. Empty: untouched.
  std::string scan(const Candidate& candidate, int sets);

 private:
  struct Run;
  void queue(Candidate& candidate, Run& run);
  void poison(int set, std::uint32_t pattern);
  void compare(const Run& run, std::size_t attempt);
  CheckReport read(const Candidate& candidate, const std::vector<Run>& runs);
  CheckReport check_once(Candidate& candidate, std::span<const std::uint32_t> recipes, bool thorough);
  RecipeReport judge(const Run& run, std::size_t output) const;

  ProblemData& data_;
  ReportBuffer reports_;
  EventId begin_, end_;
};

}  // namespace kerlab
