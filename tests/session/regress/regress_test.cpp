// record, run, accept on the emulated device: an unchanged kernel never fails, a slower or wrong one always does.

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "catch.h"
#include "session/regress_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

const FigureChange* find_change(const RegressRow& row, const std::string& name) {
  const auto at = std::ranges::find(row.changes, name, &FigureChange::name);
  return at == row.changes.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("regress: what is recorded passes; unchanged, nothing has to run", "[session][emulated][regress]") {
  Regress regress;
  const std::vector<RecordRow> rows = regress.record();
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().recorded);
  CHECK(rows.front().error.empty());
  CHECK(rows.front().key == "emu-h200-132sm/scale/simple-5000-fp32");
  const Baseline baseline = regress.folder().read().baselines.front();
  CHECK(baseline.configuration == "A=2 B=2");
  CHECK(baseline.figures.size() > 10);
  CHECK_FALSE(regress.record().front().recorded);  // there already

  const RegressRow row = regress.row();
  CHECK(row.verdict == RegressVerdict::identical);
  const RegressRow again = regress.row([](RegressOptions& options) { options.rerun = true; });
  CHECK(again.verdict == RegressVerdict::passed);
  CHECK(again.changes.empty());  // counts are exact: the same to the last
  CHECK(again.error_ratio == Approx(baseline.error_ratio).margin(1e-6));
  CHECK(code(regress.run()) == 0);
  const auto history = regress.fixture.database().regress_runs("main", "scale/simple", 10);
  REQUIRE(history.size() >= 4);
  CHECK(history.front().verdict == "identical");
  CHECK(history.back().verdict == "recorded");
  CHECK_THAT(history.front().figures, Catch::Contains("instructions="));
}

TEST_CASE("regress: words of a source may change, its work may not grow", "[session][emulated][regress]") {
  Regress regress;
  regress.record();
  regress.edit("simple.cu", "// never", "// never, ever");
  CHECK(regress.row().verdict == RegressVerdict::passed);
  CHECK(regress.row().changes.empty());

  regress.edit("simple.cu", "y[i] = a * x[i];", "{ y[i] = 1; __threadfence(); y[i] = a * x[i]; }");
  const RegressReport report = regress.run();
  CHECK(code(report) == 2);
  const RegressRow& row = report.rows.front();
  CHECK(row.verdict == RegressVerdict::regressed);
  const FigureChange* stores = find_change(row, "global_store_bytes");
  REQUIRE(stores != nullptr);
  CHECK(stores->after == 2 * stores->before);
  CHECK(stores->judgement == FigureChange::Judgement::worse);
  CHECK_THAT(row.why, Catch::Contains("global_store_bytes +100 %"));
  CHECK_THAT(row.source_diff, Catch::Contains("+  for (int k = 0;") && Catch::Contains("__threadfence"));
  CHECK_THAT(row.file, Catch::EndsWith("simple.cu"));
  CHECK(row.line == 4);
  REQUIRE_FALSE(row.lines.empty());
  CHECK_THAT(row.lines.front().place, Catch::StartsWith("simple.cu:"));
  CHECK_THAT(row.reproduce, Catch::StartsWith("kerlab regress --only emu-h200-132sm/scale/simple-5000-fp32"));
  // What is not gated is told only.
  CHECK(code(regress.run([](RegressOptions& options) {
          const auto rules = options.margins.rules();
          for (const auto& [figure, rule] : rules) options.margins.set(figure + "=off");
        })) == 0);
}

TEST_CASE("regress: accept records a planned increase, with its reason", "[session][emulated][regress]") {
  Regress regress;
  regress.record();
  regress.edit("simple.cu", "y[i] = a * x[i];", "{ y[i] = 1; __threadfence(); y[i] = a * x[i]; }");
  REQUIRE(code(regress.run()) == 2);
  const std::vector<RecordRow> rows = regress.record(true, "written twice, on purpose");
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().recorded);
  CHECK(rows.front().changes.front().judgement == FigureChange::Judgement::worse);
  CHECK(regress.folder().read().baselines.front().why == "written twice, on purpose");
  CHECK(code(regress.run()) == 0);
  // Back to what it was: less work.
  regress.edit("simple.cu", "{ y[i] = 1; __threadfence(); y[i] = a * x[i]; }", "y[i] = a * x[i];");
  CHECK(regress.row().verdict == RegressVerdict::improved);
}

