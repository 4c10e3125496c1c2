// Records go in and come back; the schema rejects what must not be there.
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "catch.h"
#include "fixture.h"

using namespace kerlab;
using namespace kerlab::db_test;

namespace {
/// Every column but the id as text, so that records compare whole.
template <typename Record>
std::string text(const Record& record) {
  std::string all;
  columns(record, [&](std::string_view column, const auto& value) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
      all += fmt::format("{}={}\n", column, name(value));
    } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, DecisionRule>) {
      all += fmt::format("{}={}\n", column, rule_text(value));
    } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<double>>) {
      all += fmt::format("{}=[{}]\n", column, fmt::join(value, " "));
    } else {
      all += fmt::format("{}={}\n", column, value);
    }
  });
  return all;
}
}  // namespace

TEST_CASE("database: a trial comes back with every column", "[db]") {
  Database database = Database::in_memory();
  Trial stored = a_trial(begin(database), 1);
  stored.message = "text with 'quotes', \"more\" and \xc3\xbc";
  stored.reason = TrialReason::thorough;
  database.put(stored);
  REQUIRE(stored.id > 0);
  CHECK(stored.created.size() == 24);
  const auto found = database.trial(stored.id);
  REQUIRE(found);
  CHECK(text(*found) == text(stored));
  CHECK(text(*database.trial_by_key(stored.key)) == text(stored));
  CHECK_FALSE(database.trial(stored.id + 1).has_value());
  CHECK_FALSE(database.trial_by_key("unknown").has_value());
}

TEST_CASE("database: put by key keeps the id and follows the newest outcome", "[db]") {
  Database database = Database::in_memory();
  Trial first = a_trial(begin(database), 1, TrialStatus::launching);
  database.put(first);
  Trial second = a_trial(begin(database), 1, TrialStatus::illegal_address);
  second.message = "illegal address in tile2d BM=1";
  database.put(second);
  CHECK(second.id == first.id);
  const auto found = database.trial(first.id);
  REQUIRE(found);
  CHECK(found->status == TrialStatus::illegal_address);
  CHECK(found->message == second.message);
  CHECK(found->session == second.session);
  CHECK(found->created == first.created);
  CHECK(database.stats().trials == 1);
}

TEST_CASE("database: many trials in one transaction, found by key", "[db]") {
  Database database = Database::in_memory();
  const auto session = begin(database);
  std::vector<Trial> trials;
  for (int i = 0; i < 20; ++i) trials.push_back(a_trial(session, i));
  std::vector<Trial*> all;
  for (Trial& one : trials) all.push_back(&one);
  database.put(all);
  CHECK(database.stats().trials == 20);
  const auto found = database.trials_by_keys({trials[3].key, "unknown", trials[7].key});
  REQUIRE(found.size() == 2);
  CHECK(found[0].id == trials[3].id);
  CHECK(found[1].id == trials[7].id);
  CHECK(database.trials(trials[0].problem, trials[0].device_class).size() == 20);
  CHECK(database.trials(trials[0].problem, "another").empty());
}

TEST_CASE("database: a batch with one bad record stores nothing and hands out no id", "[db]") {
  Database database = Database::in_memory();
  const auto session = begin(database);
  Trial good = a_trial(session, 1), bad = a_trial(session, 2);
  bad.source_hash = "unknown";
  CHECK_THROWS_AS(database.put(std::vector{&good, &bad}), Error);
  CHECK(good.id == 0);
  CHECK(database.stats().trials == 0);
  database.put(good);  // the connection is usable after the failure
  CHECK(good.id > 0);
}

TEST_CASE("database: a measurement keeps its samples bit by bit", "[db]") {
  Database database = Database::in_memory();
  Trial passed = a_trial(begin(database), 1);
  database.put(passed);
  Measurement one = measurement(passed), two = measurement(passed, 90);
  two.samples_us = {0.1, 1e-300, std::numeric_limits<double>::max()};
  Measurement empty = measurement(passed, 80);
  empty.stage = TimingStage::screen;
  empty.samples_us.clear();
  database.put(std::vector{&one, &two, &empty});
  const auto found = database.measurements(passed.id);
  REQUIRE(found.size() == 3);
  CHECK(text(found[0]) == text(one));
  CHECK(found[1].samples_us == two.samples_us);
  CHECK(found[2].samples_us.empty());
  CHECK(database.latest_measurement(passed.id, TimingStage::final)->id == two.id);
  CHECK(database.latest_measurement(passed.id, TimingStage::screen)->id == empty.id);
  CHECK_FALSE(database.latest_measurement(passed.id, TimingStage::bench).has_value());
}

TEST_CASE("database: an error ratio that is not a number is stored as infinite", "[db]") {
  Database database = Database::in_memory();
  Trial wrong = a_trial(begin(database), 1, TrialStatus::wrong);
  wrong.error_ratio = std::numeric_limits<double>::quiet_NaN();
  database.put(wrong);
  CHECK(database.trial(wrong.id)->error_ratio == std::numeric_limits<double>::infinity());
}

TEST_CASE("database: only a passed trial can be measured or win", "[db]") {
  Database database = Database::in_memory();
  const auto session = begin(database);
  Trial passed = a_trial(session, 1), wrong = a_trial(session, 2, TrialStatus::wrong);
  database.put(std::vector{&passed, &wrong});
  Measurement of_wrong = measurement(wrong);
  CHECK_THROWS_WITH(database.put(of_wrong), Catch::Contains("has not passed its check"));
  Measurement of_passed = measurement(passed);
  database.put(of_passed);
  Trial other = a_trial(session, 3);
  database.put(other);
  Decision borrowed = decision(other, of_passed);
  CHECK_THROWS_WITH(database.put(borrowed), Catch::Contains("measurement of its own trial"));
  Decision right = decision(passed, of_passed);
  CHECK_NOTHROW(database.put(right));

  passed.status = TrialStatus::wrong;
  database.put(passed);
  Decision too_late = decision(passed, of_passed);
  CHECK_THROWS_WITH(database.put(too_late), Catch::Contains("cannot win"));
}

