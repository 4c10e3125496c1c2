#pragma once
// The records: trial (identity, status, check), measurement (samples under one protocol), decision (a session's
// verdict). Each column list is written once, here, and used by the database and the reports.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plan/time_source.h"

namespace kerlab::trial {

/// How a trial stands. `passed` alone may be timed, ranked and win.
enum class TrialStatus : std::uint8_t {
  compiling,        ///< intent, committed before the compile
  launching,        ///< intent, committed before the first launch: a crash of the parent names its culprit
  interrupted,      ///< left `compiling` or `launching` by a dead parent: tried again
  passed,           ///< checked and right
  wrong,            ///< ran, and the result is wrong (tolerance, NaN, exactness)
  guard_violation,  ///< wrote outside its buffers
  input_modified,
  compile_error,
  compile_timeout,
  compiler_crash,
  rejected,  ///< impossible launch, zero occupancy, serialised wgmma, spills: never launched
  load_failed,
  out_of_memory,
  illegal_address,
  misaligned_address,
  trap,
  launch_failed,
  timeout,
  worker_crash,     ///< the worker process died (signal named in message)
  unsupported,      ///< the emulator lacks an instruction
  impossible_time,  ///< faster than the theoretical roof by more than 2 %
};
std::string_view name(TrialStatus status);
std::optional<TrialStatus> parse_trial_status(std::string_view name);
bool is_final(TrialStatus status);  ///< not compiling, launching, interrupted
bool is_fault(TrialStatus status);  ///< ended by the device or a child process: shown as a culprit
/// It ended before the kernel ran, or was not its doing: nothing was learnt about whether it is right.
bool never_ran(TrialStatus status);

/// Why a trial has its status, where several things lead to it.
enum class TrialReason : std::uint8_t {
  none,
  launch,         ///< rejected: the device takes no such grid, block or cluster
  shared_memory,  ///< rejected: more than a block can have
  occupancy,      ///< rejected: not one block fits an SM
  spills,         ///< rejected
  serialised,     ///< rejected: wgmma
  small_problem,  ///< it failed where it was checked first
  thorough,       ///< it failed in the last check of a winner
  thorough_small,
  thorough_elsewhere,  ///< the same, on the small problem, on another than the one tuned for
  twin,                ///< passed: the same program as another trial, whose time it has
};
std::string_view name(TrialReason reason);  ///< of `none` empty
std::optional<TrialReason> parse_trial_reason(std::string_view name);

/// variant + configuration + problem + device + toolchain.
struct Trial {
  std::int64_t id = 0;
  std::string key;  ///< digest of everything from `family` to `accuracy`; unique
  // identity
  std::string family, variant;
  std::string configuration;  ///< canonical: "BM=128 BN=64 ..." in the variant's parameter order
  std::string problem;        ///< ProblemPlan::key
  std::string dtype;
  std::string source_hash;   ///< the variant's source with transitive includes
  std::string options;       ///< NVRTC options, space separated
  std::string toolchain;     ///< "NVRTC 13.0"
  std::string device_class;  ///< DeviceInfo::device_class()
  std::string device_kind;   ///< cuda, emulated, script
  std::int64_t check_version = 0;
  std::string accuracy;  ///< accuracy_text of the kernel's class; empty: the strictest
  // outcome
  TrialStatus status = TrialStatus::compiling;
  std::string message;  ///< place, cause, remedy, without the trial's own name; of one that passed only for `twin`
  TrialReason reason = TrialReason::none;
  std::int64_t session = 0;  ///< that decided the status
  // resources of the heaviest kernel
  std::int64_t registers = 0, spill_bytes = 0, shared_bytes = 0, blocks_per_sm = 0, threads = 0;
  double compile_ms = 0;
  // check
  double error_ratio = 0;  ///< largest err / tolerance over recipes and outputs
  std::int64_t mismatches = 0;
  std::string check_detail;  ///< JSON: per recipe
  std::string created;       ///< UTC, ISO 8601
};

/// What a measurement was taken for.
enum class TimingStage : std::uint8_t {
  screen,  ///< of the sweep: three launches
  final,   ///< of finalists, interleaved
  bench,   ///< asked for
};
std::string_view name(TimingStage stage);
std::optional<TimingStage> parse_timing_stage(std::string_view name);
/// Whose times are believed first.
inline constexpr TimingStage kMostTrustedFirst[] = {TimingStage::final, TimingStage::bench, TimingStage::screen};

/// Samples of one trial under one protocol. What must agree for two to be compared: protocol, recipe, cache, clock.
struct Measurement {
  std::int64_t id = 0;
  std::int64_t trial = 0;
  std::int64_t session = 0;
  std::string protocol;  ///< "events-1", "graph-1", "host-1"
  TimingStage stage = TimingStage::bench;
  std::string recipe;  ///< "normal v1 seed 1"
  CacheState cache = CacheState::cold;
  ClockKind clock = ClockKind::measured;
  std::string device_uuid, driver;
  double median_us = 0, low_us = 0, high_us = 0;  ///< 95 % interval of the median
  double mad_us = 0, minimum_us = 0;
  double sm_clock_mhz = 0;
  std::vector<double> samples_us;  ///< raw, in order taken
  std::string created;
  std::string shared_with;  ///< who else used the device meanwhile: "python3 (pid 4711)"; empty: nobody was seen
  std::string conditions;   ///< what the device said of itself meanwhile: "652 W, 61 C, power cap"; empty: nothing
};

/// A vendor's library, timed in the same rounds as a measurement of ours.
struct LibraryTime {
  std::int64_t id = 0;
  std::int64_t measurement = 0;                     ///< ours: says of which problem, on which device, when
  std::string label;                                ///< "cuBLASLt 13.0.2, best of 16 algorithms"
  double median_us = 0, low_us = 0, high_us = 0;    ///< 95 % interval of the median
  double ratio = 0, ratio_low = 0, ratio_high = 0;  ///< paired: its time over ours; 0: too few rounds to say
  std::string created;
};

/// What goes first where finalists tie.
enum class TieBreak : std::uint8_t { none, registers, shared_memory, name };

/// What a decision rests on.
struct DecisionRule {
  TieBreak tie_break = TieBreak::none;  ///< none: the winner is the fastest
  bool strictest = false;               ///< others are of a weaker class of accuracy, and had no say
  std::string shared_with;              ///< as of Measurement, while the finals ran
  bool operator==(const DecisionRule&) const = default;
};
/// As it is stored: "fastest", "tie: fewer registers of the strictest class of accuracy, while shared with NAMES".
std::string rule_text(const DecisionRule& rule);
std::optional<DecisionRule> parse_decision_rule(std::string_view text);
/// Where it is told already that they tie: "fewer registers".
std::string tie_break_text(const DecisionRule& rule);

/// A session's verdict on a problem. The winner of a problem is the newest decision.
struct Decision {
  std::int64_t id = 0;
  std::int64_t session = 0;
  std::string problem, dtype, family;
  std::string device_class;
  std::int64_t trial = 0;        ///< the winner
  std::int64_t measurement = 0;  ///< the final measurement it rests on
  std::string tie_set;           ///< trial ids, comma separated, winner first
  DecisionRule rule;
  std::int64_t candidates = 0;  ///< configurations tried
  std::string created;
};

/// How a run of a command stands. One whose process is gone is `interrupted`.
enum class SessionState : std::uint8_t { running, finished, interrupted };
std::string_view name(SessionState state);
std::optional<SessionState> parse_session_state(std::string_view name);

/// What a run of a command was for.
enum class SessionPurpose : std::uint8_t {
  unknown,  ///< an older kerlab wrote it; older_rows/session.sql finds it out
  tune,     ///< to find a winner
  other,    ///< what was asked for was checked, timed or tried: it has no winner
};
std::string_view name(SessionPurpose purpose);
std::optional<SessionPurpose> parse_session_purpose(std::string_view name);

/// One run of a command that records.
struct SessionRecord {
  std::int64_t id = 0;
  std::string command;  ///< as typed
  std::string version;  ///< of kerlab
  std::string host;
  std::string device;  ///< "cuda:0 NVIDIA H200"
  SessionState state = SessionState::running;
  std::string created, ended;
  double wall_s = 0;
  SessionPurpose purpose = SessionPurpose::other;
};

/// Calls visit("column", record.member) for every column but the id, in the schema's order.
template <typename Record, typename Visitor>
requires std::same_as<std::remove_cvref_t<Record>, Trial>
void columns(Record& r, Visitor&& visit) {
  visit("key", r.key);
  visit("family", r.family);
  visit("variant", r.variant);
  visit("configuration", r.configuration);
  visit("problem", r.problem);
  visit("dtype", r.dtype);
  visit("source_hash", r.source_hash);
  visit("options", r.options);
  visit("toolchain", r.toolchain);
  visit("device_class", r.device_class);
  visit("device_kind", r.device_kind);
  visit("check_version", r.check_version);
  visit("accuracy", r.accuracy);
  visit("status", r.status);
  visit("message", r.message);
  visit("session", r.session);
  visit("registers", r.registers);
  visit("spill_bytes", r.spill_bytes);
  visit("shared_bytes", r.shared_bytes);
  visit("blocks_per_sm", r.blocks_per_sm);
  visit("threads", r.threads);
  visit("compile_ms", r.compile_ms);
  visit("error_ratio", r.error_ratio);
  visit("mismatches", r.mismatches);
  visit("check_detail", r.check_detail);
  visit("created", r.created);
  visit("reason", r.reason);
}

template <typename Record, typename Visitor>
requires std::same_as<std::remove_cvref_t<Record>, Measurement>
void columns(Record& r, Visitor&& visit) {
  visit("trial", r.trial);
  visit("session", r.session);
  visit("protocol", r.protocol);
  visit("stage", r.stage);
  visit("recipe", r.recipe);
  visit("cache", r.cache);
  visit("clock", r.clock);
  visit("device_uuid", r.device_uuid);
  visit("driver", r.driver);
  visit("median_us", r.median_us);
  visit("low_us", r.low_us);
  visit("high_us", r.high_us);
  visit("mad_us", r.mad_us);
  visit("minimum_us", r.minimum_us);
  visit("sm_clock_mhz", r.sm_clock_mhz);
  visit("samples_us", r.samples_us);
  visit("created", r.created);
  visit("shared_with", r.shared_with);
  visit("conditions", r.conditions);
}

template <typename Record, typename Visitor>
requires std::same_as<std::remove_cvref_t<Record>, LibraryTime>
void columns(Record& r, Visitor&& visit) {
  visit("measurement", r.measurement);
  visit("label", r.label);
  visit("median_us", r.median_us);
  visit("low_us", r.low_us);
  visit("high_us", r.high_us);
  visit("ratio", r.ratio);
  visit("ratio_low", r.ratio_low);
  visit("ratio_high", r.ratio_high);
  visit("created", r.created);
}

template <typename Record, typename Visitor>
requires std::same_as<std::remove_cvref_t<Record>, Decision>
void columns(Record& r, Visitor&& visit) {
  visit("session", r.session);
  visit("problem", r.problem);
  visit("dtype", r.dtype);
  visit("family", r.family);
  visit("device_class", r.device_class);
  visit("trial", r.trial);
  visit("measurement", r.measurement);
  visit("tie_set", r.tie_set);
  visit("rule", r.rule);
  visit("candidates", r.candidates);
  visit("created", r.created);
}

template <typename Record, typename Visitor>
requires std::same_as<std::remove_cvref_t<Record>, SessionRecord>
void columns(Record& r, Visitor&& visit) {
  visit("command", r.command);
  visit("version", r.version);
  visit("host", r.host);
  visit("device", r.device);
  visit("state", r.state);
  visit("created", r.created);
  visit("ended", r.ended);
  visit("wall_s", r.wall_s);
  visit("purpose", r.purpose);
}

/// "tile2d", with the class of accuracy behind it where that is weaker: "strassen (normwise)".
std::string variant_text(const Trial& trial);
/// The same with the configuration: "tile2d BM=64", "strassen BM=64 (normwise)".
std::string label_text(const Trial& trial);
/// How it ended, where nothing else names it: "wrong: tile2d BM=64: y, recipe normal: 3 of 9 wrong".
std::string ending_text(const Trial& trial);

/// The digest of a trial's identity columns: sets and returns `key`.
const std::string& seal(Trial& trial);

/// Version of the check protocol: recipes, tolerance formula, guards. Part of the trial key.
inline constexpr std::int64_t kCheckVersion = 3;

}  // namespace kerlab::trial
