#pragma once
// What every strategy keeps: who was asked for, what they cost, and whether it is enough.

#include "search/strategy.h"

namespace kerlab::search {

/// A strategy says which candidates it would like next; the rest is here.
class RecordedStrategy : public Strategy {
 public:
  RecordedStrategy(std::size_t candidates, SearchOptions options);
  std::vector<std::size_t> ask(std::size_t most) final;
  void tell(std::size_t candidate, std::optional<double> cost) final;
  [[nodiscard]] std::string ended() const final;

 protected:
  enum class State : std::uint8_t { unknown, asked, told, failed };

  /// Up to `most` candidates that are `unknown`, none twice. None: it waits for what is pending, or has no more.
  virtual std::vector<std::size_t> choose(std::size_t most) = 0;
  /// After every tell.
  virtual void learn(std::size_t candidate, std::optional<double> cost) = 0;
  /// Why it has no wish, though not everything was tried.
  [[nodiscard]] virtual std::string without_wish() const { return "nothing better next to the best"; }
  /// Patience is at an end: true, when there is still something to finish.
  virtual bool lost_patience() { return false; }

  [[nodiscard]] bool is_unknown(std::size_t candidate) const {
    return candidate >= states_.size() || states_[candidate] == State::unknown;
  }
  /// At the beginning: a space may grow.
  [[nodiscard]] std::size_t candidates() const { return candidates_; }
  /// Passed ones in the order told, and how many were told in all.
  struct Told {
    std::size_t candidate;
    std::optional<double> cost;
  };
  [[nodiscard]] const std::vector<Told>& told() const { return told_; }
  [[nodiscard]] std::size_t pending() const { return pending_; }
  [[nodiscard]] std::optional<double> best() const { return best_; }
  /// How many more may be asked for.
  [[nodiscard]] std::size_t left() const { return limit_ - std::min(limit_, begun_); }
  [[nodiscard]] const SearchOptions& options() const { return options_; }
  std::uint64_t random_ = 1;  ///< state of the generator

 private:
  State& state_of(std::size_t candidate);

  SearchOptions options_;
  std::size_t candidates_;
  std::vector<State> states_;
  std::vector<Told> told_;
  std::size_t limit_ = 0, begun_ = 0, pending_ = 0, without_better_ = 0;
  std::optional<double> best_;
  bool impatient_ = false;  ///< patience is at an end
  bool exhausted_ = false;  ///< nothing more will be asked for
};

}  // namespace kerlab::search
