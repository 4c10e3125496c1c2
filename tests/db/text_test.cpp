// Export and import: reviewable text that can be taken in twice without harm.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <random>
#include <span>

#include "base/error.h"
#include "base/hash.h"
#include "catch.h"
#include "fixture.h"

using namespace kerlab;
using namespace kerlab::db_test;
using Catch::Contains;

namespace {
constexpr std::string_view kImage(
    "\x7f"
    "ELF\0\xff",
    6);

/// One session: two passed trials that are measured, one beside a library, one wrong, one still open, one decision;
/// ceilings, and what regress keeps.
void fill(Database& database) {
  const auto session = begin(database);
  Trial fast = a_trial(session, 1), slow = a_trial(session, 2), wrong = a_trial(session, 3, TrialStatus::wrong),
        open = a_trial(session, 4, TrialStatus::launching);
  wrong.error_ratio = std::numeric_limits<double>::infinity();
  wrong.message = "bytes that are not UTF-8: \xff\xfe";
  database.put(std::vector{&slow, &fast, &wrong, &open});
  Measurement first = measurement(fast, 90), second = measurement(slow, 120);
  database.put(std::vector{&second, &first});
  Decision verdict = decision(fast, first);
  verdict.tie_set = fmt::format("{},{}", fast.id, slow.id);
  database.put(verdict);
  LibraryTime library;
  library.measurement = first.id;
  library.label = "cuBLASLt, its own pick";
  library.median_us = library.low_us = library.high_us = 95;
  database.put(std::vector{&library});
  database.put_ceilings({{"Test GPU", "copy", "B/s", 4.5e12, "2026-11-20T00:00:00.000Z"},
                         {"Test GPU", "copy", "B/s", 4.6e12, "2026-11-21T00:00:00.000Z"}});
  RegressRun run;
  run.name = "main";
  run.key = "test-gpu/gemm/tile2d";
  run.verdict = "passed";
  run.ratio = 1.0 / 3.0;
  run.created = "2026-11-21T00:00:00.000Z";
  RegressRun before = run;
  before.created = "2026-11-20T00:00:00.000Z";
  database.put(std::vector<RegressRun*>{&run, &before});
  database.store_blob(digest(kImage), "cubin", std::as_bytes(std::span(kImage)));
  database.store_blob(digest(""), "samples", {});
}

std::ptrdiff_t lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}
}  // namespace

TEST_CASE("export: one line a row, settled rows only", "[db]") {
  Database database = Database::in_memory();
  fill(database);
  const std::string text = database.export_text();
  // format, source, session, trials, measurements, library, decision, ceilings, runs of regress, blobs
  CHECK(lines(text) == 1 + 1 + 1 + 3 + 2 + 1 + 1 + 2 + 2 + 2);
  CHECK_THAT(text, Catch::StartsWith(R"({"format":"kerlab-db","version":1})"));
  CHECK_THAT(text, !Contains("launching"));
  CHECK_THAT(text, !Contains(fmt::format(" {} ", ::getpid())));  // no process numbers
}

TEST_CASE("import: an empty database becomes the same text, once", "[db]") {
  Database source = Database::in_memory(), target = Database::in_memory();
  fill(source);
  const std::string text = source.export_text();
  CHECK(target.import_text(text) == lines(text) - 1);
  CHECK(target.import_text(text) == 0);
  const auto strip_state = [](std::string all) {
    return replaced(all, R"("state":"running")", R"("state":"interrupted")");
  };
  CHECK(target.export_text() == strip_state(text));
  CHECK(source.import_text(text) == 0);
  REQUIRE(target.ceilings("Test GPU").size() == 1);
  CHECK(target.ceilings("Test GPU").front().value == 4.6e12);
  REQUIRE(target.regress_runs("main", "", 10).size() == 2);
  CHECK(target.regress_runs("main", "", 10).front().ratio == 1.0 / 3.0);
  REQUIRE(target.blob(digest(kImage)));
  CHECK(digest(*target.blob(digest(kImage))) == digest(kImage));
  CHECK(target.blob(digest(""))->empty());
  const auto verdict = target.winner(a_trial(0, 0).problem, a_trial(0, 0).device_class);
  REQUIRE(verdict);
  const auto winner = target.trial(verdict->trial);
  CHECK(winner->configuration == "BM=1");
  CHECK(target.measurements(winner->id)[0].samples_us == measurement(*winner, 90).samples_us);
}

TEST_CASE("import: ids are those of the database that takes it", "[db]") {
  Database source = Database::in_memory(), target = Database::in_memory();
  fill(source);
  const auto session = begin(target);
  std::vector<Trial> others;
  for (int i = 10; i < 15; ++i) others.push_back(a_trial(session, i));
  for (Trial& other : others) target.put(other);
  target.import_text(source.export_text());
  const auto verdict = target.winner(others[0].problem, others[0].device_class);
  REQUIRE(verdict);
  CHECK(target.trial(verdict->trial)->configuration == "BM=1");
  CHECK(verdict->trial > others.back().id);
  const auto second = target.trials_by_keys({a_trial(0, 2).key});
  REQUIRE(second.size() == 1);
  CHECK(verdict->tie_set == fmt::format("{},{}", verdict->trial, second[0].id));
}

