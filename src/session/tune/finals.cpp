#include "session/tune/finals.h"

#include <algorithm>

#include "base/format.h"
#include "measure/lookout.h"
#include "stats/samples.h"

namespace kerlab::session {

namespace {

constexpr int kMostRounds = 30;
constexpr int kRoundsOfAll = 7;
constexpr int kFewestRounds = 5;
constexpr double kTimeForRounds = 3e6;  // microseconds
constexpr double kWorthADuel = 1.05;    // times the best of a few rounds of all

/// Those of the sweep and the stored ones that compete; equal programs once.
std::vector<Screened*> field_of(Screening& screening, StoredContenders& stored) {
  std::vector<Screened*> field;
  for (std::deque<Screened>* some : {&screening.screened(), &stored.trials})
    for (Screened& one : *some)
      if (one.time && !one.twin) field.push_back(&one);
  return field;
}

}  // namespace

Finals::Finals(Rig& rig, Company& company, const ProblemSetup& setup, const CandidateSpace& space, Ledger& ledger,
               Screening& screening, StoredContenders& stored, ProblemLoader& loader)
    : rig_(rig),
      company_(company),
      setup_(setup),
      ledger_(ledger),
      screening_(screening),
      loader_(loader),
      stored_winner_(stored.winner) {
  for (Screened* screened : choose_finalists(field_of(screening, stored), stored.winner, rig.devices().size() > 1)) {
    Entry& entry = finalists_.emplace_back();
    entry.screened = screened;
    if (screened->as_stored) {
      entry.measurement = screened->time;
      entry.measurement->samples_us = {entry.measurement->median_us};
      entry.duelist = true;
    } else if (screened->candidate.image.empty()) {
      entry.compilation = rig_.compilers().submit({source_of(space, *screened).source, screened->candidate.options});
    }
  }
  if (!screening.library_trouble().empty()) library_.message = "left out: " + screening.library_trouble();
  const bool some =
      std::any_of(finalists_.begin(), finalists_.end(), [](const Entry& one) { return !one.screened->as_stored; });
  if (some) {
    loader_.begin();
  } else if (finalists_.empty()) {
    phase_ = Phase::finished;
  } else {
    rank();
  }
}

bool Finals::step() {
  if (phase_ == Phase::compiling) {
    take_compiled();
  } else if (phase_ != Phase::finished) {
    if (again_when_alone_) {
      if (company_.may_time(rig_.first())) begin_timing(phase_, timed_);
    } else if (auto ended = run_->poll()) {
      if (was_not_alone(*ended)) {
        again_when_alone_ = true;
      } else if (phase_ == Phase::verifying) {
        take_verdict(*ended);
      } else if (phase_ == Phase::again) {
        take_again(*ended);
      } else {
        take_timing(*ended);
      }
    }
  }
  return phase_ != Phase::finished;
}

void Finals::take_compiled() {
  rig_.compilers().step();
  loader_.step();
  bool complete = true;
  for (Entry& entry : finalists_) {
    complete = complete && (!entry.compilation || entry.compilation.finished());
    if (!entry.compilation.finished()) continue;
    CompileResult compiled = entry.compilation.take();
    if (compiled.status == CompileStatus::ok) {
      entry.screened->candidate.image = loadable_image(compiled, rig_.device());
    } else {
      entry.out = true;  // its trial stands; this compilation was unlucky
      result_.warnings.push_back(
          fmt::format("{} left the finals: {}", entry.screened->candidate.label, compiled.message));
    }
  }
  if (complete && loader_.ready() && company_.may_time(rig_.first())) begin_together();
}

void Finals::begin_together() {
  std::vector<std::size_t> everybody;
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    if (!finalists_[i].out && !finalists_[i].screened->as_stored) everybody.push_back(i);
  }
  const bool modelled = !rig_.device().has_clock;  // as often as you like, the same
  if (everybody.empty()) {
    rank();
  } else {
    begin_timing(modelled || everybody.size() == 1 ? Phase::duel : Phase::halving, everybody);
  }
}

