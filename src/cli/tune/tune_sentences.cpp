#include "cli/tune/tune_sentences.h"

#include "base/format.h"

namespace kerlab::cli {

namespace {

constexpr double kPlainlyFaster = 1.095;  // "1.1 times"

/// " (3.1 times as fast as what was asked for)"
std::string advantage(const TuneResult& result) {
  const double ratio = result.outside->ratio;
  if (ratio <= 0) return "";
  const bool stricter = !result.rows.empty() && result.outside->trial.accuracy != result.rows.front().trial.accuracy;
  if (stricter && ratio < 1) return " (its results are of a stricter class of accuracy: --accuracy lets the other win)";
  if (ratio < 1 + kTieMargin) return " (a tie with the first row, broken by rule)";
  return fmt::format(" ({:.{}f} times as fast as what was asked for)", ratio, ratio < kPlainlyFaster ? 2 : 1);
}

}  // namespace

std::string outside_sentence(const TuneResult& result) {
  if (!result.outside) return "";
  const OutsideWinner& winner = *result.outside;
  const std::string who =
      fmt::format("trial {}, {}, {} us", winner.trial.id, label_text(winner.trial), format_us(winner.median_us));
  if (winner.stays) return fmt::format("the stored winner stays: {}{}", who, advantage(result));
  return fmt::format("the winner is a stored trial: {}{}", who, advantage(result));
}

std::string interrupted_sentence(const TuneResult& result) {
  if (!result.interrupted || !result.rows.empty() || result.outside) return "";
  std::string text = "interrupted before the finals: nothing was decided";
  if (result.fastest)
    text += fmt::format("; the fastest so far, {} us, {}, is kept, and competes when the same command goes on",
                        format_us(result.fastest->median_us), result.fastest->label);
  text += "\n";
  if (!result.previous) return text + "there is no winner yet";
  return text + fmt::format("the stored winner stays: trial {}, {}, {} us", result.previous->trial,
                            result.previous->label, format_us(result.previous->median_us));
}

std::string search_sentence(const TuneResult& result) {
  if (!result.stopped_by.empty())
    return fmt::format("stopped after {} of {} configurations ({})", result.counts.done - result.counts.hopeless,
                       result.valid, result.stopped_by);
  const std::string text = fmt::format("{} search", result.search.strategy);
  return result.ended.empty() ? text : text + " ended: " + result.ended;
}

}  // namespace kerlab::cli
