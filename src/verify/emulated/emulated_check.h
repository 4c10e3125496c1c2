#pragma once
// The check on an emulated device. Either every block runs and every output element is looked at, or some blocks run
// and what they wrote is. Every write to global memory is known exactly, so guards and inputs need no scan.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "plan/launch_plan.h"
#include "verify/candidate.h"
#include "verify/check.h"
#include "verify/check_report.h"
#include "verify/emulated/expected_values.h"
#include "verify/emulated/in_place.h"

namespace kerlab::verify {

/// An emulated device executes a problem of so many FLOPs and bytes of traffic whole, in about a tenth of a second.
constexpr bool is_executed_whole(double flops, double bytes) {
  return flops < 5e8 && bytes < 64e6;
}

class EmulatedChecker {
 public:
  explicit EmulatedChecker(ProblemData& data) : data_(data), expected_(data), in_place_(data) {}

  /// `sampled`: some blocks (the candidate must allow it), else all. Recipes as for Checker. Thorough: both poisons,
  /// further runs of the first recipe where they cost next to nothing, and one with other data in its buffers.
  CheckReport check(Candidate& candidate, std::span<const std::uint32_t> recipes, CheckWishes wishes, bool sampled);
  /// One run in mode count, of which nothing can be told from a first one: outputs and workspaces hold nothing, the
  /// variables of the module what they held when it was loaded. What it has written is compared, as far as `compared`
  /// and the plan allow. `launched`: of each launch.
  CheckReport check_counted(Candidate& candidate, bool compared, std::vector<LaunchReport>& launched);
  /// Some blocks of the first launch, with the first recipe: what of later launches or of other blocks would be
  /// wanted is not there, so that nothing is compared; but a fault, or a write beside the tensors, is one.
  CheckReport check_first_launch(Candidate& candidate);
  /// Something else has run on the data: outputs no longer hold the poison.
  void forget_poison() { poisoned_.clear(); }

 private:
  struct Run;
  void poison(int set, std::uint32_t pattern);
  void execute(Candidate& candidate, Run& run, CheckReport& report);
  void look_at_writes(const Candidate& candidate, const Run& run, CheckReport& report) const;
  void look_at_zeros(const Candidate& candidate, const Run& run, CheckReport& report);
  [[nodiscard]] std::vector<std::int64_t> elements_to_check(const Run& run, std::size_t reference) const;
  [[nodiscard]] std::int64_t first_unwritten(const Run& run, std::size_t reference) const;
  struct Written {
    double all = 0, by_run = 0;
  };
  [[nodiscard]] Written written_of(const Run& run) const;
  void look_for_unwritten(Candidate& candidate, std::uint32_t first, CheckReport& report);
  RecipeReport compare(const Run& run, std::size_t reference, bool look_closer);
  RecipeReport judge_indices(const Run& run, std::size_t reference, const std::vector<std::int64_t>& elements);
  void judge_rows(const Run& run, std::size_t reference, RecipeReport& report);
  void look_again(const Run& run, std::size_t reference, const std::vector<std::int64_t>& elements,
                  RecipeReport& report);
  [[nodiscard]] std::vector<ExpectedValues::Value> expected_for(const Run& run, std::size_t reference,
                                                                const std::vector<std::int64_t>& elements);
  template <typename Visit>
  void visit(const Run& run, std::size_t reference, const std::vector<std::int64_t>& elements, const Visit& see);
  [[nodiscard]] std::string written_bits(const Run& run, std::size_t reference) const;
  bool run_once(Candidate& candidate, Run& run, CheckReport& report, CheckWishes wishes);
  bool run_recipe(Candidate& candidate, std::uint32_t recipe, std::vector<std::uint32_t> poisons, CheckWishes wishes,
                  bool sampled, CheckReport& report);
  void run_fresh(Candidate& candidate, std::uint32_t first, bool sampled, CheckReport& report);
  bool run_on_own_results(Candidate& candidate, std::uint32_t first, CheckReport& report);
  void run_kept(Candidate& candidate, std::uint32_t first, bool sampled, CheckReport& report);
  void look_for_memory(Candidate& candidate, std::uint32_t first, bool sampled, CheckReport& report);
  CheckReport check_recipes(Candidate& candidate, std::span<const std::uint32_t> recipes, CheckWishes wishes,
                            bool sampled);
  void judge_far_ends(std::uint32_t last_recipe, CheckReport& report);
  void restore_poison(const Run& run);

  ProblemData& data_;
  ExpectedValues expected_;
  InPlaceResults in_place_;
  std::map<int, std::uint32_t> poisoned_;  ///< sets whose outputs hold nothing but this pattern
  bool wrote_too_little_ = false;          ///< the blocks of the last sample, for as many as they are
  /// By output that lies far and is written in parts: whether a recipe's blocks wrote near its end.
  std::map<std::size_t, bool> far_end_written_;
};

}  // namespace kerlab::verify