TEST_CASE("database: a modelled time cannot decide for a real device", "[db]") {
  Database database = Database::in_memory();
  Trial real = a_trial(begin(database), 1);
  real.device_kind = "cuda";
  seal(real);
  database.put(real);
  Measurement modelled = measurement(real);
  modelled.clock = ClockKind::modelled;
  database.put(modelled);
  Decision refused = decision(real, modelled);
  CHECK_THROWS_WITH(database.put(refused), Catch::Contains("modelled time"));
}

TEST_CASE("database: the schema rejects values outside their lists", "[db]") {
  Database database = Database::in_memory();
  Trial passed = a_trial(begin(database), 1);
  database.put(passed);
  const auto rejects = [&](auto change) {
    Measurement m = measurement(passed);
    change(m);
    CHECK_THROWS_AS(database.put(m), Error);
  };
  rejects([](Measurement& m) { m.median_us = 0; });
  rejects([](Measurement& m) { m.median_us = -1; });
  rejects([](Measurement& m) { m.session = 99; });
  rejects([](Measurement& m) { m.trial = 99; });
  Trial kind = a_trial(passed.session, 2);
  kind.device_kind = "abacus";
  CHECK_THROWS_AS(database.put(kind), Error);
  Trial orphan = a_trial(99, 3);
  CHECK_THROWS_AS(database.put(orphan), Error);
  CHECK(database.stats().measurements == 0);
}

TEST_CASE("database: the winner is the newest decision whose trial still passes", "[db]") {
  Database database = Database::in_memory();
  const auto session = begin(database);
  Trial old_winner = a_trial(session, 1), new_winner = a_trial(session, 2);
  database.put(std::vector{&old_winner, &new_winner});
  Measurement old_time = measurement(old_winner, 120), new_time = measurement(new_winner, 100);
  database.put(std::vector{&old_time, &new_time});
  Decision first = decision(old_winner, old_time), second = decision(new_winner, new_time);
  database.put(first);
  database.put(second);
  CHECK(database.winner(first.problem, first.device_class)->trial == new_winner.id);
  CHECK_FALSE(database.winner(first.problem, "another").has_value());

  new_winner.status = TrialStatus::wrong;  // a later check found it out
  database.put(new_winner);
  CHECK(database.winner(first.problem, first.device_class)->trial == old_winner.id);
  CHECK(database.measurements(new_winner.id).size() == 1);  // history stays
  REQUIRE(database.winners().size() == 1);
  CHECK(database.winners()[0].id == first.id);
}

TEST_CASE("database: ceilings, newest of each name", "[db]") {
  Database database = Database::in_memory();
  database.put_ceilings({{"H200", "copy", "B/s", 4.2e12, ""}, {"H200", "fp32_fma", "FLOP/s", 60e12, ""}});
  database.put_ceilings({{"H200", "copy", "B/s", 4.3e12, ""}});
  const auto rows = database.ceilings("H200");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "copy");
  CHECK(rows[0].value == 4.3e12);
  CHECK_FALSE(rows[0].created.empty());
  CHECK(rows[1].name == "fp32_fma");
  CHECK(database.ceilings("A100").empty());
  CHECK_THROWS_AS(database.put_ceilings({{"H200", "copy", "B/s", 0, ""}}), Error);
}

TEST_CASE("database: sources are stored once", "[db]") {
  Database database = Database::in_memory();
  database.store_source("h", "a.cu", "one");
  database.store_source("h", "a.cu", "one");
  CHECK(database.source_text("h") == "one");
  CHECK_FALSE(database.source_text("g").has_value());
}

TEST_CASE("database: a library's times belong to a measurement; the newest of a problem are found", "[db]") {
  Database database = Database::in_memory();
  const auto session = begin(database);
  Trial first = a_trial(session, 1), second = a_trial(session, 2);
  database.put(std::vector{&first, &second});
  Measurement older = measurement(first, 100), newer = measurement(second, 90), bare = measurement(second, 80);
  older.created = "2026-01-01T00:00:00.000Z";
  newer.created = "2026-01-02T00:00:00.000Z";
  bare.created = "2026-01-03T00:00:00.000Z";
  database.put(std::vector{&older, &newer, &bare});
  const auto time = [](const Measurement& beside, const std::string& label, double us) {
    LibraryTime library;
    library.measurement = beside.id;
    library.label = label;
    library.median_us = us;
    library.low_us = us - 1;
    library.high_us = us + 1;
    library.ratio = 0.5;
    library.ratio_low = 0.4;
    library.ratio_high = 0.6;
    return library;
  };
  LibraryTime old = time(older, "best of 16", 70), best = time(newer, "best of 16", 60),
              pick = time(newer, "its own pick", 65);
  database.put(std::vector{&old});
  database.put(std::vector{&best, &pick});
  const auto found = database.library_times(first.problem, first.device_class, ClockKind::scripted);
  REQUIRE(found.size() == 2);
  CHECK(text(found[0]) == text(best));
  CHECK(text(found[1]) == text(pick));
  CHECK(database.library_times(older.id).size() == 1);
  CHECK(database.library_times(bare.id).empty());
  CHECK(database.library_times(first.problem, first.device_class, ClockKind::measured).empty());
  LibraryTime nobody = time(older, "beside nothing", 1);
  nobody.measurement = 999;
  CHECK_THROWS_AS(database.put(std::vector{&nobody}), Error);
}
