#include "session/regress/time_gate.h"

#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// A baseline and today's kernel of the scripted device: labels "old ..." and "new ...", so that a script can tell them
/// apart. Nothing is compiled: a script runs by the label.
class GateFixture : public SessionFixture {
 public:
  explicit GateFixture(const std::string& rules, const std::string& device = "",
                       const std::string& defaults = "us = 100.0\nspread = 0.0\nnoise = 0.008\n")
      : SessionFixture() {
    write_script(rules, defaults + "[device]\nopened = \"opened\"\n" + device);
  }

  GateRun run(std::size_t count = 1, bool with_stored = false, double time_s = 0) {
    Rig rig(options().rig);
    const Problem problem =
        problem_for_device(rig.folder(), make_request(rig.folder().family, options().arguments, ""), rig.device());
    const ProblemSetup setup = prepare_problem(rig.folder(), problem, rig.device());
    const Variant& variant = rig.folder().variants.front();
    const VariantSource source{&variant, read_kernel_source(variant)};
    const Bytes image(8, std::byte{1});
    std::vector<TimedPair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
      const TrialCandidate made = make_candidate(rig.folder().family, source, 0, default_configuration(variant),
                                                 problem, rig.device(), rig.toolchain());
      const std::string which = fmt::format("{} {}", i, made.label);
      TimedPair& pair = pairs.emplace_back();
      pair.label = which;
      pair.data.problem = setup.plan;
      pair.data.lab_image = image;
      pair.setup = setup;
      for (TrialCandidate* one : {&pair.stored, &pair.base, &pair.today}) *one = made;
      if (with_stored) pair.stored.image = image;
      pair.base.image = pair.today.image = image;
      pair.stored.label = "cubin " + which;
      pair.base.label = "old " + which;
      pair.today.label = "new " + which;
    }
    GateOptions gate;
    gate.before_confirming = std::chrono::milliseconds(0);
    gate.time_s = time_s;
    TimeGate timed(rig, std::move(pairs), gate);
    while (timed.step()) told_ += timed.doing() + "\n";
    return timed.result();
  }
  [[nodiscard]] const std::string& told() const { return told_; }

 private:
  std::string told_;
};

std::string labelled(const std::string& glob, const std::string& body) {
  return fmt::format("[[rule]]\nmatch = \"{}\"\n{}\n", glob, body);
}

}  // namespace

TEST_CASE("gate: the same kernel on both sides passes, and its control holds", "[session][gate]") {
  GateFixture fixture("");
  const GateRun run = fixture.run(3);
  REQUIRE(run.outcomes.size() == 3);
  for (const GateOutcome& outcome : run.outcomes) {
    CHECK(outcome.verdict == GateVerdict::passed);
    CHECK(outcome.ratio == Approx(1).margin(0.003));
    CHECK(outcome.low <= outcome.ratio);
    CHECK(outcome.high >= outcome.ratio);
    CHECK(outcome.processes == 5);
    // The first process has 8 pairs, the others know that it is a kernel of 100 us; the first pair is not counted.
    CHECK(outcome.base_samples_us.size() == 8 + 4 * 32);
    CHECK(outcome.mde > 0.01);
    CHECK(outcome.sure > outcome.mde);
    CHECK(outcome.sure <= 0.02);
  }
  CHECK(run.control_passed);
  CHECK_THAT(run.control, Catch::Contains("kernels against themselves: "));
}

TEST_CASE("gate: five percent slower is confirmed in a second batch, and faster too", "[session][gate]") {
  GateFixture fixture(labelled("new 0 *", "us = 105.0\nnoise = 0.008") +
                      labelled("new 2 *", "us = 90.0\nnoise = 0.008"));
  const GateRun run = fixture.run(3);
  CHECK(run.outcomes[0].verdict == GateVerdict::regressed);
  CHECK(run.outcomes[0].ratio == Approx(1.05).margin(0.004));
  CHECK(run.outcomes[0].processes == 10);
  CHECK(run.outcomes[0].today_us == Approx(105).margin(1));
  CHECK(run.outcomes[1].verdict == GateVerdict::passed);
  CHECK(run.outcomes[1].processes == 5);
  CHECK(run.outcomes[2].verdict == GateVerdict::improved);
  CHECK_THAT(fixture.told(), Catch::Contains("confirming: process 5 of 5: 2 of 2"));
}

TEST_CASE("gate: two percent of a kernel of 5 us are found, and none where nothing changed", "[session][gate]") {
  GateFixture fixture(labelled("new 0 *", "us = 5.1\nnoise = 0.01") + labelled("new 1 *", "us = 4.9\nnoise = 0.01"), "",
                      "us = 5.0\nspread = 0.0\nnoise = 0.01\n");
  const GateRun run = fixture.run(4);
  CHECK(run.control_passed);
  CHECK(run.outcomes[0].verdict == GateVerdict::regressed);
  CHECK(run.outcomes[1].verdict == GateVerdict::improved);
  CHECK(run.outcomes[2].verdict == GateVerdict::passed);
  CHECK(run.outcomes[3].verdict == GateVerdict::passed);
  for (const GateOutcome& outcome : run.outcomes) CHECK(outcome.sure <= 0.02);
}