TEST_CASE("regress: a wrong kernel fails, and cannot become a baseline", "[session][emulated][regress]") {
  Regress regress;
  regress.record();
  const auto fails = [&](const std::string& with, const std::string& why) {
    const std::string good = read_text(regress.fixture.family() / "simple.cu");
    regress.edit("simple.cu", "y[i] = a * x[i];", with);
    const RegressReport report = regress.run();
    CHECK(code(report) == 3);
    CHECK(report.rows.front().verdict == RegressVerdict::wrong);
    CHECK_THAT(report.rows.front().why, Catch::Contains(why));
    const std::vector<RecordRow> rows = regress.record(true);
    CHECK_FALSE(rows.front().recorded);
    CHECK(record_code(rows) == ExitCode::wrong);
    write_atomic(regress.fixture.family() / "simple.cu", std::string_view(good));
  };
  fails("y[i] = a * x[i] + (i == 4999);", "wrong");
  fails("y[i + 1] = a * x[i];", "");
  fails("{ y[i] = a * x[i]; if (i == 7) __trap(); }", "trap");
  fails("y[i] = a * x[i] nonsense;", "compile_error");
  CHECK(code(regress.run()) == 0);  // nothing of it was kept
}

TEST_CASE("regress: less exact within the bound fails as well", "[session][emulated][regress]") {
  Regress regress;
  regress.record();
  regress.edit_baseline("error_ratio = ", "error_ratio = 0 # ");
  regress.edit("simple.cu", "a * x[i]", "a * x[i] * 1.0000001f");
  const RegressRow row = regress.row();
  CHECK(row.verdict == RegressVerdict::wrong);
  CHECK_THAT(row.why, Catch::Contains("less exact than it was: err/bound 0 ->") || Catch::Contains("wrong"));
}

TEST_CASE("regress: what is gone is not comparable, and nothing compared is no success",
          "[session][emulated][regress]") {
  Regress regress;
  regress.record();
  const auto gone = [&](const std::string& file, const std::string& what, const std::string& with,
                        const std::string& why) {
    const std::string good = read_text(regress.fixture.family() / file);
    regress.edit(file, what, with);
    const RegressReport report = regress.run();
    CHECK(report.rows.front().verdict == RegressVerdict::not_comparable);
    CHECK_THAT(report.rows.front().why, Catch::Contains(why));
    CHECK(code(report) == 5);
    write_atomic(regress.fixture.family() / file, std::string_view(good));
  };
  gone("simple.toml", "values = [1, 2, 3, 4]", "values = [1, 3, 4]", "no longer valid");
  gone("simple.toml", "[[launch]]", "[[parameter]]\nname = \"C\"\nvalues = [1]\n[[launch]]", "C=1");
  gone("simple.toml", "tune = true", "minimum_cc = 100", "no longer does");
  gone("family.toml", "shape = [\"N\"]", "shape = [\"N + 1\"]", "tensors of scale are others");
  std::filesystem::rename(regress.fixture.family() / "simple.toml", regress.fixture.family() / "other.toml");
  regress.edit("other.toml", "[[parameter]]", "source = \"simple.cu\"\n[[parameter]]");
  CHECK(regress.row().verdict == RegressVerdict::not_comparable);
  std::filesystem::rename(regress.fixture.family(), regress.fixture.folder() / "moved");
  regress.edit_baseline("family = \"scale\"", "family = \"skale\"");
  CHECK(regress.row().verdict == RegressVerdict::not_comparable);
}

TEST_CASE("regress: another compiler is told from another source", "[session][emulated][regress]") {
  Regress regress;
  regress.record();
  // As if an older compiler had made less of the same source.
  regress.edit_baseline("toolchain = \"NVRTC", "toolchain = \"NVRTC 1.0 not");
  const Baseline baseline = regress.folder().read().baselines.front();
  const auto at = std::ranges::find(baseline.figures, "instructions", &Figure::name);
  regress.edit_baseline(fmt::format("instructions = {}", at->value), fmt::format("instructions = {}", at->value / 2));
  const RegressRow row = regress.row();
  CHECK(row.verdict == RegressVerdict::passed);
  REQUIRE_FALSE(row.toolchain.empty());
  CHECK(row.toolchain.front().name == "instructions");
  REQUIRE_FALSE(row.notes.empty());
  CHECK_THAT(row.notes.front(), Catch::Contains("makes more of the old source: instructions +100 %"));
  const RegressRow strict = regress.row([](RegressOptions& options) { options.strict_toolchain = true; });
  CHECK(strict.verdict == RegressVerdict::regressed);
  // And a source that grew is found with the new compiler too, by its own share alone.
  regress.edit("simple.cu", "y[i] = a * x[i];", "{ y[i] = 1; __threadfence(); y[i] = a * x[i]; }");
  const RegressRow grown = regress.row();
  CHECK(grown.verdict == RegressVerdict::regressed);
  REQUIRE(find_change(grown, "instructions") != nullptr);
  CHECK(find_change(grown, "instructions")->before == at->value);
}

