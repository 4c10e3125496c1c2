#include "trial/trial.h"

#include <set>

#include "catch.h"

using namespace kerlab;

namespace {
Trial sample() {
  Trial trial;
  trial.family = "gemm";
  trial.variant = "tile2d";
  trial.configuration = "BM=128 BN=64";
  trial.problem = "gemm M=64 N=64 K=64 fp32";
  trial.dtype = "fp32";
  trial.source_hash = "abc";
  trial.options = "-DBM=128 -DBN=64";
  trial.toolchain = "NVRTC 13.0";
  trial.device_class = "NVIDIA H200";
  trial.device_kind = "cuda";
  trial.check_version = kCheckVersion;
  return trial;
}
}  // namespace

TEST_CASE("trial status: every name parses back", "[trial]") {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(TrialStatus::impossible_time); ++i) {
    const auto status = static_cast<TrialStatus>(i);
    CAPTURE(name(status));
    CHECK(parse_trial_status(name(status)) == status);
    names.insert(std::string(name(status)));
  }
  CHECK(names.size() == static_cast<std::size_t>(TrialStatus::impossible_time) + 1);
  CHECK_FALSE(parse_trial_status("Passed").has_value());
  CHECK_FALSE(parse_trial_status("").has_value());
}

TEST_CASE("trial status: final and fault", "[trial]") {
  CHECK_FALSE(is_final(TrialStatus::compiling));
  CHECK_FALSE(is_final(TrialStatus::launching));
  CHECK_FALSE(is_final(TrialStatus::interrupted));
  for (const auto status : {TrialStatus::passed, TrialStatus::wrong, TrialStatus::compile_error, TrialStatus::rejected,
                            TrialStatus::impossible_time}) {
    CHECK(is_final(status));
    CHECK_FALSE(is_fault(status));
  }
  for (const auto status :
       {TrialStatus::illegal_address, TrialStatus::misaligned_address, TrialStatus::trap, TrialStatus::launch_failed,
        TrialStatus::timeout, TrialStatus::worker_crash, TrialStatus::compiler_crash, TrialStatus::compile_timeout}) {
    CHECK(is_final(status));
    CHECK(is_fault(status));
  }
}

TEST_CASE("trial key: identity decides, outcome does not", "[trial]") {
  Trial trial = sample();
  const std::string key = seal(trial);
  CHECK(key.size() == 32);
  CHECK(trial.key == key);

  trial.id = 7;
  trial.status = TrialStatus::wrong;
  trial.message = "tolerance";
  trial.session = 3;
  trial.registers = 168;
  trial.error_ratio = 2.5;
  trial.created = "2026-01-01T00:00:00Z";
  CHECK(seal(trial) == key);
}

TEST_CASE("trial key: every identity column counts", "[trial]") {
  Trial base = sample();
  std::set<std::string> keys{seal(base)};
  std::size_t changed = 0;
  for (std::string Trial::*member :
       {&Trial::family, &Trial::variant, &Trial::configuration, &Trial::problem, &Trial::dtype, &Trial::source_hash,
        &Trial::options, &Trial::toolchain, &Trial::device_class, &Trial::device_kind, &Trial::accuracy}) {
    Trial other = sample();
    other.*member += "x";
    keys.insert(seal(other));
    ++changed;
  }
  Trial newer = sample();
  newer.check_version += 1;
  keys.insert(seal(newer));
  CHECK(keys.size() == changed + 2);
}

TEST_CASE("trial key: text moving between columns changes it", "[trial]") {
  Trial a = sample(), b = sample();
  a.family = "gem";
  a.variant = "mtile2d";
  b.family = "gemm";
  b.variant = "tile2d";
  CHECK(seal(a) != seal(b));
}

TEST_CASE("decision: a rule is read as it was written", "[trial]") {
  for (const TieBreak tie_break : {TieBreak::none, TieBreak::registers, TieBreak::shared_memory, TieBreak::name})
    for (const bool strictest : {false, true})
      for (const char* others : {"", "python3 (pid 4711), node 2"}) {
        const DecisionRule rule{tie_break, strictest, others};
        INFO(rule_text(rule));
        CHECK(parse_decision_rule(rule_text(rule)) == rule);
      }
  const DecisionRule rule{TieBreak::registers, true, "python3 (pid 4711)"};
  CHECK(rule_text(rule) ==
        "tie: fewer registers of the strictest class of accuracy, while shared with python3 (pid 4711)");
  CHECK(tie_break_text({TieBreak::name, false, ""}) == "first by name");
  CHECK(rule_text({}) == "fastest");
  for (const char* text : {"", "tie: fastest", "fewer registers", "tie: more registers"})
    CHECK_FALSE(parse_decision_rule(text));
}