/// Of a library there are two rows.
int Finals::rounds(Phase phase, const std::vector<std::size_t>& entries) const {
  double round_us = 1;
  for (const std::size_t i : entries)
    round_us += (phase == Phase::again ? 3 : 1) * finalists_[i].screened->time->median_us;
  const int affordable = static_cast<int>(kTimeForRounds / round_us);
  return std::clamp(affordable, kFewestRounds, phase == Phase::halving ? kRoundsOfAll : kMostRounds);
}

void Finals::begin_timing(Phase phase, const std::vector<std::size_t>& entries) {
  phase_ = phase;
  timed_ = entries;
  again_when_alone_ = false;
  std::vector<TrialCandidate> candidates;
  for (const std::size_t i : entries) candidates.push_back(finalists_[i].screened->candidate);
  TimingSchedule schedule;
  schedule.rounds = rounds(phase, entries);
  schedule.seed = 1 + static_cast<std::uint64_t>(phase);
  schedule.cross_check = phase == Phase::again;
  Protocol protocol;
  protocol.stage = TimingStage::final;
  protocol.schedule = schedule;
  protocol.library =
      phase == Phase::again && has_library(setup_, rig_) && (library_.message.empty() || !library_.rows.empty());
  protocol.fresh = phase == Phase::again;
  protocol.deadline = screening_.deadline(entries.size() * static_cast<std::size_t>(schedule.rounds + 10)) +
                      std::chrono::seconds(10);  // the clocks may take their time to settle
  run_.emplace(rig_.runner(), setup_, std::move(candidates), std::move(protocol));
}

bool Finals::was_not_alone(const Evaluations& timed) {
  const std::optional<SampleSet>& samples = timed.items.front().samples;
  return samples && company_.spoils(rig_.first(), samples->neighbours);
}

void Finals::take_evaluation(Entry& entry, Evaluation& evaluation) {
  if (!evaluation.passed()) {
    eliminate(entry, evaluation.candidate.trial);
    return;
  }
  entry.measurement = std::move(evaluation.measurement);
  entry.warning = std::move(evaluation.samples->warning);
  entry.neighbours = std::move(evaluation.samples->neighbours);
}

void Finals::take_timing(Evaluations& timed) {
  if (timed.apart)
    notes_.push_back(fmt::format("the finals failed together ({}); timing each alone", name(timed.apart->status)));
  for (std::size_t i = 0; i < timed_.size(); ++i) {
    Entry& entry = finalists_[timed_[i]];
    take_evaluation(entry, timed.items[i]);
    if (entry.out) continue;
    entry.duelist = phase_ == Phase::duel || timed.apart;
    if (timed.apart) continue;
    (phase_ == Phase::duel ? entry.duel_us : entry.all_us) = entry.measurement->samples_us;
  }
  if (phase_ == Phase::halving && !timed.apart)
    begin_duel();
  else
    rank();
}

/// Those who may be the fastest, by few samples: the fastest, then those that few samples do not tell from it, in the
/// order of the rule that would break a tie. By time alone, which of ten equals come to the duel were chance.
void Finals::begin_duel() {
  std::vector<std::size_t> standing;
  const bool stricter = stricter_is_left();
  for (std::size_t i = 0; i < finalists_.size(); ++i)
    if (const Entry& entry = finalists_[i];
        !entry.out && !entry.screened->as_stored && entry.measurement && !(stricter && entry.screened->weaker))
      standing.push_back(i);
  if (standing.empty()) {
    rank();
    return;
  }
  const auto us = [&](std::size_t i) { return finalists_[i].measurement->median_us; };
  const auto trial = [&](std::size_t i) -> const Trial& { return finalists_[i].screened->candidate.trial; };
  std::stable_sort(standing.begin(), standing.end(), [&](std::size_t a, std::size_t b) { return us(a) < us(b); });
  const double best_us = us(standing.front());
  const auto tied =
      std::find_if(standing.begin(), standing.end(), [&](std::size_t i) { return us(i) > (1 + kTieMargin) * best_us; });
  std::sort(standing.begin() + 1, tied, [&](std::size_t a, std::size_t b) { return goes_first(trial(a), trial(b)); });
  std::vector<std::size_t> duelists;
  for (const std::size_t i : standing)
    if (duelists.size() < kMostDuelists && us(i) <= kWorthADuel * best_us) duelists.push_back(i);
  begin_timing(Phase::duel, duelists);
}

}  // namespace kerlab::session
