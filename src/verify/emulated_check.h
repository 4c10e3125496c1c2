#pragma once
// The check on an emulated device. Either every block runs and every output element is looked at, or some blocks run
// and what they wrote is. Every write to global memory is known exactly, so guards and inputs need no scan.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "plan/launch_plan.h"
#include "verify/candidate.h"
#include "verify/check_report.h"
#include "verify/expected_values.h"

namespace kerlab {

class EmulatedChecker {
 public:
  explicit EmulatedChecker(ProblemData& data) : data_(data), expected_(data) {}

  /// `sampled`: some blocks (the candidate must allow it), else all. Recipes as for Checker. Thorough: both poisons.
  CheckReport check(Candidate& candidate, std::span<const std::uint32_t> recipes, bool thorough, bool sampled);
  /// Something else has run on the data: outputs no longer hold the poison.
  void forget_poison() { poisoned_.clear(); }

 private:
  struct Run;
  void poison_outputs(int set, std::uint32_t pattern);
  void run(Candidate& candidate, Run& run, CheckReport& report);
  void look_at_writes(const Candidate& candidate, const Run& run, CheckReport& report) const;
  [[nodiscard]] std::vector<std::int64_t> elements_to_check(const Run& run, std::size_t reference) const;
  [[nodiscard]] std::int64_t first_unwritten(const Run& run, std::size_t reference) const;
  RecipeReport compare(const Run& run, std::size_t reference);
  void restore_poison(const Run& run);

  ProblemData& data_;
  ExpectedValues expected_;
  std::map<int, std::uint32_t> poisoned_;  ///< sets whose outputs hold nothing but this pattern
};

}  // namespace kerlab
