// One kernel tried again and again, on emulated and scripted devices.
#include "session/history/attempt.h"

#include "base/file.h"
#include "catch.h"
#include "locations.h"
#include "session/session_fixture.h"
#include "spec/new_family.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// A new family on the emulated H200, small enough that an attempt takes no time.
class NewFamily {
 public:
  NewFamily() : cache_("KERLAB_CACHE", (folder_ / "cache").c_str()), database_(Database::in_memory()) {
    write_new_family(folder_ / "my_op", "my_op");
  }
  [[nodiscard]] AttemptOptions options() const {
    AttemptOptions options;
    options.rig.device = "emu:h200";
    options.rig.program = kerlab_program();
    options.rig.jobs = 2;
    options.command = "kerlab watch";
    options.version = "test";
    return options;
  }
  [[nodiscard]] AttemptRequest request(const std::string& variant = "simple") const {
    return {parse_subject((folder_ / "my_op").string() + "/" + variant), {{"N", "10000"}}, ""};
  }
  /// Replaces a part of a file, which must be there.
  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read_text(folder_ / "my_op" / file);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    write_atomic(folder_ / "my_op" / file, std::string_view(text.replace(at, from.size(), to)));
  }
  [[nodiscard]] std::filesystem::path folder() const { return folder_ / "my_op"; }
  Database& database() { return database_; }

 private:
  TemporaryFolder folder_;
  ScopedVariable cache_;
  Database database_;
};

const Beside* find(const Attempt& attempt, const std::string& what) {
  for (const Beside& beside : attempt.beside)
    if (beside.what == what) return &beside;
  return nullptr;
}

}  // namespace

TEST_CASE("attempts: the second one finds data and reference where the first left them", "[session]") {
  NewFamily family;
  Attempts attempts(family.options(), family.database());
  const Attempt first = attempts.run(family.request()).finish();
  CHECK(first.number == 1);
  CHECK(first.label == "simple THREADS=256");
  CHECK(first.trial.status == TrialStatus::passed);
  CHECK(first.prepare_s > 0);
  CHECK(first.measurement->clock == ClockKind::modelled);
  CHECK(first.is_best);
  CHECK(first.beside.empty());
  CHECK(first.conflicts == 0);
  CHECK(first.occupancy > 0.9);
  REQUIRE(first.trial.id > 0);
  CHECK(family.database().trial(first.trial.id)->status == TrialStatus::passed);
  CHECK(family.database().latest_measurement(first.trial.id, TimingStage::bench)->median_us ==
        first.measurement->median_us);

  family.edit("simple.cu", "alpha * to_float(x[i])", "to_float(x[i]) * alpha");
  const Attempt second = attempts.run(family.request()).finish();
  CHECK(second.number == 2);
  CHECK(second.trial.status == TrialStatus::passed);
  CHECK(second.trial.source_hash != first.trial.source_hash);
  CHECK(second.prepare_s == 0);
  REQUIRE(find(second, "last"));
  CHECK(find(second, "last")->number == 1);
  CHECK(find(second, "last")->ratio == second.measurement->median_us / first.measurement->median_us);
  CHECK(find(second, "best")->number == 1);

  SECTION("another problem is made anew, and the first again when it comes back") {
    AttemptRequest other = family.request();
    other.arguments = {{"N", "20000"}};
    const Attempt third = attempts.run(other).finish();
    CHECK(third.prepare_s > 0);
    CHECK(third.beside.empty());
    CHECK(attempts.run(family.request()).finish().prepare_s > 0);
  }
  SECTION("another reference is another problem") {
    family.edit("reference.cu", "product + addend;", "addend + product + 0.0;");
    CHECK(attempts.run(family.request()).finish().prepare_s > 0);
  }
  SECTION("another variant is not compared, and needs no other data") {
    const Attempt third = attempts.run(family.request("unrolled")).finish();
    CHECK(third.prepare_s == 0);
    CHECK(third.beside.empty());
    CHECK(third.is_best);
  }
}

TEST_CASE("attempts: what fails is an attempt with a status, and the next one works", "[session]") {
  NewFamily family;
  Attempts attempts(family.options(), family.database());
  static_cast<void>(attempts.run(family.request()).finish());
  SECTION("the compiler's error is told in place") {
    family.edit("simple.cu", "if (i < n)", "iff (i < n)");
    const Attempt failed = attempts.run(family.request()).finish();
    CHECK(failed.trial.status == TrialStatus::compile_error);
    CHECK(failed.first_error == "simple.cu:6:3: error: identifier \"iff\" is undefined");
    CHECK(failed.beside.empty());
    family.edit("simple.cu", "iff (i < n)", "if (i < n)");
  }
  SECTION("a wrong result says where") {
    family.edit("simple.cu", "alpha * to_float(x[i])", "(i == 7 ? 2 : 1) * alpha * to_float(x[i])");
    const Attempt wrong = attempts.run(family.request()).finish();
    CHECK(wrong.trial.status == TrialStatus::wrong);
    CHECK_FALSE(wrong.report.passed());
    REQUIRE_FALSE(wrong.report.recipes.empty());
    CHECK(wrong.report.recipes.front().mismatches == 1);
    REQUIRE_FALSE(wrong.report.recipes.front().first.empty());
    CHECK(wrong.report.recipes.front().first.front().index == 7);
    CHECK_FALSE(wrong.measurement);
    family.edit("simple.cu", "(i == 7 ? 2 : 1) * alpha", "alpha");
  }
  SECTION("a fault costs the worker nothing") {
    family.edit("simple.cu", "x[i]", "x[i + 4000000000ll]");
    const Attempt fault = attempts.run(family.request()).finish();
    CHECK(fault.trial.status == TrialStatus::illegal_address);
    family.edit("simple.cu", "x[i + 4000000000ll]", "x[i]");
  }
  const Attempt mended = attempts.run(family.request()).finish();
  CHECK(mended.trial.status == TrialStatus::passed);
  CHECK(mended.number == 3);
  REQUIRE(find(mended, "last"));
  CHECK(find(mended, "last")->number == 1);
}

