#include "session/tune.h"

#include <unistd.h>

#include <algorithm>

#include "session/starts.h"

namespace kerlab {

namespace {

constexpr auto kLongestWait = std::chrono::milliseconds(100);

KernelFolder checked_folder(const TuneOptions& options) {
  KernelFolder folder = open_catalogue(options.rig.kernels).find(options.rig.target);
  // What was typed is judged before a device is needed.
  make_problem(folder.family, make_request(folder.family, options.arguments, options.dtype));
  for (const std::string& name : options.variants.names) {
    if (name != "all") find_variant(folder, name);
  }
  return folder;
}

ProblemSetup typed_setup(const TuneOptions& options, const Rig& rig) {
  const Family& family = rig.folder().family;
  const ProblemRequest request = make_request(family, options.arguments, options.dtype);
  return prepare_problem(rig.folder(), problem_for_device(rig.folder(), request, rig.device()), rig.device());
}

SessionRecord session_record(const TuneOptions& options, const DeviceInfo& device) {
  SessionRecord record;
  record.command = options.command;
  record.version = options.version;
  record.device = fmt::format("{} {}", device.id, device.name);
  return record;
}

/// The stored winner as a defender, while its variant is there with the very source that won.
std::optional<ReigningWinner> reigning_winner(const Rig& rig, const Database& database, const Trial& trial) {
  const auto measurement = database.latest_measurement(trial.id, "final");
  if (!measurement) return {};
  for (const Variant& variant : rig.folder().variants) {
    if (variant.name != trial.variant) continue;
    if (read_kernel_source(variant.source).hash != trial.source_hash) return {};
    return ReigningWinner{trial.id, trial.variant + " " + trial.configuration, measurement->median_us};
  }
  return {};
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
      rig_(options_.rig, checked_folder(options_)),
      setup_(typed_setup(options_, rig_)),
      space_(rig_.folder(), options_.variants, setup_.problem, rig_.device()),
      search_(choose_search(options_, space_.size())),
      ledger_(database, session_record(options_, rig_.device())),
      loader_(rig_, setup_) {
  begin_screening();
  previous_ = database.winner(setup_.plan.key, rig_.device().device_class());
  ask_previous_first();
  ask_shipped();
  if (search_.learns()) {
    ask_known();
    ask_likely();
  }
  if (!options_.variants.ladder) return;
  for (const std::size_t index : space_.defaults()) screening_->ask_first(index);
}

SearchChoice choose_search(const TuneOptions& options, std::size_t candidates) {
  SearchChoice choice{options.search, options.trials, 0};
  if (choice.strategy.empty() || choice.strategy == "auto")
    choice.strategy = candidates <= std::max(kExhaustiveUpTo, options.trials) ? "exhaustive" : "surrogate";
  if (choice.trials == 0 && choice.strategy != "exhaustive") choice.trials = kDefaultTrials;
  choice.trials = choice.trials == 0 ? candidates : std::min(choice.trials, candidates);
  if (choice.learns()) choice.patience = options.patience.value_or(kDefaultPatience);
  if (!choice.learns()) choice.patience = options.patience.value_or(0);
  return choice;
}

void TuneSession::begin_screening() {
  SearchOptions options = search_options(options_, search_);
  options_.screening.learns = search_.learns();
  std::unique_ptr<Strategy> strategy;
  if (search_.learns()) {
    search_space_ = space_.search_space(setup_.problem, rig_.device());
    strategy = make_strategy(search_.strategy, *search_space_, std::move(options));
  } else {
    strategy = make_exhaustive(space_.size(), std::move(options));
  }
  screening_.emplace(rig_, setup_, loader_, space_, ledger_, std::move(strategy), search_.trials, options_.screening);
}

/// What won on problems like this one, and what the variants' authors thought best.
void TuneSession::ask_likely() {
  const auto find = [this](const std::string& variant, const std::string& text) {
    return find_candidate(variant, text);
  };
  for (const std::size_t index : transferred_starts(rig_, setup_.problem, find, ledger_.database(), options_.shipped))
    screening_->ask_first(index);
  for (const VariantSpace& candidate : space_.variants()) {
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

void TuneSession::ask_previous_first() {
  if (!previous_) return;
  // The previous winner is tried first: a session never ends with less than what was there.
  if (const auto trial = ledger_.database().trial(previous_->trial)) {
    if (const auto index = find_candidate(trial->variant, trial->configuration)) {
      screening_->ask_first(*index);
    } else {
      reigning_ = reigning_winner(rig_, ledger_.database(), *trial);
    }
  }
}

TuneSession::~TuneSession() = default;

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

bool TuneSession::step() {
  switch (phase_) {
    case Phase::screening:
      if (!screening_->step()) begin_finals();
      break;
    case Phase::finals:
      if (!finals_->step()) end_finals();
      break;
    case Phase::ladder:
      if (!ladder_->step()) finish();
      break;
    case Phase::finished:
      return false;
  }
  if (phase_ == Phase::finished) return false;
  rig_.wait(kLongestWait);
  return true;
}

void TuneSession::begin_finals() {
  const ScreeningCounts& counts = screening_->counts();
  const bool nothing_new = counts.stored == counts.done;
  if (nothing_new && previous_ && ledger_.database().latest_measurement(previous_->trial, "final")) {
    use_stored_decision(*previous_);
    if (!final_.rows.empty()) {
      climb_or_finish();
      return;
    }
  }
  measured_now_ = true;
  phase_ = Phase::finals;
  finals_.emplace(rig_, setup_, space_, ledger_, *screening_, loader_, reigning_);
}

/// Nothing was tried, so the newest decision stands; its rows are what its session stored.
void TuneSession::use_stored_decision(const Decision& decision) {
  for (Screened& screened : screening_->screened()) {
    const Trial& trial = screened.candidate.trial;
    if (trial.status != TrialStatus::passed) continue;
    auto measurement = ledger_.database().latest_measurement(trial.id, "final");
    if (!measurement || measurement->session != decision.session) continue;
    final_.rows.push_back({&screened, std::move(*measurement)});
  }
  const std::string ties = "," + decision.tie_set + ",";
  const auto rank = [&](const FinalRow& row) {
    const auto at = ties.find("," + std::to_string(row.screened->candidate.trial.id) + ",");
    return std::make_pair(at, row.measurement.median_us);
  };
  std::sort(final_.rows.begin(), final_.rows.end(),
            [&](const FinalRow& a, const FinalRow& b) { return rank(a) < rank(b); });
  final_.ties =
      static_cast<std::size_t>(std::count_if(final_.rows.begin(), final_.rows.end(), [&](const FinalRow& row) {
        return rank(row).first != std::string::npos;
      }));
  final_.rule = decision.rule;
  final_.library = library_rows(ledger_.database().library_times(decision.measurement));
  if (!final_.library.empty()) final_.library_note = "stored with the winner";
  if (final_.rows.empty() || final_.rows.front().screened->candidate.trial.id != decision.trial) final_ = {};
}

void TuneSession::end_finals() {
  const auto& screened = screening_->screened();
  const bool others =
      std::any_of(screened.begin(), screened.end(), [](const Screened& s) { return s.cost_us && !s.twin; });
  if (finals_->result().rows.empty() && finals_->lost_somebody() && others) {
    // Every finalist fell; the next best have their turn.
    for (std::string& note : finals_->take_notes()) notes_.push_back(std::move(note));
    finals_.emplace(rig_, setup_, space_, ledger_, *screening_, loader_, reigning_);
    return;
  }
  final_ = finals_->result();
  climb_or_finish();
}

void TuneSession::climb_or_finish() {
  if (!options_.variants.ladder) {
    finish();
    return;
  }
  phase_ = Phase::ladder;
  ladder_.emplace(rig_, setup_, space_, ledger_, *screening_, loader_);
}

void TuneSession::finish() {
  phase_ = Phase::finished;
  ledger_.close("finished");
}

void TuneSession::interrupt() {
  if (phase_ == Phase::finished) return;
  screening_->abandon();
  phase_ = Phase::finished;
  ledger_.close("interrupted");
}

TuneState TuneSession::state() const {
  TuneState state;
  constexpr const char* kPhases[] = {"screening", "finals", "ladder", "finished"};
  state.phase = kPhases[static_cast<int>(phase_)];
  state.counts = screening_->counts();
  state.compiling = rig_.compilers().pending();
  state.seconds = ledger_.seconds();
  const std::size_t tried = state.counts.done - state.counts.stored;
  const std::size_t left = state.counts.planned - std::min(state.counts.planned, state.counts.done);
  if (tried > 0) state.remaining_s = state.seconds / static_cast<double>(tried) * static_cast<double>(left);
  if (const Screened* best = screening_->best()) {
    state.best_us = *best->cost_us;
    state.best_label = best->candidate.label;
  }
  return state;
}

std::vector<std::string> TuneSession::take_notes() {
  std::vector<std::string> notes = screening_->take_notes();
  for (std::string& note : std::exchange(notes_, {})) notes.push_back(std::move(note));
  if (finals_) {
    for (std::string& note : finals_->take_notes()) notes.push_back(std::move(note));
  }
  if (ladder_) {
    for (std::string& note : ladder_->take_notes()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace kerlab
