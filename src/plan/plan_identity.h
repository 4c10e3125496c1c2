#pragma once
// What a launch plan is, as bytes: part of what a trial is named by, so that they never change for a plan that could be
// stored before. Written here and nowhere else; how a worker is told of a plan may change as it likes.

#include <cstddef>
#include <string>
#include <vector>

#include "plan/launch_plan.h"

namespace kerlab::plan {

/// All fields of the plan as CBOR (RFC 8949): maps with their keys in alphabetical order, lengths and integers as short
/// as they can be written.
std::vector<std::byte> plan_identity(const LaunchPlan& plan);
/// The digest of these bytes.
std::string plan_digest(const LaunchPlan& plan);

}  // namespace kerlab::plan
