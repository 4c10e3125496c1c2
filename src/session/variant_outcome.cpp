#include "session/variant_outcome.h"

#include <algorithm>
#include <numeric>

#include "stats/samples.h"

namespace kerlab {

namespace {

struct Gathered {
  double swept_us = 0;  ///< best of the sweep; 0: none
  std::vector<double> compile_ms;
};

void add(const Screened& screened, VariantOutcome& outcome, Gathered& gathered) {
  const Trial& trial = screened.candidate.trial;
  if (!is_final(trial.status)) return;
  ++outcome.tried;
  if (trial.status == TrialStatus::passed) ++outcome.passed;
  if (trial.compile_ms > 0) gathered.compile_ms.push_back(trial.compile_ms);
  if (!screened.cost_us) return;
  gathered.swept_us = gathered.swept_us > 0 ? std::min(gathered.swept_us, *screened.cost_us) : *screened.cost_us;
}

void add_finals(const FinalResult& finals, std::vector<VariantOutcome>& outcomes) {
  for (std::size_t i = finals.rows.size(); i-- > 0;) {  // the best last
    VariantOutcome& outcome = outcomes[finals.rows[i].screened->candidate.variant];
    outcome.finalist = true;
    outcome.tie = i < finals.ties;
    outcome.best_us = finals.rows[i].measurement.median_us;
    // The winner's own measurement is of later than the others'.
    if (finals.rows[i].beside) outcome.behind = finals.rows[i].beside->ratio.ratio - 1;
  }
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
  add_finals(finals, outcomes);
  const FinalRow& winner = finals.rows.front();
  const double winner_swept_us = winner.screened->cost_us.value_or(0);
  for (std::size_t v = 0; v < outcomes.size(); ++v) {
    VariantOutcome& outcome = outcomes[v];
    const double reference_us = outcome.finalist ? winner.measurement.median_us : winner_swept_us;
    if (!outcome.finalist) outcome.best_us = gathered[v].swept_us;
    if (outcome.best_us > 0 && reference_us > 0 && outcome.behind == 0)
      outcome.behind = outcome.best_us / reference_us - 1;
    const std::vector<double>& ms = gathered[v].compile_ms;
    outcome.compiled = ms.size();
    if (ms.empty()) continue;
    outcome.compile_median_ms = *median(ms);
    outcome.compile_mean_ms = std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size());
  }
  std::erase_if(outcomes, [](const VariantOutcome& outcome) { return outcome.tried == 0; });
  const std::string first = space.variants()[winner.screened->candidate.variant].source.variant->name;
  const auto place = [&](const VariantOutcome& o) { return o.name == first ? 0 : o.best_us > 0 ? 1 : 2; };
  std::stable_sort(outcomes.begin(), outcomes.end(), [&](const VariantOutcome& a, const VariantOutcome& b) {
    return place(a) != place(b) ? place(a) < place(b) : a.behind < b.behind;
  });
  return outcomes;
}

}  // namespace kerlab
