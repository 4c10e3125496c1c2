#pragma once
// A comparison in words.

#include <cstdint>
#include <span>
#include <string>

#include "common/lab_abi.h"
#include "plan/problem_plan.h"
#include "verify/check_report.h"

namespace kerlab::verify {

/// Row-major coordinates of an element: "[12, 4095]"; "[]" for a scalar.
std::string coordinates(const std::vector<std::int64_t>& shape, std::int64_t index);
/// Of a tensor of complex numbers with the part: "[12, 7].y".
std::string place_in(const Tensor& tensor, std::int64_t index);

/// The report on one output from what lab_compare wrote. Passes when every element was compared and none differs.
RecipeReport explain(const Recipe& recipe, const Tensor& output, const lab::CompareReport& found);
/// Where only `wanted` elements were to be compared.
RecipeReport explain(const Recipe& recipe, const Tensor& output, const lab::CompareReport& found, std::int64_t wanted);

/// Of runs with the same inputs, how many differ from the first. `leaves_places`: the kernel may leave some of the
/// output as it was, as it may where a checker judges; then only runs with the first one's poison are looked at.
[[nodiscard]] std::int64_t different_runs(std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> poisons,
                                          bool leaves_places);

/// Takes in how many of the report's `runs` gave other bits than the first; where they must not, it did not pass.
void judge_repeats(RecipeReport& report, std::int64_t different, bool nondeterministic);

}  // namespace kerlab::verify
