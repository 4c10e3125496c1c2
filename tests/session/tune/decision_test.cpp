// Who wins: never a trial that is slower, by more than a tie, than one that is stored and comparable. The rule itself
// over very many made-up histories, and whole sessions over some.

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/random.h"
#include "catch.h"
#include "cli/tune/tune_screen.h"
#include "cli/tune/tune_sentences.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr double kBeyondTie = 1 + kTieMargin + 1e-9;

/// A made-up database of one problem: a deterministic device, as an emulated one is.
struct History {
  struct One {
    double us = 0;
    std::int64_t registers = 0;
    bool wrong = false;  ///< the thorough check will find it
    bool stored = false, finalist = false;
  };
  std::vector<One> trials;
  std::optional<std::size_t> winner;

  explicit History(std::uint64_t& seed) {
    trials.resize(2 + random_below(seed, 30));
    const std::size_t spread = 1 + random_below(seed, 200);
    for (One& one : trials) {
      one.us = 100 + 0.25 * static_cast<double>(random_below(seed, spread));
      one.registers = static_cast<std::int64_t>(random_below(seed, 4));
      one.wrong = random_below(seed, 12) == 0;
    }
  }

  double best_us() const {
    double best = std::numeric_limits<double>::infinity();
    for (const One& one : trials)
      if (one.stored) best = std::min(best, one.us);
    return best;
  }

  bool decision_holds() const {
    return winner && std::none_of(trials.begin(), trials.end(), [&](const One& one) {
             return one.stored && !one.finalist && overturns(one.us, trials[*winner].us);
           });
  }

  /// The finals of a session that asked for some of them.
  void decide_with(const std::vector<bool>& asked) {
    static const VariantSource elsewhere{};
    std::deque<Screened> candidates(trials.size());
    std::vector<Screened*> field;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      Screened& one = candidates[i];
      one.index = i;
      one.outside = asked[i] ? nullptr : &elsewhere;
      one.time.emplace().median_us = trials[i].us;
      one.time->samples_us = {trials[i].us};
      one.candidate.trial.id = static_cast<std::int64_t>(i) + 1;
      one.candidate.trial.registers = trials[i].registers;
      one.candidate.trial.variant = one.candidate.label = std::to_string(i);
      if (trials[i].stored) field.push_back(&one);
    }
    std::vector<TimedTrial> finalists;
    std::vector<std::size_t> chosen;
    for (One& one : trials) one.finalist = false;
    const std::int64_t standing = winner ? static_cast<std::int64_t>(*winner) + 1 : 0;
    for (const Screened* one : choose_finalists(field, standing, false)) {
      finalists.push_back({one->candidate.trial, *one->time});
      chosen.push_back(one->index);
      trials[one->index].finalist = true;
    }
    while (!finalists.empty()) {
      const std::size_t first = decide(finalists).order.front();
      winner = chosen[first];
      if (!trials[*winner].wrong) return;
      trials[*winner].stored = false;
      winner.reset();
      finalists.erase(finalists.begin() + static_cast<std::ptrdiff_t>(first));
      chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(first));
    }
    if (best_us() < std::numeric_limits<double>::infinity()) decide_with(asked);  // the next best have their turn
  }

  /// Of what it asks for it tries some, and may be interrupted before it decides. True: it decided.
  bool session(std::uint64_t& seed) {
    std::vector<bool> asked(trials.size());
    const std::size_t of_ten = 1 + random_below(seed, 10);
    for (std::size_t i = 0; i < trials.size(); ++i) asked[i] = random_below(seed, 10) < of_ten;
    std::size_t limit = random_below(seed, trials.size() + 1);
    bool something_new = false;
    for (std::size_t i = 0; i < trials.size() && limit > 0; ++i) {
      if (!asked[i] || trials[i].stored || (trials[i].wrong && trials[i].finalist)) continue;
      trials[i].stored = something_new = true;
      --limit;
    }
    if (random_below(seed, 4) == 0) return false;
    if (something_new || !decision_holds()) decide_with(asked);
    return true;
  }
};

