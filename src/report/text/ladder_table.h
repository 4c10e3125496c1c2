#pragma once
// The ladder of a family as `kerlab tune --ladder` shows it: what each rung reaches, and what the step to it brought.

#include <optional>
#include <string>
#include <vector>

#include "report/form/table.h"
#include "trial/trial.h"

namespace kerlab::report {

/// One line: a rung at its default configuration, the same rung at its best, or a library.
struct LadderRow {
  int rung = 0;
  std::string name;  ///< variant, or the library's label
  enum class Kind { at_default, best, library } kind = Kind::at_default;
  std::optional<Trial> trial;                     ///< none: a library, or nothing to run
  std::string reason;                             ///< why no time, of a library what it is: in the last column
  double median_us = 0, low_us = 0, high_us = 0;  ///< 0: no time
  ClockKind clock = ClockKind::measured;          ///< of the time
  double flops_per_s = 0;                         ///< 0: not known
  double roof_fraction = 0;                       ///< of the problem's bound
  double occupancy = 0;                           ///< fraction of the threads of an SM; 0: not known
  double best_us = 0;         ///< of the fastest configuration known, the default's own where none is faster
  double predicted_step = 0;  ///< what the description's counts say of the step; 0: not known
  double step = 0;            ///< times as fast as the previous rung; of `best`: as its own default; 0: not known
};

/// For people: the terminal and Markdown. `width`: columns of resources are left out until a line fits; 0: never.
Table ladder_table(const std::vector<LadderRow>& rows, int width = 0);
/// For programs: every digit, a column for every figure.
Table ladder_csv_table(const std::vector<LadderRow>& rows);

}  // namespace kerlab::report
