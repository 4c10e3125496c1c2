// A library's rows beside what was timed in the same rounds.

#include "session/run/library_rows.h"

#include "catch.h"
#include "device/cuda/cuda_info.h"
#include "gpu_here.h"
#include "locations.h"
#include "session/bench/bench.h"
#include "session/tune/tune.h"

using namespace kerlab;

namespace {

LibraryOutcome outcome() {
  LibraryOutcome library;
  library.rows = {"cuBLASLt 13.0.2, best of 16 algorithms", "cuBLASLt 13.0.2, its own pick"};
  library.samples.resize(2);
  library.samples[0].samples_us = {90, 91, 92, 90, 91};
  library.samples[1].samples_us = {200, 202, 198, 201, 199};
  library.load_ms = 800;
  library.choose_ms = 12;
  return library;
}

/// The session ends here: only one can have the GPU.
TuneResult tuned(const TuneOptions& options, Database& database) {
  TuneSession session(options, database);
  while (session.step()) {
  }
  return session.result();
}

}  // namespace

TEST_CASE("library rows: the ratio is the library's time over ours", "[session]") {
  const auto rows = compare_library(outcome(), {100, 101, 99, 100, 100});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].label == "cuBLASLt 13.0.2, best of 16 algorithms");
  CHECK(rows[0].summary.median == 91);
  REQUIRE(rows[0].ratio);
  CHECK(rows[0].ratio->ratio == Approx(0.91).epsilon(0.02));
  CHECK(rows[0].ratio->interval.low <= rows[0].ratio->ratio);
  REQUIRE(rows[1].ratio);
  CHECK(rows[1].ratio->ratio == Approx(2).epsilon(0.03));
}

TEST_CASE("library rows: no samples, no row; the note says why or what it cost", "[session]") {
  LibraryOutcome library = outcome();
  CHECK(library_note(library) == "opened in 800 ms, its algorithms compared in 12 ms");
  library.read_ms = 40;
  library.start_ms = 700;
  CHECK(library_note(library) ==
        "opened in 800 ms (40 its code, 700 its start, 60 its offer), its algorithms compared in 12 ms");
  library.samples[0].samples_us.clear();
  CHECK(compare_library(library, {100, 100, 100}).size() == 1);
  LibraryOutcome none;
  CHECK(compare_library(none, {100}).empty());
  CHECK(library_note(none).empty());
  none.message = "libcublasLt.so.13: not found";
  CHECK(library_note(none) == "libcublasLt.so.13: not found");
}

TEST_CASE("library rows: to the database and back", "[session]") {
  auto rows = compare_library(outcome(), {100, 101, 99, 100, 100});
  rows[1].ratio.reset();
  const auto records = library_records(rows, 7);
  REQUIRE(records.size() == 2);
  CHECK(records[0].measurement == 7);
  CHECK(records[1].ratio == 0);
  const auto back = library_rows(records);
  REQUIRE(back.size() == 2);
  CHECK(back[0].label == rows[0].label);
  CHECK(back[0].summary.median == rows[0].summary.median);
  CHECK(back[0].ratio->interval.high == rows[0].ratio->interval.high);
  CHECK_FALSE(back[1].ratio);
}

TEST_CASE("library rows: on a GPU bench and tune show them, and keep them", "[session][gpu]") {
  if (!test::gpu_here()) return;
  Database database = Database::in_memory();
  TuneOptions tune;
  tune.rig.target = "gemm";
  tune.rig.device = "cuda:0";
  tune.rig.program = kerlab_program();
  tune.arguments = {{"M", "512"}};
  tune.dtype = "fp32";
  tune.variants.ladder = true;
  tune.search = "random";
  tune.trials = 3;
  const TuneResult result = tuned(tune, database);
  REQUIRE_FALSE(result.rows.empty());
  INFO(result.library_note);
  REQUIRE(result.library.size() == 2);
  REQUIRE(result.library[0].ratio);
  CHECK(database.library_times(result.rows.front().measurement.id).size() == 2);
  for (const LadderRung& rung : result.ladder) {
    INFO(rung.variant << ": " << rung.reason);
    if (rung.at_default) CHECK(rung.at_default->measurement.stage == TimingStage::bench);  // side by side
  }

  BenchOptions bench;
  bench.rig = tune.rig;
  bench.arguments = tune.arguments;
  bench.dtypes = "fp32";
  for (const bool library : {true, false}) {
    bench.library = library;
    BenchSession timed(bench, database);
    while (timed.step()) {
    }
    REQUIRE(timed.rows().size() == 1);
    CHECK(timed.rows()[0].library.size() == (library ? 2u : 0u));
  }
}
