// The parent may be killed at any instant: what was acknowledged stays, what was on its way is tried again.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "base/error.h"
#include "catch.h"
#include "db/process.h"
#include "fixture.h"

using namespace kerlab;
using namespace kerlab::db_test;

namespace fs = std::filesystem;

namespace {
/// A process that ended: nobody has its number and start time any more.
std::string identity_of_dead_process() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string identity = process_identity();
    const bool written = ::write(ends[1], identity.data(), identity.size()) > 0;
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string identity(512, '\0');
  identity.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], identity.data(), identity.size()))));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return identity;
}

/// Puts trials one by one; each number is written to `acknowledge` once put() has returned.
[[noreturn]] void write_forever(const fs::path& path, int acknowledge) {
  try {
    Database database = Database::open(path);
    const auto session = begin(database);
    for (int i = 0;; ++i) {
      Trial one = a_trial(session, i, TrialStatus::launching);
      database.put(one);
      if (i % 2 == 0) {
        one.status = TrialStatus::passed;
        database.put(one);
        Measurement time = measurement(one);
        database.put(time);
      }
      if (::write(acknowledge, &i, sizeof i) != sizeof i) ::_exit(2);
    }
  } catch (...) {
    ::_exit(3);
  }
}

/// Kills such a writer `delay` after its start, or after its first acknowledgement (on a busy machine it may take long
/// to get there); returns how many it acknowledged.
int run_and_kill(const fs::path& path, bool once_writing, std::chrono::microseconds delay) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    write_forever(path, ends[1]);
  }
  ::close(ends[1]);
  int acknowledged = 0;
  if (int number = 0; once_writing && ::read(ends[0], &number, sizeof number) == sizeof number)
    acknowledged = number + 1;
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  for (int number = 0; ::read(ends[0], &number, sizeof number) == sizeof number;) acknowledged = number + 1;
  ::close(ends[0]);
  return acknowledged;
}
}  // namespace

TEST_CASE("process identity: this process lives, a dead one is gone, others are left alone", "[db]") {
  const std::string self = process_identity();
  CHECK_FALSE(process_is_gone(self));
  CHECK(process_is_gone(identity_of_dead_process()));
  CHECK(process_is_gone(self + "1"));  // the number is in use again, by a process that began at another time
  CHECK_FALSE(process_is_gone("another-host 1 1"));
  CHECK_FALSE(process_is_gone("another-host"));
  CHECK_FALSE(process_is_gone(""));
}

TEST_CASE("kill -9: every acknowledged row is there, and the database opens", "[db]") {
  std::mt19937 random(20261121);
  for (int round = 0; round < 25; ++round) {
    const TemporaryFolder folder;
    const fs::path path = folder / "a.db";
    const std::chrono::microseconds delay(std::uniform_int_distribution<int>(0, 60000)(random));
    CAPTURE(round, delay.count());
    const bool once_writing = round % 2 == 0;
    const int acknowledged = run_and_kill(path, once_writing, delay);
    if (once_writing) CHECK(acknowledged > 0);
    Database database = Database::open(path);
    const int interrupted = database.mark_interrupted();
    const auto found = database.trials(a_trial(0, 0).problem, a_trial(0, 0).device_class);
    REQUIRE(static_cast<int>(found.size()) >= acknowledged);
    REQUIRE(static_cast<int>(found.size()) <= acknowledged + 1);
    int passed = 0, left = 0;
    for (const Trial& one : found) {
      REQUIRE((one.status == TrialStatus::passed || one.status == TrialStatus::interrupted));  // nobody is blamed
      ++(one.status == TrialStatus::passed ? passed : left);
    }
    CHECK(left == interrupted);
    CHECK(passed >= (acknowledged + 1) / 2);
    CHECK(database.stats().measurements >= (acknowledged + 1) / 2);
  }
}

