// What a session makes of a search that learns: trials count, what is stored is known, and the end has a reason.
#include <algorithm>
#include <map>

#include <fmt/format.h>

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

TEST_CASE("tune: no more defaults are tried than trials were asked for", "[session]") {
  SessionFixture fixture;
  for (const char* copy : {"second", "third", "fourth"})
    for (const char* kind : {".toml", ".cu"})
      std::filesystem::copy_file(fixture.family() / (std::string("simple") + kind),
                                 fixture.family() / (copy + std::string(kind)));
  TuneOptions options = fixture.options();
  options.search = "surrogate";
  options.trials = 2;
  CHECK(fixture.tune(options).counts.done == 2);
  options.trials = 6;
  CHECK(fixture.tune(options).counts.done == 6);
}

TEST_CASE("tune: of very many large variants the search sees fewer of each", "[session]") {
  SessionFixture fixture;
  KernelFolder folder = open_catalogue({}).find(fixture.family().string());
  Variant& variant = folder.variants.front();
  for (Parameter& parameter : variant.parameters)
    for (std::int64_t value = 5; parameter.values.size() < 1000; ++value) parameter.values.push_back(value);
  const Problem problem = make_problem(folder.family, {});
  const DeviceInfo device = open_device(fixture.device())->info();
  CandidateSpace alone(folder, {}, problem, device);
  CHECK(alone.size() == kSearchLimits.sampled);
  for (int copy = 1; copy < 600; ++copy) {
    folder.variants.push_back(folder.variants.front());
    folder.variants.back().name += std::to_string(copy);
  }
  CandidateSpace space(folder, {}, problem, device);
  CHECK(space.variants().size() == 600);
  CHECK(space.valid_size() == 600'000'000);
  SearchSpace search = space.search_space(problem, device);
  CHECK(search.size() >= 600 * 1000);
  CHECK(search.size() * search.columns() < std::size_t{1} << 30);
}

TEST_CASE("tune: a variant without any valid configuration is left out, and the others are tried", "[session]") {
  SessionFixture fixture;
  KernelFolder folder = open_catalogue({}).find(fixture.family().string());
  const Problem problem = make_problem(folder.family, {});
  const DeviceInfo device = open_device(fixture.device())->info();
  Variant never = folder.variants.front();
  never.name = "never";
  for (Parameter& parameter : never.parameters) parameter.values = {-1};
  never.constraints.push_back({"positive", "", Expression::parse(never.parameters.front().name + " > 0", {}), {}});
  folder.variants.push_back(never);
  CandidateSpace space(folder, {}, problem, device);
  REQUIRE(space.variants().size() == 1);
  REQUIRE(space.left_out().size() == 1);
  CHECK(space.left_out().front().variant == "never");
  CHECK_THAT(space.left_out().front().reason, Catch::Contains("constraint 'positive' rejects all"));
  CHECK_THROWS_WITH(CandidateSpace(folder, {{"never"}, false, false, {}}, problem, device),
                    Catch::Contains("constraint 'positive' rejects all"));
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

TEST_CASE("tune: a time budget that was spent is not given again where it is given once", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.once = true;
  options.screening.time_s = 600;
  options.trials = 5;
  options.search = "random";
  const TuneResult first = fixture.tune(options);
  CHECK(first.counts.done == 5);
  options.screening.time_s = 1e-4;  // less than the first session took: spent
  options.trials = 0;
  const TuneResult again = fixture.tune(options);
  CHECK(again.counts.stored == 5);
  CHECK(again.counts.done == 5);
  CHECK_FALSE(again.measured_now);
  CHECK(again.ended == "0.0001 s, in an earlier session");
  CHECK(again.rows.front().trial.id == first.rows.front().trial.id);
  options.screening.time_s = 600;  // more than it took: the search goes on
  CHECK(fixture.tune(options).counts.done == 12);
}

TEST_CASE("tune: independent sessions under noise print the same winner, or declare a tie", "[session]") {
  // Steps of 0.3 % to 0.6 %, noise of 1 %: the fastest three are within the margin of a tie.
  std::string rules;
  const double us[] = {100.0, 100.3, 100.8, 101.4, 103, 105, 108, 110, 112, 115, 120, 130};
  for (int i = 0; i < 12; ++i)
    rules += rule(fmt::format("A={} B={}", i % 4 + 1, i / 4 + 1), fmt::format("us = {}\nnoise = 0.01\n", us[i]));
  std::map<std::string, int> winners;
  int undeclared = 0;
  SessionFixture fixture(rules);  // compiled once; what is stored is tried again
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TuneOptions options = fixture.options();
    options.screening.fresh = true;
    options.seed = seed;
    options.search = seed % 2 == 0 ? "surrogate" : "random";
    const TuneResult result = fixture.tune(options);
    ++winners[result.rows.front().trial.configuration];
    const auto ties = std::count_if(result.rows.begin(), result.rows.end(), [](const auto& row) { return row.tie; });
    if (ties < 2) ++undeclared;
    CHECK(result.rows.front().measurement.median_us < 101.5);
  }
  int most = 0;
  for (const auto& [winner, count] : winners) most = std::max(most, count);
  CHECK(most >= 8);
  CHECK(undeclared == 0);
}

