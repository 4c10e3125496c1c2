// Sweeps of which a share is sabotaged in every way that kerlab promises to survive: they end, lose nothing, blame
// nobody healthy, find the best of the healthy, and name the constraint where the sabotage has a system.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/random.h"
#include "catch.h"
#include "device/script/script.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kVariant = R"toml(
[[parameter]]
name = "A"
values = [1, 2, 3, 4, 5, 6, 7, 8]
[[parameter]]
name = "B"
values = [1, 2, 3, 4, 5]
[[parameter]]
name = "C"
values = [0, 1, 2, 3]
[[launch]]
kernel = "simple"
grid = ["ceil_div(N, 32 * A * B)"]
block = [32]
shared = "A == 7 && B == 5 ? 300000 : 0"
arguments = ["x", "y", "N", "a"]
)toml";

constexpr std::string_view kSimple = R"cuda(
#if A == 8 && B == 5
#error this configuration does not compile
#endif
extern "C" __global__ void simple(const float* x, float* y, int n, float a) {
  int i = (blockIdx.x * 32 + threadIdx.x) * A * B;
  for (int k = 0; k < A * B && i < n; ++k, ++i) y[i] = a * x[i];
  if (n < 0) y[A] = B + 8 * C;  // never; makes every configuration a program of its own
}
)cuda";

constexpr int kConfigurations = 160;

struct Kind {
  std::string outcome;  ///< of the script; empty: the compiler's fault
  std::string compiler_fault;
  TrialStatus status;
};

const std::vector<Kind> kKinds{{"illegal_address", "", TrialStatus::illegal_address},
                               {"misaligned_address", "", TrialStatus::misaligned_address},
                               {"trap", "", TrialStatus::trap},
                               {"hang", "", TrialStatus::timeout},
                               {"out_of_memory", "", TrialStatus::out_of_memory},
                               {"load_failed", "", TrialStatus::load_failed},
                               {"launch_failed", "", TrialStatus::launch_failed},
                               {"wrong", "", TrialStatus::wrong},
                               {"nan", "", TrialStatus::wrong},
                               {"guard", "", TrialStatus::guard_violation},
                               {"input_modified", "", TrialStatus::input_modified},
                               {"sigkill", "", TrialStatus::worker_crash},
                               {"abort", "", TrialStatus::worker_crash},
                               {"", "crash", TrialStatus::compiler_crash},
                               {"", "kill", TrialStatus::compiler_crash},
                               {"", "hang", TrialStatus::compile_timeout}};

struct Place {
  int a, b, c;
  [[nodiscard]] std::string text() const { return fmt::format("A={} B={} C={}", a, b, c); }
  [[nodiscard]] std::string options() const { return fmt::format("-DA={} -DB={} -DC={}", a, b, c); }
  /// Sabotaged by the variant itself, in every sweep.
  [[nodiscard]] bool always() const { return b == 5 && a >= 7; }
  [[nodiscard]] bool systematic() const { return a == 6 && c >= 2; }
};

std::vector<Place> places() {
  std::vector<Place> all;
  for (int a = 1; a <= 8; ++a)
    for (int b = 1; b <= 5; ++b)
      for (int c = 0; c <= 3; ++c) all.push_back({a, b, c});
  return all;
}

/// What is done to whom: `percent` of all, a part of them by a system.
struct Sabotage {
  std::map<std::string, TrialStatus> expected;  ///< by configuration
  std::string rules, compiler_hook;

  explicit Sabotage(int percent) {
    for (const Place& place : places()) {
      if (place.always()) {
        expected[place.text()] = place.a == 8 ? TrialStatus::compile_error : TrialStatus::rejected;
      } else if (percent >= 10 && place.systematic()) {
        sabotage(place, kKinds.front());
      }
    }
    std::uint64_t state = 7;
    const std::vector<Place> all = places();
    for (std::size_t kind = 0; std::ssize(expected) < kConfigurations * percent / 100 + 8;) {
      const Place& place = all[random_below(state, all.size())];
      if (!expected.contains(place.text())) sabotage(place, kKinds[kind++ % kKinds.size()]);
    }
  }

  void sabotage(const Place& place, const Kind& kind) {
    expected[place.text()] = kind.status;
    if (kind.outcome.empty())
      compiler_hook += fmt::format("{}={};", place.options(), kind.compiler_fault);
    else
      rules += outcome(place.text(), kind.outcome);
  }
};

