#pragma once
// What a report says first: a row for each problem, as a table for the page and for Markdown.

#include "report/form/table.h"
#include "trial/lab_report.h"

namespace kerlab::report {

/// How the winner stands to the vendor's library (its best algorithm), by the interval of their ratio.
enum class LibraryVerdict { no_winner, no_library, modelled, faster, even, slower };
LibraryVerdict library_verdict(const ReportProblem& problem);
/// "faster than the library", "as fast", ...
std::string verdict_text(LibraryVerdict verdict);

/// The library's best algorithm; null: none was timed.
const LibraryTime* library_best(const ReportProblem& problem);
/// "cuBLASLt 13.1.0": without which of its algorithms.
std::string library_name(const LibraryTime& library);
/// "1.034 [1.030,1.041]"; "-".
std::string library_ratio(const ReportProblem& problem);

/// The winner, else the fastest trial that passed; null: none did.
const ReportTrial* best_trial(const ReportProblem& problem);

/// Whether any problem's winner was timed beside a library.
bool has_library(const LabReport& report);

/// Without a library the columns about it are left out. `compact`: without what a narrow table has no room for.
Table summary_table(const LabReport& report, bool compact);

/// What changed against the previous decision: "mma_pipe BM=128: 311.0 us -> 291.4 us (-6.3 %), measured in the same
/// session"; empty: there is none.
std::string change_text(const ReportProblem& problem);

}  // namespace kerlab::report
