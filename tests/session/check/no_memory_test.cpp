// Problems that a check has chosen itself, and for which the device has no memory.
#include <algorithm>
#include <csignal>

#include "base/interrupt.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

CheckOptions small_device(SessionFixture& fixture, std::int64_t bytes) {
  fixture.write_script("[device]\nmemory_bytes = " + std::to_string(bytes) + "\n");
  CheckOptions options;
  options.rig = fixture.options().rig;
  options.variants = {"simple"};
  return options;
}

}  // namespace

TEST_CASE("check: a problem that it chose and the device cannot hold is left out, with a note", "[session]") {
  SessionFixture fixture;
  CheckSession session(small_device(fixture, 6 << 20), fixture.database());
  while (session.step()) {
  }
  const auto is_left_out = [](const std::string& note) { return note.find("is left out: ") != std::string::npos; };
  const auto notes = std::ranges::count_if(session.notes(), is_left_out);
  CHECK(notes > 0);
  CHECK_THAT(*std::ranges::find_if(session.notes(), is_left_out), Catch::Contains("memory"));
  CHECK(session.rows().size() > 8);
  for (const CheckRow& row : session.rows()) CHECK(row.trial.status == TrialStatus::passed);
  CHECK(session.state().done == session.state().total);
}

TEST_CASE("check: what was asked for and the device cannot hold ends it", "[session]") {
  SessionFixture fixture;
  CheckOptions options = small_device(fixture, 6 << 20);
  options.arguments = {{"N", "4194304"}};
  CheckSession session(options, fixture.database());
  CHECK_THROWS_WITH(
      [&] {
        while (session.step()) {
        }
      }(),
      Catch::Contains("of device memory") && Catch::EndsWith("make the problem smaller"));
}

TEST_CASE("check: what was interrupted counts as not done, were it the last", "[session]") {
  SessionFixture fixture;
  CheckOptions options = small_device(fixture, 64 << 20);
  options.only_asked = true;
  CheckSession session(options, fixture.database());
  const InterruptedWaitsEnd at_once;
  std::raise(SIGINT);
  CHECK_THROWS_WITH(
      [&] {
        while (session.step()) {
        }
      }(),
      "interrupted");
  CHECK(session.rows().empty());
  CHECK(session.state().done == 0);
}
