// Kernels compared with each other on a scripted device: configurations, trials, sources, revisions of git.

#include <cstdlib>

#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "catch.h"
#include "session/bench/compare.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

CompareOptions options_of(SessionFixture& fixture, const std::vector<std::string>& kernels,
                          const std::vector<ProblemArgument>& arguments = {}) {
  CompareOptions options;
  options.rig = fixture.options().rig;
  for (const std::string& kernel : kernels) options.kernels.push_back(parse_subject(kernel));
  options.arguments = arguments;
  options.rounds = 12;
  return options;
}

Comparison compare(SessionFixture& fixture, const std::vector<std::string>& kernels,
                   const std::vector<ProblemArgument>& arguments = {}) {
  CompareSession session(options_of(fixture, kernels, arguments), fixture.database());
  while (session.step()) {
  }
  return session.result();
}

/// `scale/simple` in the fixture's folder, with a suffix.
std::string simple(const SessionFixture& fixture, const std::string& rest = "") {
  return (fixture.family() / "simple").string() + rest;
}

/// A repository in the fixture's folder.
class Repository {
 public:
  explicit Repository(const SessionFixture& fixture) : folder_(fixture.folder()) { git({"init", "-q"}); }
  std::string git(std::vector<std::string> words) const {
    words.insert(words.begin(),
                 {"git", "-C", folder_.string(), "-c", "user.name=kerlab", "-c", "user.email=k@example"});
    const ProcessResult result = run_process(words, std::chrono::seconds(30));
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return result.out;
  }
  void commit() const {
    git({"add", "scale"});
    git({"commit", "-q", "-m", "as it is"});
  }

 private:
  std::filesystem::path folder_;
};

bool has_git() {
  try {
    return run_process({"git", "--version"}, std::chrono::seconds(30)).exit_code == 0;
  } catch (const Error&) {
    WARN("skipped: no git here");
    return false;
  }
}

void replace_in(const std::filesystem::path& file, const std::string& what, const std::string& by) {
  std::string text = read_text(file);
  REQUIRE(text.find(what) != std::string::npos);
  text.replace(text.find(what), what.size(), by);
  write_atomic(file, text);
}

}  // namespace

TEST_CASE("compare: two configurations are timed in the same rounds, their ratio has an interval", "[session]") {
  SessionFixture fixture(rule("A=1 B=1", "us = 120.0") + rule("A=2 B=3", "us = 80.0"));
  const Comparison result = compare(fixture, {simple(fixture, ":A=1,B=1"), simple(fixture, ":A=2,B=3")});
  REQUIRE(result.kernels.size() == 2);
  const ComparedKernel &a = result.kernels[0], &b = result.kernels[1];
  CHECK_FALSE(a.speed);
  REQUIRE(b.speed);
  CHECK(b.speed->ratio == Approx(1.5).epsilon(0.02));
  CHECK(b.speed->interval.low < b.speed->ratio);
  CHECK(b.speed->interval.high > b.speed->ratio);
  CHECK(b.same_source);
  CHECK_FALSE(b.same_program);
  CHECK(b.how == "as typed");
  REQUIRE(b.measurement);
  CHECK(b.measurement->samples_us.size() == 12);
  CHECK(result.clock == ClockKind::scripted);
  for (const ComparedKernel& kernel : result.kernels)
    CHECK(fixture.database().latest_measurement(kernel.trial.id, TimingStage::bench));
}

TEST_CASE("compare: what was checked before an interruption is kept", "[session]") {
  SessionFixture fixture;
  std::int64_t first = 0;
  {
    CompareSession session(options_of(fixture, {simple(fixture, ":A=1,B=1"), simple(fixture, ":A=2,B=3")}),
                           fixture.database());
    REQUIRE(session.step());
    first = session.result().kernels[0].trial.id;
  }
  const auto kept = fixture.database().trial(first);
  REQUIRE(kept);
  CHECK(kept->status == TrialStatus::passed);
  CHECK(fixture.database().session(kept->session)->state == SessionState::interrupted);
}

TEST_CASE("compare: the same program against itself shows no difference", "[session]") {
  SessionFixture fixture;
  const Comparison result = compare(fixture, {simple(fixture, ":A=2,B=2"), simple(fixture, ".cu:A=2,B=2")});
  REQUIRE(result.kernels[1].speed);
  CHECK(result.kernels[1].same_program);
  CHECK(result.kernels[1].speed->interval.low <= 1);
  CHECK(result.kernels[1].speed->interval.high >= 1);
}

