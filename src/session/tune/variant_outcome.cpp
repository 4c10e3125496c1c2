#include "session/tune/variant_outcome.h"

#include <algorithm>
#include <numeric>

#include "stats/samples.h"

namespace kerlab::session {

namespace {

struct Gathered {
  double swept_us = 0;           ///< best of the sweep; 0: none
  std::optional<double> beside;  ///< what its best in the finals took, in rounds shared with the winner: 1.03
  std::vector<double> compile_ms;
};

void add(const Screened& screened, VariantOutcome& outcome, Gathered& gathered) {
  const Trial& trial = screened.candidate.trial;
  if (!is_final(trial.status)) return;
  ++outcome.tried;
  if (trial.status == TrialStatus::passed) ++outcome.passed;
  if (trial.compile_ms > 0) gathered.compile_ms.push_back(trial.compile_ms);
  if (!screened.time) return;
  gathered.swept_us =
      gathered.swept_us > 0 ? std::min(gathered.swept_us, screened.time->median_us) : screened.time->median_us;
}

void add_finals(const CandidateSpace& space, const FinalResult& finals, std::vector<VariantOutcome>& outcomes,
                std::vector<Gathered>& gathered) {
  for (std::size_t i = finals.rows.size(); i-- > 0;) {  // the best last
    const RankedTrial& row = finals.rows[i];
    const std::size_t variant = space.parse(row.trial.variant, row.trial.configuration).value().first;
    VariantOutcome& outcome = outcomes[variant];
    outcome.finalist = true;
    outcome.tie = row.tie;
    outcome.best_us = row.measurement.median_us;
    gathered[variant].beside = row.beside ? std::optional(row.beside->ratio.ratio) : std::nullopt;
  }
}

/// Measured the same way: the winner's own measurement is of later than the others', so rounds that both had come
/// first.
double how_far_behind(const VariantOutcome& outcome, const Gathered& gathered, const RankedTrial& winner) {
  if (gathered.beside) return *gathered.beside - 1;
  const double winner_us = outcome.finalist ? winner.measurement.median_us : winner.chosen_us;
  return outcome.best_us > 0 && winner_us > 0 ? outcome.best_us / winner_us - 1 : 0;
}

}  // namespace

std::vector<VariantOutcome> variant_outcomes(const CandidateSpace& space, const std::deque<Screened>& screened,
                                             const FinalResult& finals) {
  if (finals.rows.empty()) return {};
  std::vector<VariantOutcome> outcomes(space.variants().size());
  std::vector<Gathered> gathered(outcomes.size());
  for (std::size_t v = 0; v < outcomes.size(); ++v) outcomes[v].name = space.variants()[v].source.variant->name;
  for (const Screened& candidate : screened)
    add(candidate, outcomes[candidate.candidate.variant], gathered[candidate.candidate.variant]);
  add_finals(space, finals, outcomes, gathered);
  const RankedTrial& winner = finals.rows.front();
  for (std::size_t v = 0; v < outcomes.size(); ++v) {
    VariantOutcome& outcome = outcomes[v];
    if (!outcome.finalist) outcome.best_us = gathered[v].swept_us;
    outcome.behind = how_far_behind(outcome, gathered[v], winner);
    const std::vector<double>& ms = gathered[v].compile_ms;
    outcome.compiled = ms.size();
    if (ms.empty()) continue;
    outcome.compile_median_ms = *median(ms);
    outcome.compile_mean_ms = std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size());
  }
  std::erase_if(outcomes, [](const VariantOutcome& outcome) { return outcome.tried == 0; });
  const std::string& first = winner.trial.variant;
  const auto place = [&](const VariantOutcome& o) { return o.name == first ? 0 : o.best_us > 0 ? 1 : 2; };
  std::stable_sort(outcomes.begin(), outcomes.end(), [&](const VariantOutcome& a, const VariantOutcome& b) {
    return place(a) != place(b) ? place(a) < place(b) : a.behind < b.behind;
  });
  return outcomes;
}

}  // namespace kerlab::session
