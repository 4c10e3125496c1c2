#pragma once
// How `bench` of several problems ends: ours against the vendor's library in a few figures.

#include "report/form/json.h"
#include "report/form/table.h"
#include "session/bench/bench.h"
#include "session/bench/yardstick_summary.h"

namespace kerlab::cli {

/// Of the rows that have a library beside them.
std::vector<RatioSummary> ratio_summaries(const std::vector<BenchRow>& rows);
/// A line for each.
Table ratio_table(const std::vector<RatioSummary>& summaries);
JsonValue ratio_value(const std::vector<RatioSummary>& summaries);

}  // namespace kerlab::cli
