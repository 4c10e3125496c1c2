#pragma once
// The ranking that `kerlab tune` shows.

#include <optional>
#include <string>
#include <vector>

#include "report/table.h"
#include "stats/samples.h"
#include "trial/trial.h"

namespace kerlab {

/// One finalist.
struct TuneRow {
  int rank = 0;
  bool tied = false;  ///< with the winner: shown as "2="
  std::string note;   ///< behind the configuration: "left after 7 rounds of all"
  double median_us = 0, low_us = 0, high_us = 0;
  bool derived = false;  ///< the time is the first row's times their ratio: shown as "~176.3"
  std::optional<PairedRatio>
      versus_first;          ///< time over that of the first row; the column is there when any row has it
  double flops_per_s = 0;    ///< 0: not known
  double roof_fraction = 0;  ///< of the attainable roof; 0: not known
  double occupancy = 0;      ///< fraction of the threads of an SM; 0: not known
  std::optional<PairedRatio> versus_library;  ///< speed over cuBLASLt's; the column is there when any row has it
  bool modelled = false;                      ///< the time is a model's, without an interval
  Trial trial;
};

/// `width`: configurations are shortened so that a line fits; 0: never.
Table tune_table(const std::vector<TuneRow>& rows, int width = 0);
/// The same as printed: indented by two spaces.
std::string tune_text(const std::vector<TuneRow>& rows, bool color, int width);

/// "291.4 [290,293]": the interval with as few decimals as tell its ends apart.
std::string median_with_interval(double median_us, double low_us, double high_us);
/// TFLOP/s with three significant digits: "471.6", "0.534"; "-" where nothing is known.
std::string tera_text(double flops_per_s);

}  // namespace kerlab
