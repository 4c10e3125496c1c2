#pragma once
// The source lines that cost most, for the trials of a report that are looked at first.

#include "session/analyse/report_data.h"
#include "session/run/rig.h"
#include "session/run/stepped.h"

namespace kerlab::session {

/// Counts the winner and the next best of each problem, `best` in all, on emulated devices: seconds each. What cannot
/// be counted says why in its note. A step each: "source lines: 2 of 6, reg2d BM=64 of gemm 512x512x512".
Stepped<LabReport> with_source_lines(LabReport report, RigOptions rig, const Database& database, int best);

}  // namespace kerlab::session
