#pragma once
// What a check showed: plain structs that travel from worker to parent.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::verify {

/// One wrong element.
struct Mismatch {
  std::int64_t index = 0;
  std::string place;  ///< "[12, 4095]"
  double got = 0, expected = 0, tolerance = 0;
  bool operator==(const Mismatch&) const = default;
};

/// Errors of elements whose tolerance is mostly the rounding of the output, in half ulps: what stays within each
/// element's bound shows in their sums.
struct RoundingReport {
  std::int64_t elements = 0;      ///< 0: not looked at
  double rms = 0, ideal_rms = 0;  ///< of the errors; of the reference rounded once
  double bias = 0, outward = 0;   ///< mean of error less that of the reference rounded once; away from zero
  double bias_limit = 0;          ///< that neither may exceed
  bool operator==(const RoundingReport&) const = default;
};

/// Why a report did not pass; what of several stands first here.
enum class Cause : std::uint8_t { none, nan, exact, bound, unwritten, incomplete, rms, bias, row_sum, rerun, checker };
/// "nan", "exact", ...; empty for none.
std::string_view name(Cause cause);

/// What is told of the small problem begins so.
inline constexpr std::string_view kOnSmallProblem = "on the small problem: ";

/// What one recipe showed for one output.
struct RecipeReport {
  std::string recipe, output;
  bool passed = false;
  Cause cause = Cause::none;
  std::int64_t compared = 0, mismatches = 0, nans = 0;
  double error_ratio = 0;  ///< largest err / tolerance; infinite for NaN
  double rms_ratio = 0;    ///< rms of err / tolerance
  std::optional<std::int64_t> worst_index = {};
  double worst_got = 0, worst_expected = 0, worst_tolerance = 0;
  std::string detail;     ///< "[12, 4095]: got 3.5, expected 3.25 +- 0.01", or empty
  bool in_small = false;  ///< of the small problem
  std::int64_t runs = 1;  ///< that gave the same bits, or of which this is the worst
  RoundingReport rounding;
  // Of a thorough check that failed:
  std::vector<Mismatch> first;       ///< in the order of memory
  std::vector<std::string> picture;  ///< of the last two dimensions: rows of '.' and '#'
  std::string scale;                 ///< "a character is 8 x 16 elements"
  std::string pattern;               ///< "tile-aligned: every element of the 64 x 64 tiles (1, 2), (1, 3)"
  std::string culprit;               ///< "D holds the product without k = 64..127"
  bool operator==(const RecipeReport&) const = default;
};

struct CheckReport {
  std::vector<RecipeReport> recipes;
  std::string guard_violation;              ///< "D: 16 bytes after its end overwritten, first at +0"; empty: none
  std::string input_modified;               ///< "A"; empty: none
  double first_us = 0;                      ///< of the first run, cold module
  std::int64_t blocks = 0, blocks_run = 0;  ///< of the grid, and how many were executed; 0: all, or of the small one
  bool whole_small = false;                 ///< also (or only) the whole of the small problem
  std::int64_t runs = 1;                    ///< of the first recipe, whose bits were compared
  [[nodiscard]] bool passed() const;
  /// It ended with the small problem: what it says is of that.
  [[nodiscard]] bool only_small() const;
  [[nodiscard]] double error_ratio() const;
  [[nodiscard]] std::int64_t mismatches() const;
  bool operator==(const CheckReport&) const = default;
};

}  // namespace kerlab::verify
