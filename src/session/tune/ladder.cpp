#include "session/tune/ladder.h"

#include <algorithm>

#include "session/run/ceilings.h"
#include "session/tune/forecasts.h"

namespace kerlab::session {

namespace {

constexpr int kMostLadderRounds = 15;
constexpr int kFewestLadderRounds = 3;
constexpr double kTimeForLadderRounds = 2e6;  // microseconds
constexpr double kAnythingBetter = 0.99;      // of the default's time: less is noise

std::string why_no_time(const Trial& trial) {
  if (!is_final(trial.status)) return "not tried";
  return trial.message.empty() ? std::string(name(trial.status))
                               : fmt::format("{}: {}", name(trial.status), trial.message);
}

}  // namespace

Ladder::Ladder(Rig& rig, Company& company, const ProblemSetup& setup, const CandidateSpace& space, Ledger& ledger,
               Screening& screening, ProblemLoader& loader)
    : rig_(rig),
      company_(company),
      setup_(setup),
      space_(space),
      ledger_(ledger),
      screening_(screening),
      loader_(loader) {
  if (!rig_.device().has_clock) return;  // a model says the same at any time
  choose();
  if (rungs_.empty() || timed_together()) return;
  phase_ = Phase::compiling;
  for (const Screened* one : rungs_) {
    const SourceBundle& source = space_.variants()[one->candidate.variant].source.source;
    compilations_.push_back(rig_.compilers().submit({source, one->candidate.options}));
  }
  loader_.begin();
}

/// Every variant's default and its fastest.
void Ladder::choose() {
  for (std::size_t v = 0; v < space_.variants().size(); ++v) {
    const Variant& variant = *space_.variants()[v].source.variant;
    Screened* at_default = tried(v, default_configuration(variant));
    Screened* best = fastest(v);
    if (at_default != nullptr && at_default->time) rungs_.push_back(at_default);
    if (best != nullptr && best != at_default) rungs_.push_back(best);
  }
}

Screened* Ladder::tried(std::size_t variant, const Configuration& configuration) const {
  for (Screened& screened : screening_.screened()) {
    if (screened.candidate.variant == variant && screened.candidate.configuration == configuration) return &screened;
  }
  return nullptr;
}

Screened* Ladder::fastest(std::size_t variant) const {
  Screened* best = nullptr;
  for (Screened& screened : screening_.screened()) {
    if (screened.candidate.variant != variant || !screened.time || screened.twin) continue;
    if (best == nullptr || screened.time->median_us < best->time->median_us) best = &screened;
  }
  return best;
}

/// Whether an earlier session timed all of them side by side.
bool Ladder::timed_together() const {
  std::int64_t session = 0;
  for (const Screened* one : rungs_) {
    const auto measurement = ledger_.database().latest_measurement(one->candidate.trial.id, TimingStage::bench);
    if (!measurement || measurement->cache != CacheState::cold) return false;
    if (std::exchange(session, measurement->session) != measurement->session && one != rungs_.front()) return false;
  }
  return true;
}

bool Ladder::step() {
  if (phase_ == Phase::compiling) {
    take_compiled();
  } else if (phase_ == Phase::waiting) {
    if (company_.may_time(rig_.first())) begin_timing();
  } else if (phase_ == Phase::timing) {
    if (auto timed = run_->poll()) take_timing(*timed);
  }
  return phase_ != Phase::finished;
}

void Ladder::take_compiled() {
  rig_.compilers().step();
  loader_.step();
  for (std::size_t i = 0; i < rungs_.size(); ++i) {
    if (!compilations_[i].finished()) continue;
    CompileResult compiled = compilations_[i].take();
    if (compiled.status == CompileStatus::ok)
      rungs_[i]->candidate.image = loadable_image(compiled, rig_.device());
    else
      rungs_[i]->candidate.image.clear();
  }
  const bool missing = std::ranges::any_of(compilations_, [](const Compilation& one) { return bool(one); });
  if (missing || !loader_.ready() || !rig_.runner().idle()) return;
  std::erase_if(rungs_, [](const Screened* one) { return one->candidate.image.empty(); });
  phase_ = rungs_.empty() ? Phase::finished : Phase::waiting;
}

void Ladder::begin_timing() {
  phase_ = Phase::timing;
  std::vector<TrialCandidate> candidates;
  double round_us = 1;
  for (const Screened* one : rungs_) {
    candidates.push_back(one->candidate);
    round_us += one->time->median_us;
  }
  TimingSchedule schedule;
  schedule.rounds =
      std::clamp(static_cast<int>(kTimeForLadderRounds / round_us), kFewestLadderRounds, kMostLadderRounds);
  Protocol protocol;
  protocol.schedule = schedule;
  // Generous: the times are known, but the clocks may take their time to settle.
  protocol.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(0.004 * round_us * (schedule.rounds + 10))) +
                      std::chrono::seconds(20);
  run_.emplace(rig_.runner(), setup_, std::move(candidates), std::move(protocol));
}

