#include "stats/gate_plan.h"

#include "catch.h"
#include "stats/gate_machine.h"

using namespace kerlab;
using testing::Machine;
using testing::Noise;

namespace {

constexpr double kClockUs = 0.032;  // of events on an H200

/// Fitted to what kernels of 6 to 8 us showed on an H200, over processes of 8 and of 32 pairs: 0.6 % and 0.6 %
/// (gemm 256^3), 0.6 % and 0.4 % (reduce), 2.0 % and 0.7 % (gemv).
constexpr Noise kGemm{0.0039, 0.004, 0.03, 1.3, 6, kClockUs};
constexpr Noise kReduce{0.0017, 0.0083, 0.03, 1.3, 8, kClockUs};
constexpr Noise kGemv{0.001, 0.015, 0.15, 1.2, 6, kClockUs};
/// The shortest kernels that the gate is for, where a slow-down of 2 % is three steps of the clock.
constexpr Noise kShort{0.002, 0.004, 0.03, 1.3, 5, kClockUs};
constexpr Noise kSilent{0.0003, 0.0003, 0, 1, 5.02, kClockUs};
/// What reference measurements showed, and a long kernel.
constexpr Noise kReference{};
constexpr Noise kLong{0.003, 0.004, 0.03, 1.1, 1000, kClockUs};

struct Found {
  int regressed = 0, improved = 0, inconclusive = 0, processes = 0;
};

/// What TimeGate does, on a machine: the first batch, the one that confirms, and the verdict.
GateVerdict run_plan(Machine& machine, double us, double slower, Found& found) {
  GateRule rule;
  rule.floor_us = 2 * kClockUs;
  const GatePlan plan;
  const int pairs = pairs_for(us, plan);
  std::vector<ProcessPairs> first, second;
  const auto take = [&](std::vector<ProcessPairs>& batch, int processes) {
    for (ProcessPairs& one : machine.batch(processes, pairs, slower)) batch.push_back(std::move(one));
  };
  while (const int lacking = processes_lacking(first, rule, plan)) take(first, first.empty() ? lacking : 1);
  const GateVerdict suspicion = look(*estimate_effect(first, rule), rule);
  if (suspicion == GateVerdict::regressed || suspicion == GateVerdict::improved)
    while (const int lacking = processes_lacking_to_confirm(first, second, rule, plan))
      take(second, second.empty() ? lacking : 1);
  found.processes += static_cast<int>(first.size() + second.size());
  return decide_gate(first, second, rule);
}

Found simulate(const Noise& noise, double slower, int runs = 1000) {
  Machine machine(21, noise);
  Found found;
  for (int i = 0; i < runs; ++i) {
    const GateVerdict verdict = run_plan(machine, noise.us, slower, found);
    found.regressed += verdict == GateVerdict::regressed ? 1 : 0;
    found.improved += verdict == GateVerdict::improved ? 1 : 0;
    found.inconclusive += verdict == GateVerdict::inconclusive ? 1 : 0;
  }
  return found;
}

std::vector<ProcessPairs> spread_out(double spread, int processes) {
  std::vector<ProcessPairs> all;
  for (int i = 0; i < processes; ++i) all.push_back({{100}, {100 * std::exp(i % 2 == 0 ? spread : -spread)}});
  return all;
}

/// No alarm of `runs` unchanged kernels, 99 of 100 slow-downs of 2 %.
void check_power(int runs) {
  struct Kernel {
    const char* what;
    Noise noise;
  };
  for (const auto& [what, noise] :
       {Kernel{"gemm 256^3", kGemm}, Kernel{"reduce", kReduce}, Kernel{"gemv", kGemv}, Kernel{"5 us", kShort},
        Kernel{"5 us, silent", kSilent}, Kernel{"reference", kReference}, Kernel{"1 ms", kLong}}) {
    const Found same = simulate(noise, 1, runs), slower = simulate(noise, 1.02, runs);
    INFO(what << ", " << runs << " of each: 2 % slower " << slower.regressed << " found; processes " << same.processes
              << ", " << slower.processes);
    CHECK(same.regressed == 0);
    CHECK(same.improved == 0);
    CHECK(same.inconclusive <= runs / 1000);
    CHECK(slower.regressed >= 0.99 * runs);
    CHECK(slower.improved == 0);
  }
}

}  // namespace

