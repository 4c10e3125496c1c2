#pragma once
// What a run of `kerlab regress` found of one baseline: the row of its history, and everything that a report tells.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/modules.h"

namespace kerlab::trial {

/// In the order in which a screen lists them: worst first.
enum class RegressVerdict : std::uint8_t {
  wrong,           ///< does not compile, faults, or its result is wrong or less exact than it was
  regressed,       ///< more of something than the margin allows, or confirmed slower
  failed,          ///< the tool or its environment: a compiler that was killed, a device that went away
  inconclusive,    ///< too noisy to say, or not supported here
  not_comparable,  ///< the baseline's variant, parameter or tensors are gone
  improved,
  passed,
  identical,  ///< the same program, checked by the same check: nothing had to run
};
std::string_view name(RegressVerdict verdict);

/// One figure before and after.
struct FigureChange {
  enum class Judgement : std::uint8_t { untold, within, better, worse };  ///< untold: shown, not gated
  std::string name;
  double before = 0, after = 0;
  double margin = 0;  ///< 0.01: 1 %
  Judgement judgement = Judgement::untold;
};

/// A line of the source that executes more or less than it did.
struct LineChange {
  std::string place, source;           ///< "reg2d.cu:41", its text
  std::int64_t before = 0, after = 0;  ///< warp instructions
};

/// Today's time over the baseline's, both run side by side.
struct TimeRatio {
  double ratio = 1, low = 1, high = 1;  ///< 95 %
  double mde = 0;                       ///< the slow-down that would have been seen in 80 of 100 runs
  double sure = 0;                      ///< and in 99 of 100
  double base_us = 0, today_us = 0;
  std::optional<double> toolchain_ratio;  ///< the old source compiled today over the stored cubin
  int processes = 0;
};

struct RegressRow {
  std::string key, title, variant, configuration;
  RegressVerdict verdict = RegressVerdict::passed;
  std::string why;                               ///< one sentence; empty: nothing to say
  std::vector<std::string> notes;                ///< besides
  std::vector<FigureChange> changes;             ///< that differ, worst first
  double error_ratio = 0, base_error_ratio = 0;  ///< largest err / bound; 0: not looked at, nothing to compare with
  std::optional<TimeRatio> time;
  std::vector<FigureChange> toolchain;   ///< what a new compiler made of the old source
  std::vector<std::string> differences;  ///< options, launches and toolchain that are not what they were
  std::vector<LineChange> lines;         ///< most changed first
  std::string source_diff;               ///< unified
  std::string file;                      ///< the first of today's files that differs, else the kernel's own
  int line = 1;
  std::string reproduce;
  double seconds = 0;
};

struct RegressReport {
  std::string name, device, device_class, toolchain;
  std::vector<RegressRow> rows;  ///< worst first
  std::vector<std::string> notes;
  bool interrupted = false;
  double seconds = 0;
};

/// One row of the history.
struct RegressRun {
  std::int64_t id = 0;
  std::string name, key, device_class;
  std::string verdict;  ///< as `name(RegressVerdict)`; "recorded", "accepted"
  std::string why;
  double ratio = 0, low = 0, high = 0, mde = 0;  ///< of time; 0: none was measured
  double error_ratio = 0;
  std::string figures;  ///< "instructions=123 global_sectors=456 ..."
  std::string source_hash, toolchain, driver, device;
  std::string created;
};

template <typename Record, typename Visitor>
requires std::same_as<std::remove_cvref_t<Record>, RegressRun>
void columns(Record& r, Visitor&& visit) {
  visit("name", r.name);
  visit("key", r.key);
  visit("device_class", r.device_class);
  visit("verdict", r.verdict);
  visit("why", r.why);
  visit("ratio", r.ratio);
  visit("low", r.low);
  visit("high", r.high);
  visit("mde", r.mde);
  visit("error_ratio", r.error_ratio);
  visit("figures", r.figures);
  visit("source_hash", r.source_hash);
  visit("toolchain", r.toolchain);
  visit("driver", r.driver);
  visit("device", r.device);
  visit("created", r.created);
}

}  // namespace kerlab::trial
