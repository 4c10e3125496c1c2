// What a report collects from the database.
#include "session/analyse/report_data.h"

#include <fmt/format.h>

#include "catch.h"
#include "db/fixture.h"
#include "session/analyse/report_compare.h"
#include "session/report_fixture.h"

using namespace kerlab;
using Catch::Contains;

namespace {

testing::MadeUp small() {
  testing::MadeUp what;
  what.trials = 120;
  what.regress_runs = 24;
  return what;
}

LabReport report_of(const testing::MadeUp& what, const ReportOptions& options = {}) {
  Database database = Database::in_memory();
  testing::make_up(database, what);
  return collect_report(options, database);
}

std::string refusal(const testing::MadeUp& what, const ReportOptions& options) {
  try {
    report_of(what, options);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("report data: trials in the order they became known, sessions end to end", "[session]") {
  const LabReport report = report_of(small());
  REQUIRE(report.problems.size() == 1);
  const ReportProblem& problem = report.problems.front();
  CHECK(problem.title == "gemm 4096x4096x4096 bf16 nt");
  CHECK(problem.trials.size() == 120);
  CHECK(problem.sessions_begin == std::vector<std::size_t>{60});
  for (std::size_t i = 1; i < problem.trials.size(); ++i)
    CHECK(problem.trials[i].seconds >= problem.trials[i - 1].seconds);
  CHECK(problem.trials.back().seconds > 2 * 60 * 0.06);
  CHECK(report.sessions.size() == 2);
  CHECK(report.runs.size() == 24);
  REQUIRE(report.environments.size() == 1);
  CHECK(report.environments[0].drivers == std::vector<std::string>{"580.159.04"});
  CHECK(report.environments[0].least_mhz >= 1750);
}

TEST_CASE("report data: winner, finalists and roof are those of the newest decision", "[session]") {
  const ReportProblem problem = report_of(small()).problems.front();
  REQUIRE(problem.winner.has_value());
  const ReportTrial& winner = problem.trials[*problem.winner];
  CHECK(winner.winner);
  CHECK(winner.time->stage == TimingStage::final);
  CHECK(winner.trial.id == problem.decision->trial);
  CHECK(problem.previous.has_value());
  CHECK(problem.finalists.size() == 8);
  CHECK(problem.finalists.front().trial == *problem.winner);
  CHECK(problem.finalists.front().measurement.samples_us.size() == 60);
  REQUIRE(problem.theoretical.has_value());
  CHECK(winner.of_roof == Approx(problem.theoretical->minimum_us / winner.time->median_us));
  CHECK(winner.flops_per_s == Approx(2.0 * 4096 * 4096 * 4096 / winner.time->median_us * 1e6));
  CHECK_THAT(problem.sentence, Contains("right of the ridge") && Contains("the winner reaches"));
  CHECK(problem.searched == winner.trial.variant);
  CHECK(problem.importance.empty());  // fewer than 30 trials of its variant
  CHECK(!problem.library.empty());
  CHECK(!problem.failures.empty());
  CHECK(!problem.ladder.empty());
  for (const ReportTrial& one : problem.trials)
    CHECK(one.time.has_value() == (one.trial.status == TrialStatus::passed));
}

TEST_CASE("report data: the same problem, modelled and measured, is two problems", "[session]") {
  Database database = Database::in_memory();
  testing::MadeUp what = small();
  testing::make_up(database, what);
  what.device_kind = "emulated";  // of the same class: names do not tell them apart
  testing::make_up(database, what);
  const LabReport report = collect_report({}, database);
  REQUIRE(report.problems.size() == 2);
  for (const ReportProblem& problem : report.problems) {
    CHECK(problem.clock == (problem.device_kind == "cuda" ? ClockKind::measured : ClockKind::modelled));
    CHECK(problem.trials.size() == 120);
    for (const ReportTrial& one : problem.trials) {
      CHECK(one.trial.device_kind == problem.device_kind);
      if (one.time) CHECK(one.time->clock == problem.clock);
    }
    for (const ReportFinalist& finalist : problem.finalists) CHECK(finalist.measurement.clock == problem.clock);
    if (problem.clock == ClockKind::modelled) CHECK(problem.library.empty());
  }
}

TEST_CASE("report data: only what was asked for", "[session]") {
  testing::MadeUp what = small();
  what.problems.emplace_back("gemm M=512 N=512 K=512 bf16 layout=nn alpha=1 beta=0");
  ReportOptions options;
  options.family = "gemm";
  options.arguments = {{"M", "512"}};
  CHECK(report_of(what, options).problems.size() == 1);
  options.arguments = {{"M", "512..4K:x8"}};
  CHECK(report_of(what, options).problems.size() == 2);
  options.arguments = {{"layout", "nt"}};
  REQUIRE(report_of(what, options).problems.size() == 1);
  CHECK(report_of(what, options).problems[0].title == "gemm 4096x4096x4096 bf16 nt");
  options.arguments.clear();
  options.dtypes = "fp16";
  CHECK_THAT(refusal(what, options), Contains("nothing to report") && Contains("gemm M=512") && Contains("H200"));
  options.dtypes = "bf16,fp16";
  options.class_part = "h200";
  CHECK(report_of(what, options).problems.size() == 2);
  options.class_part = "A100";
  CHECK_THAT(refusal(what, options), Contains("nothing to report"));
}

TEST_CASE("report data: what was never tuned has no place among the winners", "[session]") {
  Database database = Database::in_memory();
  testing::make_up(database, small());
  const auto session = [&](const std::string& command, SessionPurpose purpose) {
    SessionRecord record;
    record.command = command;
    record.purpose = purpose;
    return database.begin_session(record);
  };
  db_test::begin(database);  // with the source that its trials name
  const std::int64_t bench = session("kerlab bench gemm --M 64 --db my tune notes.db", SessionPurpose::other);
  Trial trial = db_test::a_trial(bench, 1);
  trial.family = "gemm";
  trial.problem = "gemm M=64 N=64 K=64 bf16 layout=nt alpha=1 beta=0";
  seal(trial);
  database.put(trial);
  const LabReport report = collect_report({}, database);
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].decision);
  REQUIRE_FALSE(report.warnings.empty());
  CHECK_THAT(report.warnings.back(), Contains("never tuned") && Contains("64x64x64"));

  // A tune that was interrupted before it decided was one all the same; and where nothing else is there, it is shown.
  const std::int64_t tune = session("kerlab tune gemm --M 128", SessionPurpose::tune);
  trial.id = 0;
  trial.session = tune;
  trial.problem = "gemm M=128 N=128 K=128 bf16 layout=nt alpha=1 beta=0";
  seal(trial);
  database.put(trial);
  CHECK(collect_report({}, database).problems.size() == 2);
  ReportOptions only;
  only.arguments = {{"M", "64"}};
  CHECK(collect_report(only, database).problems.size() == 1);
}

TEST_CASE("report data: an empty database says how to fill it", "[session]") {
  CHECK_THAT(
      [] {
        try {
          collect_report({}, Database::in_memory());
          return std::string();
        } catch (const UsageError& error) {
          return std::string(error.what());
        }
      }(),
      Contains("it is empty") && Contains("kerlab tune"));
}

TEST_CASE("report data: a family whose files are gone has trials, but no roof", "[session]") {
  Database database = Database::in_memory();
  const std::int64_t session = db_test::begin(database);
  Trial trial = db_test::a_trial(session, 1);
  trial.family = "gone";
  trial.problem = "gone N=64 fp32";
  seal(trial);
  database.put(trial);
  Measurement time = db_test::measurement(trial);
  database.put(time);
  const LabReport report = collect_report({}, database);
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].title == "gone N=64 fp32");
  CHECK(!report.problems[0].theoretical.has_value());
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings[0], Contains("gone") && Contains("no roof"));
}