struct ScaleFixture : SessionFixture {
  ScaleFixture() : SessionFixture("") { write_atomic(family() / "simple.toml", kVariant); }
  /// A whole sweep with a database of its own.
  std::pair<TuneResult, std::map<std::string, Trial>> sweep(const Sabotage& sabotage) {
    write_script(sabotage.rules, "us = 100.0\nspread = 4.0\n");
    const ScopedVariable hook("KERLAB_COMPILER_FAULT", sabotage.compiler_hook.c_str());
    // Another source, so that the compilers have something to do; lab.cu is in the cache from the first sweep on.
    write_atomic(family() / "simple.cu", fmt::format("// {}\n{}", sabotage.expected.size(), kSimple));
    TuneOptions tune_options = options();
    if (!sabotage.compiler_hook.empty())
      tune_options.rig.compile_deadline = std::chrono::seconds(6);  // enough for an honest one
    Database database = Database::in_memory();
    TuneSession session(tune_options, database);
    while (session.step()) {
    }
    std::map<std::string, Trial> found;
    TuneResult result = session.result();
    for (Trial& trial : database.trials(result.problem.key, result.device.device_class()))
      found[trial.configuration] = std::move(trial);
    return {std::move(result), std::move(found)};
  }
};

const FailureGroup* group_with(const TuneResult& result, TrialStatus status, std::size_t at_least) {
  for (const FailureGroup& group : result.failures)
    if (group.first.status == status && group.trials.size() >= at_least) return &group;
  return nullptr;
}

}  // namespace

TEST_CASE("faults at scale: 1, 10 and 50 % of a sweep are sabotaged", "[session]") {
  ScaleFixture fixture;
  const auto [clean, healthy] = fixture.sweep(Sabotage(0));
  REQUIRE(clean.counts.passed == kConfigurations - 8);
  std::vector<std::pair<double, std::string>> order;  // scripted times are the same in every sweep
  for (const Place& place : places())
    if (!place.always()) order.emplace_back(scripted_us({100, 4, 0, 64}, "simple " + place.text(), 0), place.text());
  std::sort(order.begin(), order.end());
  REQUIRE(clean.rows.front().trial.configuration == order.front().second);

  for (const int percent : {1, 10, 50}) {
    INFO(percent << " %");
    const Sabotage sabotage(percent);
    const auto [result, trials] = fixture.sweep(sabotage);
    CHECK(result.counts.done == kConfigurations);
    CHECK(trials.size() == kConfigurations);  // nothing is lost
    for (const auto& [configuration, trial] : trials) {
      INFO(configuration << ": " << name(trial.status) << " " << trial.message);
      const auto expected = sabotage.expected.find(configuration);
      CHECK(trial.status == (expected == sabotage.expected.end() ? TrialStatus::passed : expected->second));
      CHECK(trial.message.empty() == (trial.status == TrialStatus::passed));
    }
    const auto best = std::find_if(order.begin(), order.end(),
                                   [&](const auto& entry) { return !sabotage.expected.contains(entry.second); });
    REQUIRE_FALSE(result.rows.empty());
    CHECK(result.rows.front().trial.configuration == best->second);

    std::set<std::int64_t> failed;  // each failure in one group
    for (const FailureGroup& group : result.failures) {
      CHECK_FALSE(group.cause.empty());
      failed.insert(group.trials.begin(), group.trials.end());
    }
    CHECK(failed.size() == sabotage.expected.size());
    const FailureGroup* rejected = group_with(result, TrialStatus::rejected, 4);
    REQUIRE(rejected != nullptr);
    REQUIRE_FALSE(rejected->exclusions.empty());
    CHECK(rejected->exclusions.front().condition == "A * B <= 32");  // A=8 B=5 does not compile, and says nothing
    if (percent < 10) continue;
    const FailureGroup* systematic = group_with(result, TrialStatus::illegal_address, 10);
    REQUIRE(systematic != nullptr);
    REQUIRE_FALSE(systematic->exclusions.empty());
    CHECK(systematic->exclusions.front().condition == "A != 6 || C < 2");
  }
}

TEST_CASE("faults at scale: who resembles those that hung is tried last, once, and briefly", "[session]") {
  ScaleFixture fixture;
  fixture.sweep(Sabotage(0));
  Sabotage hangs(0);
  for (const Place& place : places()) {
    if (place.systematic()) hangs.sabotage(place, {"hang", "", TrialStatus::timeout});
    if (place.a == 3 && place.b == 3) hangs.sabotage(place, {"", "hang", TrialStatus::compile_timeout});
  }
  const auto [result, trials] = fixture.sweep(hangs);
  CHECK(trials.size() == kConfigurations);
  std::size_t once = 0;
  for (const auto& [configuration, trial] : trials) {
    INFO(configuration << ": " << name(trial.status) << " " << trial.message);
    const auto expected = hangs.expected.find(configuration);
    CHECK(trial.status == (expected == hangs.expected.end() ? TrialStatus::passed : expected->second));
    if (trial.message.find("tried once, because") != std::string::npos) ++once;
  }
  // The first tell what they have in common, by chance at most one time in a thousand.
  CHECK(once >= 2);
  const FailureGroup* group = group_with(result, TrialStatus::timeout, 10);
  REQUIRE(group != nullptr);
  REQUIRE_FALSE(group->exclusions.empty());
  CHECK(group->exclusions.front().condition == "A != 6 || C < 2");
}
