// Whole sessions against a scripted device; the compilations are real.

#include "session/tune/tune.h"

#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"
#include "cli/tune/tune_screen.h"
#include "cli/tune/tune_sentences.h"
#include "report/text/tune_table.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

TEST_CASE("tune: every configuration is tried and the fastest wins", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const TuneResult result = fixture.tune();
  CHECK(result.counts.done == 12);
  CHECK(result.counts.passed == 12);
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
  CHECK(result.rows.front().measurement.median_us == Approx(80).epsilon(0.01));
  CHECK(result.rows.front().measurement.stage == TimingStage::final);
  CHECK(result.rule == DecisionRule{});
  CHECK(result.rows.size() > 1);  // finalists were measured side by side
  CHECK(result.range_edges == std::vector<std::string>{"B=3 (largest)"});
  const auto decision = fixture.database().winner(result.problem.key, result.device.device_class());
  REQUIRE(decision);
  CHECK(decision->trial == result.rows.front().trial.id);
  for (const auto& [configuration, trial] : fixture.trials(result)) {
    INFO(configuration);
    CHECK(trial.status == TrialStatus::passed);
    CHECK(fixture.database().latest_measurement(trial.id, TimingStage::screen));
  }
}

TEST_CASE("tune: a second session finds everything stored and changes nothing", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const TuneResult first = fixture.tune();
  const auto before = fixture.database().stats();
  const TuneResult second = fixture.tune();
  CHECK(second.counts.stored == 12);
  CHECK_FALSE(second.measured_now);
  REQUIRE(second.rows.size() == first.rows.size());
  CHECK(second.rows.front().trial.id == first.rows.front().trial.id);
  CHECK(second.rows.front().measurement.median_us == first.rows.front().measurement.median_us);
  const auto after = fixture.database().stats();
  CHECK(after.trials == before.trials);
  CHECK(after.measurements == before.measurements);
  CHECK(after.decisions == before.decisions);
}

TEST_CASE("tune: --fresh tries again what is stored, without doubling trials", "[session]") {
  SessionFixture fixture(outcome("A=1 B=1", "wrong") + fast("A=2 B=3"));
  CHECK(fixture.tune().counts.passed == 11);
  fixture.write_script(fast("A=1 B=1"));
  TuneOptions options = fixture.options();
  CHECK(fixture.tune(options).counts.stored == 12);  // a failed trial is final
  options.screening.fresh = true;
  const TuneResult result = fixture.tune(options);
  CHECK(result.counts.stored == 0);
  CHECK(result.counts.passed == 12);
  CHECK(result.rows.front().trial.configuration == "A=1 B=1");
  REQUIRE(result.previous);
  CHECK(result.previous->label == "simple A=2 B=3");
  CHECK(fixture.trials(result).size() == 12);
}

TEST_CASE("tune: a session of other variants does not dethrone a faster winner", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const TuneResult all = fixture.tune();
  const std::filesystem::path family = fixture.family();
  std::filesystem::copy_file(family / "simple.cu", family / "other.cu");
  std::filesystem::copy_file(family / "simple.toml", family / "other.toml");
  TuneOptions options = fixture.options();
  options.variants.names = {"other"};
  const TuneResult restricted = fixture.tune(options);
  REQUIRE_FALSE(restricted.rows.empty());
  CHECK(restricted.rows.front().trial.variant == "other");
  REQUIRE(restricted.outside);
  CHECK(restricted.outside->stays);
  CHECK_THAT(outside_sentence(restricted), Catch::Contains("the stored winner stays: trial ") &&
                                               Catch::Contains("simple A=2 B=3, 79.99 us") &&
                                               Catch::Contains("times as fast as what was asked for"));
  const auto winner = fixture.database().winner(all.problem.key, all.device.device_class());
  REQUIRE(winner);
  CHECK(winner->trial == all.rows.front().trial.id);
}

TEST_CASE("tune: --trials limits the search, and the next session goes on from there", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.trials = 5;
  CHECK(fixture.tune(options).counts.done == 5);
  options.trials = 0;
  const TuneResult all = fixture.tune(options);
  CHECK(all.counts.stored == 5);
  CHECK(all.counts.done == 12);
}

TEST_CASE("tune: a variant, dtype or dimension that is not there is a usage error with a suggestion", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.variants.names = {"simpel"};
  CHECK_THROWS_WITH(fixture.tune(options), Catch::Contains("did you mean simple?"));
  options = fixture.options();
  options.arguments = {{"M", "4"}};
  CHECK_THROWS_WITH(fixture.tune(options), Catch::Contains("--M: no such option"));
  options = fixture.options();
  options.dtype = "bf16";
  CHECK_THROWS_AS(fixture.tune(options), Error);
}

TEST_CASE("tune: a problem larger than the device's memory names both sizes and launches nothing", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.arguments = {{"N", "2000M"}};
  fixture.write_script("[device]\nmemory_bytes = 1073741824\n");
  try {
    fixture.tune(options);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK_THAT(error.what(), Catch::Contains("needs at least") && Catch::Contains("1 GB"));
  }
  CHECK(fixture.database().stats().trials == 0);
}

TEST_CASE("tune: faster than the theoretical roof is an error of the trial", "[session]") {
  SessionFixture fixture(rule("A=3 B=1", "us = 0.000001"));
  TuneOptions options = fixture.options();
  options.arguments = {{"N", "64M"}};
  const TuneResult result = fixture.tune(options);
  const Trial trial = fixture.trials(result).at("A=3 B=1");
  CHECK(trial.status == TrialStatus::impossible_time);
  CHECK_THAT(trial.message, Catch::Contains("theoretical roof") && !Catch::Contains("simple"));
}

