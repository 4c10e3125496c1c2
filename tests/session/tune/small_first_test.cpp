// Sessions on a device that is fast enough for all of a problem: a small ragged one is checked before it.
#include "base/file.h"
#include "catch.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

TuneOptions large(const SessionFixture& fixture) {
  TuneOptions options = fixture.options();
  options.arguments = {{"N", "1M"}};
  return options;
}

}  // namespace

TEST_CASE("small first: the winner was verified whole on both problems", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const TuneResult result = fixture.tune(large(fixture));
  CHECK(result.small_problem == "scale 100003 fp32");
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows[0].trial.configuration == "A=2 B=3");
  CHECK(result.verified == "all 5462 blocks, and whole at scale 100003 fp32");
  // A problem that is small itself has no smaller one.
  CHECK(fixture.tune().small_problem.empty());
  CHECK(fixture.tune().verified.empty());
}

TEST_CASE("small first: within the family's constraints", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const auto family = fixture.family() / "family.toml";
  write_atomic(family, read_text(family) + "\n[[constraint]]\nname = \"whole\"\ncondition = \"N % 48 == 16\"\n");
  const TuneResult result = fixture.tune(large(fixture));  // 1M = 48 * 21845 + 16
  CHECK(result.small_problem == "scale 100000 fp32");
  CHECK_FALSE(result.rows.empty());
}

TEST_CASE("small first: what fails there says so", "[session]") {
  SessionFixture fixture(outcome("A=1 B=1", "wrong") + outcome("A=1 B=2", "guard") +
                         outcome("A=1 B=3", "illegal_address"));
  const TuneResult result = fixture.tune(large(fixture));
  const auto trials = fixture.trials(result);
  const auto starts = Catch::StartsWith("on the small problem: y, recipe normal v1 seed 1: ");
  CHECK(trials.at("A=1 B=1").status == TrialStatus::wrong);
  CHECK_THAT(trials.at("A=1 B=1").message, starts && Catch::Contains("of 100003 wrong"));
  CHECK(trials.at("A=1 B=2").status == TrialStatus::guard_violation);
  CHECK_THAT(trials.at("A=1 B=2").message, Catch::StartsWith("on the small problem: x: 16 bytes before"));
  CHECK(trials.at("A=1 B=3").status == TrialStatus::illegal_address);
  CHECK_THAT(trials.at("A=1 B=3").message, Catch::Contains("on the small problem: "));
  REQUIRE(result.failures.size() == 3);
  for (const FailureGroup& group : result.failures) CHECK(on_small_problem(group));
  CHECK(result.rows.size() == 8);

  // What fails in the timing, on the problem that was asked for, does not.
  fixture.write_script(outcome("A=2 B=1", "guard", "stage = \"time\"\n"));
  TuneOptions again = large(fixture);
  again.screening.fresh = true;
  const TuneResult timed = fixture.tune(again);
  REQUIRE(timed.failures.size() == 1);
  CHECK_FALSE(on_small_problem(timed.failures[0]));
}

TEST_CASE("small first: what is only timed needs no reference, however large", "[session]") {
  SessionFixture fixture;
  const TuneOptions options = large(fixture);
  Rig rig(options.rig);
  ProblemSetup setup = prepare_problem(
      rig.folder(), make_problem(rig.folder().family, make_request(rig.folder().family, options.arguments, "fp32")),
      rig.device());
  CHECK(setup.small);
  ProblemLoader(rig, setup, false).load();
  CHECK(evaluate(rig, setup, {}, {}).items.empty());  // does not throw: the worker is ready
}