TEST_CASE("gate: a noisy kernel gets more processes than a quiet one, and as many to confirm", "[session][gate]") {
  GateFixture fixture(labelled("old 0 *", "us = 100.0\nnoise = 0.05") +
                      labelled("new 0 *", "us = 103.0\nnoise = 0.05"));
  const GateRun run = fixture.run(3);
  CHECK(run.outcomes[0].verdict == GateVerdict::regressed);
  CHECK(run.outcomes[0].processes > 12);
  CHECK(run.outcomes[0].sure <= 0.02);
  CHECK(run.outcomes[1].processes == 5);
  CHECK_THAT(fixture.told(), Catch::Contains("too noisy yet: process 1 of"));
}

TEST_CASE("gate: where no time is left a noisy kernel gets no more processes, and says what it saw",
          "[session][gate]") {
  GateFixture fixture("", "", "us = 100.0\nspread = 0.0\nnoise = 0.07\n");
  const GateRun run = fixture.run(1, false, 1e-6);
  CHECK(run.outcomes[0].processes == 5);
  CHECK(run.outcomes[0].sure > 0.02);
}

TEST_CASE("gate: a toolchain that makes the old source slower is told apart from the code", "[session][gate]") {
  GateFixture fixture(labelled("cubin *", "us = 80.0\nnoise = 0.008"));
  const GateRun run = fixture.run(1, true);
  CHECK(run.outcomes[0].verdict == GateVerdict::passed);  // today's source is as fast as that of then
  REQUIRE(run.outcomes[0].toolchain_ratio);
  CHECK(*run.outcomes[0].toolchain_ratio == Approx(1.25).margin(0.01));
}

TEST_CASE("gate: a kernel that cannot run is inconclusive, and the others are judged", "[session][gate]") {
  GateFixture fixture(labelled("new 1 *", "outcome = \"illegal_address\""));
  const GateRun run = fixture.run(3);
  CHECK(run.outcomes[0].verdict == GateVerdict::passed);
  CHECK(run.outcomes[1].verdict == GateVerdict::inconclusive);
  CHECK_THAT(run.outcomes[1].why, Catch::Contains("new 1 simple"));
  CHECK_THAT(run.outcomes[1].wrong, Catch::Contains("new 1 simple"));  // alone it faults as well: it is today's fault
  CHECK(run.outcomes[0].wrong.empty());
  CHECK(run.outcomes[2].verdict == GateVerdict::passed);
}

TEST_CASE("gate: times too noisy to pass are measured longer, then inconclusive with what the run can see",
          "[session][gate]") {
  GateFixture fixture("", "", "us = 100.0\nspread = 0.0\nnoise = 0.6\n");
  const GateRun run = fixture.run(2);
  CHECK(run.outcomes[1].verdict == GateVerdict::inconclusive);
  CHECK(run.outcomes[1].processes == 24);  // the most of the plan
  CHECK_FALSE(run.control_passed);
  CHECK_THAT(run.outcomes[1].why, Catch::Contains("cannot tell kernels from themselves"));
}

TEST_CASE("gate: one noisy kernel among quiet ones speaks for itself, not for the device", "[session][gate]") {
  GateFixture fixture(labelled("* 0 *", "us = 100.0\nnoise = 1.2"));
  const GateRun run = fixture.run(5);
  CHECK(run.control_passed);
  CHECK(run.outcomes[0].mde > 0.03);
  for (std::size_t i = 1; i < 5; ++i) CHECK(run.outcomes[i].verdict == GateVerdict::passed);
}

TEST_CASE("gate: a kernel that cannot run does not take the control with it", "[session][gate]") {
  GateFixture fixture(labelled("new 0 *", "outcome = \"illegal_address\""));
  const GateRun run = fixture.run(5);
  CHECK(run.control_passed);
  CHECK_THAT(run.control, Catch::Contains("kernels against themselves: "));
}

TEST_CASE("gate: heat while it measures is told, and rounds under it are taken again", "[session][gate]") {
  GateFixture fixture("", "conditions = \"now\"\n");
  write_atomic(fixture.folder() / "now", "0x40 312 91\n");
  const GateRun run = fixture.run(1);
  CHECK(run.outcomes[0].verdict == GateVerdict::passed);
  CHECK_THAT(run.outcomes[0].why, Catch::Contains("unstable: clocks held down (hardware thermal) in 40 of 40 rounds"));
  CHECK(run.outcomes[0].conditions == "312 W, 91 C, hardware thermal, 7 rounds taken again");
}

TEST_CASE("gate: every process puts its data elsewhere", "[session][gate]") {
  std::vector<std::uint32_t> places;
  for (int process = 1; process <= 11; ++process) {
    places.push_back(placement_of(1, process));
    CHECK(places.back() >= 1);
    CHECK(places.back() <= 64);
  }
  std::sort(places.begin(), places.end());
  CHECK(std::unique(places.begin(), places.end()) - places.begin() >= 8);
}

TEST_CASE("gate: damage that timing shows is wrong, not inconclusive", "[session][gate]") {
  GateFixture fixture(labelled("new 0 *", "us = 100.0\noutcome = \"guard\""));
  const GateRun run = fixture.run(2);
  REQUIRE(run.outcomes.size() == 2);
  CHECK_THAT(run.outcomes[0].wrong, Catch::Contains("after timing"));
  CHECK(run.outcomes[1].wrong.empty());
}
