#pragma once
// Outputs of which several are right (the order of a compaction, which of equal keys comes first): a kernel of
// reference.cu that sees them judges, instead of one that says what they should be.

#include <cstdint>
#include <span>

#include "verify/check_report.h"
#include "verify/problem_data.h"

namespace kerlab::verify {

/// What the checker of `reference` says of the output that a set holds: of all its indices, or (not empty) of these.
/// Waits for what ran before. Throws DeviceFault that is the reference's where it fails, writes nothing for an index,
/// or a code that has no text.
RecipeReport judge_by_checker(ProblemData& data, std::uint32_t recipe, std::size_t reference, int set,
                              std::span<const std::int64_t> indices = {});

/// The report of these judgements; `indices` as above. Throws as above.
RecipeReport report_of_judgements(const ReferencePlan& checker, const Tensor& output, const Recipe& recipe,
                                  std::span<const Judgement> judgements, std::span<const std::int64_t> indices);

}  // namespace kerlab::verify
