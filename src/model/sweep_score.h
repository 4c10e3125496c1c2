#pragma once
// How well modelled times agree with measured ones.

#include <vector>

#include "base/modules.h"

namespace kerlab::model {

struct SweepScore {
  std::size_t configurations = 0;
  double spearman = 0;                    ///< rank correlation
  std::size_t best_rank = 0;              ///< of the fastest measured among the modelled, from 1
  double best_of_8 = 0;                   ///< best measured time among the eight modelled fastest, over the best of all
  double low = 0, high = 0;               ///< modelled over measured less 1: 10 and 90 % stay below
  double median_error = 0, error_90 = 0;  ///< of |modelled / measured - 1|
};

/// Both of the same configurations in the same order.
SweepScore score(const std::vector<double>& measured, const std::vector<double>& modelled);

}  // namespace kerlab::model
