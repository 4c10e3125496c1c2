// A kernel that is wrong for one value of one parameter: who relies on its variant must not get it unawares.

#include "session/values/value_checks.h"
#include "report/dispatch/dispatch_header.h"
#include "report/dispatch/export_json.h"
#include "session/export_fixture.h"
#include "session/regress_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// `simple` of SessionFixture, wrong where A is 4.
void make_wrong(const Regress& regress) {
  regress.edit("simple.cu", "a * x[i]", "(A == 4 ? a + 1 : a) * x[i]");
}

/// A=2 B=2 was decided for, and nothing else is known of the variant.
void decide(Decided& decided) {
  const Family& family = decided.rig->folder().family;
  decided.add({make_problem(family, make_request(family, {{"N", "5000"}}, "")).key(), "simple", "A=2 B=2"}, 10);
  decided.options.unchecked_values = false;
}

std::vector<std::string> notes_of(Decided& decided) {
  PortfolioSession session(decided.options, decided.database);
  while (session.step()) {
  }
  return session.result().notes;
}

std::vector<RecordRow> record(Regress& regress, bool unchecked, Database* database) {
  RecordOptions options;
  options.rig = regress.rig();
  options.unchecked_values = unchecked;
  options.problems.push_back({"scale", {{"N", "5000"}}, "", {"simple"}, "A=2 B=2", 0});
  options.problems.push_back({"scale", {{"N", "4000"}}, "", {"simple"}, "A=1 B=2", 0});
  RecordSession session(std::move(options), regress.folder(), database);
  while (session.step()) {
  }
  return session.rows();
}

}  // namespace

TEST_CASE("values: an export and a portfolio refuse a variant that is wrong for a value, and name it",
          "[session][emulated]") {
  const Regress regress;
  make_wrong(regress);
  Decided wrong(regress.fixture.family().string());
  decide(wrong);
  for (const double within : {0.0, 0.02}) {
    wrong.options.within = within;
    PortfolioSession session(wrong.options, wrong.database);
    const auto run = [&] {
      while (session.step()) {
      }
    };
    CHECK_THROWS_WITH(run(), Catch::Contains("simple with A=4 is wrong on") && Catch::Contains("--unchecked-values"));
  }
  wrong.options.unchecked_values = true;
  const ExportedLibrary library = wrong.library();
  CHECK_THAT(dispatch_header(library, {}), Catch::Contains("// --unchecked-values: "));
  CHECK(export_value(library, "").find("unchecked_values")->text() == "true");
  CHECK_THAT(notes_of(wrong).back(), Catch::Contains("--unchecked-values"));
}

TEST_CASE("values: what was checked for one export is known to the next", "[session][emulated]") {
  const Regress regress;
  Decided right(regress.fixture.family().string());
  decide(right);
  const std::vector<std::string> first = notes_of(right);
  REQUIRE(first.size() == 1);
  CHECK_THAT(first.front(), Catch::Contains("simple: 5 of its parameters' values"));
  const std::size_t trials = right.database.trials_of("scale").size();
  CHECK(trials > 3);
  CHECK(notes_of(right).empty());
  CHECK(right.database.trials_of("scale").size() == trials);
  CHECK_THAT(dispatch_header(right.library(), {}), !Catch::Contains("--unchecked-values"));
}

TEST_CASE("values: no baseline of a variant that is wrong for a value", "[session][emulated][regress]") {
  Regress regress;
  make_wrong(regress);
  const bool stored = GENERATE(false, true);
  Database* const database = stored ? &regress.fixture.database() : nullptr;
  for (const RecordRow& row : record(regress, false, database)) {
    CHECK(row.code == ExitCode::wrong);
    CHECK_THAT(row.error, Catch::Contains("simple with A=4 is wrong on"));
  }
  CHECK_FALSE(std::filesystem::exists(regress.folder().path()));
  for (const RecordRow& row : record(regress, true, database)) CHECK(row.error.empty());
  for (const Baseline& baseline : regress.folder().read().baselines) CHECK(baseline.unchecked_values);

  regress.edit("simple.cu", "a + 1", "a");
  for (const RecordRow& row : record(regress, false, database)) CHECK(row.error.empty());
  const auto baselines = regress.folder().read().baselines;
  REQUIRE(baselines.size() == 2);
  for (const Baseline& baseline : baselines) CHECK_FALSE(baseline.unchecked_values);
}
