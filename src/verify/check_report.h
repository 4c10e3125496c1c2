#pragma once
// What a check showed: plain structs that travel from worker to parent.

#include <cstdint>
#include <string>
#include <vector>

namespace kerlab {

/// What one recipe showed for one output.
struct RecipeReport {
  std::string recipe, output;
  bool passed = false;
  std::int64_t compared = 0, mismatches = 0, nans = 0;
  double error_ratio = 0;  ///< largest err / tolerance; infinite for NaN
  double rms_ratio = 0;    ///< rms of err / tolerance
  std::int64_t worst_index = -1;
  double worst_got = 0, worst_expected = 0, worst_tolerance = 0;
  std::string detail;     ///< "[12, 4095]: got 3.5, expected 3.25 +- 0.01", or empty
  bool in_small = false;  ///< of the small problem
  bool operator==(const RecipeReport&) const = default;
};

struct CheckReport {
  std::vector<RecipeReport> recipes;
  std::string guard_violation;              ///< "D: 16 bytes after its end overwritten, first at +0"; empty: none
  std::string input_modified;               ///< "A"; empty: none
  double first_us = 0;                      ///< of the first run, cold module
  std::int64_t blocks = 0, blocks_run = 0;  ///< emulated: of the grid, and how many were executed; 0: all, on a GPU
  bool whole_small = false;                 ///< emulated: also (or only) the whole of the small problem
  [[nodiscard]] bool passed() const;
  [[nodiscard]] double error_ratio() const;
  [[nodiscard]] std::int64_t mismatches() const;
  bool operator==(const CheckReport&) const = default;
};

}  // namespace kerlab