TEST_CASE("import: rows of an older kerlab are read as today's", "[db]") {
  Database source = Database::in_memory(), target = Database::in_memory();
  const auto session = begin(source);
  Trial fast = a_trial(session, 1), wrong = a_trial(session, 3, TrialStatus::wrong);
  wrong.message = label_text(wrong) + ": thorough check: y, recipe normal: 3 of 9 wrong";
  source.put(std::vector{&fast, &wrong});
  Measurement time = measurement(fast, 90);
  source.put(time);
  Decision shared = decision(fast, time);
  source.put(shared);
  std::string text = source.export_text();
  CHECK_THAT(text, !Contains("\"reason\""));
  text = replaced(text, R"("rule":"fastest")", R"x("rule":"tie: fewer registers, while shared with python3 (pid 7)")x");
  text = replaced(text, R"(,"purpose":"other")", "");
  target.import_text(text);
  CHECK(target.session(1)->purpose == SessionPurpose::tune);  // its command says so
  const Trial read = target.trials_by_keys({wrong.key}).front();
  CHECK(read.message == "thorough check: y, recipe normal: 3 of 9 wrong");
  CHECK(read.reason == TrialReason::thorough);
  const DecisionRule rule = target.winner(fast.problem, fast.device_class)->rule;
  CHECK(rule.tie_break == TieBreak::registers);
  CHECK(rule.shared_with == "python3 (pid 7)");
}

TEST_CASE("import: an older decision does not displace a newer one", "[db]") {
  Database source = Database::in_memory(), target = Database::in_memory();
  fill(source);
  const std::string text = source.export_text();
  Trial newer = a_trial(begin(target), 7);
  target.put(newer);
  Measurement time = measurement(newer, 80);
  target.put(time);
  Decision verdict = decision(newer, time);
  verdict.created = "2999-01-01T00:00:00.000Z";
  target.put(verdict);
  target.import_text(text);
  CHECK(target.winner(newer.problem, newer.device_class)->trial == newer.id);
  REQUIRE(target.winners().size() == 1);
  CHECK(target.winners()[0].trial == newer.id);
}

TEST_CASE("import: a trial found wrong here stays wrong and wins nothing", "[db]") {
  Database source = Database::in_memory(), target = Database::in_memory();
  fill(source);
  Trial refuted = a_trial(begin(target), 1, TrialStatus::wrong);
  target.put(refuted);
  target.import_text(source.export_text());
  CHECK(target.trial(refuted.id)->status == TrialStatus::wrong);
  CHECK(target.measurements(refuted.id).empty());
  CHECK_FALSE(target.winner(refuted.problem, refuted.device_class).has_value());
}

TEST_CASE("import: a mistake names its line and nothing is imported", "[db]") {
  Database source = Database::in_memory();
  fill(source);
  const std::string text = source.export_text();
  const auto refuses = [](const std::string& changed, const std::string& words) {
    Database target = Database::in_memory();
    CHECK_THROWS_WITH(target.import_text(changed), Contains(words));
    CHECK(target.stats().trials == 0);
    CHECK(target.stats().sessions == 0);
  };
  refuses("", "empty");
  refuses("hello\n", "line 1");
  refuses("{\"format\":\"other\"}\n", "line 1");
  refuses(replaced(text, "\"version\":1", "\"version\":2"), "update kerlab");
  refuses(text + "{\"row\":\"trial\"", "nothing was imported");
  refuses(text + "{\"row\":\"trial\"}\n", "session");
  refuses(text + "{\"row\":\"poem\"}\n", "unknown row 'poem'");
  refuses(text + "[1]\n", fmt::format("line {}", lines(text) + 1));
  refuses(replaced(text, "7f454c46", "7f454c47"), "was it edited?");
  refuses(replaced(text, "7f454c46", "7f454c4"), "pairs of hexadecimal digits");
  refuses(replaced(text, "\"kind\":\"cubin\"", "\"kind\":\"picture\""), "CHECK constraint");
  refuses(replaced(text, "BM=1", "BM=9"), "was it edited?");
  refuses(replaced(text, "\"status\":\"passed\"", "\"status\":\"fine\""), "unknown status 'fine'");
  const auto place = static_cast<std::ptrdiff_t>(text.find("\"median_us\":90.0"));
  const auto line = 1 + std::count(text.begin(), text.begin() + place, '\n');
  refuses(replaced(text, "\"median_us\":90.0", "\"median_us\":-90.0"),
          "line " + std::to_string(line) + ": database :memory:: CHECK constraint");
}

TEST_CASE("import: an older ceiling does not displace a newer one", "[db]") {
  Database source = Database::in_memory(), target = Database::in_memory();
  fill(source);
  target.put_ceilings({{"Test GPU", "copy", "B/s", 4.7e12, "2999-01-01T00:00:00.000Z"}});
  target.import_text(source.export_text());
  CHECK(target.ceilings("Test GPU").front().value == 4.7e12);
}

TEST_CASE("import: text that is torn or changed anywhere is taken whole or not at all", "[db]") {
  Database source = Database::in_memory();
  fill(source);
  const std::string text = source.export_text();
  const auto survives = [](const std::string& damaged) {
    Database target = Database::in_memory();
    try {
      target.import_text(damaged);
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Contains("import"));
      CHECK(target.stats().sessions == 0);
      CHECK(target.stats().trials == 0);
    }
  };
  for (std::size_t at = 0; at < text.size(); at += 97) survives(text.substr(0, at));
  std::mt19937 random(20261122);
  for (int round = 0; round < 150; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 2; ++i) damaged[random() % damaged.size()] = "\0\n\"{}[],:9-\xff"[random() % 13];
    survives(damaged);
  }
}

TEST_CASE("database: what is decided last reigns, also when the clock has gone backwards", "[db]") {
  Database database = Database::in_memory();
  const auto session = begin(database);
  Trial old = a_trial(session, 1), now = a_trial(session, 2);
  database.put(std::vector{&old, &now});
  Measurement first = measurement(old), second = measurement(now);
  database.put(std::vector{&first, &second});
  Decision future = decision(old, first), today = decision(now, second);
  future.created = "2999-01-01T00:00:00.000Z";
  database.put(future);
  database.put(today);
  CHECK(database.winner(now.problem, now.device_class)->trial == now.id);
}
