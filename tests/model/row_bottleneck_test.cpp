// Rows: their regime, and what helps a problem and a launch there. A table of situations on an H200, by hand: 4.8 TB/s
// times 0.8 us over 132 SMs are 29.1 kB that must be on their way to each; an SM has 32 blocks, 2048 threads, 262 kB of
// registers.
#include "model/row_bottleneck.h"

#include "catch.h"

using namespace kerlab;
using Catch::Contains;

namespace {

DeviceInfo h200() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.sms = 132;
  device.clock_mhz = 1980;
  device.threads_per_sm = 2048;
  device.blocks_per_sm = 32;
  device.registers_per_sm = 65536;
  device.l2_bytes = 62914560;
  return device;
}

const Ceilings kFp32 = {4.8e12, 66.9e12, "FMA", {}, false};

/// Like softmax in bf16: a row is read and written.
RowShape rows_of(std::int64_t rows, std::int64_t columns) {
  return {rows, 2 * columns, 2 * columns};
}

ProblemBottleneck problem(std::int64_t rows, std::int64_t columns, const DeviceInfo& device = h200(),
                          double flops_of_element = 5) {
  const auto elements = static_cast<double>(rows * columns);
  return row_problem_bottleneck(rows_of(rows, columns), flops_of_element * elements, 4 * elements, device, kFp32);
}

struct ProblemSituation {
  const char* what;
  std::int64_t rows, columns;
  const char *shape, *bottleneck, *suggestion;  ///< suggestion: words of it
};

const std::vector<ProblemSituation> kProblems = {
    {"a row holds more than a block should ask for", 65536, 1024, "rows", "DRAM", "several rows on every SM"},
    {"as many rows as SMs", 132, 65536, "long rows", "DRAM", "back to back"},
    {"fits into L2", 2048, 4096, "rows", "DRAM", "back to back"},
    {"256 bytes: 16 packets", 1 << 20, 128, "short rows", "latency", "16 lanes of a warp per row"},
    {"64 bytes: 32 rows in a block", 1 << 22, 32, "short rows", "latency", "32 rows in a block of 128 threads"},
    {"2 bytes", 1 << 26, 1, "short rows", "latency", "1 lane of a warp per row"},
    {"896 bytes: 32 of them are 28.7 kB", 1 << 19, 448, "short rows", "latency", "a warp per row"},
    {"912 bytes: 32 of them are 29.2 kB", 1 << 19, 456, "rows", "DRAM", "several rows on every SM"},
    {"65.5 kB: 2 fit", 8192, 32768, "long rows", "DRAM", "more loads before the first use: 2 of 16 bytes"},
    {"32.8 kB: 4 fit", 16384, 16384, "rows", "DRAM", "several rows on every SM"},
    {"half as many rows as SMs", 64, 131072, "few rows", "too few rows", "a cluster of 4 blocks"},
    {"0.8 of them: two blocks each", 105, 131072, "few rows", "too few rows", "a cluster of 2 blocks"},
    {"one row", 1, 1 << 24, "few rows", "too few rows", "each row over 132 blocks"},
    {"tiny", 65, 1000, "few rows", "launch overhead", "CUDA graph"},
};

/// A launch that reads rows: 100 us, blocks with 256 threads. `fits`: blocks on an SM, for `limiter`.
struct LaunchSituation {
  const char* what;
  RowShape shape;
  std::int64_t blocks, threads;
  int fits;
  const char* limiter;
  std::vector<UnitDemand> units;
  std::vector<Stretch> stretches;
  double tail, barriers;  ///< shares of the time
  const char *bottleneck, *suggestion;
};

/// Run through `executions` times, with so many registers of loads before the first is used.
Stretch loading(std::int32_t fetched, std::int64_t executions = 100) {
  Stretch stretch;
  stretch.executions = executions;
  stretch.fetched = fetched;
  stretch.held = fetched + 8;
  return stretch;
}

const std::vector<UnitDemand> kIdle = {{"issue", 0, 0.4}}, kBusyIssue = {{"issue", 0, 0.95}};

