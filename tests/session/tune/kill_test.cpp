// The parent killed with SIGKILL at any instant: no orphan lives on, nothing stored is lost, nobody healthy is blamed,
// and the next run goes on. tests/drills/kill does the same fifty times.

#include <csignal>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "base/child.h"
#include "catch.h"
#include "locations.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;
using namespace std::chrono_literals;

namespace {

std::string slurp(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Processes that were started with this folder in their arguments or environment.
int processes_of(const std::filesystem::path& folder) {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string about = slurp(entry.path() / "cmdline") + slurp(entry.path() / "environ");
    if (about.find(folder.string()) != std::string::npos) ++count;
  }
  return count;
}

bool all_gone(const std::filesystem::path& folder) {
  for (int i = 0; i < 100; ++i) {
    if (processes_of(folder) == 0) return true;
    std::this_thread::sleep_for(50ms);
  }
  return false;
}

Child start_tune(const SessionFixture& fixture) {
  return Child::spawn({kerlab_program().string(), "tune", fixture.family().string(), "--device", fixture.device(),
                       "--db", (fixture.folder() / "killed.db").string(), "--jobs", "1"},
                      {"KERLAB_CACHE=" + (fixture.folder() / "cache").string()});
}

std::map<std::string, TrialStatus> final_trials(const std::filesystem::path& database) {
  std::map<std::string, TrialStatus> found;
  if (!std::filesystem::exists(database)) return found;
  std::istringstream lines(Database::open(database).export_text());
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"row\":\"trial\"") == std::string::npos) continue;
    const auto field = [&](const std::string& name) {
      const std::size_t at = line.find("\"" + name + "\":\"") + name.size() + 4;
      return line.substr(at, line.find('"', at) - at);
    };
    const auto status = parse_trial_status(field("status"));
    REQUIRE(status);
    if (is_final(*status)) found[field("configuration")] = *status;
  }
  return found;
}

}  // namespace

TEST_CASE("killed parent: no orphans, nothing lost, nobody blamed, the next run goes on", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"), "us = 8000.0\nspread = 0.5\nreal_sleep = true\n");
  fixture.tune();  // compiles everything, so that the kills hit the sweep; stored elsewhere
  const auto database = fixture.folder() / "killed.db";
  std::mt19937 random(20261121);
  std::map<std::string, TrialStatus> known;
  for (int i = 0; i < 8; ++i) {
    Child parent = start_tune(fixture);
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 900));
    ::kill(parent.pid(), SIGKILL);  // the parent alone: its children must notice by themselves
    while (!parent.exit()) {
      parent.receive();
      std::this_thread::sleep_for(5ms);
    }
    REQUIRE(all_gone(fixture.folder()));
    const auto now = final_trials(database);
    for (const auto& [configuration, status] : known) CHECK(now.count(configuration) == 1);
    for (const auto& [configuration, status] : now) {
      INFO(configuration);
      CHECK(status == TrialStatus::passed);
    }
    known = now;
  }
  Database last = Database::open(database);
  TuneSession session(fixture.options(), last);
  while (session.step()) {
  }
  const TuneResult result = session.result();
  CHECK(result.counts.stored == known.size());
  CHECK(result.counts.passed == 12);
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
  CHECK(final_trials(database).size() == 12);
}
