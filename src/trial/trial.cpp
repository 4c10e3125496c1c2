#include "trial/trial.h"

#include <algorithm>
#include <array>

#include "base/enum_words.h"
#include "base/hash.h"

namespace kerlab::trial {

namespace {

enum class Outcome { open, decided, fault };

struct StatusRow {
  TrialStatus status;
  std::string_view name;
  Outcome outcome;
};

constexpr std::array kStatuses{
    StatusRow{TrialStatus::compiling, "compiling", Outcome::open},
    StatusRow{TrialStatus::launching, "launching", Outcome::open},
    StatusRow{TrialStatus::interrupted, "interrupted", Outcome::open},
    StatusRow{TrialStatus::passed, "passed", Outcome::decided},
    StatusRow{TrialStatus::wrong, "wrong", Outcome::decided},
    StatusRow{TrialStatus::guard_violation, "guard_violation", Outcome::decided},
    StatusRow{TrialStatus::input_modified, "input_modified", Outcome::decided},
    StatusRow{TrialStatus::compile_error, "compile_error", Outcome::decided},
    StatusRow{TrialStatus::compile_timeout, "compile_timeout", Outcome::fault},
    StatusRow{TrialStatus::compiler_crash, "compiler_crash", Outcome::fault},
    StatusRow{TrialStatus::rejected, "rejected", Outcome::decided},
    StatusRow{TrialStatus::load_failed, "load_failed", Outcome::decided},
    StatusRow{TrialStatus::out_of_memory, "out_of_memory", Outcome::decided},
    StatusRow{TrialStatus::illegal_address, "illegal_address", Outcome::fault},
    StatusRow{TrialStatus::misaligned_address, "misaligned_address", Outcome::fault},
    StatusRow{TrialStatus::trap, "trap", Outcome::fault},
    StatusRow{TrialStatus::launch_failed, "launch_failed", Outcome::fault},
    StatusRow{TrialStatus::timeout, "timeout", Outcome::fault},
    StatusRow{TrialStatus::worker_crash, "worker_crash", Outcome::fault},
    StatusRow{TrialStatus::unsupported, "unsupported", Outcome::decided},
    StatusRow{TrialStatus::impossible_time, "impossible_time", Outcome::decided},
};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    if (static_cast<std::size_t>(kStatuses[i].status) != i) return false;
  }
  return static_cast<std::size_t>(TrialStatus::impossible_time) + 1 == kStatuses.size();
}
static_assert(in_enum_order(), "kStatuses lists every TrialStatus in its order");

const StatusRow& row(TrialStatus status) {
  return kStatuses.at(static_cast<std::size_t>(status));
}

/// Feeds the identity columns (those between `key` and `status`) to a hasher; the rest of a trial is its outcome.
struct IdentityHasher {
  FieldHasher hasher;
  bool identity = false;

  void operator()(std::string_view column, const std::string& value) {
    // A column that came later: where it is empty the key is what it was before.
    if (identity && !(column == "accuracy" && value.empty())) hasher.field(column, value);
    if (column == "key") identity = true;
  }
  void operator()(std::string_view column, std::int64_t value) {
    if (identity) hasher.field(column, std::to_string(value));
  }
  void operator()(std::string_view, double) {}
  void operator()(std::string_view, TrialStatus) { identity = false; }
  template <typename Word>
  requires std::is_enum_v<Word>
  void operator()(std::string_view, Word) {}
};

constexpr std::array<std::string_view, 11> kReasons = {
    "",         "launch",         "shared_memory",      "occupancy", "spills", "serialised", "small_problem",
    "thorough", "thorough_small", "thorough_elsewhere", "twin"};
static_assert(static_cast<std::size_t>(TrialReason::twin) + 1 == kReasons.size());

constexpr std::array<std::string_view, 3> kStages = {"screen", "final", "bench"};
static_assert(static_cast<std::size_t>(TimingStage::bench) + 1 == kStages.size());
constexpr std::array<std::string_view, 3> kStates = {"running", "finished", "interrupted"};
static_assert(static_cast<std::size_t>(SessionState::interrupted) + 1 == kStates.size());
constexpr std::array<std::string_view, 3> kPurposes = {"", "tune", "other"};
static_assert(static_cast<std::size_t>(SessionPurpose::other) + 1 == kPurposes.size());

