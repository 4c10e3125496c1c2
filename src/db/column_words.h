#pragma once
// Members of records that are stored as words: how each is written and read. Only for rows.h and text_rows.h.

#include <cstddef>
#include <string>
#include <type_traits>

#include "trial/trial.h"

namespace kerlab::db {

/// Reads the text that `word_text` gave; nullptr: of such a member there are no words.
template <typename Word>
inline constexpr std::nullptr_t kParse = nullptr;
template <>
inline constexpr auto kParse<TrialStatus> = &parse_trial_status;
template <>
inline constexpr auto kParse<TrialReason> = &parse_trial_reason;
template <>
inline constexpr auto kParse<TimingStage> = &parse_timing_stage;
template <>
inline constexpr auto kParse<plan::CacheState> = &plan::parse_cache_state;
template <>
inline constexpr auto kParse<plan::ClockKind> = &plan::parse_clock_kind;
template <>
inline constexpr auto kParse<SessionState> = &parse_session_state;
template <>
inline constexpr auto kParse<SessionPurpose> = &parse_session_purpose;
template <>
inline constexpr auto kParse<DecisionRule> = &parse_decision_rule;

template <typename Member>
concept ColumnWord = !std::is_same_v<decltype(kParse<Member>), const std::nullptr_t>;

template <ColumnWord Word>
std::string word_text(const Word& value) {
  if constexpr (std::is_same_v<Word, DecisionRule>) {
    return rule_text(value);
  } else {
    return std::string(name(value));
  }
}

}  // namespace kerlab::db
