#include "session/tune/finals.h"

#include <algorithm>

#include "base/format.h"
#include "measure/lookout.h"
#include "session/run/judge_samples.h"
#include "stats/samples.h"

namespace kerlab::session {

namespace {

constexpr std::uint64_t kFirstTicket = std::uint64_t{1} << 61;  // above every candidate of the screening
constexpr int kMostRounds = 30;
constexpr int kRoundsOfAll = 7;
constexpr int kFewestRounds = 5;
constexpr double kTimeForRounds = 3e6;  // microseconds
constexpr double kWorthADuel = 1.05;    // times the best of a few rounds of all

/// Those of the sweep and the stored ones that compete; equal programs once.
struct Field {
  std::vector<Screened*> screened;
  std::vector<const Contender*> stored;  ///< null: of the sweep
  std::vector<Contestant> contestants;

  void add(Screened& one, const Contender* contender, bool standing) {
    if (!one.cost_us || one.twin) return;
    screened.push_back(&one);
    stored.push_back(contender);
    contestants.push_back({*one.cost_us, one.candidate.label, one.outside == nullptr, standing});
  }
};

Field gather(Screening& screening, StoredContenders& stored) {
  Field field;
  for (Screened& one : screening.screened()) field.add(one, nullptr, one.candidate.trial.id == stored.winner);
  for (Contender& one : stored.trials) field.add(one.screened, &one, one.standing);
  return field;
}

SampleSet stored_samples(const Measurement& measurement) {
  SampleSet samples;
  samples.samples_us = {measurement.median_us};
  samples.protocol = measurement.protocol;
  samples.cache = measurement.cache;
  samples.clock = measurement.clock;
  return samples;
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
  const Field field = gather(screening, stored);
  for (const std::size_t i : choose_finalists(field.contestants, rig.devices().size() > 1)) {
    Screened* screened = field.screened[i];
    Entry& entry = finalists_.emplace_back();
    entry.screened = screened;
    if (field.stored[i] != nullptr && field.stored[i]->as_stored) {
      entry.samples = stored_samples(field.stored[i]->stored);
      entry.as_stored = entry.duelist = true;
    } else if (screened->candidate.image.empty()) {
      rig_.compilers().submit(kFirstTicket + finalists_.size() - 1,
                              {source_of(space, *screened).source, screened->candidate.options});
      ++images_missing_;
    }
  }
  if (!screening.library_trouble().empty()) library_trouble_ = "left out: " + screening.library_trouble();
  const bool some = std::any_of(finalists_.begin(), finalists_.end(), [](const Entry& one) { return !one.as_stored; });
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
    } else if (auto outcome = rig_.runner().poll()) {
      if (was_not_alone(*outcome)) {
        again_when_alone_ = true;
      } else if (phase_ == Phase::verifying) {
        take_verdict(*outcome);
      } else if (phase_ == Phase::again) {
        take_again(*outcome);
      } else {
        take_timing(*outcome);
      }
    }
  }
  return phase_ != Phase::finished;
}

void Finals::take_compiled() {
  for (auto& finished : rig_.compilers().poll()) {
    if (loader_.take(finished)) continue;
    auto& [ticket, result] = finished;
    if (ticket < kFirstTicket || ticket >= kFirstTicket + finalists_.size()) continue;  // left over from the screening
    Entry& entry = finalists_[ticket - kFirstTicket];
    --images_missing_;
    if (result.status == CompileStatus::ok) {
      entry.screened->candidate.image = loadable_image(result, rig_.device());
    } else {
      entry.out = true;  // its trial stands; this compilation was unlucky
      result_.warnings.push_back(
          fmt::format("{} left the finals: {}", entry.screened->candidate.label, result.message));
    }
  }
  if (images_missing_ == 0 && loader_.ready() && company_.may_time(rig_.first())) begin_together();
}

void Finals::begin_together() {
  std::vector<std::size_t> everybody;
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    if (!finalists_[i].out && !finalists_[i].as_stored) everybody.push_back(i);
  }
  const bool modelled = rig_.device().kind == DeviceKind::emulated;  // as often as you like, the same
  if (everybody.empty()) {
    rank();
  } else {
    begin_timing(modelled || everybody.size() == 1 ? Phase::duel : Phase::halving, everybody);
  }
}

RunItem Finals::item(const Entry& entry) const {
  const TrialCandidate& candidate = entry.screened->candidate;
  return {candidate.label, candidate.image, candidate.plan, candidate.small_plan, candidate.nondeterministic};
}

