// What a session makes of a search that learns: trials count, what is stored is known, and the end has a reason.
#include "catch.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

TEST_CASE("tune: a search that learns keeps to its trials, knows what is stored, and goes on from there", "[session]") {
  for (const char* search : {"local", "surrogate"}) {
    INFO(search);
    SessionFixture fixture(fast("A=2 B=3"));
    TuneOptions options = fixture.options();
    options.search = search;
    options.trials = 8;
    const TuneResult first = fixture.tune(options);
    CHECK(first.search.strategy == search);
    CHECK(first.counts.done == 8);
    CHECK(first.ended == "8 trials");
    const TuneResult again = fixture.tune(options);
    CHECK(again.counts.stored == 8);
    CHECK(again.counts.done == 8);
    CHECK_FALSE(again.measured_now);
    options.trials = 0;
    const TuneResult all = fixture.tune(options);
    CHECK(all.counts.stored == 8);
    CHECK(all.counts.done == 12);
    CHECK(all.ended == "every configuration was tried");
    CHECK(all.rows.front().trial.configuration == "A=2 B=3");
  }
}

TEST_CASE("tune: failures are told to the search, and end nothing", "[session]") {
  SessionFixture fixture(outcome("A=1 B=1", "wrong") + outcome("A=4 B=2", "illegal_address") + fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.search = "surrogate";
  const TuneResult result = fixture.tune(options);
  CHECK(result.counts.done == 12);
  CHECK(result.counts.passed == 10);
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
}

TEST_CASE("tune: patience ends a session, and it says so", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.patience = 2;
  const TuneResult result = fixture.tune(options);
  CHECK(result.search.strategy == "exhaustive");
  CHECK(result.counts.done >= 3);
  CHECK_THAT(result.ended, Catch::Contains("no better one in ") || Catch::Contains("every configuration"));
}

TEST_CASE("tune: how the search is chosen", "[session]") {
  TuneOptions options;
  CHECK(choose_search(options, 300).strategy == "exhaustive");
  CHECK(choose_search(options, 300).trials == 300);
  CHECK(choose_search(options, 300).patience == 0);
  CHECK(choose_search(options, 301).strategy == "surrogate");
  CHECK(choose_search(options, 301).trials == 301);
  CHECK(choose_search(options, 100000).trials == kDefaultTrials);
  CHECK(choose_search(options, 100000).patience == kDefaultPatience);
  options.trials = 2000;
  CHECK(choose_search(options, 1500).strategy == "exhaustive");
  CHECK(choose_search(options, 5000).strategy == "surrogate");
  options.search = "random";
  CHECK(choose_search(options, 5000).trials == 2000);
  CHECK(choose_search(options, 5000).patience == 0);
}

TEST_CASE("tune: the winner of a near problem is where the next search begins", "[session]") {
  SessionFixture fixture(fast("A=3 B=1"));
  TuneOptions options = fixture.options();
  fixture.tune(options);
  options.arguments = {{"N", "8192"}};
  options.search = "surrogate";
  options.trials = 1;
  const TuneResult result = fixture.tune(options);
  // One is asked for at least: the winner of the other size, before what the search would choose itself.
  CHECK(result.rows.front().trial.configuration == "A=3 B=1");
}