constexpr std::string_view kTie = "tie: ";
constexpr std::string_view kStrictest = " of the strictest class of accuracy";
constexpr std::string_view kShared = ", while shared with ";
constexpr std::array<std::string_view, 4> kTieBreaks = {"fastest", "fewer registers", "less shared memory",
                                                        "first by name"};
static_assert(static_cast<std::size_t>(TieBreak::name) + 1 == kTieBreaks.size());

}  // namespace

std::string_view name(TrialReason reason) {
  return word_of(kReasons, reason);
}
std::optional<TrialReason> parse_trial_reason(std::string_view name) {
  return value_of<TrialReason>(kReasons, name);
}

std::string_view name(TimingStage stage) {
  return word_of(kStages, stage);
}
std::optional<TimingStage> parse_timing_stage(std::string_view name) {
  return value_of<TimingStage>(kStages, name);
}

std::string_view name(SessionState state) {
  return word_of(kStates, state);
}
std::optional<SessionState> parse_session_state(std::string_view name) {
  return value_of<SessionState>(kStates, name);
}
std::string_view name(SessionPurpose purpose) {
  return word_of(kPurposes, purpose);
}
std::optional<SessionPurpose> parse_session_purpose(std::string_view name) {
  return value_of<SessionPurpose>(kPurposes, name);
}

std::string tie_break_text(const DecisionRule& rule) {
  std::string text(kTieBreaks.at(static_cast<std::size_t>(rule.tie_break)));
  if (rule.strictest) text += kStrictest;
  if (!rule.shared_with.empty()) text.append(kShared).append(rule.shared_with);
  return text;
}

std::string rule_text(const DecisionRule& rule) {
  return (rule.tie_break == TieBreak::none ? "" : std::string(kTie)) + tie_break_text(rule);
}

std::optional<DecisionRule> parse_decision_rule(std::string_view text) {
  DecisionRule rule;
  if (const std::size_t at = text.find(kShared); at != std::string_view::npos) {
    rule.shared_with = text.substr(at + kShared.size());
    text = text.substr(0, at);
  }
  rule.strictest = text.ends_with(kStrictest);
  if (rule.strictest) text.remove_suffix(kStrictest.size());
  const bool tie = text.starts_with(kTie);
  if (tie) text.remove_prefix(kTie.size());
  const auto by = std::ranges::find(kTieBreaks, text);
  if (by == kTieBreaks.end() || tie != (by != kTieBreaks.begin())) return std::nullopt;
  rule.tie_break = static_cast<TieBreak>(by - kTieBreaks.begin());
  return rule;
}

std::string_view name(TrialStatus status) {
  return row(status).name;
}

std::optional<TrialStatus> parse_trial_status(std::string_view name) {
  for (const StatusRow& candidate : kStatuses) {
    if (candidate.name == name) return candidate.status;
  }
  return std::nullopt;
}

bool is_final(TrialStatus status) {
  return row(status).outcome != Outcome::open;
}
bool is_fault(TrialStatus status) {
  return row(status).outcome == Outcome::fault;
}
bool never_ran(TrialStatus status) {
  switch (status) {
    case TrialStatus::compile_error:
    case TrialStatus::compile_timeout:
    case TrialStatus::compiler_crash:
    case TrialStatus::rejected:
    case TrialStatus::load_failed:
    case TrialStatus::out_of_memory:
    case TrialStatus::unsupported:
      return true;
    default:
      return false;
  }
}

std::string variant_text(const Trial& trial) {
  return trial.variant + (trial.accuracy.empty() ? "" : " (" + trial.accuracy + ")");
}

std::string label_text(const Trial& trial) {
  return trial.variant + (trial.configuration.empty() ? "" : " " + trial.configuration) +
         (trial.accuracy.empty() ? "" : " (" + trial.accuracy + ")");
}

std::string ending_text(const Trial& trial) {
  return std::string(name(trial.status)).append(": ").append(label_text(trial)).append(": ").append(trial.message);
}

const std::string& seal(Trial& trial) {
  IdentityHasher identity;
  columns(trial, identity);
  trial.key = identity.hasher.hex();
  return trial.key;
}

}  // namespace kerlab::trial