TEST_CASE("report data: another winner before is told, with its time in the newest session if it was measured there",
          "[session]") {
  Database database = Database::in_memory();
  const auto tried = [&](int number, double us, std::int64_t session) {
    Trial trial = db_test::a_trial(session, number);
    database.put(trial);
    Measurement time = db_test::measurement(trial, us);
    time.session = session;
    database.put(time);
    return std::pair(trial, time);
  };
  const std::int64_t first = db_test::begin(database);
  const auto [old_trial, old_time] = tried(1, 311, first);
  Decision before = db_test::decision(old_trial, old_time);
  before.created = "2026-11-20T00:00:00Z";
  database.put(before);
  const std::int64_t second = db_test::begin(database);
  const auto [new_trial, new_time] = tried(2, 291, second);
  Measurement again = db_test::measurement(old_trial, 305);
  again.session = second;
  database.put(again);
  Decision now = db_test::decision(new_trial, new_time);
  now.session = second;
  now.created = "2026-11-21T00:00:00Z";
  database.put(now);
  const ReportProblem problem = collect_report({}, database).problems.front();
  REQUIRE(problem.previous.has_value());
  CHECK(problem.previous->label == "tile2d BM=1");
  CHECK(problem.previous->median_us == 311);
  CHECK(problem.previous->again_us == 305);
  CHECK(problem.finalists.size() == 2);
}

