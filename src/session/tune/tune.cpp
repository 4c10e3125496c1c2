#include "session/tune/tune.h"

#include <unistd.h>

#include <algorithm>

#include "search/forecast_search.h"
#include "session/tune/contenders.h"
#include "session/tune/forecasts.h"
#include "session/tune/starts.h"
#include "spec/space/restrict.h"

namespace kerlab::session {

namespace {

constexpr auto kLongestWait = std::chrono::milliseconds(100);

/// The variants that the session is to try, with the conditions that were typed among their constraints.
KernelFolder narrowed(KernelFolder folder, const TuneOptions& options) {
  restrict_spaces(folder, options.where, options.variants.names);
  return folder;
}

KernelFolder checked_folder(const TuneOptions& options) {
  KernelFolder folder = open_catalogue(options.rig.kernels).find(options.rig.target);
  // What was typed is judged before a device is needed.
  make_problem(folder.family, make_request(folder.family, options.arguments, options.dtype));
  for (const std::string& name : options.variants.names) {
    if (name != "all") find_variant(folder, name);
  }
  narrowed(folder, options);
  return folder;
}

/// With an empty database there will be much to compile.
RigOptions rig_options_of(const TuneOptions& options, const Database& database) {
  RigOptions rig = options.rig;
  rig.compilers_ahead = database.stats().trials == 0;
  return rig;
}

ProblemSetup typed_setup(const TuneOptions& options, const KernelFolder& asked, const Rig& rig) {
  const ProblemRequest request = make_request(asked.family, options.arguments, options.dtype);
  const Problem problem = problem_for_device(asked, request, rig.device());
  require_recordings(asked.family, problem, options.rig.target);
  return prepare_problem(asked, problem, rig.device());
}

SessionRecord session_record(const TuneOptions& options, const Rig& rig) {
  SessionRecord record = session_record(options, rig.device());
  std::vector<std::string> ids;
  for (const RigDevice& device : rig.devices()) ids.push_back(device.info.id);
  record.device = fmt::format("{} {}", fmt::join(ids, ","), rig.device_title());
  record.purpose = SessionPurpose::tune;
  return record;
}

SearchOptions search_options(const TuneOptions& options, const SearchChoice& choice) {
  SearchOptions search;
  search.trials = choice.trials;
  search.patience = choice.patience;
  search.seed = options.seed;
  return search;
}

}  // namespace

TuneSession::TuneSession(TuneOptions options, Database& database)
    : options_(std::move(options)),
      rig_(rig_options_of(options_, database), checked_folder(options_)),
      asked_(narrowed(rig_.folder(), options_)),
      company_(rig_, options_.company),
      setup_(typed_setup(options_, asked_, rig_)),
      space_(asked_, options_.variants, setup_.problem, rig_.device()),
      search_(choose_search(options_, space_.size(), is_quick(options_, rig_.device()))),
      ledger_(database, session_record(options_, rig_)),
      loader_(rig_, setup_) {
  opened_ = Clock::now();
  const std::vector<std::size_t> ladder = options_.variants.ladder ? space_.of_ladder() : std::vector<std::size_t>();
  if (search_.patience > 0) search_.patience += ladder.size();  // they are tried for their own sake
  begin_screening();
  previous_ = database.winner(setup_.plan.key, rig_.device().device_class());
  ask_previous_first();
  ask_shipped();
  if (was_given_its_time()) {
    ask_known();
    screening_->recall();
  } else if (search_.learns()) {
    ask_known();
    ask_likely();
  }
  for (const std::size_t index : ladder) screening_->ask_first(index);
}

bool is_quick(const TuneOptions& options, const DeviceInfo& device) {
  return device.is_slow && !options.variants.all;
}

SearchChoice choose_search(const TuneOptions& options, std::size_t candidates, bool quick_part) {
  SearchChoice choice{options.search, options.trials, 0};
  const std::size_t all_up_to = quick_part ? kEmulatedUpTo : kExhaustiveUpTo;
  if (choice.strategy.empty() || choice.strategy == "auto")
    choice.strategy = candidates <= std::max(all_up_to, options.trials) ? "exhaustive"
                      : quick_part                                      ? "forecast"
                                                                        : "surrogate";
  if (choice.trials == 0 && choice.strategy != "exhaustive") choice.trials = kDefaultTrials;
  choice.trials = choice.trials == 0 ? candidates : std::min(choice.trials, candidates);
  const std::size_t patience = choice.forecasts()             ? kForecastPatience
                               : candidates > kManyCandidates ? kPatienceOfMany
                                                              : kDefaultPatience;
  if (choice.learns()) choice.patience = options.patience.value_or(patience);
  if (!choice.learns()) choice.patience = options.patience.value_or(0);
  return choice;
}

void TuneSession::begin_screening() {
  SearchOptions options = search_options(options_, search_);
  options_.screening.learns = search_.learns();
  pace_ = pace_of(ledger_.database(), rig_.folder().family, setup_.problem, rig_.device(), variant_names());
  ScreeningOptions screening = options_.screening;
  if (screening.time_s > 0) {
    reserved_s_ = reserved_for_finals(pace_ ? &*pace_ : nullptr, screening.time_s, rig_.device());
    screening.time_s -= reserved_s_;
  }
  std::unique_ptr<Strategy> strategy;
  if (search_.learns()) {
    search_space_ = space_.search_space(setup_.problem, rig_.device());
    strategy = search_.forecasts()
                   ? make_forecast(*search_space_, forecasts(space_, rig_.folder().family, setup_, rig_.device()),
                                   std::move(options))
                   : make_strategy(search_.strategy, *search_space_, std::move(options));
  } else {
    strategy = make_exhaustive(space_.size(), std::move(options));
  }
  screening_.emplace(rig_, company_, setup_, loader_, space_, ledger_, std::move(strategy), search_.trials, screening);
}

std::set<std::string> TuneSession::variant_names() const {
  std::set<std::string> names;
  for (const VariantSpace& variant : space_.variants()) names.insert(variant.source.variant->name);
  return names;
}

/// What won on problems like this one, and what the variants' authors thought best: of no more than shall be tried.
void TuneSession::ask_likely() {
  const auto find = [this](const std::string& variant, const std::string& text) {
    return find_candidate(variant, text);
  };
  for (const std::size_t index : transferred_starts(rig_, setup_.problem, find, ledger_.database(), options_.shipped))
    screening_->ask_first(index);
  if (search_.forecasts()) return;  // its own first ones are likelier
  std::size_t left = search_.trials;
  for (const VariantSpace& candidate : space_.variants()) {
    if (left-- == 0) break;
    const Variant& variant = *candidate.source.variant;
    const auto index = find_candidate(variant.name, configuration_text(variant, default_configuration(variant)));
    if (index) screening_->ask_first(*index);
  }
}

/// Of a space of some of many, what is missing is added.
std::optional<std::size_t> TuneSession::find_candidate(const std::string& variant, const std::string& configuration) {
  if (!search_space_) return space_.find(variant, configuration);
  const auto parsed = space_.parse(variant, configuration);
  return parsed ? search_space_->find_or_admit(parsed->first, parsed->second.values) : std::nullopt;
}

/// What earlier sessions tried of this problem with today's sources: the search begins with it.
void TuneSession::ask_known() {
  if (options_.screening.fresh) return;
  std::map<std::string, std::string> sources;
  for (const VariantSpace& variant : space_.variants())
    sources.emplace(variant.source.variant->name, variant.source.source.hash);
  for (const Trial& trial : ledger_.database().trials(setup_.plan.key, rig_.device().device_class())) {
    const auto source = sources.find(trial.variant);
    if (source == sources.end() || source->second != trial.source_hash) continue;
    if (!is_final(trial.status) || trial.toolchain != rig_.toolchain()) continue;
    if (const auto index = find_candidate(trial.variant, trial.configuration)) screening_->ask_first(*index);
  }
}

/// A session that took all of its time ended with the newest decision, the kernel is still the one it had, and its
/// winner's time still counts (one that was taken beside others does not, once they have gone).
bool TuneSession::was_given_its_time() const {
  if (!options_.once || !previous_ || options_.screening.fresh || options_.screening.time_s <= 0) return false;
  const auto session = ledger_.database().session(previous_->session);
  const auto trial = ledger_.database().trial(previous_->trial);
  if (!session || session->state != SessionState::finished || session->wall_s < options_.screening.time_s - reserved_s_)
    return false;
  if (!StoredTimes(ledger_.database(), setup_, rig_.device(), company_).of(previous_->trial)) return false;
  return trial && trial->toolchain == rig_.toolchain() &&
         std::any_of(space_.variants().begin(), space_.variants().end(), [&](const VariantSpace& variant) {
           return variant.source.variant->name == trial->variant && variant.source.source.hash == trial->source_hash;
         });
}

void TuneSession::ask_previous_first() {
  if (!previous_) return;
  // What won before is a good start, and has to be tried again where the compiler has changed.
  const auto trial = ledger_.database().trial(previous_->trial);
  const auto index = trial ? find_candidate(trial->variant, trial->configuration) : std::nullopt;
  if (index) screening_->ask_first(*index);
}

/// What was measured and not yet committed lies in the screening, which goes before the ledger does.
TuneSession::~TuneSession() {
  try {
    interrupt();
  } catch (const std::exception&) {
    // The next session marks it interrupted.
  }
}

/// Where others found the fastest, the search begins. It must be tried here like any other.
void TuneSession::ask_shipped() {
  ShippedWinners shipped = read_shipped(options_.shipped, shipped_device(rig_.device()), rig_.folder().family.name);
  warnings_ = std::move(shipped.warnings);
  for (ShippedWinner& winner : shipped.winners) {
    if (winner.problem == setup_.plan.key) shipped_ = std::move(winner);
  }
  if (!shipped_) return;
  const auto index = find_candidate(shipped_->variant, shipped_->configuration);
  if (!index) {
    shipped_note_ = "not in this space";
    return;
  }
  const SourceBundle& source = space_.variants()[space_.place(*index).variant].source.source;
  if (source.hash != shipped_->source_hash) shipped_note_ = "its kernel has changed since";
  screening_->ask_first(*index);
}

TuneRecord TuneSession::record() const {
  return {ledger_.session(), setup_.plan.key, rig_.device().device_class(), rig_.folder()};
}

bool TuneSession::step() {
  switch (phase_) {
    case TunePhase::screening:
      if (!screening_->step()) begin_finals();
      break;
    case TunePhase::finals:
      if (!finals_->step()) end_finals();
      break;
    case TunePhase::ladder:
      if (!ladder_->step()) finish();
      break;
    case TunePhase::finished:
      return false;
  }
  if (phase_ == TunePhase::finished) return false;
  rig_.wait(kLongestWait);
  return true;
}

void TuneSession::climb_or_finish() {
  if (!options_.variants.ladder) {
    finish();
    return;
  }
  phase_ = TunePhase::ladder;
  ladder_.emplace(rig_, company_, setup_, space_, ledger_, *screening_, loader_);
}

void TuneSession::finish() {
  finished_ = Clock::now();
  phase_ = TunePhase::finished;
  ledger_.close(SessionState::finished);
  ask_beside();
}

/// When everything of ours is stored: a command may take its time, or be interrupted.
void TuneSession::ask_beside() {
  std::optional<double> ours_us;
  if (!final_.rows.empty() && final_.rows.front().measurement.clock != ClockKind::modelled)
    ours_us = final_.rows.front().measurement.median_us;
  beside_ = session::ask_beside(options_.beside, setup_, rig_.device(), {}, ours_us);
}

void TuneSession::interrupt() {
  if (phase_ == TunePhase::finished) return;
  screening_->abandon();
  interrupted_ = true;
  phase_ = TunePhase::finished;
  ledger_.close(SessionState::interrupted);
}

}  // namespace kerlab::session