TuneOptions random_options(const SessionFixture& fixture, std::uint64_t& seed) {
  TuneOptions options = fixture.options();
  const std::vector<std::string> conditions = {"", "A > 2", "B != 2", "A * B >= 6", "A == 1"};
  const std::string& where = conditions[random_below(seed, conditions.size())];
  if (!where.empty()) options.where = {where};
  const std::vector<std::string> searches = {"auto", "exhaustive", "random", "local", "surrogate"};
  options.search = searches[random_below(seed, searches.size())];
  options.trials = random_below(seed, 3) == 0 ? 0 : 1 + random_below(seed, 4);
  options.seed = 1 + random_below(seed, 1000);
  options.variants.ladder = random_below(seed, 3) == 0;
  options.screening.fresh = random_below(seed, 8) == 0;
  if (random_below(seed, 6) == 0) options.screening.time_s = 1e-6;
  return options;
}

/// Configuration and time of the fastest stored trial that passed, by its own times.
double best_stored_us(Database& database, const TuneResult& result) {
  double best = std::numeric_limits<double>::infinity();
  for (const Trial& trial : database.trials(result.problem.key, result.device.device_class())) {
    if (trial.status != TrialStatus::passed) continue;
    for (const Measurement& one : database.measurements(trial.id)) best = std::min(best, one.median_us);
  }
  return best;
}

double winner_us(Database& database, const TuneResult& result) {
  const auto decision = database.winner(result.problem.key, result.device.device_class());
  return decision ? database.latest_measurement(decision->trial, TimingStage::final)->median_us : 0;
}

/// Sessions of any kind, one after the other on one database.
void run_history(SessionFixture& fixture, const std::string& device, std::uint64_t seed, int sessions) {
  for (int i = 0; i < sessions; ++i) {
    TuneOptions options = random_options(fixture, seed);
    options.rig.device = device;
    const bool interrupted = random_below(seed, 5) == 0;
    TuneSession session(options, fixture.database());
    for (std::size_t left = random_below(seed, 6); !interrupted || left > 0;) {
      const std::size_t done = session.state().counts.done;
      if (!session.step()) break;
      if (session.state().counts.done > done) --left;
    }
    if (interrupted) session.interrupt();
    const TuneResult result = session.result();
    INFO(fmt::format("session {}: where {} search {} trials {} ladder {} fresh {} time {} interrupted {}", i,
                     fmt::join(options.where, ""), options.search, options.trials, options.variants.ladder,
                     options.screening.fresh, options.screening.time_s, result.interrupted));
    const double winner = winner_us(fixture.database(), result);
    if (result.interrupted) continue;
    REQUIRE(winner > 0);
    CHECK(winner <= kBeyondTie * best_stored_us(fixture.database(), result));
    const std::string screen = tune_screen(result, false, {});
    CHECK((result.outside.has_value() == (screen.find("stored winner stays") != std::string::npos ||
                                          screen.find("the winner is a stored trial") != std::string::npos)));
    if (!result.outside) CHECK(result.rows.front().measurement.median_us <= kBeyondTie * winner);
  }
}

/// Equal, or further apart than the margin of a tie and the noise: at its edge either may win.
std::string random_times(std::uint64_t& seed) {
  std::string rules;
  for (int a = 1; a <= 4; ++a)
    for (int b = 1; b <= 3; ++b)
      rules += rule(fmt::format("A={} B={}", a, b), fmt::format("us = {}.0", 80 + 3 * random_below(seed, 20)));
  return rules;
}

}  // namespace

