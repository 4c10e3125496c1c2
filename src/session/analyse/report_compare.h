#pragma once
// A report beside an older one: the winners of two databases, or those that two sessions decided.

#include <cstdint>

#include "session/analyse/report_data.h"

namespace kerlab::session {

/// The report's winners beside those of another database. `options`: what the report was asked for. A problem that only
/// one side has is listed too. Throws UsageError when the other has nothing that agrees with the options.
ReportComparison compare_databases(const ReportOptions& options, const LabReport& now, const Database& before);

/// What session `before` decided beside what session `now` decided; `now` 0: beside the newest decision of another
/// session. Throws UsageError when a session decided none of the report's problems.
ReportComparison compare_sessions(const LabReport& report, const Database& database, std::int64_t before,
                                  std::int64_t now);

}  // namespace kerlab::session