TEST_CASE("tune: how the search is chosen", "[session]") {
  TuneOptions options;
  CHECK(choose_search(options, 300).strategy == "exhaustive");
  CHECK(choose_search(options, 300).trials == 300);
  CHECK(choose_search(options, 300).patience == 0);
  CHECK(choose_search(options, 301).strategy == "surrogate");
  CHECK(choose_search(options, 301).trials == 301);
  CHECK(choose_search(options, 100000).trials == kDefaultTrials);
  CHECK(choose_search(options, 100000).patience == kPatienceOfMany);
  CHECK(choose_search(options, 5000).patience == kDefaultPatience);
  CHECK(choose_search(options, 24, true).strategy == "exhaustive");
  CHECK(choose_search(options, 128, true).strategy == "forecast");
  CHECK(choose_search(options, 128, true).patience == kForecastPatience);
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

TEST_CASE("tune: of a long run that is clearly slower than the best one sample is enough", "[session]") {
  const auto samples = [](double others_us) {
    SessionFixture fixture(fmt::format("[[rule]]\nmatch = \"*A=3 B=1\"\nus = {:.1f}\n", others_us / 1.5),
                           fmt::format("us = {:.1f}\nspread = 0.01\n", others_us));
    std::map<std::size_t, int> counts;
    for (const auto& [configuration, trial] : fixture.trials(fixture.tune()))
      ++counts[fixture.database().latest_measurement(trial.id, TimingStage::screen)->samples_us.size()];
    return counts;
  };
  std::map<std::size_t, int> of_long = samples(3000), of_short = samples(150);
  CHECK(of_long[1] > 0);
  CHECK(of_long[1] + of_long[3] == 12);
  CHECK(of_short[3] == 12);
}

TEST_CASE("tune: while the library is opened, a search that learns gives compilers another round", "[session]") {
  const ScopedVariable slow("KERLAB_LIBRARY_FAULT", "slow");
  SessionFixture fixture("[device]\nlibrary = true\n");
  TuneOptions options = fixture.options();
  options.rig.target = "gemm";
  options.rig.jobs = 8;
  options.arguments = {{"M", "256"}};
  options.dtype = "fp32";
  options.variants.names = {"smem_tile"};
  options.search = "exhaustive";
  fixture.tune(options);  // all is compiled now
  options.search = "surrogate";
  options.screening.fresh = true;
  TuneSession session(options, fixture.database());
  std::size_t done = 0, most = 0;
  Clock::time_point since = Clock::now();
  while (session.step()) {
    const ScreeningCounts counts = session.state().counts;
    if (std::exchange(done, counts.done) != counts.done) since = Clock::now();
    if (done > 0 && done < 24 && Clock::now() - since > std::chrono::milliseconds(700))
      most = std::max(most, counts.asked - counts.done);
  }
  INFO(session.result().library_note);
  CHECK(most > 24);
  CHECK(most <= 32);
}