TEST_CASE("tune: an interrupted session keeps what it has and the next one goes on", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  std::size_t done = 0;
  {
    TuneSession session(fixture.options(), fixture.database());
    while (session.state().counts.done < 4) REQUIRE(session.step());
    session.interrupt();
    done = session.result().counts.done;
    CHECK_FALSE(session.step());
  }
  const TuneResult result = fixture.tune();
  CHECK(result.counts.stored == done);
  CHECK(result.counts.passed == 12);
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
}

TEST_CASE("tune: a few rounds of all finalists, a duel of those near the best, and the winner once more", "[session]") {
  SessionFixture fixture(rule("A=1 B=1", "us = 90.0") + rule("A=2 B=3", "us = 80.0") + rule("A=3 B=2", "us = 81.6") +
                         rule("A=4 B=1", "us = 83.0"));
  const TuneResult result = fixture.tune();
  REQUIRE(result.rows.size() > 4);
  CHECK(result.rows[0].trial.configuration == "A=2 B=3");
  CHECK(result.rows[1].trial.configuration == "A=3 B=2");
  CHECK(result.rows[2].trial.configuration == "A=4 B=1");
  CHECK(result.rows[3].trial.configuration == "A=1 B=1");
  for (std::size_t i = 0; i < 3; ++i) CHECK(result.rows[i].measurement.samples_us.size() == 30);
  for (std::size_t i = 3; i < result.rows.size(); ++i) CHECK(result.rows[i].measurement.samples_us.size() == 7);
  CHECK(result.finals_s > 0);
  CHECK(result.open_s + result.finals_s < result.wall_s);
}

TEST_CASE("tune: of many equals the same one wins every time, by rule", "[session]") {
  std::string slower;
  for (const char* configuration : {"A=2 B=1", "A=2 B=2", "A=3 B=1", "A=4 B=3"})
    slower += rule(configuration, "us = 120.0");
  SessionFixture fixture;
  fixture.write_script("[device]\nopened = \"opened\"\n" + slower, "us = 100.0\nspread = 0.0\nnoise = 0.005\n");
  TuneOptions options = fixture.options();
  options.screening.fresh = true;
  for (int run = 0; run < 8; ++run) {
    const TuneResult result = fixture.tune(options);
    REQUIRE(result.rows.size() == 8);
    CHECK(result.rows[0].trial.configuration == "A=1 B=1");
    CHECK(result.rule->tie_break == TieBreak::name);
  }
}

TEST_CASE("tune: a time budget counts from the first candidate on: one at least is tried", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.screening.time_s = 1e-9;
  const TuneResult result = fixture.tune(options);
  CHECK(result.counts.passed >= 1);
  CHECK(result.counts.done < 12);
  CHECK_FALSE(result.rows.empty());
}

TEST_CASE("tune: what has too few blocks to come near the best is not compiled, unless asked for", "[session]") {
  SessionFixture fixture(fast("A=1 B=1"));
  const std::filesystem::path spec = fixture.family() / "family.toml";
  std::string text = read_text(spec);
  // 10 us of arithmetic when all SMs of an H200 share it; 32 blocks of A = B = 1 take 41 us, 16 take 83, 11 take 120.
  text.replace(text.find("flops = \"N\""), 11, "flops = \"N * 654000\"");
  write_atomic(spec, text);

  TuneOptions options = fixture.options();
  options.where = {"A * B == 1"};
  CHECK(fixture.tune(options).counts.hopeless == 0);
  const TuneResult all = fixture.tune();  // its best, of 80 us, is stored
  CHECK(all.counts.done == 12);
  CHECK(all.counts.hopeless == 9);
  CHECK(all.failed.empty());
  REQUIRE_FALSE(all.rows.empty());
  CHECK(all.rows.front().trial.configuration == "A=1 B=1");
  CHECK(fixture.database().stats().trials == 3);  // nothing is said of those that were not tried

  const TuneResult again = fixture.tune();
  CHECK(again.counts.hopeless == 9);
  CHECK_FALSE(again.measured_now);

  options = fixture.options();
  options.screening.bound_factor = 0;
  const TuneResult whole = fixture.tune(options);
  CHECK(whole.counts.hopeless == 0);
  CHECK(fixture.database().stats().trials == 12);
}

TEST_CASE("tune: ranks are told by rounds that the finalists had together, not by times of different moments",
          "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const TuneResult result = fixture.tune();
  REQUIRE(result.rows.size() > 2);
  const RankedTrial& winner = result.rows.front();
  REQUIRE(winner.beside);
  CHECK(winner.beside->duel);
  CHECK(winner.beside->ratio.ratio == 1);
  for (std::size_t i = 1; i < result.rows.size(); ++i) {
    const RankedTrial& row = result.rows[i];
    REQUIRE(row.beside);
    CHECK(row.beside->duel == (row.beside->summary.count > 7));
    CHECK(row.beside->ratio.interval.low <= row.beside->ratio.ratio);
    CHECK(row.beside->ratio.ratio == Approx(row.measurement.median_us / winner.measurement.median_us).epsilon(0.02));
    CHECK(row.beside->ratio.ratio > 1.1);
  }
  const std::string text = tune_screen(result, false, {});
  CHECK_THAT(text, Catch::Contains("vs #1 [95 %]") && Catch::Contains("left after 7 rounds of all"));
  CHECK_THAT(text, Catch::Contains("\n  2   ~"));
  CHECK_THAT(text, Catch::Contains(fmt::format(
                       "\n  {} us, ", median_with_interval(winner.measurement.median_us, winner.measurement.low_us,
                                                           winner.measurement.high_us))));
  const std::string again = tune_screen(fixture.tune(), false, {});  // stored: whose rounds are not known any more
  CHECK_THAT(again, !Catch::Contains("vs #1") && Catch::Contains("taken after those of the others"));
}