const std::vector<LaunchSituation> kLaunches = {
    {"short rows, a block each",
     rows_of(1 << 20, 128),
     1 << 20,
     128,
     16,
     "threads",
     kIdle,
     {},
     0,
     0,
     "latency",
     "16 lanes of a warp per row"},
    {"short rows, eight in a block, too many registers",
     rows_of(1 << 16, 128),
     1 << 13,
     128,
     4,
     "registers",
     kIdle,
     {},
     0,
     0,
     "latency",
     "fewer registers per thread"},
    {"rows of 8 kB, 1024 threads each",
     rows_of(1 << 15, 4096),
     1 << 15,
     1024,
     2,
     "threads",
     kIdle,
     {},
     0,
     0,
     "latency",
     "fewer threads per row: 128, each with 4 loads of 16 bytes"},
    {"all of a small problem is on its way",
     rows_of(132, 4096),
     132,
     256,
     2,
     "threads",
     kIdle,
     {},
     0,
     0,
     "latency",
     "more blocks per SM"},
    {"rows of 2 kB, two warps each that meet at barriers",
     rows_of(1 << 16, 1024),
     1 << 16,
     64,
     32,
     "blocks",
     kIdle,
     {},
     0,
     0.4,
     "latency",
     "a warp per row"},
    {"the same without",
     rows_of(1 << 16, 1024),
     1 << 16,
     64,
     32,
     "blocks",
     kIdle,
     {},
     0,
     0.1,
     "latency",
     "more independent loads"},
    {"long rows, a load of 16 bytes at a time",
     rows_of(8192, 32768),
     8192,
     1024,
     1,
     "registers",
     kIdle,
     {loading(4), loading(0), loading(0), loading(4)},
     0,
     0,
     "latency",
     "2 of 16 bytes in each of an SM's 1024 threads"},
    {"long rows, two loads",
     rows_of(8192, 32768),
     8192,
     1024,
     1,
     "registers",
     kIdle,
     {loading(8)},
     0,
     0,
     "latency",
     "fewer registers per thread"},
    {"long rows, two loads behind tests of bounds",
     rows_of(8192, 32768),
     8192,
     1024,
     1,
     "registers",
     kIdle,
     {loading(4), loading(0), loading(4)},
     0,
     0,
     "latency",
     "fewer registers per thread"},
    {"long rows, loads of two loops",
     rows_of(8192, 32768),
     8192,
     1024,
     1,
     "registers",
     kIdle,
     {loading(4), loading(4, 99)},
     0,
     0,
     "latency",
     "more loads before the first use"},
    {"few rows",
     rows_of(64, 131072),
     64,
     1024,
     1,
     "registers",
     kBusyIssue,
     {},
     0,
     0,
     "too few blocks",
     "a cluster of 4 blocks"},
    {"few rows, four in a block",
     rows_of(64, 131072),
     16,
     128,
     4,
     "registers",
     kBusyIssue,
     {},
     0,
     0,
     "too few blocks",
     "one row per block; and each row over a cluster of 4 blocks"},
    {"rows enough, eight in a block",
     rows_of(256, 131072),
     32,
     128,
     4,
     "registers",
     kBusyIssue,
     {},
     0,
     0,
     "too few blocks",
     "fewer rows per block: 1 in place of 8"},
    {"a last wave of one row",
     rows_of(133, 131072),
     133,
     1024,
     1,
     "registers",
     kBusyIssue,
     {},
     0.49,
     0,
     "wave tail",
     "load the next while they reduce one"},
    {"a last wave of eight rows",
     rows_of(1064, 16384),
     133,
     1024,
     1,
     "registers",
     kBusyIssue,
     {},
     0.49,
     0,
     "wave tail",
     "fewer rows per block than 8"},
    {"DRAM", rows_of(1 << 16, 1024), 1 << 16, 64, 32, "blocks", {{"DRAM", 0, 0.93}}, {}, 0, 0, "DRAM", "fewer bytes"},
    {"shuffles",
     rows_of(1 << 16, 1024),
     1 << 16,
     64,
     32,
     "blocks",
     {{"shuffle pipe", 0, 0.9}},
     {},
     0,
     0,
     "shuffle pipe",
     "between lanes"},
};

LaunchInspection launch_of(const LaunchSituation& s) {
  LaunchInspection launch;
  launch.work.threads = s.threads;
  launch.work.blocks = s.blocks;
  launch.work.blocks_run = 1;
  launch.work.blocks_per_sm = s.fits;
  launch.work.stretches = s.stretches;
  launch.time.us = 100;
  launch.time.units = s.units;
  launch.time.limiter = s.units.front().busy < 0.8 ? "latency" : s.units.front().name;
  launch.time.tail = s.tail;
  launch.time.alone_cycles = 1000;
  launch.time.barrier_cycles = 1000 * s.barriers;
  launch.occupancy = {s.fits, 0.5, s.limiter};
  launch.resident = occupancy_of_grid(launch.occupancy, s.blocks, h200());
  launch.bottleneck = launch_bottleneck(launch.time, launch.work, launch.resident, h200());
  return launch;
}

