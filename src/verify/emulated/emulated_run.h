#pragma once
// One run of a candidate on an emulated device, and what was found in it.

#include <algorithm>
#include <string>

#include "verify/emulated/emulated_check.h"

namespace kerlab::verify {

/// One recipe with one poison.
struct EmulatedChecker::Run {
  std::uint32_t recipe = 0;
  std::uint32_t poison = 0;
  int set = 0;
  bool sampled = false;
  bool compared = true;  ///< false: only its bits count
  bool thorough = false;
  bool untouched = false;  ///< nothing is poisoned before it
  bool counted = false;    ///< in mode count, and few elements are compared
  bool coverage = false;   ///< whole; only what nobody has written is compared
  bool parts = false;      ///< of several launches some blocks each: workspaces hold zeros, which are no wild indices
  Accuracy accuracy = {};  ///< of the candidate
  std::vector<LaunchReport> launched = {};
  std::vector<AddressRange> written = {};  ///< merged; what is there before it runs is compared too
  std::vector<RecipeReport> reports = {};  ///< of each output that is not empty
  std::vector<std::string> bits = {};      ///< digest of what was written to these
};

/// Of one whole run, in tenths of a second, by the rule that 5e8 FLOP or 64 MB are executed in one: the same on every
/// machine.
inline double emulation_cost(const ProblemPlan& plan) {
  return std::max(plan.flops / 5e8, plan.bytes / 64e6);
}

/// In ascending order, none touching another.
void merge(std::vector<AddressRange>& ranges);

inline bool overlap(const AddressRange& range, std::uint64_t begin, std::uint64_t end) {
  return range.begin < end && range.end > begin;
}

}  // namespace kerlab::verify
