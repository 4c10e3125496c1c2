#pragma once
// After a check that failed on a GPU: the same once more, this time asking which elements are wrong.

#include <span>

#include "verify/candidate.h"
#include "verify/check_report.h"

namespace kerlab::verify {

/// Fills in what reports with wrong elements say beyond their numbers, of the first few outputs. A fault that does not
/// show again is told so. `reports` is used; its contents are lost.
void look_again(ProblemData& data, ReportBuffer& reports, Candidate& candidate, std::span<const std::uint32_t> recipes,
                CheckReport& report);

}  // namespace kerlab::verify