TEST_CASE("compare: trials bring their problem, and must be of one", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions tune = fixture.options();
  const TuneResult tuned = fixture.tune(tune);
  const std::string winner = "trial:" + std::to_string(tuned.rows.front().trial.id);
  tune.arguments = {{"N", "2048"}};
  const std::string other = std::to_string(fixture.tune(tune).rows.front().trial.id);
  const Comparison result = compare(fixture, {winner, simple(fixture, ":A=1,B=1")});
  CHECK(result.problem.key() == tuned.problem.key);
  CHECK(result.kernels[0].trial.configuration == "A=2 B=3");
  REQUIRE(result.kernels[1].speed);
  CHECK(result.kernels[1].speed->interval.high < 1);
  CHECK_THROWS_WITH(compare(fixture, {winner, other, simple(fixture)}),
                    Catch::Contains("only times of one problem compare"));
  CHECK_THROWS_WITH(compare(fixture, {winner, simple(fixture)}, {{"N", "4096"}}),
                    Catch::Contains("dimensions and --dtype go with kernels that are named"));
}

TEST_CASE("compare: without a configuration the best stored one is taken", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  (void)fixture.tune();
  const Comparison result = compare(fixture, {simple(fixture), simple(fixture, ":A=1,B=1")});
  CHECK(result.kernels[0].trial.configuration == "A=2 B=3");
  CHECK(result.kernels[0].how == "best stored");
}

TEST_CASE("compare: who is wrong is told and not timed", "[session]") {
  SessionFixture fixture(outcome("A=2 B=3", "wrong"));
  const Comparison result = compare(fixture, {simple(fixture, ":A=1,B=1"), simple(fixture, ":A=2,B=3")});
  CHECK(result.kernels[0].trial.status == TrialStatus::passed);
  CHECK(result.kernels[0].measurement);
  CHECK(result.kernels[1].trial.status == TrialStatus::wrong);
  CHECK_FALSE(result.kernels[1].measurement);
  CHECK_FALSE(result.kernels[1].speed);
  CHECK_FALSE(result.kernels[1].report.passed());
}

TEST_CASE("compare: who breaks the device while all are timed is named", "[session]") {
  SessionFixture fixture(rule("A=2 B=3", "outcome = \"illegal_address\"\nafter = 10"));
  const Comparison result = compare(fixture, {simple(fixture, ":A=1,B=1"), simple(fixture, ":A=2,B=3")});
  CHECK(result.kernels[0].trial.status == TrialStatus::passed);
  CHECK(result.kernels[1].trial.status == TrialStatus::illegal_address);
  CHECK_FALSE(result.kernels[1].speed);
  REQUIRE(result.notes.size() == 1);
  CHECK_THAT(result.notes[0], Catch::Contains("each was run alone"));
}

TEST_CASE("compare: kernels of other tensors are refused", "[session]") {
  SessionFixture fixture;
  std::filesystem::copy(fixture.family(), fixture.folder() / "other");
  replace_in(fixture.folder() / "other" / "family.toml", "name = \"scale\"", "name = \"other\"");
  const std::string other = (fixture.folder() / "other" / "simple").string();
  CHECK(compare(fixture, {simple(fixture), other}).kernels[1].speed);  // another family, the same tensors
  replace_in(fixture.folder() / "other" / "family.toml", "shape = [\"N\"]", "shape = [\"2 * N\"]");
  CHECK_THROWS_WITH(compare(fixture, {simple(fixture), other}), Catch::Contains("their tensors differ"));
}

TEST_CASE("compare: a revision of git, whose working tree and index stay as they are", "[session]") {
  if (!has_git()) return;
  SessionFixture fixture("[[rule]]\nmatch = \"*@HEAD*\"\nus = 50.0\n" + rule("A=2 B=2", "us = 100.0"));
  const Repository repository(fixture);
  std::filesystem::create_directories(fixture.folder() / "common");
  write_atomic(fixture.folder() / "common" / "factor.cuh", std::string_view("#define FACTOR a\n"));
  replace_in(fixture.family() / "simple.cu", "a * x[i]", "FACTOR * x[i]");
  write_atomic(fixture.family() / "simple.cu",
               "#include \"common/factor.cuh\"\n" + read_text(fixture.family() / "simple.cu"));
  repository.git({"add", "common"});
  repository.commit();
  // Today the header has another text, and the kernel another parameter name in it.
  write_atomic(fixture.folder() / "common" / "factor.cuh", std::string_view("#define FACTOR (a + 0.0f)\n"));
  repository.git({"add", "common"});
  replace_in(fixture.family() / "simple.cu", "n < 0", "n < -1");
  const std::string before = repository.git({"status", "--porcelain", "-uno"});

  const Comparison result = compare(fixture, {simple(fixture, "@HEAD:A=2,B=2"), simple(fixture, ":A=2,B=2")});
  CHECK(repository.git({"status", "--porcelain", "-uno"}) == before);
  CHECK(before == "M  common/factor.cuh\n M scale/simple.cu\n");
  CHECK_THAT(result.kernels[0].name, Catch::Contains("scale/simple @HEAD ("));
  CHECK_FALSE(result.kernels[1].same_source);
  REQUIRE(result.kernels[1].speed);
  CHECK(result.kernels[1].speed->ratio == Approx(0.5).epsilon(0.02));  // 50 us at HEAD, 100 now
  // Trials of both are known by their own sources.
  CHECK(result.kernels[0].trial.source_hash != result.kernels[1].trial.source_hash);
  CHECK(fixture.database().source_text(result.kernels[0].trial.source_hash)->find("#define FACTOR a\n") !=
        std::string::npos);

  repository.git({"checkout", "-q", "HEAD", "--", "."});
  CHECK(compare(fixture, {simple(fixture, "@HEAD:A=2,B=2"), simple(fixture, ":A=2,B=2")}).kernels[1].same_program);
}

