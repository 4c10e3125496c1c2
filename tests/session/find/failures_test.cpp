// Failed trials that failed alike come together, with a command that shows the fault again and a constraint that the
// spec's own parser takes.

#include "session/find/failures.h"

#include <fmt/format.h>

#include "catch.h"
#include "spec/expression/expression.h"

using namespace kerlab;

namespace {

Trial trial_of(std::int64_t id, const std::string& configuration, TrialStatus status, const std::string& message = "") {
  Trial result;
  result.id = id;
  result.family = "gemm";
  result.variant = "reg2d";
  result.problem = "gemm M=512 N=512 K=512 fp32 layout=nn";
  result.configuration = configuration;
  result.status = status;
  result.message = message;
  return result;
}

/// 60 configurations; those with STAGES above 4 and BM of 128 end with an illegal address.
std::vector<Trial> swept() {
  std::vector<Trial> trials;
  for (const int bm : {32, 64, 128})
    for (const int bn : {32, 64, 128, 256})
      for (const int stages : {2, 3, 4, 5, 6}) {
        const auto id = static_cast<std::int64_t>(trials.size()) + 1;
        const bool bad = bm == 128 && stages > 4;
        trials.push_back(trial_of(id, fmt::format("BM={} BN={} STAGES={}", bm, bn, stages),
                                  bad ? TrialStatus::illegal_address : TrialStatus::passed,
                                  bad ? fmt::format("kernel 'gemm': illegal access at 0x7f{:08x}", id * 4096) : ""));
      }
  return trials;
}

}  // namespace

TEST_CASE("failures: causes are equal but for numbers", "[session]") {
  const auto cause = [](const std::string& message) {
    return normal_cause(trial_of(1, "BM=64", TrialStatus::wrong, message));
  };
  CHECK(cause("kernel 'gemm2': at 0x7f3a00 in block 12") == "kernel 'gemm2': at # in block #");
  CHECK(cause("D, recipe normal v1 seed 1: 12 of 4096 wrong; [0, 3]: got -1.5e-3") ==
        cause("D, recipe normal v1 seed 1: 4096 of 4096 wrong; [7, 3]: got nan"));
  CHECK(cause("got -1.5e-03") == cause("got 2"));
  CHECK(cause("a trap\nand more") == "a trap");
  CHECK(cause("a trap") != cause("a hang"));
}

TEST_CASE("failures: those alike are one group with the constraint that excludes them", "[session]") {
  std::vector<Trial> trials = swept();
  trials.push_back(trial_of(90, "BM=96 BN=32 STAGES=2", TrialStatus::wrong, "D: 3 of 9 wrong"));
  trials.push_back(trial_of(91, "BM=96 BN=64 STAGES=2", TrialStatus::interrupted, "not begun"));
  const std::vector<FailureGroup> groups = group_failures(trials);
  REQUIRE(groups.size() == 2);
  const FailureGroup& faults = groups.front();
  CHECK(faults.trials == std::vector<std::int64_t>{44, 45, 49, 50, 54, 55, 59, 60});
  CHECK(faults.healthy == 52);
  CHECK(faults.cause == "kernel 'gemm': illegal access at 0x7f0002c000");
  REQUIRE(faults.exclusions.size() == 1);
  CHECK(faults.exclusions.front().condition == "BM * STAGES <= 512");
  CHECK(exclusion_text(faults, faults.exclusions.front()) == "BM * STAGES <= 512: 8 of 8, no healthy one of 52");
  CHECK(groups.back().first.id == 90);
  CHECK(groups.back().exclusions.empty());
}

TEST_CASE("failures: of other sources, problems and devices nothing is concluded", "[session]") {
  std::vector<Trial> trials = swept();
  for (Trial& one : trials)
    if (one.status == TrialStatus::passed) one.source_hash = "before the change";
  const std::vector<FailureGroup> groups = group_failures(trials);
  REQUIRE(groups.size() == 1);
  CHECK(groups.front().healthy == 0);
  CHECK(groups.front().exclusions.empty());
}

TEST_CASE("failures: the constraint is one that a spec may hold", "[session]") {
  const std::vector<FailureGroup> groups = group_failures(swept());
  CHECK(constraint_toml(groups.front(), 0) ==
        "[[constraint]]\n"
        "name = \"no_illegal_address\"\n"
        "condition = \"BM * STAGES <= 512\"\n"
        "doc = \"else illegal_address: 8 of 8 that ended so, none of 52 that passed\"\n");
  const Expression condition = Expression::parse(groups.front().exclusions.front().condition, {});
  CHECK(condition.evaluate({{"BM", 128}, {"STAGES", 4}}) == 1);
  CHECK(condition.evaluate({{"BM", 128}, {"STAGES", 5}}) == 0);
}

TEST_CASE("failures: what was never launched comes last", "[session]") {
  std::vector<Trial> trials;
  for (int i = 0; i < 9; ++i)
    trials.push_back(trial_of(i, fmt::format("BM={}", i), TrialStatus::rejected, "too large"));
  trials.push_back(trial_of(20, "BM=77", TrialStatus::trap, "a trap"));
  const std::vector<FailureGroup> groups = group_failures(trials);
  REQUIRE(groups.size() == 2);
  CHECK(groups.front().first.status == TrialStatus::trap);
  CHECK(group_failures({}).empty());
}

TEST_CASE("failures: the command that shows a fault again", "[session]") {
  const Trial faulty = trial_of(7, "BM=64 BN=32", TrialStatus::trap, "a trap");
  CHECK(reproduction(faulty, "gemm", " --db a.db") == "kerlab bench --db a.db --trial 7");
  CHECK(reproduction(faulty, "./my/gemm", "") == "kerlab bench ./my/gemm --trial 7");
  Trial late = trial_of(8, "BM=64 BN=32", TrialStatus::wrong, "thorough check: D: 3 of 9 wrong");
  late.reason = TrialReason::thorough;
  CHECK(
      reproduction(late, "gemm", " --db a.db") ==
      "kerlab check gemm --variant reg2d --config BM=64,BN=32 --M 512 --N 512 --K 512 --dtype fp32 --layout nn --only "
      "--db a.db");
}