/// Whoever is found wrong here is no longer a rung with a time, nor a trial that passed.
void Ladder::take_timing(Evaluations& timed) {
  const std::optional<SampleSet>& first = timed.items.front().samples;
  if (first && company_.spoils(rig_.first(), first->neighbours)) {
    phase_ = Phase::waiting;
    return;
  }
  phase_ = Phase::finished;
  if (timed.apart)
    notes_.push_back(fmt::format("the ladder's times are those of the sweep, one after the other: {}: {}",
                                 name(timed.apart->status), timed.apart->message));
  for (std::size_t i = 0; i < rungs_.size(); ++i) {
    Trial& trial = rungs_[i]->candidate.trial;
    Evaluation& evaluation = timed.items[i];
    if (evaluation.passed()) {
      if (!timed.apart) ledger_.measured(trial, *evaluation.measurement);
      continue;
    }
    trial = std::move(evaluation.candidate.trial);
    notes_.push_back(ending_text(trial));
    rungs_[i]->time.reset();
    ledger_.result(trial);
    ledger_.flush();
  }
}

/// The newest time with a cold cache on this kind of device: side by side, else final, else of the sweep.
std::optional<TimedTrial> Ladder::time_of(const Trial& trial) const {
  for (const TimingStage stage : {TimingStage::bench, TimingStage::final, TimingStage::screen}) {
    auto measurement = ledger_.database().latest_measurement(trial.id, stage);
    if (measurement && measurement->cache == CacheState::cold && measurement->clock == rig_.device().clock())
      return TimedTrial{trial, std::move(*measurement)};
  }
  return std::nullopt;
}

/// The fastest that the database has of the variant as it stands, whether or not this session's space holds it.
std::optional<TimedTrial> Ladder::best_stored(const Variant& variant, const std::string& source_hash) const {
  std::optional<TimedTrial> best;
  for (const Trial& trial : ledger_.database().trials(setup_.plan.key, rig_.device().device_class())) {
    if (trial.variant != variant.name || trial.status != TrialStatus::passed) continue;
    if (trial.source_hash != source_hash || trial.toolchain != rig_.toolchain()) continue;
    auto time = time_of(trial);
    if (time && (!best || time->measurement.median_us < best->measurement.median_us)) best = std::move(time);
  }
  return best;
}

LadderRung Ladder::rung_of(const Variant& variant) const {
  LadderRung rung;
  rung.rung = variant.rung;
  rung.variant = variant.name;
  for (const auto& [left_out, reason, brief] : space_.left_out()) {
    if (left_out == variant.name) rung.reason = reason;
  }
  for (std::size_t v = 0; v < space_.variants().size(); ++v) {
    const VariantSource& source = space_.variants()[v].source;
    if (source.variant->name != variant.name) continue;
    const Screened* at_default = tried(v, default_configuration(variant));
    if (at_default != nullptr && at_default->time) rung.at_default = time_of(at_default->candidate.trial);
    if (rung.at_default)
      rung.predicted_us = predicted_us(source, default_configuration(variant), setup_, rig_.device());
    if (!rung.at_default)
      rung.reason =
          at_default != nullptr ? why_no_time(at_default->candidate.trial) : space_.default_violates(variant.name);
    auto best = best_stored(variant, source.source.hash);
    if (best &&
        (!rung.at_default || best->measurement.median_us < kAnythingBetter * rung.at_default->measurement.median_us))
      rung.best = std::move(best);
  }
  return rung;
}

std::vector<LadderRung> Ladder::rungs() const {
  std::vector<LadderRung> rungs;
  const LadderRung* before = nullptr;
  for (const Variant& variant : rig_.folder().variants) {
    if (!space_.takes_part(variant.name)) continue;
    rungs.push_back(rung_of(variant));
  }
  for (LadderRung& rung : rungs) {
    if (!rung.at_default) continue;
    if (before != nullptr) {
      rung.step = before->at_default->measurement.median_us / rung.at_default->measurement.median_us;
      if (rung.predicted_us > 0) rung.predicted_step = before->predicted_us / rung.predicted_us;
    }
    before = &rung;
  }
  return rungs;
}

}  // namespace kerlab::session
