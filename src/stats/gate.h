#pragma once
// Has a kernel become slower? Pairs of times, taken in fresh processes, judged so that an unchanged kernel does not
// fail. A process is the unit of analysis: pairs within one share its placement in memory and its clocks, and a test
// over them finds a "significant" difference between a kernel and itself in one run of five (pseudo-replication;
// Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013).

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::stats {

/// What one process saw: pair i is base_us[i], today_us[i], taken side by side.
struct ProcessPairs {
  std::vector<double> base_us, today_us;
};

struct GateRule {
  double margin = 0.01;       ///< a slow-down of this fraction, or less, is never a failure
  double equivalence = 0.05;  ///< to pass, one of this fraction must be excluded
  double floor_us = 0;        ///< nor is one of less time than this: the step of the clock
};

/// Today's time over the baseline's, from several processes.
struct PairedEffect {
  double ratio = 1, low = 1, high = 1;  ///< geometric mean over processes; each bound one-sided, 95 %
  double mde = 0;                       ///< slow-down (fraction) that such a run finds in 80 of 100 cases
  double sure = 0;                      ///< and in 99 of 100: both batches find it in 99.5 each
  double base_us = 0, today_us = 0;     ///< medians over everything
  int processes = 0;
  double spread = 0;  ///< standard deviation of ln(today / base) over processes
};

/// The effect of a process is the median over its pairs of ln(today / base); bounds by Student's t over processes.
/// Fewer than two usable processes: nothing. A time that is not positive makes its pair unusable.
std::optional<PairedEffect> estimate_effect(std::span<const ProcessPairs> processes, const GateRule& rule);

enum class GateVerdict { passed, regressed, improved, inconclusive };
std::string_view name(GateVerdict verdict);

/// What a batch of processes says by itself. regressed and improved are candidates only: see decide_gate. passed: a
/// slow-down beyond rule.equivalence is excluded. inconclusive: it is not.
GateVerdict look(const PairedEffect& effect, const GateRule& rule);

/// The first batch, and a second one of new processes where the first had a candidate: it stands only when the second
/// finds the same. Otherwise both together must exclude rule.equivalence, or the verdict is inconclusive.
GateVerdict decide_gate(std::span<const ProcessPairs> first, std::span<const ProcessPairs> second,
                        const GateRule& rule);

/// The same program on both sides: whether what the run says of others can be believed. False: its interval lies beyond
/// half the margin, or is wider than the margin to either side.
bool control_holds(const PairedEffect& control, const GateRule& rule);

/// What the clock that took these samples cannot see: two of its steps, the least difference of two samples being one
/// (32 ns between events of an H200). `most` where samples are too few or too far apart to show it, or all alike.
double clock_floor_us(std::vector<double> samples_us, double most);

/// Student's t: the value that a variable with `degrees` (at least 1) of freedom stays below with probability .95, .80,
/// .995. Beyond 12 degrees interpolated in 1 / degrees, at most 1 % too large.
double student_95(int degrees);
double student_80(int degrees);
double student_995(int degrees);

}  // namespace kerlab::stats
