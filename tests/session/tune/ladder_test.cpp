// Sessions with --ladder: every rung has its line, timed side by side where there is a clock.

#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kFirst = R"toml(
doc = "the first rung"
tune = false
rung = -1
[[parameter]]
name = "A"
values = [2, 8]
default = 2
[[launch]]
kernel = "simple"
grid = ["ceil_div(N, 32 * A)"]
block = [32]
arguments = ["x", "y", "N", "a"]
)toml";

/// Variants beside `simple`: `first` comes before it, `refused` has a default that is not valid. A variable of its own
/// keeps each from being the same program as `simple`, whose time it would have, or not, as they happen to be compiled.
void add_rungs(const SessionFixture& fixture) {
  const std::string source = read_text(fixture.family() / "simple.cu");
  const std::string first(kFirst);
  for (const char* name : {"first", "refused"})
    write_atomic(fixture.family() / (std::string(name) + ".cu"),
                 fmt::format("#define B 1\n__device__ int of_{};\n{}", name, source));
  write_atomic(fixture.family() / "first.toml", std::string_view(first));
  std::string refused = first;
  refused.replace(refused.find("rung = -1"), 9, "rung = 2");
  write_atomic(fixture.family() / "refused.toml",
               std::string_view(refused + "[[constraint]]\nname = \"odd\"\ncondition = \"A == 8\"\n"));
}

TuneOptions ladder_options(const SessionFixture& fixture) {
  TuneOptions options = fixture.options();
  options.variants.ladder = true;
  return options;
}

}  // namespace

TEST_CASE("ladder: every rung in order, its step, its best, and why one has no time", "[session]") {
  SessionFixture fixture("[[rule]]\nmatch = \"first *\"\nus = 400.0\nspread = 0.0\n" + fast("A=2 B=3"),
                         "us = 100.0\nspread = 0.0\n");
  add_rungs(fixture);
  const TuneResult result = fixture.tune(ladder_options(fixture));
  REQUIRE(result.ladder.size() == 3);
  CHECK(result.ladder[0].variant == "first");
  CHECK(result.ladder[1].variant == "simple");
  CHECK(result.ladder[2].variant == "refused");
  REQUIRE(result.ladder[0].at_default);
  CHECK(result.ladder[0].at_default->trial.configuration == "A=2");
  CHECK(result.ladder[0].step == 0);
  CHECK_FALSE(result.ladder[0].best);  // A=8 was tried too, and takes as long
  REQUIRE(result.ladder[1].at_default);
  CHECK(result.ladder[1].at_default->trial.configuration == "A=1 B=1");
  CHECK(result.ladder[1].step == Approx(4).epsilon(0.05));
  REQUIRE(result.ladder[1].best);
  CHECK(result.ladder[1].best->trial.configuration == "A=2 B=3");
  CHECK_FALSE(result.ladder[2].at_default);
  CHECK_THAT(result.ladder[2].reason, Catch::Contains("its default A=2 is not valid here") && Catch::Contains("odd"));
  // Side by side: one session, more samples than the sweep took.
  CHECK(result.ladder[0].at_default->measurement.stage == TimingStage::bench);
  CHECK(result.ladder[0].at_default->measurement.samples_us.size() > 3);
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");  // the ranking is what it is without a ladder
}

TEST_CASE("ladder: a second session shows the stored times and measures nothing", "[session]") {
  SessionFixture fixture;
  add_rungs(fixture);
  const TuneResult first = fixture.tune(ladder_options(fixture));
  const auto before = fixture.database().stats();
  const TuneResult second = fixture.tune(ladder_options(fixture));
  REQUIRE(second.ladder.size() == 3);
  REQUIRE(second.ladder[0].at_default);
  CHECK(second.ladder[0].at_default->measurement.id == first.ladder[0].at_default->measurement.id);
  CHECK(fixture.database().stats().measurements == before.measurements);
}

