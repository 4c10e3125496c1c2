#include "session/finals.h"

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "stats/samples.h"

namespace kerlab {

namespace {

constexpr std::uint64_t kFirstTicket = std::uint64_t{1} << 61;  // above every candidate of the screening
constexpr int kMostRounds = 30;
constexpr int kFewestRounds = 5;
constexpr double kTimeForRounds = 3e6;     // microseconds
constexpr double kWorthASecondLook = 1.5;  // times the best of the screening

/// The best of the screening, fastest first; equal programs once.
std::vector<Screened*> choose(Screening& screening) {
  std::vector<Screened*> passed;
  for (Screened& screened : screening.screened()) {
    if (screened.cost_us && !screened.twin) passed.push_back(&screened);
  }
  std::sort(passed.begin(), passed.end(), [](const Screened* a, const Screened* b) {
    return std::tie(*a->cost_us, a->candidate.label) < std::tie(*b->cost_us, b->candidate.label);
  });
  if (passed.size() > kMostFinalists) passed.resize(kMostFinalists);
  while (passed.size() > 1 && *passed.back()->cost_us > kWorthASecondLook * *passed.front()->cost_us) passed.pop_back();
  return passed;
}

}  // namespace

Finals::Finals(Rig& rig, const ProblemSetup& setup, const CandidateSpace& space, Ledger& ledger, Screening& screening,
               ProblemLoader& loader, std::optional<ReigningWinner> reigning)
    : rig_(rig),
      setup_(setup),
      ledger_(ledger),
      screening_(screening),
      loader_(loader),
      reigning_(std::move(reigning)) {
  for (Screened* screened : choose(screening)) {
    const SourceBundle& source = space.variants()[screened->candidate.variant].source.source;
    rig_.compilers().submit(kFirstTicket + finalists_.size(), {source, screened->candidate.options});
    finalists_.push_back({screened, std::nullopt, false});
  }
  images_missing_ = finalists_.size();
  if (finalists_.empty()) {
    phase_ = Phase::finished;
  } else {
    loader_.begin();
  }
}

bool Finals::step() {
  if (phase_ == Phase::compiling) {
    take_compiled();
  } else if (phase_ != Phase::finished) {
    if (auto outcome = rig_.runner().poll()) {
      if (phase_ == Phase::verifying) {
        take_verdict(*outcome);
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
  if (images_missing_ > 0 || !loader_.ready()) return;
  std::vector<std::size_t> everybody;
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    if (!finalists_[i].out) everybody.push_back(i);
  }
  phase_ = Phase::together;
  if (everybody.empty()) {
    phase_ = Phase::finished;
  } else {
    begin_timing(everybody);
  }
}

RunItem Finals::item(const Entry& entry) const {
  const TrialCandidate& candidate = entry.screened->candidate;
  return {candidate.label, candidate.image, candidate.plan, candidate.small_plan};
}

int Finals::rounds() const {
  double round_us = 1;
  for (const Entry& entry : finalists_) round_us += *entry.screened->cost_us;
  return std::clamp(static_cast<int>(kTimeForRounds / round_us), kFewestRounds, kMostRounds);
}

void Finals::begin_timing(const std::vector<std::size_t>& entries) {
  timed_ = entries;
  RunRequest run;
  for (const std::size_t i : entries) run.items.push_back(item(finalists_[i]));
  TimingSchedule schedule;
  schedule.rounds = rounds();
  run.schedule = schedule;
  run.library = has_library(setup_, rig_.device());
  run.deadline = screening_.deadline(entries.size() * static_cast<std::size_t>(schedule.rounds + 10)) +
                 std::chrono::seconds(10);  // the clocks may take their time to settle
  rig_.runner().begin(std::move(run));
}

void Finals::take_timing(RunOutcome& outcome) {
  if (outcome.status != TrialStatus::passed && timed_.size() > 1) {
    // Somebody in the group broke the device. One by one, the culprit names itself.
    notes_.push_back(fmt::format("the finals failed together ({}); timing each alone", name(outcome.status)));
    alone_ = timed_;
    phase_ = Phase::alone;
    next_alone();
    return;
  }
  if (outcome.status == TrialStatus::passed) library_ = std::move(outcome.library);
  for (std::size_t i = 0; i < timed_.size(); ++i) {
    Entry& entry = finalists_[timed_[i]];
    if (outcome.status != TrialStatus::passed) {
      eliminate(entry, outcome.status, outcome.message);
    } else if (i >= outcome.samples.size() || outcome.samples[i].samples_us.empty()) {
      eliminate(entry, TrialStatus::launch_failed, "the worker sent no samples");
    } else if (!outcome.samples[i].guard_violation.empty()) {
      eliminate(entry, TrialStatus::guard_violation, "after timing: " + outcome.samples[i].guard_violation);
    } else {
      entry.samples = std::move(outcome.samples[i]);
    }
  }
  if (phase_ == Phase::alone) {
    next_alone();
  } else {
    rank();
  }
}

void Finals::next_alone() {
  if (alone_.empty()) {
    rank();
    return;
  }
  const std::size_t next = alone_.front();
  alone_.erase(alone_.begin());
  begin_timing({next});
}

void Finals::rank() {
  std::vector<std::size_t> standing;
  std::vector<Finalist> finalists;
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    const Entry& entry = finalists_[i];
    if (entry.out || !entry.samples) continue;
    const Trial& trial = entry.screened->candidate.trial;
    standing.push_back(i);
    finalists.push_back(
        {*median(entry.samples->samples_us), trial.registers, trial.shared_bytes, entry.screened->candidate.label});
  }
  ranking_.clear();
  if (standing.empty()) {
    phase_ = Phase::finished;
    return;
  }
  const Verdict verdict = decide(finalists);
  for (const std::size_t i : verdict.order) ranking_.push_back(standing[i]);
  result_.ties = verdict.ties;
  result_.rule = verdict.rule;
  begin_verifying();
}

/// The winner runs every recipe, twice, before it is one.
void Finals::begin_verifying() {
  phase_ = Phase::verifying;
  RunRequest run;
  run.items.push_back(item(finalists_[ranking_.front()]));
  for (std::uint32_t i = 0; i < setup_.plan.recipes.size(); ++i) run.recipes.push_back(i);
  run.thorough = true;
  run.sampling = screening_.sampling(*finalists_[ranking_.front()].screened);
  run.deadline = 4 * screening_.deadline(6 * run.recipes.size());
  rig_.runner().begin(std::move(run));
}

void Finals::take_verdict(RunOutcome& outcome) {
  Entry& winner = finalists_[ranking_.front()];
  CheckVerdict verdict{outcome.status, outcome.message};
  if (outcome.status == TrialStatus::passed) {
    record_check(winner.screened->candidate.trial, outcome.checks.front());
    verdict = judge(outcome.checks.front());
  }
  if (verdict.status == TrialStatus::passed) {
    ledger_.result(winner.screened->candidate.trial);
    result_.verified = check_scope(outcome.checks.front(), setup_.small);
    store();
    phase_ = Phase::finished;
    return;
  }
  eliminate(winner, verdict.status, "thorough check: " + verdict.message);
  rank();
}

void Finals::eliminate(Entry& entry, TrialStatus status, const std::string& message) {
  entry.out = true;
  lost_somebody_ = true;
  Screened& screened = *entry.screened;
  screened.candidate.trial.status = status;
  const std::string& label = screened.candidate.label;
  screened.candidate.trial.message = message.starts_with(label) ? message : fmt::format("{}: {}", label, message);
  screened.cost_us.reset();
  notes_.push_back(fmt::format("{}: {}", name(status), screened.candidate.trial.message));
  ledger_.result(screened.candidate.trial);
}

void Finals::store() {
  result_.library = compare_library(library_, finalists_[ranking_.front()].samples->samples_us);
  result_.library_note = library_note(library_);
  result_.library_s = (library_.load_ms + library_.choose_ms) / 1e3;
  std::string tie_set;
  for (std::size_t rank = 0; rank < ranking_.size(); ++rank) {
    const Entry& entry = finalists_[ranking_[rank]];
    auto measurement = make_measurement(*entry.samples, "final", setup_.plan.recipes.front(), rig_.device());
    ledger_.measured(entry.screened->candidate.trial, *measurement);
    if (!entry.samples->warning.empty()) {
      result_.warnings.push_back(fmt::format("{}: {}", entry.screened->candidate.label, entry.samples->warning));
    }
    if (rank < result_.ties) tie_set += fmt::format("{}{}", rank > 0 ? "," : "", entry.screened->candidate.trial.id);
    result_.rows.push_back({entry.screened, std::move(*measurement)});
  }
  ledger_.library(library_records(result_.library, result_.rows.front().measurement.id));
  const double best_us = result_.rows.front().measurement.median_us;
  if (reigning_ && reigning_->median_us <= best_us) {
    result_.kept = fmt::format("the stored winner stays: trial {}, {}, {} us", reigning_->trial, reigning_->label,
                               format_us(reigning_->median_us));
    return;
  }
  Decision decision;
  const Trial& winner = result_.rows.front().screened->candidate.trial;
  decision.problem = winner.problem;
  decision.dtype = winner.dtype;
  decision.family = winner.family;
  decision.device_class = winner.device_class;
  decision.trial = winner.id;
  decision.measurement = result_.rows.front().measurement.id;
  decision.tie_set = std::move(tie_set);
  decision.rule = result_.rule;
  decision.candidates = static_cast<std::int64_t>(screening_.counts().done);
  ledger_.decide(decision);
}

}  // namespace kerlab
