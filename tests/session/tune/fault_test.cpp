// Every way a candidate can fail ends as one trial with a status and a message that names it; the sweep goes on and the
// right winner is found.

#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"
#include "locations.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// A session in which "A=3 B=2" is sabotaged and "A=2 B=3" is fastest of the rest; the culprit's trial.
Trial culprit_of(SessionFixture& fixture, TuneOptions options) {
  const TuneResult result = fixture.tune(options);
  CHECK(result.counts.done == 12);
  CHECK(result.counts.passed == 11);
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
  const auto trials = fixture.trials(result);
  for (const auto& [configuration, trial] : trials) {
    INFO(configuration << ": " << trial.message);
    if (configuration != "A=3 B=2") CHECK(trial.status == TrialStatus::passed);
  }
  const Trial culprit = trials.at("A=3 B=2");
  CHECK_THAT(culprit.message, !Catch::StartsWith("simple A=3 B=2"));  // the row names it already
  CHECK_THAT(ending_text(culprit), Catch::Contains(": simple A=3 B=2: " + culprit.message));
  return culprit;
}

Trial culprit_of(const std::string& name, const std::string& more = "") {
  SessionFixture fixture(outcome("A=3 B=2", name, more) + fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.screening.timeout_s = 1;
  return culprit_of(fixture, options);
}

}  // namespace

TEST_CASE("faults: wrong results and damage", "[session]") {
  CHECK(culprit_of("wrong").status == TrialStatus::wrong);
  CHECK(culprit_of("nan").status == TrialStatus::wrong);
  CHECK(culprit_of("guard").status == TrialStatus::guard_violation);
  CHECK(culprit_of("input_modified").status == TrialStatus::input_modified);
}

TEST_CASE("faults: the device reports them", "[session]") {
  CHECK(culprit_of("illegal_address").status == TrialStatus::illegal_address);
  CHECK(culprit_of("misaligned_address").status == TrialStatus::misaligned_address);
  CHECK(culprit_of("trap").status == TrialStatus::trap);
  CHECK(culprit_of("launch_failed").status == TrialStatus::launch_failed);
  CHECK(culprit_of("out_of_memory").status == TrialStatus::out_of_memory);
  CHECK(culprit_of("load_failed").status == TrialStatus::load_failed);
}

TEST_CASE("faults: while timing, after the check was passed", "[session]") {
  CHECK(culprit_of("illegal_address", "stage = \"time\"").status == TrialStatus::illegal_address);
  CHECK(culprit_of("guard", "stage = \"time\"").status == TrialStatus::guard_violation);
}

TEST_CASE("faults: the worker is killed, or aborts", "[session]") {
  CHECK(culprit_of("sigkill").status == TrialStatus::worker_crash);
  const Trial aborted = culprit_of("abort");
  CHECK(aborted.status == TrialStatus::worker_crash);
  CHECK_THAT(aborted.message, Catch::Contains("SIGABRT"));
}

TEST_CASE("faults: a kernel that never ends", "[session]") {
  const Trial hung = culprit_of("hang");
  CHECK(hung.status == TrialStatus::timeout);
  CHECK_THAT(hung.message, Catch::Contains("deadline"));
}

TEST_CASE("faults: a worker that dies once is bad luck, not the candidate's fault", "[session]") {
  SessionFixture fixture(outcome("A=3 B=2", "sigkill", "once_file = \"happened\"") + fast("A=2 B=3"));
  const TuneResult result = fixture.tune();
  CHECK(result.counts.passed == 12);
  CHECK(result.respawns == 1);
  CHECK(std::filesystem::exists(fixture.folder() / "happened"));
}

TEST_CASE("faults: the compiler crashes, is killed, or hangs", "[session]") {
  for (const std::string fault : {"crash", "kill", "hang"}) {
    INFO(fault);
    const ScopedVariable hook("KERLAB_COMPILER_FAULT", ("-DA=3 -DB=2=" + fault).c_str());
    SessionFixture fixture(fast("A=2 B=3"));
    TuneOptions options = fixture.options();
    options.trials = 1;
    fixture.tune(options);  // lab.cu, which takes seconds, is in the cache from here on
    options.trials = 0;
    options.rig.compile_deadline = std::chrono::milliseconds(3000);
    const Trial culprit = culprit_of(fixture, options);
    CHECK(culprit.status == (fault == "hang" ? TrialStatus::compile_timeout : TrialStatus::compiler_crash));
  }
}

TEST_CASE("faults: a device whose canary is wrong is an error of the environment", "[session]") {
  SessionFixture fixture("[[rule]]\nmatch = \"lab*\"\noutcome = \"wrong\"\n");
  CHECK_THROWS_WITH(fixture.tune(), Catch::Contains("the device is not usable"));
  for (const Trial& trial : fixture.database().trials("scale N=1024 fp32 a=2", "")) CHECK_FALSE(is_final(trial.status));
}

TEST_CASE("faults: a finalist that breaks the device is found alone, and the others are ranked", "[session]") {
  // Its first launches go well: those of the screening and no more.
  SessionFixture fixture(rule("A=3 B=2", "us = 40.0\noutcome = \"illegal_address\"\nafter = 20") + fast("A=2 B=3"));
  const TuneResult result = fixture.tune();
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
  CHECK(fixture.trials(result).at("A=3 B=2").status == TrialStatus::illegal_address);
}

namespace {

/// Workers that are started by a shell, which refuses at the `refused` starts given ("3|4|5").
std::vector<std::string> moody_workers(const SessionFixture& fixture, const std::string& refused) {
  const std::filesystem::path script = fixture.folder() / "start.sh";
  const std::filesystem::path count = fixture.folder() / "starts";
  write_atomic(script, fmt::format("n=$(($(cat {0} 2>/dev/null || echo 0) + 1)); echo $n > {0}\n"
                                   "case $n in {1}) echo 'the GPU has fallen off the bus' >&2; exit 7;; esac\n"
                                   "exec \"$@\"\n",
                                   count.string(), refused));
  return {"/bin/sh", script.string(), kerlab_program().string(), "worker"};
}

}  // namespace

TEST_CASE("faults: a worker that cannot be started at once is started a moment later", "[session]") {
  SessionFixture fixture(outcome("A=3 B=2", "sigkill") + fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.rig.worker_command = moody_workers(fixture, "2|4");
  CHECK(culprit_of(fixture, options).status == TrialStatus::worker_crash);
}

TEST_CASE("faults: no worker can be started any more: the cause is named, and what was measured is kept", "[session]") {
  SessionFixture fixture(outcome("A=3 B=2", "sigkill") + fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.rig.worker_command = moody_workers(fixture, "[3-9]");
  CHECK_THROWS_WITH(fixture.tune(options),
                    Catch::Contains("no worker can be started any more") && Catch::Contains("fallen off the bus"));
  std::size_t passed = 0;
  for (const Trial& trial : fixture.database().trials_of("scale")) {
    CHECK((trial.status == TrialStatus::passed || trial.configuration == "A=3 B=2" || !is_final(trial.status)));
    passed += trial.status == TrialStatus::passed ? 1U : 0U;
  }
  CHECK(passed > 0);
  options.rig.worker_command.clear();  // it is back: only what is missing is tried
  const TuneResult result = fixture.tune(options);
  CHECK(result.counts.stored >= passed);
  CHECK(result.counts.passed == 11);
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
}
