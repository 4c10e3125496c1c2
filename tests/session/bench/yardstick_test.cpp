// Ours against the vendor's library over many problems, and the library alone.
#include "session/bench/yardstick.h"

#include <cmath>

#include "catch.h"
#include "device/cuda/cuda_info.h"
#include "gpu_here.h"
#include "locations.h"
#include "session/bench/energy_rows.h"
#include "session/bench/yardstick_summary.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

ComparedProblem compared(const std::string& title, DType dtype, const std::string& against, double low, double ratio) {
  return {title, dtype, against, {ratio, {low, ratio + 0.01}}};
}

const RatioSummary& find(const std::vector<RatioSummary>& summaries, const std::string& against,
                         const std::string& dtypes) {
  for (const RatioSummary& summary : summaries)
    if (summary.against == against && summary.dtypes == dtypes) return summary;
  FAIL("no summary of " << dtypes << " against " << against);
  return summaries.front();
}

}  // namespace

TEST_CASE("yardstick: geometric means, the worst and the lost count by lower bounds", "[session]") {
  const std::vector<RatioSummary> all = summarize_ratios({
      compared("a", DType::bf16, "best", 1.0, 1.1),
      compared("a", DType::bf16, "pick", 4.0, 4.4),
      compared("b", DType::bf16, "best", 0.96, 0.98),
      compared("c", DType::fp16, "best", 0.98, 0.985),
      compared("d", DType::tf32, "best", 0.5, 2.0),
  });
  const RatioSummary& bf16 = find(all, "best", "bf16");
  CHECK(bf16.problems == 2);
  CHECK(bf16.mean == Approx(std::sqrt(1.1 * 0.98)));
  CHECK(bf16.mean_low == Approx(std::sqrt(1.0 * 0.96)));
  CHECK(bf16.worst == "b");
  CHECK(bf16.lost == 1);  // 0.98, but not for sure
  CHECK(find(all, "best", "16 bit").problems == 3);
  CHECK(find(all, "best", "16 bit").mean_low == Approx(std::cbrt(1.0 * 0.96 * 0.98)));
  const RatioSummary& every = find(all, "best", "all");
  CHECK(every.problems == 4);
  CHECK(every.worst == "d");
  CHECK(every.worst_ratio == 2.0);
  CHECK(every.worst_low == 0.5);
  CHECK(every.lost == 2);
  CHECK(find(all, "pick", "bf16").mean == Approx(4.4));
  // One dtype: said once. Nothing to compare: nothing said.
  CHECK(summarize_ratios({compared("a", DType::bf16, "best", 1, 1)}).size() == 1);
  CHECK(summarize_ratios({}).empty());
}

TEST_CASE("yardstick: which algorithm was the best", "[session]") {
  const auto chosen = chosen_algorithm("cuBLASLt 13.0.2, best of 16 algorithms (no. 3)");
  REQUIRE(chosen);
  CHECK(chosen->number == 3);
  CHECK(chosen->offered == 16);
  CHECK_FALSE(chosen_algorithm("cuBLASLt 13.0.2, its own pick"));
  CHECK_FALSE(chosen_algorithm("cuBLASLt 13.0.2, best of 16 algorithms"));
}

TEST_CASE("yardstick: energy rows name the library's, and say what a joule does", "[session]") {
  LibraryOutcome library;
  library.rows = {"best", "pick"};
  ProblemPlan plan;
  plan.flops = 2e12;
  const auto rows = energy_rows({{0, 10, 4000, 500, 1500}, {1, 10, 5000, 400, 1500}}, library, plan);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].label.empty());
  CHECK(rows[0].flops_per_s == Approx(5e14));
  CHECK(rows[0].flops_per_joule == Approx(1e12));
  CHECK(rows[1].label == "best");
  CHECK(rows[1].flops_per_joule == Approx(1e12));
  DeviceInfo emulated;
  emulated.set_kind(DeviceKind::emulated);
  emulated.id = "emu:h200";
  CHECK_THROWS_WITH(require_energy_counter(emulated),
                    Catch::Contains("emu:h200") && Catch::Contains("--device cuda:0"));
}

TEST_CASE("finalists that are compared are timed alike: in graphs as soon as one is", "[session]") {
  SessionFixture fixture(rule("A=2 B=3", "us = 9.0") + rule("A=1 B=1", "us = 11.0"));
  TuneOptions options = fixture.options();
  options.arguments = {{"N", "4194304"}};  // whose sets fill the cache: no flush is needed, which graphs could not have
  const TuneResult result = fixture.tune(options);
  REQUIRE(result.rows.size() >= 2);
  for (const auto& row : result.rows) {
    INFO(row.measurement.median_us);
    CHECK(row.measurement.protocol == (row.measurement.median_us < 40 ? "graph-1" : "events-1"));
  }
}

TEST_CASE("yardstick: on a GPU the library is timed without a kernel of ours", "[session][gpu]") {
  if (!test::gpu_here()) return;
  RigOptions rig;
  rig.device = "cuda:0";
  rig.program = kerlab_program();
  Yardstick yardstick(rig, 8, false);
  for (const std::string extent : {"256", "2048"}) {
    ProblemRequest request = make_request(open_catalogue({}).find("gemm").family, {{"M", extent}}, "bf16");
    const YardstickRow row = yardstick.measure("gemm", request);
    INFO(row.note << row.warning);
    REQUIRE(row.library.size() == 2);
    CHECK(row.library[0].summary.count == 8);
    CHECK(chosen_algorithm(row.library[0].label));
    CHECK_FALSE(row.library[0].ratio);
    REQUIRE(row.library[1].ratio);
    CHECK(row.library[1].ratio->ratio > 0.9);
  }
}
