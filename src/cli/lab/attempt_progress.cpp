#include "cli/lab/attempt_progress.h"

#include <fmt/format.h>

namespace kerlab::cli {

namespace {
constexpr double kSilentSeconds = 1;
}  // namespace

std::string stage_text(const AttemptStage& stage, double seconds) {
  return fmt::format("{} for {:.0f} s{}", stage.doing, seconds,
                     stage.limit_s > 0 ? fmt::format(", limit {:.3g} s", stage.limit_s) : "");
}

AttemptProgress::AttemptProgress(const std::string& hint)
    : hint_("; " + hint), shown_(is_terminal(stderr) && !is_dumb_terminal()) {}

void AttemptProgress::show(const AttemptStage& stage) {
  if (stage.doing != doing_) {
    doing_ = stage.doing;
    since_ = Clock::now();
  }
  const double seconds = seconds_since(since_);
  if (shown_ && seconds >= kSilentSeconds) line_.update(stage_text(stage, seconds) + hint_);
}

}  // namespace kerlab::cli