Bottleneck of(const LaunchSituation& s) {
  return row_launch_bottleneck(s.shape, launch_of(s), h200(), kFp32);
}

const LaunchSituation& launch_called(std::string_view what) {
  for (const LaunchSituation& one : kLaunches)
    if (one.what == what) return one;
  throw std::logic_error(std::string(what));
}

}  // namespace

TEST_CASE("rows: of a problem a regime, a bottleneck and the suggestion that fits", "[model]") {
  for (const ProblemSituation& situation : kProblems) {
    INFO(situation.what);
    const ProblemBottleneck found = problem(situation.rows, situation.columns);
    CHECK(found.shape == situation.shape);
    CHECK(found.name == situation.bottleneck);
    CHECK_THAT(found.suggestion, Contains(situation.suggestion));
    CHECK_FALSE(found.reason.empty());
  }
}

TEST_CASE("rows: the reasons of a problem have the figures", "[model]") {
  CHECK(problem(64, 131072).reason == "64 rows for 132 SMs: with a block per row 52 % of the SMs have nothing to do");
  CHECK(problem(1 << 20, 128).reason ==
        "rows of 256 B: 32 blocks, as many as an SM holds, with a row each ask for 8.2 kB at once, and 29.1 kB cover "
        "DRAM's latency");
  CHECK_THAT(problem(8192, 32768).reason, Contains("half of an SM's registers hold 2 rows of 65.5 kB"));
}

TEST_CASE("rows: what is said of a problem follows the device and the arithmetic", "[model]") {
  DeviceInfo ampere = h200();
  ampere.cc_major = 8;
  CHECK_THAT(problem(64, 131072, ampere).suggestion, Contains("each row over 3 blocks") && !Contains("cluster"));
  DeviceInfo small = h200();
  small.sms = 16;
  CHECK(problem(64, 131072, small).shape == "long rows");
  // 2 x 10^10 FLOPs are 300 us, 537 MB 112 us.
  const ProblemBottleneck computing = problem(1 << 20, 128, h200(), 150);
  CHECK(computing.name == "FMA");
  CHECK(computing.shape == "short rows");
  // A device that says nothing of itself: no division by it.
  const Ceilings nothing;
  CHECK(row_problem_bottleneck(rows_of(4096, 4096), 1e9, 1e9, DeviceInfo{}, nothing).name == "launch overhead");
  // Two tensors of a row are asked for at once.
  CHECK(row_regime({1 << 20, 512, 512}, h200(), kFp32) == RowRegime::short_rows);
  CHECK(row_regime({1 << 20, 512, 1024}, h200(), kFp32) == RowRegime::even);
}

TEST_CASE("rows: a launch keeps its bottleneck, and gets the suggestion that fits", "[model]") {
  for (const LaunchSituation& situation : kLaunches) {
    INFO(situation.what);
    const Bottleneck found = of(situation);
    CHECK(found.name == situation.bottleneck);
    CHECK(found.name == launch_of(situation).bottleneck.name);
    CHECK_THAT(found.suggestion, Contains(situation.suggestion));
    CHECK_THAT(found.reason, Catch::StartsWith(launch_of(situation).bottleneck.reason));
  }
}

TEST_CASE("rows: the reasons of a launch have the figures", "[model]") {
  CHECK_THAT(of(launch_called("short rows, a block each")).reason,
             Contains("; 16 rows on an SM ask for 4.1 kB at once, and 29.1 kB cover DRAM's latency"));
  CHECK_THAT(of(launch_called("short rows, eight in a block, too many registers")).reason,
             Contains("; 32 rows on an SM ask for 8.2 kB at once"));
  CHECK_THAT(of(launch_called("long rows, a load of 16 bytes at a time")).reason,
             Contains("; loads of about 16.4 kB are on their way to an SM, and 29.1 kB cover DRAM's latency"));
  CHECK(of(launch_called("all of a small problem is on its way")).reason ==
        launch_of(launch_called("all of a small problem is on its way")).bottleneck.reason);
}
