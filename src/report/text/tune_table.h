#pragma once
// The ranking that `kerlab tune` shows.

#include <optional>
#include <string>
#include <vector>

#include "report/form/table.h"
#include "stats/samples.h"
#include "trial/trial.h"

namespace kerlab::report {

/// One verified trial of the problem.
struct TuneRow {
  int rank = 0;
  bool tied = false;  ///< with the winner: shown as "2="
  std::string note;   ///< why its time is not as the others': "left after 7 rounds of all"
  std::string timed;  ///< where the time comes from: "finals", "sweep", "before"; a column where they differ
  double median_us = 0, low_us = 0, high_us = 0;  ///< no interval: both ends 0
  bool derived = false;                           ///< the time is the first row's times their ratio: shown as "~176.3"
  std::optional<PairedRatio> versus_first;        ///< time over that of the first row, in the same rounds
  double flops_per_s = 0, bytes_per_s = 0;        ///< 0: not known
  bool memory_bound = false;                      ///< the problem's roof is bandwidth: GB/s are shown, not TFLOP/s
  double roof_fraction = 0;                       ///< of the attainable roof; 0: not known
  double occupancy = 0;                           ///< fraction of the threads of an SM; 0: not known
  bool modelled = false;                          ///< the time is a model's, without an interval
  Trial trial;
};

/// Every column, the configuration in full: for Markdown.
Table tune_table(const std::vector<TuneRow>& rows);
/// For a terminal of `width` columns (0: any): a column for the variant and for each parameter that differs between the
/// rows, what they have in common once below. Where that is too wide, the columns that say least are left out, then
/// the parameters share one column that wraps.
std::string tune_text(const std::vector<TuneRow>& rows, bool color, int width);

/// "291.4 [290,293]": the interval with as few decimals as tell its ends apart; without one, as a
/// model's, the median alone.
std::string median_with_interval(double median_us, double low_us, double high_us);
std::string median_with_interval(const Measurement& measurement);
/// TFLOP/s with three significant digits: "471.6", "0.534"; "-" where nothing is known.
std::string tera_text(double flops_per_s);
/// The rate that the problem's roof limits, with its unit: "471.6 TFLOP/s", "3012 GB/s".
std::string rate_with_unit(double flops_per_s, double bytes_per_s, bool memory_bound);

}  // namespace kerlab::report
