#include "session/tune/suspects.h"

#include "search/exclusion.h"
#include "session/tune/screening.h"

namespace kerlab::session {

std::chrono::milliseconds tenfold(double longest_ms, std::chrono::milliseconds least) {
  return std::max(least, std::chrono::milliseconds(static_cast<std::int64_t>(10 * longest_ms)));
}

void Suspects::learn(const std::deque<Screened>& screened, const Screened& last,
                     const std::vector<std::string>& parameters) {
  const TrialCandidate& hung = last.candidate;
  ExclusionData data;
  data.parameters = parameters;
  for (const Screened& other : screened) {
    const TrialCandidate& candidate = other.candidate;
    if (candidate.variant != hung.variant) continue;
    if (candidate.trial.status == hung.trial.status) data.failed.push_back(candidate.configuration.values);
    if (candidate.trial.status == TrialStatus::passed) data.healthy.push_back(candidate.configuration.values);
  }
  Rules found{parameters, {}};
  for (const Exclusion& exclusion : find_exclusions(data))
    found.rules.push_back({Expression::parse(exclusion.condition, {}), exclusion.excluded});
  known_[{hung.variant, hung.trial.status}] = std::move(found);
}

std::string Suspects::resembles(const Screened& screened, TrialStatus status) const {
  const auto at = known_.find({screened.candidate.variant, status});
  if (at == known_.end() || at->second.rules.empty()) return "";
  Environment environment;
  for (std::size_t i = 0; i < at->second.parameters.size(); ++i)
    environment[at->second.parameters[i]] = screened.candidate.configuration.values[i];
  for (const Rule& rule : at->second.rules) {
    if (rule.allowed.evaluate(environment) == 0)
      return fmt::format("{} hung that '{}' would exclude", rule.excluded, rule.allowed.text());
  }
  return "";
}

}  // namespace kerlab::session
