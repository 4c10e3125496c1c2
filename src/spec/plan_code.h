#pragma once
// A variant's launch plan as C++17 text: what LaunchPlanBuilder makes for one problem, for every problem of the same
// dtype and flags. Written against report/dispatch/plan.h.

#include <set>
#include <string>

#include "spec/spec.h"

namespace kerlab::spec {

struct PlanCode {
  std::string body;             ///< statements that use `request` and `e` (a Planner), two spaces deep
  std::set<std::string> facts;  ///< device.* names that it has as constants
};

/// `problem` says dtype and flags, and what the cubin was compiled with. The code refuses (leaves `e` failed) problems
/// outside the family's ranges and constraints, those that the variant's constraints reject, and those where a name of
/// `compiled` (derived values that the source mentions) would have another value than the cubin has.
PlanCode plan_code(const Family& family, const Variant& variant, const Problem& problem,
                   const Configuration& configuration, const DeviceInfo& device, const std::set<std::string>& compiled);

}  // namespace kerlab::spec