TEST_CASE("attempts: a broken spec is an error with its place, and the next attempt works", "[session]") {
  NewFamily family;
  Attempts attempts(family.options(), family.database());
  static_cast<void>(attempts.run(family.request()).finish());
  family.edit("simple.toml", "grid = [", "grid = [[");
  CHECK_THROWS_WITH(attempts.run(family.request()).finish(), Catch::Contains("simple.toml:"));
  family.edit("simple.toml", "grid = [[", "grid = [");
  const Attempt mended = attempts.run(family.request()).finish();
  CHECK(mended.trial.status == TrialStatus::passed);
  CHECK(mended.prepare_s == 0);
}

TEST_CASE("attempts: one that is given up keeps its files, and the next one works", "[session]") {
  NewFamily family;
  Attempts attempts(family.options(), family.database());
  std::optional<Stepped<Attempt>> trying = attempts.run(family.request());
  while (trying->step() && !attempts.knows_files()) continue;
  REQUIRE(attempts.knows_files());
  CHECK(attempts.files().own.size() == 4);
  trying.reset();
  attempts.end_here();
  CHECK(attempts.last_save() > 0);
  CHECK(attempts.run(family.request()).finish().trial.status == TrialStatus::passed);
}

TEST_CASE("attempts: know the files that they were made of", "[session]") {
  NewFamily family;
  write_atomic(family.folder() / "tile.cuh", std::string_view("#pragma once\n#define SCALE(a, b) ((a) * (b))\n"));
  family.edit("simple.cu", "#include \"common/types.cuh\"\n", "#include \"common/types.cuh\"\n#include \"tile.cuh\"\n");
  family.edit("simple.cu", "alpha * to_float(x[i])", "SCALE(alpha, to_float(x[i]))");
  Attempts attempts(family.options(), family.database());
  const KernelFiles files = attempts.run(family.request()).finish().files;
  CHECK(files.folder == std::filesystem::canonical(family.folder()));
  std::vector<std::string> names;
  for (const KernelFile& file : files.own) names.push_back(file.name);
  CHECK(names == std::vector<std::string>{"family.toml", "reference.cu", "simple.cu", "simple.toml", "tile.cuh"});
  CHECK(files.own[4].text == "#pragma once\n#define SCALE(a, b) ((a) * (b))\n");
  const auto& watched = files.watched;
  CHECK(std::ranges::any_of(watched, [](const auto& path) { return path.string().ends_with("common/types.cuh"); }));
  CHECK(std::ranges::none_of(watched, [](const auto& path) { return path.string().ends_with("unrolled.cu"); }));
}

TEST_CASE("attempts: where times are measured, last and best are timed in the same rounds", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  AttemptOptions options;
  options.rig = fixture.options().rig;
  options.rounds = 20;
  Attempts attempts(options, fixture.database());
  const auto run = [&](const std::string& configuration) {
    return attempts.run({parse_subject(fixture.family().string() + "/simple:" + configuration), {}, ""}).finish();
  };
  const Attempt slow = run("A=1,B=1"), quick = run("A=2,B=3");
  CHECK(slow.is_best);
  REQUIRE(find(quick, "last"));
  CHECK(find(quick, "last")->number == 1);
  CHECK(find(quick, "last")->ratio < 0.9);
  CHECK(find(quick, "last")->low < find(quick, "last")->ratio);
  CHECK(find(quick, "last")->high < 0.9);
  CHECK(quick.is_best);
  CHECK(quick.measurement->clock == ClockKind::scripted);
  const Attempt again = run("A=1,B=1");
  CHECK(find(again, "last")->number == 2);
  CHECK(find(again, "best")->number == 2);
  CHECK(find(again, "best")->ratio == find(again, "last")->ratio);
  CHECK_FALSE(again.is_best);
  const Attempt other = run("A=3,B=1");
  CHECK(find(other, "last")->number == 3);
  CHECK(find(other, "best")->number == 2);
  CHECK(find(other, "best")->low > 1);
  CHECK(fixture.database().measurements(other.trial.id).size() == 1);
}

TEST_CASE("attempts: a worker that dies is made ready again", "[session]") {
  SessionFixture fixture(outcome("A=1 B=2", "sigkill"));
  AttemptOptions options;
  options.rig = fixture.options().rig;
  Attempts attempts(options, fixture.database());
  const auto run = [&](const std::string& configuration) {
    return attempts.run({parse_subject(fixture.family().string() + "/simple:" + configuration), {}, ""}).finish();
  };
  CHECK(run("A=1,B=1").trial.status == TrialStatus::passed);
  CHECK(run("A=1,B=2").trial.status == TrialStatus::worker_crash);
  const Attempt after = run("A=1,B=3");
  CHECK(after.trial.status == TrialStatus::passed);
  CHECK(after.prepare_s > 0);
  CHECK(run("A=1,B=1").prepare_s == 0);
}
