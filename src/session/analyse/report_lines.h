#pragma once
// The source lines that cost most, for the trials of a report that are looked at first.

#include <functional>
#include <string>

#include "session/analyse/report_data.h"
#include "session/run/rig.h"

namespace kerlab::session {

/// Counts the winner and the next best of each problem, `best` in all, on emulated devices: seconds each. What cannot
/// be counted says why in its note. `tell`: before each, "source lines: 2 of 6, reg2d BM=64 of gemm 512x512x512".
void add_source_lines(LabReport& report, const RigOptions& rig, const Database& database, int best,
                      const std::function<void(const std::string&)>& tell);

}  // namespace kerlab::session
