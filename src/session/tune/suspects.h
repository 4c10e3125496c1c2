#pragma once
// Configurations that look like those that hung. A hang costs its whole deadline, twice; who resembles three or more
// that hung is tried last, once, and not for much longer than the healthy ones take.

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "spec/expression/expression.h"
#include "trial/trial.h"

namespace kerlab::session {

struct Screened;

/// Ten times what the slowest healthy one took, and no less than `least`: within that a healthy one ends.
std::chrono::milliseconds tenfold(double longest_ms, std::chrono::milliseconds least);

class Suspects {
 public:
  /// `last` has hung (timeout or compile_timeout): looks for what it has in common with others of its variant.
  void learn(const std::deque<Screened>& screened, const Screened& last, const std::vector<std::string>& parameters);

  /// Of which that hung so (`status`) this one reminds: "5 hung that 'STAGES < 5' would exclude"; empty: of none.
  [[nodiscard]] std::string resembles(const Screened& screened, TrialStatus status) const;

 private:
  struct Rule {
    Expression allowed;
    std::size_t excluded = 0;  ///< how many hung
  };
  struct Rules {
    std::vector<std::string> parameters;
    std::vector<Rule> rules;
  };
  std::map<std::pair<std::size_t, TrialStatus>, Rules> known_;  ///< by variant and how they hung
};

}  // namespace kerlab::session
