#pragma once
// One run of a candidate on an emulated device, and what was found in it.

#include <string>

#include "verify/emulated_check.h"

namespace kerlab::verify {

/// One recipe with one poison.
struct EmulatedChecker::Run {
  std::uint32_t recipe = 0;
  std::uint32_t poison = 0;
  int set = 0;
  bool sampled = false;
  bool compared = true;  ///< false: only its bits count
  bool thorough = false;
  std::vector<AddressRange> written = {};  ///< merged
  std::vector<RecipeReport> reports = {};  ///< of each output that is not empty
  std::vector<std::string> bits = {};      ///< digest of what was written to these
};

inline bool overlap(const AddressRange& range, std::uint64_t begin, std::uint64_t end) {
  return range.begin < end && range.end > begin;
}

}  // namespace kerlab::verify
