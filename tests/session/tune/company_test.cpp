// Sessions on a device that others use too, as a script says: marked, named, waited for.

#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "catch.h"
#include "measure/lookout.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kPython = "4711 python3 512\n";
const std::string kNamed = "python3 (pid 4711)";

/// A fixture whose device asks the file "others" who else is there. `defaults`: of the script.
class SharedDevice : public SessionFixture {
 public:
  explicit SharedDevice(const std::string& defaults = "us = 100.0\nspread = 0.5\n") : SessionFixture() {
    write_script(fast("A=2 B=3"), defaults + "[device]\nneighbours = \"others\"\n");
  }
  void come(std::string_view who = kPython) { write_atomic(folder() / "others", who); }
  void go() { std::filesystem::remove(folder() / "others"); }
  [[nodiscard]] TuneOptions exclusive(double patience_s = 0) const {
    TuneOptions alone = options();
    alone.company = {true, patience_s};
    return alone;
  }
  /// Of the sweep, by configuration.
  std::map<std::string, std::string> shared_with(const TuneResult& result) {
    std::map<std::string, std::string> found;
    for (const auto& [configuration, trial] : trials(result))
      found[configuration] = database().latest_measurement(trial.id, TimingStage::screen)->shared_with;
    return found;
  }
};

/// Steps until nothing is left, or `stop` says so after a step; returns whether there is more.
template <typename Stop>
bool step_until(TuneSession& session, std::vector<std::string>& notes, Stop&& stop) {
  while (session.step()) {
    for (std::string& note : session.take_notes()) notes.push_back(std::move(note));
    if (stop()) return true;
  }
  for (std::string& note : session.take_notes()) notes.push_back(std::move(note));
  return false;
}

std::size_t having(const std::vector<std::string>& notes, const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(notes, [&](const std::string& note) { return note.find(text) != std::string::npos; }));
}

}  // namespace

TEST_CASE("company: without it nothing is said and nothing marked", "[session]") {
  SharedDevice device;
  const TuneResult result = device.tune();
  CHECK(result.rule == DecisionRule{});
  CHECK(result.warnings.empty());
  for (const auto& [configuration, shared] : device.shared_with(result)) CHECK(shared.empty());
  CHECK(device.database().export_text().find("shared_with") == std::string::npos);  // as older kerlabs wrote it
}

TEST_CASE("company: is named once, and marks times, decision and summary", "[session]") {
  SharedDevice device;
  device.come();
  TuneSession session(device.options(), device.database());
  std::vector<std::string> notes;
  step_until(session, notes, [] { return false; });
  const TuneResult result = session.result();
  CHECK(having(notes, kNamed + " with 536.9 MB") == 1);
  CHECK(result.rule->shared_with == kNamed);
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
  CHECK(result.rows.front().measurement.shared_with == kNamed);
  for (const auto& [configuration, shared] : device.shared_with(result)) CHECK(shared == kNamed);
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings.front(), Catch::Contains(kNamed) && Catch::Contains("15 timings"));
  const auto decision = device.database().winner(result.problem.key, result.device.device_class());
  CHECK(decision->rule == result.rule);

  const std::string text = device.database().export_text();
  Database other = Database::open(device.folder() / "other.db");
  other.import_text(text);
  CHECK(other.export_text() == text);
}

TEST_CASE("company: what was timed in it is timed again by a session that is alone", "[session]") {
  SharedDevice device;
  device.come();
  device.tune();
  const TuneResult still = device.tune();
  CHECK(still.counts.stored == 12);
  CHECK_FALSE(still.measured_now);
  CHECK_THROWS_WITH(device.tune(device.exclusive(0.6)), Catch::Contains("still shared"));  // and takes none of them
  device.go();
  const TuneResult alone = device.tune();
  CHECK(alone.counts.stored == 0);
  CHECK(alone.measured_now);
  CHECK(alone.rule == DecisionRule{});
  for (const auto& [configuration, shared] : device.shared_with(alone)) CHECK(shared.empty());
  CHECK(device.tune().counts.stored == 12);
}

TEST_CASE("company: is mentioned where something failed in it", "[session]") {
  SharedDevice device;
  device.write_script(outcome("A=3 B=2", "out_of_memory"), "us = 100.0\n[device]\nneighbours = \"others\"\n");
  device.come();
  const TuneResult result = device.tune();
  CHECK_THAT(device.trials(result).at("A=3 B=2").message, Catch::EndsWith("(while shared with " + kNamed + ")"));
}

TEST_CASE("company: who wants to be alone waits, says for whom, and goes on", "[session]") {
  SharedDevice device;
  device.come();
  TuneSession session(device.exclusive(), device.database());
  std::vector<std::string> notes;
  REQUIRE(step_until(session, notes, [&] { return !session.state().waiting.empty(); }));
  const auto begin = Clock::now();
  REQUIRE(step_until(session, notes, [&] { return Clock::now() - begin > std::chrono::milliseconds(1200); }));
  CHECK_THAT(session.state().waiting, Catch::StartsWith(kNamed + " on script:"));
  CHECK(session.state().counts.done == 0);
  device.go();
  step_until(session, notes, [] { return false; });
  CHECK(session.state().waiting.empty());
  CHECK(having(notes, "is free again after") == 1);
  const TuneResult result = session.result();
  CHECK(result.counts.passed == 12);
  CHECK(result.rule == DecisionRule{});
  for (const auto& [configuration, shared] : device.shared_with(result)) CHECK(shared.empty());
}