TEST_CASE("decision: over 10,000 histories the winner is never slower than a stored trial, beyond a tie", "[session]") {
  std::uint64_t seed = 19;
  int decisions = 0, slower = 0;
  for (int i = 0; i < 10'000; ++i) {
    History history(seed);
    const std::size_t sessions = 1 + random_below(seed, 8);
    for (std::size_t s = 0; s < sessions; ++s) {
      if (!history.session(seed)) continue;
      ++decisions;
      const double best_us = history.best_us();
      if (best_us == std::numeric_limits<double>::infinity()) continue;
      if (!history.winner || history.trials[*history.winner].us > kBeyondTie * best_us) ++slower;
    }
  }
  CHECK(decisions > 20'000);
  CHECK(slower == 0);
}

TEST_CASE("decision: over whole sessions of any kind, emulated", "[session][emulated]") {
  for (const std::uint64_t seed : {1, 2}) {
    SessionFixture fixture;
    run_history(fixture, "emu:h200", seed, 6);
  }
}

TEST_CASE("decision: over whole sessions of any kind, timed side by side", "[session]") {
  for (std::uint64_t seed : {4, 5}) {
    SessionFixture fixture(random_times(seed), "us = 100.0\nspread = 0.0\n");
    run_history(fixture, fixture.device(), seed, 6);
  }
}

TEST_CASE("decision: a tune of some configurations does not dethrone a faster winner that it leaves out", "[session]") {
  for (const bool emulated : {false, true}) {
    SessionFixture fixture(fast("A=1 B=1"), "us = 100.0\nspread = 0.0\n");
    TuneOptions options = fixture.options();
    if (emulated) options.rig.device = "emu:h200";
    const TuneResult all = fixture.tune(options);
    const std::int64_t winner = all.rows.front().trial.id;
    options.where = {"A * B == 12"};
    const TuneResult some = fixture.tune(options);
    REQUIRE(some.rows.size() == 1);  // what was asked for is shown
    CHECK(some.rows.front().trial.configuration == "A=4 B=3");
    REQUIRE(some.outside);
    CHECK(some.outside->trial.id == winner);
    CHECK(some.outside->stays);
    CHECK(some.outside->ratio > 1.1);
    CHECK_THAT(tune_screen(some, false, {}),
               Catch::Contains(fmt::format("the stored winner stays: trial {}, ", winner)));
    CHECK(fixture.database().winner(all.problem.key, all.device.device_class())->trial == winner);
  }
}

TEST_CASE("decision: a faster trial that an interrupted session left wins, whatever the next one tries", "[session]") {
  for (const bool outside : {false, true}) {
    for (const bool emulated : {false, true}) {
      SessionFixture fixture(fast("A=1 B=1"), "us = 100.0\nspread = 0.0\n");
      TuneOptions options = fixture.options();
      if (emulated) options.rig.device = "emu:h200";
      options.where = {"A * B == 1"};
      {
        TuneSession session(options, fixture.database());
        while (session.state().counts.done < 1) REQUIRE(session.step());
        session.interrupt();
      }
      options.where = {outside ? "A * B == 12" : "A * B == 12 || A * B == 1"};
      options.trials = 1;
      options.seed = 2;
      const TuneResult result = fixture.tune(options);
      const auto winner = fixture.database().winner(result.problem.key, result.device.device_class());
      REQUIRE(winner);
      CHECK(fixture.database().trial(winner->trial)->configuration == "A=1 B=1");
      CHECK(result.outside.has_value() == outside);
      if (outside) CHECK_THAT(outside_sentence(result), Catch::StartsWith("the winner is a stored trial: trial "));
      if (!outside) CHECK(result.rows.front().trial.configuration == "A=1 B=1");
      CHECK(result.verified.empty() != emulated);  // it was checked as thoroughly as any winner
    }
  }
}

TEST_CASE("decision: a faster trial that an earlier decision ignored is looked at, though all is stored", "[session]") {
  SessionFixture fixture(fast("A=1 B=1"), "us = 100.0\nspread = 0.0\n");
  const TuneResult first = fixture.tune();
  // Another decision, as one that looked at nothing stored made it.
  const RankedTrial& second = first.rows.back();
  SessionRecord session;
  session.command = "kerlab tune";
  Decision wrong = *fixture.database().winner(first.problem.key, first.device.device_class());
  wrong.id = 0;
  wrong.session = fixture.database().begin_session(session);
  wrong.trial = second.trial.id;
  wrong.measurement = second.measurement.id;
  wrong.created.clear();
  fixture.database().put(wrong);
  REQUIRE(fixture.database().winner(first.problem.key, first.device.device_class())->trial == second.trial.id);
  const TuneResult again = fixture.tune();
  CHECK(again.counts.stored == 12);
  CHECK(again.measured_now);
  CHECK(again.rows.front().trial.id == first.rows.front().trial.id);
  CHECK_FALSE(fixture.tune().measured_now);  // and then it stands
}

TEST_CASE("decision: an interrupted tune says who is the winner, as show does", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"), "us = 100.0\nspread = 0.0\n");
  TuneOptions options = fixture.options();
  const auto interrupted = [&] {
    TuneSession session(options, fixture.database());
    const std::size_t stored = session.state().counts.done;
    while (session.state().counts.done < stored + 3) REQUIRE(session.step());
    session.interrupt();
    return session.result();
  };
  const TuneResult first = interrupted();
  const std::string text = tune_screen(first, false, {});
  CHECK_THAT(text, Catch::Contains("interrupted before the finals: nothing was decided; the fastest so far, ") &&
                       Catch::Contains("there is no winner yet") && Catch::Contains("stopped after ") &&
                       Catch::Contains(" of 12 configurations (interrupted)") && !Catch::Contains("no winner\n"));
  CHECK_FALSE(fixture.database().winner(first.problem.key, first.device.device_class()));
  const TuneResult whole = fixture.tune();
  options.screening.fresh = true;
  CHECK_THAT(
      tune_screen(interrupted(), false, {}),
      Catch::Contains(fmt::format("the stored winner stays: trial {}, simple A=2 B=3, ", whole.rows.front().trial.id)));
}

TEST_CASE("decision: where a limit ended the search, it says so", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.trials = 5;
  CHECK(search_sentence(fixture.tune(options)) == "stopped after 5 of 12 configurations (--trials 5)");
  options.trials = 0;
  CHECK(search_sentence(fixture.tune(options)) == "exhaustive search ended: every configuration was tried");
}

TEST_CASE("decision: beside stricter ones a weaker class is compared only where it was asked for, and apart",
          "[session]") {
  static const VariantSource elsewhere{};
  std::deque<Screened> all(3);
  const auto make = [&](std::size_t i, double us, bool weaker, const VariantSource* outside) {
    all[i].time.emplace().median_us = us;
    all[i].weaker = weaker;
    all[i].outside = outside;
    return &all[i];
  };
  Screened* strict = make(0, 100, false, nullptr);
  Screened* weak = make(1, 50, true, nullptr);
  Screened* stored_weak = make(2, 40, true, &elsewhere);
  CHECK(choose_finalists({strict, weak, stored_weak}, 0, false) == std::vector{strict, weak});
  CHECK(choose_finalists({weak, stored_weak}, 0, false) == std::vector{weak, stored_weak});
}

namespace {

std::string renamed(std::string text) {
  const auto at = text.find("simple");
  return text.replace(at, 6, "loose");
}

/// A second variant, which promises less.
void add_loose(const SessionFixture& fixture) {
  write_atomic(fixture.family() / "loose.cu", renamed(read_text(fixture.family() / "simple.cu")));
  write_atomic(fixture.family() / "loose.toml",
               "accuracy = \"normwise\"\n" + renamed(read_text(fixture.family() / "simple.toml")));
}

std::string winner_of(SessionFixture& fixture, const TuneOptions& options) {
  const TuneResult result = fixture.tune(options);
  const auto decision = fixture.database().winner(result.problem.key, result.device.device_class());
  return decision ? label_text(fixture.database().trial(decision->trial).value()) : "";
}

}  // namespace

TEST_CASE("decision: a normwise kernel wins against a stricter one only where that was asked for", "[session]") {
  SessionFixture fixture("[[rule]]\nmatch = \"loose A=2 B=2 (normwise)\"\nus = 40.0\n" + fast("A=3 B=1"));
  add_loose(fixture);
  TuneOptions options = fixture.options();
  options.variants.names = {"loose"};
  CHECK(winner_of(fixture, options) == "loose A=2 B=2 (normwise)");  // nobody else is there
  options.variants.names = {};
  CHECK(winner_of(fixture, options) == "simple A=3 B=1");
  options.variants.names = {"loose"};
  CHECK(winner_of(fixture, options) == "simple A=3 B=1");
  options.variants.names = {};
  options.variants.accuracy.normwise = true;
  CHECK(winner_of(fixture, options) == "loose A=2 B=2 (normwise)");
  options.variants.accuracy = {};
  CHECK(winner_of(fixture, options) == "simple A=3 B=1");
}
