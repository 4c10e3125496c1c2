#include "search/record.h"

#include <fmt/format.h>

#include <algorithm>

namespace kerlab::search {

RecordedStrategy::RecordedStrategy(std::size_t candidates, SearchOptions options)
    : random_(options.seed), options_(std::move(options)), candidates_(candidates), states_(candidates) {
  limit_ = options_.trials > 0 ? std::min(options_.trials, candidates) : candidates;
}

RecordedStrategy::State& RecordedStrategy::state_of(std::size_t candidate) {
  if (candidate >= states_.size()) states_.resize(candidate + 1);
  return states_[candidate];
}

std::vector<std::size_t> RecordedStrategy::ask(std::size_t most) {
  std::vector<std::size_t> batch;
  most = std::min(most, left());
  const auto take = [&](std::size_t candidate) {
    state_of(candidate) = State::asked;
    ++begun_;
    ++pending_;
    batch.push_back(candidate);
  };
  if (most == 0 || exhausted_) return batch;
  for (const std::size_t candidate : choose(most)) take(candidate);
  exhausted_ = pending_ == 0;  // it does not wait for anything, and yet has no wish
  return batch;
}

void RecordedStrategy::tell(std::size_t candidate, std::optional<double> cost) {
  State& state = state_of(candidate);
  if (state == State::told || state == State::failed) return;
  if (state == State::asked) {
    --pending_;
  } else {
    ++begun_;
  }
  state = cost ? State::told : State::failed;
  told_.push_back({candidate, cost});
  const bool better = cost && (!best_ || *cost < *best_);
  if (better) best_ = cost;
  without_better_ = better ? 0 : without_better_ + 1;
  learn(candidate, cost);
  // Under way when patience ended: the search goes on.
  if (better && impatient_ && exhausted_) impatient_ = exhausted_ = false;
  if (impatient_ || options_.patience == 0 || without_better_ < options_.patience) return;
  impatient_ = true;
  exhausted_ = !lost_patience();
}

std::string RecordedStrategy::ended() const {
  if (pending_ > 0) return {};
  if (begun_ >= candidates_) return "every configuration was tried";
  if (left() == 0) return fmt::format("{} trials", limit_);
  if (exhausted_ && impatient_) return fmt::format("no better one in {} trials", without_better_);
  return exhausted_ ? without_wish() : "";
}

}  // namespace kerlab::search