TEST_CASE("company: that comes during the sweep is waited for, and its times are taken again", "[session]") {
  SharedDevice device("us = 20000.0\nspread = 0.5\nreal_sleep = true\n");
  TuneSession session(device.exclusive(), device.database());
  std::vector<std::string> notes;
  REQUIRE(step_until(session, notes, [&] { return session.state().counts.done == 1; }));
  device.come();
  REQUIRE(step_until(session, notes, [&] { return !session.state().waiting.empty(); }));
  const std::size_t done = session.state().counts.done;
  CHECK(done < 12);
  const auto begin = Clock::now();
  step_until(session, notes, [&] { return Clock::now() - begin > std::chrono::milliseconds(700); });
  CHECK(session.state().counts.done == done);
  device.go();
  step_until(session, notes, [] { return false; });
  const TuneResult result = session.result();
  CHECK(result.counts.passed == 12);
  CHECK_THAT(result.warnings.front(), Catch::Contains("1 timings") && Catch::Contains("taken again"));
  for (const auto& [configuration, shared] : device.shared_with(result)) CHECK(shared.empty());
}

TEST_CASE("company: that comes during the finals is waited for, and the timing it spoilt is taken again", "[session]") {
  SharedDevice device;
  device.write_script(rule("A=2 B=3", "us = 18000.0"),
                      "us = 20000.0\nspread = 0.3\nreal_sleep = true\n[device]\nneighbours = \"others\"\n");
  TuneSession session(device.exclusive(), device.database());
  std::vector<std::string> notes;
  REQUIRE(step_until(session, notes, [&] { return session.state().phase == TunePhase::finals; }));
  device.come();
  REQUIRE(step_until(session, notes, [&] { return !session.state().waiting.empty(); }));
  device.go();
  step_until(session, notes, [] { return false; });
  const TuneResult result = session.result();
  CHECK(result.rule == DecisionRule{});
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
  for (const RankedTrial& row : result.rows) CHECK(row.measurement.shared_with.empty());
}

TEST_CASE("company: a time budget spent beside others is given again once they have gone", "[session]") {
  SharedDevice device;
  device.come();
  TuneOptions options = device.options();
  options.once = true;
  options.screening.time_s = 600;
  options.trials = 5;
  options.search = "random";
  device.tune(options);
  device.go();
  options.screening.time_s = 1e-4;  // less than the first session took
  CHECK(device.tune(options).ended != "0.0001 s, in an earlier session");
  options.screening.time_s = 600;
  const TuneResult again = device.tune(options);
  REQUIRE_FALSE(again.rows.empty());
  CHECK(again.rows.front().measurement.shared_with.empty());
}

TEST_CASE("company: patience has an end", "[session]") {
  SharedDevice device;
  device.come("4712\n");
  try {
    device.tune(device.exclusive(0.6));
    FAIL("it did not end");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::inconclusive);
    CHECK_THAT(error.what(), Catch::Contains("a process of another user or container (pid 4712)"));
  }
}

TEST_CASE("company: on one of two devices leaves the other at work", "[session]") {
  SharedDevice device;
  device.come();
  const auto second = device.folder() / "second.toml";
  write_atomic(second, std::string_view("[device]\nuuid = \"SECOND\"\n" + fast("A=2 B=3")));
  TuneOptions options = device.exclusive();
  options.rig.device = "script:" + second.string() + "," + device.device();
  const TuneResult result = device.tune(options);
  CHECK(result.counts.passed == 12);
  CHECK(result.devices[0].tried == 12);
  CHECK(result.devices[1].tried == 0);
  CHECK(result.rule == DecisionRule{});
}

TEST_CASE("lookout: looks at most once a second, unless asked to", "[session]") {
  SharedDevice fixture;
  const auto device = open_device(fixture.device());
  Lookout lookout(*device);
  CHECK(lookout.glance().empty());
  fixture.come();
  CHECK(lookout.glance().empty());
  CHECK(name_all(lookout.look()) == kNamed);
  fixture.go();
  CHECK(name_all(lookout.glance()) == kNamed);
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  CHECK(lookout.glance().empty());
  const std::vector<ForeignProcess> some = {{1, "a", 1}}, others = {{2, "b", 1}, {1, "a", 2}};
  CHECK(name_all(together(some, others)) == "a (pid 1), b (pid 2)");
}

TEST_CASE("company: the ladder waits for it as well", "[session]") {
  SharedDevice device("us = 100.0\nspread = 0.0\n");
  TuneOptions options = device.exclusive();
  options.variants.ladder = true;
  TuneSession session(options, device.database());
  std::vector<std::string> notes;
  bool came = false, waited = false;
  while (session.step()) {
    const TuneState state = session.state();
    if (state.phase != TunePhase::ladder) continue;
    if (!std::exchange(came, true)) {
      device.come();
      std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // a worker looks around once a second
    }
    if (state.waiting.empty()) continue;
    waited = true;
    device.go();
  }
  REQUIRE(came);
  CHECK(waited);
  const TuneResult result = session.result();
  REQUIRE(result.ladder.size() == 1);
  REQUIRE(result.ladder[0].at_default);
  CHECK(result.ladder[0].at_default->measurement.stage == TimingStage::bench);
  CHECK(result.ladder[0].at_default->measurement.shared_with.empty());
}