/// Of a library there are two rows.
int Finals::rounds(Phase phase, const std::vector<std::size_t>& entries) const {
  double round_us = 1;
  for (const std::size_t i : entries) round_us += (phase == Phase::again ? 3 : 1) * *finalists_[i].screened->cost_us;
  const int affordable = static_cast<int>(kTimeForRounds / round_us);
  return std::clamp(affordable, kFewestRounds, phase == Phase::halving ? kRoundsOfAll : kMostRounds);
}

void Finals::begin_timing(Phase phase, const std::vector<std::size_t>& entries) {
  phase_ = phase;
  timed_ = entries;
  again_when_alone_ = false;
  RunRequest run;
  for (const std::size_t i : entries) run.items.push_back(item(finalists_[i]));
  TimingSchedule schedule;
  schedule.rounds = rounds(phase, entries);
  schedule.seed = 1 + static_cast<std::uint64_t>(phase);
  schedule.cross_check = phase == Phase::again;
  run.schedule = schedule;
  run.library = phase == Phase::again && has_library(setup_, rig_.device()) && library_trouble_.empty();
  if (entries.size() > 1 || run.library) run.attempts = 1;  // the next attempt is each alone, or without the library
  run.fresh = phase == Phase::again;
  with_library_ = run.library;
  run.deadline = screening_.deadline(entries.size() * static_cast<std::size_t>(schedule.rounds + 10)) +
                 std::chrono::seconds(10);  // the clocks may take their time to settle
  rig_.runner().begin(std::move(run));
}

bool Finals::was_not_alone(const RunOutcome& outcome) {
  return !outcome.samples.empty() && company_.spoils(rig_.first(), outcome.samples.front().neighbours);
}

void Finals::take_samples(Entry& entry, const RunOutcome& outcome, std::size_t item) {
  if (outcome.status != TrialStatus::passed) {
    eliminate(entry, outcome.status, outcome.message);
    return;
  }
  const SampleSet samples = item < outcome.samples.size() ? outcome.samples[item] : SampleSet{};
  const CheckVerdict verdict = judge_samples(entry.screened->candidate.label, samples, setup_.plan);
  if (verdict.status != TrialStatus::passed) {
    eliminate(entry, verdict.status, verdict.message);
  } else {
    entry.samples = samples;
    entry.duelist = phase_ != Phase::halving;
    if (phase_ == Phase::halving) entry.all_us = entry.samples->samples_us;
    if (phase_ == Phase::duel) entry.duel_us = entry.samples->samples_us;
  }
}

void Finals::take_timing(RunOutcome& outcome) {
  if (outcome.status != TrialStatus::passed && timed_.size() > 1) {
    // Somebody in the group broke the device. One by one, the culprit names itself.
    notes_.push_back(fmt::format("the finals failed together ({}); timing each alone", name(outcome.status)));
    alone_ = timed_;
    next_alone();
    return;
  }
  for (std::size_t i = 0; i < timed_.size(); ++i) take_samples(finalists_[timed_[i]], outcome, i);
  if (phase_ == Phase::alone) {
    next_alone();
  } else if (phase_ == Phase::halving) {
    begin_duel();
  } else {
    rank();
  }
}

/// Those who may be the fastest, by few samples: the fastest, then those that few samples do not tell from it, in the
/// order of the rule that would break a tie. By time alone, which of ten equals come to the duel were chance.
void Finals::begin_duel() {
  std::vector<std::size_t> standing;
  for (std::size_t i = 0; i < finalists_.size(); ++i)
    if (!finalists_[i].out && !finalists_[i].as_stored && finalists_[i].samples) standing.push_back(i);
  if (standing.empty()) {
    rank();
    return;
  }
  const auto us = [&](std::size_t i) { return *median(finalists_[i].samples->samples_us); };
  std::stable_sort(standing.begin(), standing.end(), [&](std::size_t a, std::size_t b) { return us(a) < us(b); });
  const double best_us = us(standing.front());
  const auto tied =
      std::find_if(standing.begin(), standing.end(), [&](std::size_t i) { return us(i) > (1 + kTieMargin) * best_us; });
  std::sort(standing.begin() + 1, tied,
            [&](std::size_t a, std::size_t b) { return goes_first(finalist(finalists_[a]), finalist(finalists_[b])); });
  std::vector<std::size_t> duelists;
  for (const std::size_t i : standing)
    if (duelists.size() < kMostDuelists && us(i) <= kWorthADuel * best_us) duelists.push_back(i);
  begin_timing(Phase::duel, duelists);
}

void Finals::next_alone() {
  if (alone_.empty()) {
    rank();
    return;
  }
  const std::size_t next = alone_.front();
  alone_.erase(alone_.begin());
  begin_timing(Phase::alone, {next});
}

}  // namespace kerlab::session
