#include "stats/gate.h"

#include <cmath>

#include "catch.h"
#include "stats/gate_machine.h"

using namespace kerlab;
using testing::Machine;
using testing::Noise;

namespace {

int count(double slower, GateVerdict wanted, Noise noise, int runs = 2000) {
  Machine machine(7, noise);
  int found = 0;
  for (int i = 0; i < runs; ++i) {
    const auto first = machine.batch(5, 8, slower), second = machine.batch(5, 8, slower);
    found += decide_gate(first, second, {}) == wanted ? 1 : 0;
  }
  return found;
}

ProcessPairs pair_of(double base, double today) {
  return {{base, base, base}, {today, today, today}};
}

}  // namespace

TEST_CASE("an unchanged kernel does not fail the gate, and hardly ever stays undecided", "[stats][gate]") {
  CHECK(count(1.0, GateVerdict::regressed, {}, 20000) == 0);
  CHECK(count(1.0, GateVerdict::improved, {}, 20000) == 0);
  CHECK(count(1.0, GateVerdict::passed, {}) >= 1990);
  const Noise loud{0.008, 0.02, 0.1};
  CHECK(count(1.0, GateVerdict::regressed, loud, 20000) <= 2);
}

TEST_CASE("a slow-down of five percent fails the gate every time, one of three nearly", "[stats][gate]") {
  CHECK(count(1.05, GateVerdict::regressed, {}) >= 1995);
  CHECK(count(1.03, GateVerdict::regressed, {}) >= 1960);
  CHECK(count(1.10, GateVerdict::regressed, Noise{0.008, 0.02, 0.1}) >= 1960);
  CHECK(count(1 / 1.05, GateVerdict::improved, {}) >= 1995);
}

TEST_CASE("a slow-down within the margin never fails", "[stats][gate]") {
  CHECK(count(1.009, GateVerdict::regressed, {}) <= 4);
  const auto none = estimate_effect(std::vector{pair_of(100, 100.9), pair_of(100, 100.9), pair_of(100, 100.9)}, {});
  REQUIRE(none);
  CHECK(look(*none, {}) == GateVerdict::passed);
}

TEST_CASE("the effect of a process is a median: one far sample in it does not matter", "[stats][gate]") {
  ProcessPairs odd = pair_of(100, 100);
  odd.today_us[1] = 900;
  const auto effect = estimate_effect(std::vector{pair_of(100, 100), odd}, {});
  REQUIRE(effect);
  CHECK(effect->ratio == Approx(1));
  CHECK(effect->low == Approx(1));
  CHECK(effect->processes == 2);
}

TEST_CASE("the bounds are those of Student's t over processes", "[stats][gate]") {
  const auto effect = estimate_effect(std::vector{pair_of(100, 101), pair_of(100, 102), pair_of(100, 103)}, {});
  REQUIRE(effect);
  const double a = std::log(1.01), b = std::log(1.02), c = std::log(1.03), mean = (a + b + c) / 3;
  const double sd = std::sqrt(((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 2);
  CHECK(effect->ratio == Approx(std::exp(mean)));
  CHECK(effect->low == Approx(std::exp(mean - 2.920 * sd / std::sqrt(3.0))));
  CHECK(effect->high == Approx(std::exp(mean + 2.920 * sd / std::sqrt(3.0))));
  CHECK(effect->mde == Approx(1.01 * std::exp((2.920 + 1.061) * sd / std::sqrt(3.0)) - 1));
  CHECK(effect->sure == Approx(1.01 * std::exp((2.920 + 9.925) * sd / std::sqrt(3.0)) - 1));
  CHECK(effect->spread == Approx(sd));
  CHECK(effect->base_us == Approx(100));
  CHECK(effect->today_us == Approx(102));
}

TEST_CASE("quantiles of Student's t, beyond the table as well", "[stats][gate]") {
  CHECK(student_95(4) == Approx(2.132));
  CHECK(student_995(4) == Approx(4.604));
  CHECK(student_95(23) == Approx(1.714).epsilon(0.005));
  CHECK(student_80(23) == Approx(0.858).epsilon(0.005));
  CHECK(student_995(23) == Approx(2.807).epsilon(0.01));
  CHECK(student_995(23) >= 2.807);
}

TEST_CASE("a slow-down of less time than the clock's step is no failure", "[stats][gate]") {
  GateRule rule;
  rule.floor_us = 1;
  const std::vector processes{pair_of(5, 5.5), pair_of(5, 5.5), pair_of(5, 5.5)};
  CHECK(decide_gate(processes, processes, rule) == GateVerdict::passed);
  rule.floor_us = 0.1;
  CHECK(decide_gate(processes, processes, rule) == GateVerdict::regressed);
}

TEST_CASE("one batch alone does not fail a kernel", "[stats][gate]") {
  const std::vector slow{pair_of(100, 110), pair_of(100, 110), pair_of(100, 110)};
  const std::vector same{pair_of(100, 100), pair_of(100, 100), pair_of(100, 100)};
  CHECK(decide_gate(slow, slow, {}) == GateVerdict::regressed);
  CHECK(decide_gate(slow, same, {}) == GateVerdict::inconclusive);
  CHECK(decide_gate(slow, {}, {}) == GateVerdict::inconclusive);
  CHECK(decide_gate(same, {}, {}) == GateVerdict::passed);
}

TEST_CASE("without two usable processes there is no estimate", "[stats][gate]") {
  CHECK_FALSE(estimate_effect(std::vector{pair_of(100, 100)}, {}));
  CHECK_FALSE(estimate_effect(std::vector{pair_of(100, 0), pair_of(0, 100), ProcessPairs{}}, {}));
  CHECK(decide_gate({}, {}, {}) == GateVerdict::inconclusive);
}

TEST_CASE("the clock's step is read from the samples", "[stats][gate]") {
  // Events of an H200; in milliseconds they are floats, which a difference shows.
  const double floor = clock_floor_us({7.968, 7.328, 7.3600001633, 7.328, 7.3600001633, 7.5199999846}, 1);
  CHECK(floor == Approx(0.064).epsilon(1e-4));
  CHECK(clock_floor_us({100, 120, 140}, 1) == 1);
  CHECK(clock_floor_us({100, 100, 100}, 1) == 1);
  CHECK(clock_floor_us({}, 1) == 1);
}

TEST_CASE("a slow-down of 3.5 percent of 28 us is no matter of the clock", "[stats][gate]") {
  GateRule rule;
  rule.floor_us = clock_floor_us({28.64, 28.608, 28.672, 28.8}, 1);
  std::vector<ProcessPairs> processes;
  for (const double ratio : {1.034, 1.035, 1.036, 1.0345, 1.0355}) processes.push_back({{28.64}, {28.64 * ratio}});
  CHECK(look(*estimate_effect(processes, rule), rule) == GateVerdict::regressed);
}

TEST_CASE("a control that differs from itself, or is too wide, does not hold", "[stats][gate]") {
  PairedEffect control{1.0, 0.997, 1.003, 0.02, 0.02, 100, 100, 5};
  CHECK(control_holds(control, {}));
  control = {1.004, 1.002, 1.006, 0.02, 0.02, 100, 100, 5};  // of no account
  CHECK(control_holds(control, {}));
  control = {1.012, 1.006, 1.018, 0.02, 0.02, 100, 100, 5};
  CHECK_FALSE(control_holds(control, {}));
  control = {1.0, 0.98, 1.02, 0.04, 0.04, 100, 100, 5};
  CHECK_FALSE(control_holds(control, {}));
}
