// A worker that several sessions use one after the other, as in a suite.

#include "session/run/kept_processes.h"

#include "catch.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

TEST_CASE("kept processes: the next session goes on with the worker and the compilers", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.rig.kept = std::make_shared<KeptProcesses>();
  CHECK(options.rig.kept->take(options.rig).runners.empty());
  const TuneResult first = fixture.tune(options);
  RigProcesses kept = options.rig.kept->take(options.rig);
  REQUIRE(kept.runners.size() == 1);
  REQUIRE(kept.compilers);
  const CandidateRunner* runner = kept.runners.front().get();
  CHECK(kept.runners.front()->idle());
  options.rig.kept->give(options.rig, std::move(kept));

  options.arguments.push_back({"N", "5000"});
  const TuneResult second = fixture.tune(options);
  CHECK(second.counts.passed == 12);
  CHECK(second.respawns == 0);
  CHECK(second.rows.front().trial.configuration == "A=2 B=3");
  CHECK(second.rows.front().trial.problem != first.rows.front().trial.problem);
  CHECK(options.rig.kept->take(options.rig).runners.front().get() == runner);
}

TEST_CASE("kept processes: what happened in the session before is not counted again", "[session]") {
  SessionFixture fixture(outcome("A=1 B=1", "sigkill"));
  TuneOptions options = fixture.options();
  options.rig.kept = std::make_shared<KeptProcesses>();
  const TuneResult first = fixture.tune(options);
  CHECK(first.respawns > 0);
  options.arguments.push_back({"N", "5000"});
  const TuneResult second = fixture.tune(options);
  CHECK(second.counts.passed == 11);
  CHECK(second.respawns == first.respawns);
  CHECK(second.compilers_busy < 1);
}

TEST_CASE("kept processes: those of another device are not taken", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.rig.kept = std::make_shared<KeptProcesses>();
  fixture.tune(options);
  RigOptions other = options.rig;
  other.device = "emu:h200";
  CHECK(options.rig.kept->take(other).runners.empty());
  CHECK(options.rig.kept->take(options.rig).runners.size() == 1);
}

TEST_CASE("kept processes: of several devices all are kept, or none", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.rig.kept = std::make_shared<KeptProcesses>();
  options.rig.device = fixture.device() + "," + fixture.device();
  CHECK(fixture.tune(options).counts.passed == 12);
  RigProcesses kept = options.rig.kept->take(options.rig);
  CHECK(kept.runners.size() == 2);
  const CandidateRunner* second = kept.runners.back().get();
  options.rig.kept->give(options.rig, std::move(kept));
  options.arguments.push_back({"N", "5000"});
  CHECK(fixture.tune(options).counts.passed == 12);
  kept = options.rig.kept->take(options.rig);
  REQUIRE(kept.runners.size() == 2);
  CHECK(kept.runners.back().get() == second);
}
