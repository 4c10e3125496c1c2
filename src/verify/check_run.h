#pragma once
// What the parts of Checker know of a run.

#include <cstdint>
#include <map>
#include <vector>

#include "verify/check.h"

namespace kerlab::verify {

/// One recipe of a check, and where its results go.
struct Checker::Run {
  std::uint32_t recipe = 0;
  int set = 0;
  std::vector<std::uint32_t> poisons;  ///< of each attempt
  std::size_t compared = 0;            ///< attempts: of those behind only the bits are looked at
  const std::vector<Expected>* expected = nullptr;
  std::vector<std::uint64_t> input_hashes;
  std::size_t first_compare = 0;               ///< slots: attempts x outputs
  std::uint32_t first_hash = 0;                ///< slots: inputs, then attempts x outputs
  std::map<std::size_t, RecipeReport> judged;  ///< by slot: of outputs that have a checker
  Accuracy accuracy = {};                      ///< of the candidate
  bool sums = false;                           ///< errors and rows are summed up, too
  bool timed = false;                          ///< its first attempt lies between the two events
  bool untouched = false;                      ///< nothing is poisoned: all is as the run before has left it
};

}  // namespace kerlab::verify