TEST_CASE("regress: an input that is checked anew is checked, the program counts as it did",
          "[session][emulated][regress]") {
  Regress regress;
  regress.record();
  regress.edit_baseline("identity = \"", "identity = \"0");
  const RegressRow row = regress.row();
  CHECK(row.verdict == RegressVerdict::passed);
  REQUIRE_FALSE(row.notes.empty());
  CHECK_THAT(row.notes.front(), Catch::Contains("the same program"));
}

TEST_CASE("regress: a damaged baseline fails alone; a missing one is no baseline", "[session][emulated][regress]") {
  Regress regress;
  CHECK_THROWS_WITH(regress.run(), Catch::Contains("no baseline 'main'") && Catch::Contains("regress record"));
  regress.record();
  write_atomic(regress.folder().path() / "emu-h200-132sm/scale/torn.toml", std::string_view("format = 1\n"));
  const RegressReport report = regress.run();
  REQUIRE(report.rows.size() == 2);
  CHECK(report.rows.front().verdict == RegressVerdict::failed);
  CHECK_THAT(report.rows.front().why, Catch::Contains("torn.toml"));
  CHECK(report.rows.back().verdict == RegressVerdict::identical);
  CHECK(code(report) == 1);
  CHECK(code(regress.run([](RegressOptions& options) { options.only = {"simple"}; })) == 0);
  CHECK_THROWS_AS(regress.run([](RegressOptions& options) { options.only = {"smiple"}; }), UsageError);
  // A source that is needed and gone: told, nothing else is lost.
  regress.edit("simple.cu", "y[i] = a * x[i];", "{ y[i] = 1; __threadfence(); y[i] = a * x[i]; }");
  std::filesystem::remove_all(regress.folder().path() / "sources");
  const RegressReport gone = regress.run([](RegressOptions& options) { options.only = {"simple"}; });
  CHECK(code(gone) == 2);
  CHECK_THAT(gone.rows.front().notes.front(), Catch::Contains("not explained further"));
}

TEST_CASE("regress: a damaged baseline is an error of its kernel, and is not recorded over",
          "[session][emulated][regress]") {
  Regress regress;
  regress.record();
  const std::filesystem::path file = regress.folder().path() / "emu-h200-132sm/scale/simple-5000-fp32.toml";
  const std::string good = read_text(file);
  // As a merge leaves it; and as a disk that is full does.
  for (const std::string& damaged : {"<<<<<<< ours\n" + good + "=======\n>>>>>>> theirs\n", std::string()}) {
    write_atomic(file, std::string_view(damaged));
    const RegressRow row = regress.row();
    CHECK(row.key == "emu-h200-132sm/scale/simple-5000-fp32");
    CHECK(row.verdict == RegressVerdict::failed);
    CHECK_THAT(row.why, Catch::Contains("simple-5000-fp32.toml") && Catch::Contains("git checkout"));
    const std::vector<RecordRow> rows = regress.record();
    REQUIRE(rows.size() == 1);
    CHECK_FALSE(rows.front().recorded);
    CHECK_THAT(rows.front().error, Catch::Contains("simple-5000-fp32.toml") && Catch::Contains("git checkout") &&
                                       Catch::Contains("delete it, and `kerlab regress record` again"));
    CHECK(record_code(rows) == ExitCode::failed);
    CHECK(read_text(file) == damaged);
  }
  std::filesystem::remove(file);
  CHECK(regress.record().front().recorded);
  CHECK(code(regress.run()) == 0);
}

TEST_CASE("regress: exit codes are of the worst that counts", "[session][regress]") {
  RegressReport report;
  const auto with = [&](std::vector<RegressVerdict> verdicts, std::vector<int> fail_on) {
    report.rows.clear();
    for (const RegressVerdict verdict : verdicts) {
      report.rows.push_back({});
      report.rows.back().verdict = verdict;
    }
    return static_cast<int>(regress_code(report, fail_on));
  };
  using V = RegressVerdict;
  CHECK(with({V::passed, V::identical, V::improved}, {2, 3}) == 0);
  CHECK(with({V::passed, V::regressed}, {2, 3}) == 2);
  CHECK(with({V::regressed, V::wrong, V::failed}, {2, 3}) == 3);
  CHECK(with({V::regressed, V::passed}, {3}) == 0);
  CHECK(with({V::failed, V::passed}, {}) == 1);
  CHECK(with({V::inconclusive, V::passed}, {2, 3}) == 0);
  CHECK(with({V::inconclusive, V::passed}, {2, 3, 4}) == 4);
  CHECK(with({V::not_comparable, V::passed}, {2, 3}) == 0);
  CHECK(with({V::not_comparable, V::passed}, {2, 3, 5}) == 5);
  CHECK(with({V::not_comparable}, {2, 3}) == 5);
  report.interrupted = true;
  CHECK(with({V::wrong}, {3}) == 130);
}
