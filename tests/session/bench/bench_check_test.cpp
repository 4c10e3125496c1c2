// bench and check against a scripted device.

#include "base/error.h"
#include "base/file.h"
#include "catch.h"
#include "session/bench/bench.h"
#include "session/check/check.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

BenchOptions bench_options(const SessionFixture& fixture) {
  BenchOptions options;
  options.rig = fixture.options().rig;
  options.rounds = 10;
  return options;
}

std::vector<BenchRow> bench(SessionFixture& fixture, const BenchOptions& options) {
  BenchSession session(options, fixture.database());
  while (session.step()) {
  }
  return session.rows();
}

CheckOptions check_options(const SessionFixture& fixture) {
  CheckOptions options;
  options.rig = fixture.options().rig;
  return options;
}

std::vector<CheckRow> check(SessionFixture& fixture, const CheckOptions& options) {
  CheckSession session(options, fixture.database());
  while (session.step()) {
  }
  return session.rows();
}

}  // namespace

TEST_CASE("bench: the winner, a trial, a configuration", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const TuneResult tuned = fixture.tune();
  BenchOptions options = bench_options(fixture);
  options.configuration = "A=3,B=2";
  auto rows = bench(fixture, options);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].trial.configuration == "A=3 B=2");
  REQUIRE(rows[0].measurement);
  CHECK(rows[0].measurement->samples_us.size() == 10);
  CHECK(fixture.database().latest_measurement(rows[0].trial.id, TimingStage::bench));
  options.configuration.clear();
  options.trial = 999;
  CHECK_THROWS_WITH(bench(fixture, options), Catch::Contains("there is no such trial"));
  options.trial = tuned.rows.front().trial.id;
  rows = bench(fixture, options);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].trial.id == options.trial);
  CHECK(rows[0].measurement->median_us == Approx(80).epsilon(0.01));
}

TEST_CASE("bench: a sweep has one row for each problem and variant", "[session]") {
  SessionFixture fixture;
  BenchOptions options = bench_options(fixture);
  options.variants = {"all"};
  options.arguments = {{"N", "1K..4K:x2"}};
  const auto rows = bench(fixture, options);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].problem.key() != rows[2].problem.key());
  for (const BenchRow& row : rows) CHECK(row.chosen == "default");
}

TEST_CASE("bench: --once runs without a check and stores nothing", "[session]") {
  SessionFixture fixture;
  BenchOptions options = bench_options(fixture);
  options.variants = {"simple"};
  options.once = true;
  const auto rows = bench(fixture, options);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].trial.status == TrialStatus::passed);
  CHECK_FALSE(rows[0].measurement);
  CHECK(fixture.database().stats().trials == 0);
}

TEST_CASE("bench: a trial's stored source is run when the kernel has changed since", "[session]") {
  SessionFixture fixture;
  TuneOptions tune = fixture.options();
  tune.trials = 1;
  const Trial trial = fixture.tune(tune).rows.front().trial;
  write_atomic(fixture.family() / "simple.cu", std::string_view("#error this is no longer what was measured\n"));
  BenchOptions options = bench_options(fixture);
  options.trial = trial.id;
  BenchSession session(options, fixture.database());
  while (session.step()) {
  }
  REQUIRE(session.rows().size() == 1);
  CHECK(session.rows()[0].trial.status == TrialStatus::passed);
  REQUIRE(session.notes().size() == 1);
  CHECK_THAT(session.notes()[0], Catch::Contains("its stored source is run"));
}

TEST_CASE("check: shapes that break tiled kernels beside the one asked for", "[session]") {
  SessionFixture fixture;
  const auto rows = check(fixture, check_options(fixture));
  REQUIRE(rows.size() > 3);
  CHECK_FALSE(rows[0].adversarial);
  for (const CheckRow& row : rows) {
    INFO(row.problem.key());
    CHECK(row.trial.status == TrialStatus::passed);
  }
  CheckOptions only = check_options(fixture);
  only.only_asked = true;
  CHECK(check(fixture, only).size() == 1);
}

TEST_CASE("check: a winner that turns out to be wrong is dethroned", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const TuneResult tuned = fixture.tune();
  fixture.write_script(outcome("A=2 B=3", "wrong"));
  const auto rows = check(fixture, check_options(fixture));
  REQUIRE_FALSE(rows.empty());
  CHECK(rows[0].trial.status == TrialStatus::wrong);
  CHECK(fixture.database().trial(tuned.rows.front().trial.id)->status == TrialStatus::wrong);
  CHECK_FALSE(fixture.database().winner(tuned.problem.key, tuned.device.device_class()));
}

TEST_CASE("bench: a kernel that is wrong once it was timed is found out", "[session]") {
  SessionFixture fixture;
  fixture.write_script("[[rule]]\nmatch = \"*\"\noutcome = \"wrong\"\nstage = \"time\"\n");
  BenchOptions options = bench_options(fixture);
  options.variants = {"simple"};
  const auto rows = bench(fixture, options);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].trial.status == TrialStatus::wrong);
  CHECK_THAT(rows[0].trial.message, Catch::Contains("checked after timing, on data that it had not seen: "));
  CHECK_FALSE(fixture.database().latest_measurement(rows[0].trial.id, TimingStage::bench));
}

TEST_CASE("tune: a winner that is wrong once it was timed does not win", "[session]") {
  SessionFixture fixture("[[rule]]\nmatch = \"* A=2 B=3*\"\nus = 80.0\noutcome = \"wrong\"\nstage = \"time\"\n");
  const TuneResult tuned = fixture.tune();
  REQUIRE_FALSE(tuned.rows.empty());
  CHECK(tuned.rows.front().trial.configuration != "A=2 B=3");
}
