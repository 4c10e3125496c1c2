#pragma once
// The vendor's library beside what was timed in the same rounds.

#include "session/run/problem_setup.h"
#include "session/run/runner.h"
#include "stats/samples.h"

namespace kerlab::session {

/// One way of the library's: its best algorithm, or its own pick.
struct LibraryRow {
  std::string label;
  Summary summary;
  std::optional<PairedRatio> ratio;  ///< its time over ours: above 1 ours is faster
};

/// For the database; and back.
std::vector<LibraryTime> library_records(const std::vector<LibraryRow>& rows, std::int64_t measurement);
std::vector<LibraryRow> library_rows(const std::vector<LibraryTime>& times);

/// Every row that has samples, with its ratio to `ours`, the samples of the same rounds.
std::vector<LibraryRow> compare_library(const LibraryOutcome& library, const std::vector<double>& ours);
/// Why there is no row, or what opening the library and choosing among its algorithms cost; empty: it was not asked.
std::string library_note(const LibraryOutcome& library);
/// The same; and where none was asked though there is one for this problem, how to have it timed.
std::string library_note(const LibraryOutcome& library, const ProblemSetup& setup, const Rig& rig);

}  // namespace kerlab::session