TEST_CASE("ladder: a rung that is wrong has no time and no step", "[session]") {
  SessionFixture fixture(outcome("A=1 B=1", "wrong"));
  add_rungs(fixture);
  const TuneResult result = fixture.tune(ladder_options(fixture));
  REQUIRE(result.ladder.size() == 3);
  CHECK_FALSE(result.ladder[1].at_default);
  CHECK_THAT(result.ladder[1].reason, Catch::StartsWith("wrong: "));
  CHECK(result.ladder[1].best);  // another configuration of it is right
  CHECK(result.ladder[1].step == 0);
}

TEST_CASE("ladder: on an emulated device the times are modelled", "[session][emulated]") {
  SessionFixture fixture;
  add_rungs(fixture);
  TuneOptions options = ladder_options(fixture);
  options.rig.device = "emu:h200";
  const TuneResult result = fixture.tune(options);
  REQUIRE(result.ladder.size() == 3);
  for (const std::size_t i : {0u, 1u}) {
    REQUIRE(result.ladder[i].at_default);
    CHECK(result.ladder[i].at_default->measurement.clock == ClockKind::modelled);
  }
  CHECK(result.ladder[1].step > 0);
}

TEST_CASE("ladder: a rung that is not swept is tuned by some tries", "[session]") {
  SessionFixture fixture(
      "[[rule]]\nmatch = \"first A=8\"\nus = 200.0\nspread = 0.0\n[[rule]]\nmatch = \"first *\"\nus = 400.0\n"
      "spread = 0.0\n" +
          fast("A=2 B=3"),
      "us = 100.0\nspread = 0.0\n");
  add_rungs(fixture);
  const TuneResult result = fixture.tune(ladder_options(fixture));
  REQUIRE(result.ladder[0].best);
  CHECK(result.ladder[0].best->trial.configuration == "A=8");
  CHECK(result.ladder[0].at_default->trial.configuration == "A=2");
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
}

TEST_CASE("ladder: the step that the counts of the descriptions predict", "[session]") {
  SessionFixture fixture;
  add_rungs(fixture);
  const auto predict = [&](const char* file, const char* bytes) {
    const auto path = fixture.family() / file;
    write_atomic(path, std::string_view(read_text(path) + "[predicted]\nglobal_load_bytes = \"" + bytes + "\"\n"));
  };
  CHECK(fixture.tune(ladder_options(fixture)).ladder[1].predicted_step == 0);
  predict("first.toml", "400 * N * 1000");
  CHECK(fixture.tune(ladder_options(fixture)).ladder[1].predicted_step == 0);  // one of the two is missing
  predict("simple.toml", "100 * N * 1000");
  const TuneResult result = fixture.tune(ladder_options(fixture));
  CHECK(result.ladder[0].predicted_step == 0);
  CHECK(result.ladder[1].predicted_step == Approx(4));
}

TEST_CASE("ladder: without --ladder there is none", "[session]") {
  SessionFixture fixture;
  add_rungs(fixture);
  CHECK(fixture.tune().ladder.empty());
}

TEST_CASE("ladder: damage that its timing shows is a failure of the trial, as everywhere", "[session]") {
  // A dozen launches go well, counted from its loading: more than the sweep takes, fewer than the ladder.
  SessionFixture fixture(
      "[[rule]]\nmatch = \"first A=2\"\nus = 400.0\noutcome = \"guard\"\nafter = 13\n" + fast("A=2 B=3"),
      "us = 100.0\nspread = 0.0\n");
  add_rungs(fixture);
  const TuneResult result = fixture.tune(ladder_options(fixture));
  REQUIRE(result.ladder.size() == 3);
  CHECK_FALSE(result.ladder[0].at_default);
  CHECK_THAT(result.ladder[0].reason, Catch::StartsWith("guard_violation: ") && Catch::Contains("after timing"));
  std::size_t damaged = 0;
  for (const Trial& trial : fixture.database().trials(result.problem.key, result.device.device_class()))
    damaged += trial.status == TrialStatus::guard_violation ? 1 : 0;
  CHECK(damaged == 1);
}
