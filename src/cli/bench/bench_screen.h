#pragma once
// What `kerlab bench` shows of the kernels that it timed.

#include <string>
#include <vector>

#include "report/form/json.h"
#include "report/form/table.h"
#include "session/bench/bench.h"

namespace kerlab::cli {

/// Problems that are all the same stand in the title, and columns that say nothing are left out; `width`: the columns
/// of the terminal, 0: any. `counts`: on an emulated device also what the variants predict beside what was counted.
std::string bench_screen(const std::vector<BenchRow>& rows, bool counts, int width, bool color);
std::string bench_markdown(const std::vector<BenchRow>& rows);
/// Every column, every digit.
Table exact_bench_table(const std::vector<BenchRow>& rows);

JsonValue row_json(const BenchRow& row);

}  // namespace kerlab::cli
