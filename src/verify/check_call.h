#pragma once
// The check of what is no candidate: a library that launches by itself, on the problem's own data.

#include <cstdint>
#include <functional>
#include <span>

#include "verify/check_report.h"
#include "verify/problem_data.h"

namespace kerlab::verify {

/// One run of `call` (queued on a set) for each recipe, on poisoned outputs and poisoned `workspaces`, held to what
/// candidates are held to: results, inputs, guards. Sets are those for timing, whose tensors begin at 256 bytes.
CheckReport check_call(ProblemData& data, const std::function<void(std::size_t set)>& call,
                       std::span<const NamedBuffer> workspaces, std::span<const std::uint32_t> recipes);

}  // namespace kerlab::verify
