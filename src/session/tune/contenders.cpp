#include "session/tune/contenders.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "session/run/ceilings.h"
#include "session/run/modelled.h"
#include "session/tune/decide.h"

namespace kerlab::session {

namespace {

/// Whether today's check, compiler and kind of device gave the trial its verdict.
bool is_of_today(const Trial& trial, const Rig& rig) {
  return trial.toolchain == rig.toolchain() && trial.check_version == kCheckVersion;
}

/// Turns stored trials into contenders, while today's kernels are what was tried.
class Admission {
 public:
  Admission(const Rig& rig, const CandidateSpace& space, const ProblemSetup& setup, const Screening& screening,
            StoredContenders& found)
      : rig_(rig), space_(space), setup_(setup), screening_(screening), found_(found) {}

  /// None: of a kernel that has changed, or that no longer takes the problem or the configuration.
  std::optional<Screened> admit(const Trial& trial, const Measurement& time) {
    const VariantSource* source = source_of(trial.variant);
    if (source == nullptr || source->source.hash != trial.source_hash) return std::nullopt;
    const Variant& variant = *source->variant;
    const auto configuration = stored_configuration(variant, trial.configuration);
    if (!configuration || !unsupported_reason(variant, setup_.problem, rig_.device()).empty() ||
        !violated_constraint(variant, setup_.problem, rig_.device(), *configuration).empty())
      return std::nullopt;
    const auto asked = asked_for(variant.name, *configuration);
    Screened contender;
    contender.candidate = candidate_of(trial, *source, asked.value_or(0), *configuration);
    if (contender.candidate.trial.key != trial.key) return std::nullopt;
    const bool standing = trial.id == found_.winner;
    const bool runs = is_of_today(trial, rig_);
    if (!runs && (!standing || tried_again(trial))) return std::nullopt;
    if (!runs || !asked) contender.outside = source;
    // A model says tomorrow what it said yesterday.
    contender.as_stored = !runs || (standing && !asked && !rig_.device().has_clock);
    contender.candidate.trial = trial;
    contender.stored = true;
    contender.weaker = !space_.admits(contender.candidate.plan.accuracy);
    contender.time = time;
    return contender;
  }

 private:
  const VariantSource* source_of(const std::string& name) {
    for (const VariantSource& source : found_.sources)
      if (source.variant->name == name) return &source;
    for (const Variant& variant : rig_.folder().variants)
      if (variant.name == name)
        return &found_.sources.emplace_back(VariantSource{&variant, read_kernel_source(variant)});
    return nullptr;
  }

  /// Index of the variant in the space of the session, whose conditions the configuration meets.
  std::optional<std::size_t> asked_for(const std::string& name, const Configuration& configuration) const {
    for (std::size_t v = 0; v < space_.variants().size(); ++v) {
      const Variant& variant = *space_.variants()[v].source.variant;
      if (variant.name == name && violated_constraint(variant, setup_.problem, rig_.device(), configuration).empty())
        return v;
    }
    return std::nullopt;
  }

  /// What today's kernel would be with the compiler and the check of then: of an equal key it is the same program.
  TrialCandidate candidate_of(const Trial& trial, const VariantSource& source, std::size_t index,
                              const Configuration& configuration) const {
    const Family& family = rig_.folder().family;
    TrialCandidate candidate =
        make_candidate(family, source, index, configuration, setup_.problem, rig_.device(), trial.toolchain);
    candidate.trial.check_version = trial.check_version;
    seal(candidate.trial);
    candidate.small_plan = small_plan(family, *source.variant, candidate, setup_, rig_.device());
    return candidate;
  }

  bool tried_again(const Trial& trial) const {
    return std::any_of(screening_.screened().begin(), screening_.screened().end(), [&](const Screened& screened) {
      const Trial& its = screened.candidate.trial;
      return is_final(its.status) && its.variant == trial.variant && its.configuration == trial.configuration;
    });
  }

  const Rig& rig_;
  const CandidateSpace& space_;
  const ProblemSetup& setup_;
  const Screening& screening_;
  StoredContenders& found_;
};

std::set<std::string> tried_keys(const Screening& screening) {
  std::set<std::string> keys;
  for (const Screened& screened : screening.screened())
    if (is_final(screened.candidate.trial.status)) keys.insert(screened.candidate.trial.key);
  return keys;
}

}  // namespace

bool is_comparable(const Measurement& measurement, const ProblemSetup& setup, const DeviceInfo& device) {
  return measurement.cache == CacheState::cold && measurement.clock == device.clock() &&
         measurement.recipe == measured_recipe(setup.plan.recipes.front()) &&
         (device.has_clock || measurement.protocol == kModelProtocol);
}

StoredTimes::StoredTimes(const Database& database, const ProblemSetup& setup, const DeviceInfo& device,
                         const Company& company) {
  for (Measurement& measurement : database.measurements(setup.plan.key, device.device_class())) {
    Times& times = times_[measurement.trial];
    if (measurement.stage == TimingStage::final) times.last_finals = std::max(times.last_finals, measurement.session);
    if (!is_comparable(measurement, setup, device) || !company.stands(measurement)) continue;
    Measurement& newest = times.newest[measurement.stage];
    if (newest.id == 0 || std::tie(newest.created, newest.id) < std::tie(measurement.created, measurement.id))
      newest = std::move(measurement);
  }
}

const Measurement* StoredTimes::of(std::int64_t trial) const {
  const auto at = times_.find(trial);
  if (at == times_.end()) return nullptr;
  for (const TimingStage stage : {TimingStage::screen, TimingStage::final, TimingStage::bench}) {
    const auto newest = at->second.newest.find(stage);
    if (newest != at->second.newest.end()) return &newest->second;
  }
  return nullptr;
}

bool StoredTimes::was_finalist_since(std::int64_t trial, std::int64_t session) const {
  const auto at = times_.find(trial);
  return at != times_.end() && at->second.last_finals >= session;
}

StoredContenders stored_contenders(const Rig& rig, const CandidateSpace& space, const ProblemSetup& setup,
                                   const Database& database, const StoredTimes& times, const Screening& screening,
                                   const std::optional<Decision>& decision) {
  StoredContenders found;
  if (decision) found.winner = decision->trial;
  const std::set<std::string> tried = tried_keys(screening);
  std::vector<std::pair<const Measurement*, Trial>> stored;
  for (Trial& trial : database.trials(setup.plan.key, rig.device().device_class())) {
    const bool twin = trial.reason == TrialReason::twin;  // its program competes once
    if (trial.status != TrialStatus::passed || twin || trial.device_kind != name(rig.device().kind)) continue;
    if (tried.contains(trial.key)) continue;
    const bool admitted = space.admits(parse_accuracy(trial.accuracy).value_or(Accuracy{true, true}));
    if (!admitted && !space.sweeps(trial.variant)) continue;  // it cannot win, and would take the place of who can
    if (const Measurement* time = times.of(trial.id)) stored.emplace_back(time, std::move(trial));
  }
  std::sort(stored.begin(), stored.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first->median_us, a.second.id) < std::tie(b.first->median_us, b.second.id);
  });
  Admission admission(rig, space, setup, screening, found);
  std::size_t asked = 0, others = 0;
  for (const auto& [time, trial] : stored) {
    const bool enough = asked >= kMostFromSeveral && others >= kMostOutside;
    if (enough && trial.id != found.winner) continue;
    auto contender = admission.admit(trial, *time);
    if (!contender) continue;
    ++(contender->outside != nullptr ? others : asked);
    found.trials.push_back(std::move(*contender));
  }
  return found;
}

}  // namespace kerlab::session