TEST_CASE("a log left behind: torn or overwritten, what stands before the damage is whole", "[db]") {
  std::mt19937 random(20261122);
  for (int round = 0; round < 12; ++round) {
    const TemporaryFolder folder;
    const fs::path path = folder / "a.db", log = folder / "a.db-wal", index = folder / "a.db-shm";
    const int acknowledged = run_and_kill(path, true, std::chrono::milliseconds(10));
    REQUIRE(fs::file_size(log) > 0);
    CAPTURE(round);
    switch (round % 4) {
      case 0:
        fs::resize_file(log, random() % fs::file_size(log));
        break;
      case 1: {
        std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(random() % fs::file_size(log)));
        file << "garbage where a page was";
        break;
      }
      case 2:
        std::ofstream(index, std::ios::binary | std::ios::trunc) << std::string(32768, '\x5a');
        break;
      default:
        fs::remove(log);
    }
    try {
      Database database = Database::open(path);
      const auto found = database.trials(a_trial(0, 0).problem, a_trial(0, 0).device_class);
      if (round % 4 == 2) CHECK(static_cast<int>(found.size()) >= acknowledged);  // the index is made anew
      std::set<std::string> configurations;
      for (const Trial& one : found) configurations.insert(one.configuration);
      for (std::size_t i = 0; i < found.size(); ++i) CHECK(configurations.contains(fmt::format("BM={}", i)));
      Trial next = a_trial(begin(database), 1000000);
      database.put(next);
    } catch (const Error& error) {  // nothing but its header was ever in the file
      CHECK_THAT(error.what(), Catch::Contains("a.db") && Catch::Contains("--db PATH"));
    }
  }
}

TEST_CASE("mark_interrupted: rows of dead sessions only", "[db]") {
  const TemporaryFolder folder;
  Database mine = Database::open(folder / "a.db");
  Database other = Database::open(folder / "a.db");  // a second kerlab, alive
  const auto dead_session = begin(mine, identity_of_dead_process());
  const auto live_session = begin(other);
  const auto remote_session = begin(other, "another-host 1 1");
  Trial dead_compile = a_trial(dead_session, 1, TrialStatus::compiling);
  Trial dead_launch = a_trial(dead_session, 2, TrialStatus::launching);
  Trial dead_passed = a_trial(dead_session, 3, TrialStatus::passed);
  Trial dead_fault = a_trial(dead_session, 4, TrialStatus::illegal_address);
  Trial live_launch = a_trial(live_session, 5, TrialStatus::launching);
  Trial remote_launch = a_trial(remote_session, 6, TrialStatus::launching);
  mine.put(std::vector{&dead_compile, &dead_launch, &dead_passed, &dead_fault, &live_launch, &remote_launch});

  CHECK(mine.mark_interrupted() == 2);
  CHECK(mine.trial(dead_compile.id)->status == TrialStatus::interrupted);
  CHECK(mine.trial(dead_launch.id)->status == TrialStatus::interrupted);
  CHECK(mine.trial(dead_passed.id)->status == TrialStatus::passed);
  CHECK(mine.trial(dead_fault.id)->status == TrialStatus::illegal_address);
  CHECK(mine.trial(live_launch.id)->status == TrialStatus::launching);
  CHECK(mine.trial(remote_launch.id)->status == TrialStatus::launching);
  CHECK(mine.mark_interrupted() == 0);

  other.end_session(live_session, SessionState::interrupted, 1.5);  // Ctrl-C: it says so itself
  CHECK(mine.mark_interrupted() == 1);
  CHECK(mine.trial(live_launch.id)->status == TrialStatus::interrupted);

  dead_launch.status = TrialStatus::passed;  // tried again under the same key
  dead_launch.session = live_session;
  mine.put(dead_launch);
  CHECK(other.trial(dead_launch.id)->status == TrialStatus::passed);
}

TEST_CASE("two processes create and write one database at the same time", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  std::array<pid_t, 3> children{};
  for (std::size_t i = 0; i < children.size(); ++i) {
    children[i] = ::fork();
    REQUIRE(children[i] >= 0);
    if (children[i] != 0) continue;
    try {
      Database database = Database::open(path);
      const auto session = begin(database);
      for (int n = 0; n < 20; ++n) {
        Trial one = a_trial(session, 100 * static_cast<int>(i) + n);
        database.put(one);
      }
      ::_exit(0);
    } catch (...) {
      ::_exit(1);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(Database::open(path).stats().trials == 60);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}
