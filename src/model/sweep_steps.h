#pragma once
// How well ratios of modelled times agree with measured ones, for configurations that differ in one step of one
// parameter: what `kerlab explain` says of a kernel's neighbours.

#include <string>
#include <utility>
#include <vector>

#include "model/sweep.h"

namespace kerlab::model {

/// Indices of two points of a sweep.
using PointPair = std::pair<std::size_t, std::size_t>;

/// Measured points that differ in one parameter, with no value that occurs in the sweep between theirs. `first` of each
/// pair is one of `anchors` points, taken evenly over the sweep's order (0: all); the smaller value need not be its.
/// Points without a time and twins are left out.
std::vector<PointPair> step_pairs(const Sweep& sweep, std::size_t anchors);

/// The points of the pairs alone, and the pairs as indices of these.
Sweep only_steps(const Sweep& sweep, std::vector<PointPair>& pairs);

/// A step: the time of its second configuration over that of its first.
struct StepRatio {
  double measured = 0, modelled = 0;
};

struct StepScore {
  std::size_t steps = 0;
  std::size_t clear = 0;     ///< whose measured ratio is at least 5 % from 1
  double right = 0;          ///< share of these in which the model says as well which is faster
  double low = 0, high = 0;  ///< modelled over measured ratio less 1: 10 and 90 % stay below
};
StepScore step_score(const std::vector<StepRatio>& steps);

}  // namespace kerlab::model
