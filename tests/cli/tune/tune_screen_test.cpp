// What `tune` prints: a ranking of all trials that fits the terminal, and the winner in full at its end.
#include "cli/tune/tune_screen.h"

#include <set>
#include <sstream>

#include "base/scoped_variable.h"
#include "catch.h"
#include "cli/tune/plan_screen.h"
#include "cli/tune/suite_table.h"
#include "report/form/table.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;
using Catch::Contains;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A command is not broken: it is to be typed.
bool is_command(const std::string& line) {
  return line.find("kerlab ") != std::string::npos;
}

}  // namespace

TEST_CASE("tune screen: ten rows of all trials, the finals first, no two alike", "[cli]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const TuneResult result = fixture.tune();
  REQUIRE(result.rows.size() + result.others.size() == kRanked);
  std::set<std::string> configurations;
  for (const RankedTrial& row : result.rows) CHECK(configurations.insert(row.trial.configuration).second);
  double before = 0;
  for (const RankedTrial& other : result.others) {
    CHECK(configurations.insert(other.trial.configuration).second);
    CHECK(other.timed == Timed::sweep);
    CHECK(other.measurement.median_us >= before);
    before = other.measurement.median_us;
  }
  const std::string text = tune_screen(result, false);
  CHECK_THAT(text,
             Contains("  timed   A  B") && Contains("  finals  2  3") && Contains("  10  ") && Contains("  sweep  "));
  CHECK_THAT(text,
             Contains("12 configurations -> 12 valid -> 12 tried\n") && Contains("best value is at the limit of "
                                                                                 "the listed range: B=3 (largest)"));
  CHECK_THAT(text, Contains("\nwinner: simple A=2 B=3\n") && Contains(" of roofline; #2 takes "));
  CHECK_THAT(text, !Contains("decided by") && !Contains("compilers"));
  CHECK_THAT(tune_screen(result, false, {}, true), Contains("decided by: fastest\n") && Contains("compilers"));
  // What was tried in an earlier session stands there as that.
  const TuneResult again = fixture.tune();
  REQUIRE_FALSE(again.others.empty());
  CHECK(again.others.front().timed == Timed::before);
}

TEST_CASE("tune screen: it fits the terminal at every width", "[cli]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const TuneResult result = fixture.tune();
  for (const char* width : {"80", "100", "120", "200"}) {
    const ScopedVariable columns("COLUMNS", width);
    for (const std::string& line : lines_of(tune_screen(result, false, {}, true))) {
      INFO(width << ": " << line);
      CHECK((display_width(line) <= std::stoi(width) || is_command(line)));
    }
  }
}

TEST_CASE("tune screen: who is left out is one line, in words", "[cli]") {
  SessionFixture fixture;
  TuneResult result = fixture.tune();
  result.left_out = {{"split_k", "needs ceil_div(M, 128) <= 264 (constraint 'few_tiles')", "needs few tiles"},
                     {"gemv", "needs M <= 16 (constraint 'few_rows')", "M > 16"},
                     {"wgmma_split", "needs ... (constraint 'few_tiles')", "needs few tiles"}};
  CHECK_THAT(tune_screen(result, false),
             Contains("\nnot for this problem: split_k, wgmma_split (needs few tiles), gemv (M > 16)\n") &&
                 !Contains("constraint"));
  CHECK_THAT(tune_screen(result, false, {}, true), Contains("left out: gemv: needs M <= 16"));
}

TEST_CASE("dry run: how all that is listed becomes what is tried", "[cli]") {
  TunePlan plan;
  plan.title = "gemm 8x8x8";
  plan.device = "emu:h200";
  plan.flops = 137.4e9;
  plan.bytes = 100663296;
  plan.minimum_us = 138.9;
  plan.variants = {{"hopper", 29628426240, 73, {{"panels", 9876142080}, {"shared", 8797568}}}, {"reg2d", 1944, 19, {}}};
  plan.left_out = {{"gemv", "needs M <= 16", "M > 16"}};
  plan.search.strategy = "exhaustive";
  plan.to_try = 92;
  const std::string text = tune_plan_text(plan, false, 0, false);
  CHECK_THAT(text, Contains("137.4 GFLOP, 100.7 MB at least"));
  CHECK_THAT(
      text,
      Contains("hopper   29,628,426,240             8,797,568          73  shared leaves 0.1 %, panels leaves 33 %\n"));
  CHECK_THAT(text, Contains("all      29,628,428,184             8,799,512          92\n"));
  CHECK_THAT(text, Contains("not for this problem: gemv (M > 16)\n") && !Contains("->"));
  CHECK_THAT(tune_plan_text(plan, false, 0, true), Contains("  shared                   -> 8,797,568\n"));
  for (const int width : {80, 100, 120, 200})
    for (const std::string& line : lines_of(tune_plan_text(plan, false, width, false)))
      CHECK(display_width(line) <= width);
}

TEST_CASE("tune suite: a library's row stands under its own heading, whatever other problems have", "[cli]") {
  const auto problem = [](const std::string& name, const std::vector<std::string>& labels) {
    SuiteResult row;
    row.outcome.problem.name = name;
    TuneResult& result = row.result.emplace();
    result.rows.resize(1);
    for (const std::string& label : labels) result.library.push_back({label, {}, PairedRatio{1.25, {1.2, 1.3}}});
    return row;
  };
  const Table table = suite_table({problem("first", {"cuBLASLt 13, its own pick"}),
                                   problem("second", {"cuBLASLt 13, best of 16", "cuBLASLt 13, its own pick"})},
                                  true);
  const auto column = [&](const std::string& title) {
    const auto found = std::ranges::find(table.columns, title, &Column::title);
    REQUIRE(found != table.columns.end());
    return static_cast<std::size_t>(found - table.columns.begin());
  };
  const std::size_t pick = column("vs library's pick"), best = column("vs library's best");
  CHECK(table.rows[0][pick] == "1.250 [1.200,1.300]");
  CHECK(table.rows[0][best].empty());
  CHECK(table.rows[1][pick] == "1.250 [1.200,1.300]");
  CHECK(table.rows[1][best] == "1.250 [1.200,1.300]");
}