TEST_CASE("compare: a revision that cannot be read says why", "[session]") {
  if (!has_git()) return;
  SessionFixture fixture;
  CHECK_THROWS_WITH(compare(fixture, {simple(fixture), simple(fixture, "@HEAD")}),
                    Catch::Contains("is in no working tree of git"));
  const Repository repository(fixture);
  CHECK_THROWS_WITH(compare(fixture, {simple(fixture), simple(fixture, "@HEAD")}),
                    Catch::Contains("@HEAD: there is no such revision"));
  repository.git({"commit", "-q", "--allow-empty", "-m", "nothing"});
  CHECK_THROWS_WITH(compare(fixture, {simple(fixture), simple(fixture, "@HEAD")}), Catch::Contains("has no scale"));
  write_atomic(fixture.family() / "other.cu", std::string_view("#include \"lost.cuh\"\n"));
  write_atomic(fixture.family() / "other.toml", read_text(fixture.family() / "simple.toml"));
  repository.commit();
  const std::string other = (fixture.family() / "other").string();
  CHECK_THROWS_WITH(compare(fixture, {simple(fixture), other + "@HEAD"}),
                    Catch::StartsWith("HEAD:scale/other.cu:1: cannot find #include \"lost.cuh\""));
  std::filesystem::remove_all(fixture.family());  // what is gone today is still in the past
  CHECK(compare(fixture, {simple(fixture, "@HEAD:A=1"), simple(fixture, "@HEAD:A=2")}).kernels[1].speed);
  const char* path = std::getenv("PATH");
  ScopedVariable nowhere("PATH", fixture.folder().c_str());
  CHECK_THROWS_WITH(compare(fixture, {simple(fixture, "@HEAD"), simple(fixture, "@HEAD")}),
                    Catch::Contains("is read with git: cannot start 'git'"));
  CHECK(path != nullptr);
}

TEST_CASE("parse_subject: a revision, a trial, a source file", "[session]") {
  const SubjectName name = parse_subject("gemm/reg2d@origin/main~3:BM=64,BN=64");
  CHECK(name.family == "gemm");
  CHECK(name.variant == "reg2d");
  CHECK(name.revision == "origin/main~3");
  CHECK(name.configuration == "BM=64,BN=64");
  CHECK(subject_text(name) == "gemm/reg2d@origin/main~3:BM=64,BN=64");
  CHECK(parse_subject("gemm@HEAD@{1}").revision == "HEAD@{1}");
  CHECK(parse_subject("gemm@HEAD@{1}").family == "gemm");
  CHECK(parse_subject("trial:12").trial == 12);
  CHECK_THROWS_WITH(parse_subject("trial:x"), Catch::Contains("followed by the id of a trial"));
  CHECK_THROWS_AS(parse_subject("gemm/reg2d@"), UsageError);
  CHECK_THROWS_AS(parse_subject("gemm/reg2d@--output=x"), UsageError);
  CHECK_THROWS_WITH(refuse_revision(name), Catch::Contains("as they are now"));

  const SessionFixture fixture;
  const SubjectName file = parse_subject((fixture.family() / "simple.cu").string() + ":A=2");
  CHECK(file.family == fixture.family().string());
  CHECK(file.variant == "simple");
  CHECK(file.configuration == "A=2");
  const std::filesystem::path odd = fixture.folder() / "me@home";
  std::filesystem::copy(fixture.family(), odd);
  CHECK(parse_subject(odd.string()).revision.empty());
  CHECK(parse_subject((odd / "simple").string()).revision.empty());
  CHECK(parse_subject((odd / "simple").string() + "@v1").revision == "v1");
  CHECK(parse_subject(odd.string() + "@v1").family == odd.string());
}
