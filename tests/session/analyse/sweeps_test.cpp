// Recorded sweeps out of a database: what passed, with its time and spills, and what failed, with why.

#include "session/analyse/sweeps.h"

#include "catch.h"
#include "db/fixture.h"

using namespace kerlab;

namespace {

/// Trials of one kernel and problem on a GPU.
struct Tried {
  Database database = Database::in_memory();
  std::int64_t session = db_test::begin(database);
  int number = 0;

  void add(TrialStatus status, const std::string& message = "", double us = 0, int spills = 0,
           TrialReason reason = TrialReason::none) {
    Trial trial = db_test::a_trial(session, ++number, status);
    trial.configuration = "BM=" + std::to_string(number);
    trial.device_kind = "cuda";
    trial.message = message;
    trial.reason = reason;
    trial.spill_bytes = spills;
    seal(trial);
    database.put(trial);
    if (us <= 0) return;
    Measurement measurement = db_test::measurement(trial, us);
    measurement.stage = TimingStage::screen;
    measurement.clock = ClockKind::measured;
    database.put(measurement);
  }
};

}  // namespace

TEST_CASE("sweeps: a database's trials, failed ones too", "[session][sweep]") {
  Tried tried;
  tried.add(TrialStatus::passed, "", 20, 96);
  tried.add(TrialStatus::passed, "the same program as reg2d BM=1", 20, 0, TrialReason::twin);
  tried.add(TrialStatus::rejected, "kernel 'wgmma': spills 200 bytes a thread", 0, 200, TrialReason::spills);
  tried.add(TrialStatus::rejected, "wgmma is serialised (ptxas C7511)", 0, 0, TrialReason::serialised);
  tried.add(TrialStatus::rejected, "kernel 'gemm': 99 KiB too many", 0, 0, TrialReason::shared_memory);
  tried.add(TrialStatus::wrong, "BM=6: D[0] is 1");
  tried.add(TrialStatus::illegal_address, "gone");
  tried.add(TrialStatus::interrupted);  // says nothing
  tried.add(TrialStatus::passed);       // nobody timed it
  const std::vector<Sweep> sweeps = recorded_sweeps(tried.database, 1);
  REQUIRE(sweeps.size() == 1);
  std::string outcomes;
  for (const SweepPoint& point : sweeps[0].points)
    outcomes += point.configuration + " " + (point.failed.empty() ? std::to_string(point.spills) : point.failed) +
                (point.twin ? " twin\n" : "\n");
  CHECK(outcomes ==
        "BM=1 96\nBM=2 0 twin\nBM=3 spills\nBM=4 serialised\nBM=5 shared memory\nBM=6 wrong\n"
        "BM=7 illegal_address\n");
  CHECK(sweeps[0].points[0].us == 20);
  CHECK(recorded_sweeps(tried.database, 8).empty());
}