TEST_CASE("a thousand unchanged kernels raise no alarm; of those 2 percent slower 99 of 100 are found",
          "[stats][gate]") {
  check_power(1000);
  CHECK(simulate(kShort, 1 / 1.02).improved >= 990);
}

TEST_CASE("the power of the gate and its false alarms, of 20,000 runs a kernel", "[.][nightly]") {
  check_power(20000);
}

TEST_CASE("a slow-down within the margin is no alarm under the plan either", "[stats][gate]") {
  CHECK(simulate(kReference, 1.005).regressed == 0);
  CHECK(simulate(kReference, 1.009).regressed <= 3);  // at the margin itself 0.05 of 0.05
}

TEST_CASE("the plan asks for processes by the spread, and not by the effect", "[stats][gate]") {
  const GatePlan plan;
  const GateRule rule;
  const auto wanted = [&](double spread) {
    return processes_wanted(*estimate_effect(spread_out(spread, 6), rule), rule, plan);
  };
  CHECK(wanted(0.0005) == 5);
  CHECK(wanted(0.003) > 5);
  CHECK(wanted(0.006) > wanted(0.003));
  CHECK(wanted(0.2) == 24);
  auto slow = spread_out(0.003, 6);
  for (ProcessPairs& one : slow) one.today_us.front() *= 1.3;
  CHECK(processes_wanted(*estimate_effect(slow, rule), rule, plan) == wanted(0.003));
  GateRule wide;
  wide.margin = 0.1;  // what is asked for moves with the margin
  CHECK(processes_wanted(*estimate_effect(spread_out(0.003, 6), wide), wide, plan) <= wanted(0.003) + 1);
}

TEST_CASE("a batch is complete when its spread wants no more, and one that confirms is no smaller", "[stats][gate]") {
  const GatePlan plan;
  CHECK(processes_lacking({}, {}, plan) == 5);
  CHECK(processes_lacking(spread_out(0.0005, 3), {}, plan) == 2);
  CHECK(processes_lacking(spread_out(0.0005, 5), {}, plan) == 0);
  CHECK(processes_lacking(spread_out(0.2, 5), {}, plan) == 19);
  CHECK(processes_lacking(spread_out(0.2, 24), {}, plan) == 0);
  const auto noisy = spread_out(0.006, 12), quiet = spread_out(0.0005, 12);
  CHECK(processes_lacking_to_confirm(noisy, {}, {}, plan) == 12);
  CHECK(processes_lacking_to_confirm(quiet, quiet, {}, plan) == 0);
  CHECK(processes_lacking_to_confirm(quiet, spread_out(0.2, 12), {}, plan) == 12);
  const std::vector<ProcessPairs> unusable(5, ProcessPairs{{0}, {1}});
  CHECK(processes_lacking(unusable, {}, plan) == 19);
}

TEST_CASE("where time is short the longer kernels get their processes", "[stats][gate]") {
  const std::vector<double> us = {10, 1000, 100, 500}, process_s = {1, 1, 1, 1};
  std::vector<int> lacking = {2, 3, 0, 4};
  keep_what_fits(lacking, us, process_s, 5.5);
  CHECK(lacking == std::vector{2, 3, 0, 0});  // the longest, and of the others what still fits
  keep_what_fits(lacking, us, process_s, -1);
  CHECK(lacking == std::vector{0, 0, 0, 0});
}

TEST_CASE("short kernels have more pairs in a process", "[stats][gate]") {
  const GatePlan plan;
  CHECK(pairs_for(5, plan) == 32);
  CHECK(pairs_for(125, plan) == 32);
  CHECK(pairs_for(250, plan) == 16);
  CHECK(pairs_for(3000, plan) == 8);
  CHECK(pairs_for(0, plan) == 8);  // not known
  GatePlan fixed;
  fixed.most_pairs = fixed.pairs = 3;
  CHECK(pairs_for(5, fixed) == 3);
}
