#pragma once
// lab_compare and what else looks at an output on the device.

#include "verify/problem_data.h"

namespace kerlab::verify {

/// An output that a run has written, and what it should be.
struct Compared {
  std::uint32_t recipe = 0;
  std::size_t reference = 0;  ///< index into ProblemPlan::references
  DevicePtr got = 0;
  const Expected* expected = nullptr;
  bool sums = false;       ///< also of errors, and of rows: costs as much again where fp64 is slow
  Accuracy accuracy = {};  ///< that the kernel declares; where it is normwise the scales are bounds already
};

/// What an output is held to under a recipe: of kernels whose specials may be NaN, operands below the smallest normal
/// number may count as nothing.
Tolerance tolerance_under(const ProblemPlan& plan, std::uint32_t recipe, std::size_t reference, Accuracy accuracy);

/// The rule that the elements of an output are judged by.
lab::CompareArguments compare_rule(const ProblemPlan& plan, const Tensor& output, std::uint32_t recipe,
                                   std::size_t reference, Accuracy accuracy);

/// Queues the comparison, and the sums of rows where these are known, into a slot of `reports`.
void queue_compare(ProblemData& data, const ReportBuffer& reports, std::size_t slot, const Compared& compared);

/// Every output of a set holds the pattern (queued).
void poison_outputs(ProblemData& data, int set, std::uint32_t pattern);

}  // namespace kerlab::verify