TEST_CASE("report data: the simplest kernel that was timed, the shape, and the command of each trial", "[session]") {
  testing::MadeUp what = small();
  what.device_kind = "emulated";
  what.device_class = "Emulated H200 sm_90 132 SM 143771 MiB 1980/3201 MHz 6144 bit";
  ReportOptions options;
  options.repeated = " --db x.db";
  const ReportProblem problem = report_of(what, options).problems.front();
  REQUIRE(problem.naive.has_value());
  CHECK(problem.trials[problem.naive->trial].trial.variant == problem.ladder.front().variant);
  CHECK(!problem.naive->first);  // the fixture has no naive trial
  CHECK(problem.dimensions ==
        std::vector<std::pair<std::string, std::int64_t>>{{"M", 4096}, {"N", 4096}, {"K", 4096}, {"batch", 1}});
  const ReportTrial& winner = problem.trials[*problem.winner];
  CHECK(winner.reproduce == fmt::format("kerlab bench --db x.db --device emu:h200 --trial {}", winner.trial.id));
}

TEST_CASE("report data: problems stand by the size of their dimensions", "[session]") {
  testing::MadeUp what = small();
  what.problems.clear();
  for (const int m : {512, 64, 4096}) what.problems.push_back(fmt::format("softmax M={} N=512 bf16", m));
  std::vector<std::int64_t> sizes;
  for (const ReportProblem& problem : report_of(what).problems) sizes.push_back(problem.dimensions.front().second);
  CHECK(sizes == std::vector<std::int64_t>{64, 512, 4096});
}

TEST_CASE("report data: winners beside those of another database, and of sessions", "[session]") {
  Database now = Database::in_memory(), before = Database::in_memory();
  testing::MadeUp what = small();
  what.problems = {"softmax M=512 N=512 bf16", "softmax M=1024 N=512 bf16"};
  testing::make_up(now, what);
  what.problems = {"softmax M=512 N=512 bf16", "softmax M=64 N=512 bf16"};
  what.trials = 12;
  testing::make_up(before, what);
  const LabReport report = collect_report({}, now);
  const ReportComparison comparison = compare_databases({}, report, before);
  REQUIRE(comparison.problems.size() == 3);
  CHECK((comparison.problems[0].before && comparison.problems[0].now));
  CHECK((!comparison.problems[1].before && comparison.problems[1].now));
  CHECK((comparison.problems[2].before && !comparison.problems[2].now));
  CHECK(comparison.problems[0].now->trial.id == report.problems[0].decision->trial);

  // Two sessions of each problem: the second one decides among more.
  const std::int64_t newest = report.problems[0].decision->session;
  const ReportComparison sessions = compare_sessions(report, now, newest - 1, newest);
  REQUIRE(sessions.problems.size() == 1);
  CHECK(sessions.before == fmt::format("session {}", newest - 1));
  CHECK(sessions.problems[0].before->time.session == newest - 1);
  CHECK(sessions.problems[0].now->time.session == newest);
  CHECK(compare_sessions(report, now, newest - 1, 0).problems[0].now->time.session == newest);
  CHECK_THROWS_WITH(compare_sessions(report, now, 999, 0), Contains("session 999 decided none of these problems"));
}
