#pragma once
// A second look at an output that is wrong: which elements, where they lie, what they hold instead.

#include <vector>

#include "common/lab_abi.h"
#include "common/tolerance.h"
#include "verify/check_report.h"
#include "verify/culprit.h"
#include "verify/error_map.h"

namespace kerlab::verify {

class Survey {
 public:
  /// `poison`: what the output held before the run.
  Survey(const ProblemPlan& plan, const Recipe& recipe, const Tensor& output, std::uint32_t poison);

  void see(std::int64_t element, std::uint64_t bits, double expected, const lab::Verdict& verdict);
  /// Fills in what a report that did not pass says beyond its numbers.
  void tell(RecipeReport& report, const ExpectedLookup& expected) const;

 private:
  const ProblemPlan& plan_;
  const Recipe& recipe_;
  const Tensor& output_;
  lab::Format format_;
  std::uint64_t poison_;
  ErrorMap map_;
  std::int64_t wrong_ = 0, poisoned_ = 0;
  std::vector<Mismatch> first_;
  std::vector<WrongElement> elements_;
};

}  // namespace kerlab::verify
