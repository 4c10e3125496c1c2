#include "session/check.h"

#include <algorithm>
#include <set>

namespace kerlab {

namespace {

constexpr std::int64_t kLargestTile = 256;

/// A guess at the tile: the largest parameter that could be one.
std::int64_t tile_of(const Configuration& configuration) {
  std::int64_t tile = 32;
  for (const std::int64_t value : configuration.values) {
    if (value <= kLargestTile) tile = std::max(tile, value);
  }
  return tile;
}

}  // namespace

CheckSession::CheckSession(CheckOptions options, Database& database)
    : options_(std::move(options)), database_(database), rig_(options_.rig) {
  const Family& family = rig_.folder().family;
  asked_ = problem_for_device(rig_.folder(), make_request(family, options_.arguments, options_.dtype), rig_.device());
  choose_configurations();
  choose_problems();
  add_jobs();
}

void CheckSession::choose_configurations() {
  const KernelFolder& folder = rig_.folder();
  const std::vector<std::string>& names = options_.variants.empty() ? options_.without_winner : options_.variants;
  std::vector<const Variant*> variants;
  for (const std::string& name : names) {
    if (name != "all") variants.push_back(&find_variant(folder, name));
  }
  const auto winner = options_.variants.empty() && options_.configuration.empty() && !options_.every_configuration
                          ? database_.winner(asked_.key(), rig_.device().device_class())
                          : std::nullopt;
  const auto winning = winner ? database_.trial(winner->trial) : std::nullopt;
  if (winning) {
    const Variant& variant = find_variant(folder, winning->variant);
    sources_.push_back({&variant, read_kernel_source(variant.source)});
    chosen_.emplace_back(0, parse_configuration(variant, winning->configuration));
    return;
  }
  if (variants.empty()) {
    for (const Variant& variant : folder.variants) variants.push_back(&variant);
  }
  if (!options_.configuration.empty() && variants.size() != 1)
    throw UsageError("--config: say of which variant (--variant NAME)");
  for (const Variant* variant : variants) {
    if (std::string reason = unsupported_reason(*variant, asked_, rig_.device()); !reason.empty()) {
      notes_.push_back(fmt::format("{} left out: {}", variant->name, reason));
      continue;
    }
    sources_.push_back({variant, read_kernel_source(variant->source)});
    const std::size_t source = sources_.size() - 1;
    if (options_.every_configuration) {
      for (Configuration& configuration : enumerate(*variant, asked_, rig_.device()).valid)
        chosen_.emplace_back(source, std::move(configuration));
    } else if (!options_.configuration.empty()) {
      chosen_.emplace_back(source, parse_configuration(*variant, options_.configuration));
    } else {
      chosen_.emplace_back(source, default_configuration(*variant, asked_, rig_.device()));
    }
  }
  if (chosen_.empty()) {
    throw Error(fmt::format("no variant of {} supports {} on {}: {}", folder.family.name, asked_.title(),
                            rig_.device().name, fmt::join(notes_, "; ")),
                ExitCode::inconclusive);
  }
}

void CheckSession::choose_problems() {
  problems_ = {asked_};
  if (options_.only_asked) return;
  std::set<std::int64_t> tiles;
  for (const auto& [source, configuration] : chosen_) tiles.insert(tile_of(configuration));
  std::set<std::string> known = {asked_.key()};
  for (const std::int64_t tile : tiles) {
    for (const ProblemRequest& request : adversarial_shapes(rig_.folder().family, asked_, tile)) {
      Problem problem = make_problem(rig_.folder().family, request);
      if (known.insert(problem.key()).second) problems_.push_back(std::move(problem));
    }
  }
}

void CheckSession::add_jobs() {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    for (const auto& [source, configuration] : chosen_) {
      const Variant& variant = *sources_[source].variant;
      if (!unsupported_reason(variant, problems_[p], rig_.device()).empty()) continue;
      if (!violated_constraint(variant, problems_[p], rig_.device(), configuration).empty()) continue;
      jobs_.push_back({p, source, configuration});
    }
  }
}

bool CheckSession::step() {
  if (next_ == jobs_.size()) return false;
  const Job& job = jobs_[next_++];
  if (loaded_ != job.problem) {
    setup_ = prepare_problem(rig_.folder(), problems_[job.problem], rig_.device());
    ProblemLoader(rig_, *setup_).load();
    loaded_ = job.problem;
  }
  SingleOptions single;
  single.recipes = all_recipes(setup_->plan);
  single.thorough = true;
  single.full = options_.full;
  single.deadline = generous_deadline(rig_, *setup_, 10 * single.recipes.size());
  const SingleResult result = run_single(rig_, *setup_, sources_[job.variant], job.configuration, single);
  rows_.push_back({setup_->problem, result.candidate.trial, job.problem != 0, result.scope});
  note_stored(result);
  return true;
}

/// A stored trial that turns out to be wrong must not stay a winner.
void CheckSession::note_stored(const SingleResult& result) {
  const Trial& found = result.candidate.trial;
  if (found.status == TrialStatus::passed) return;
  auto stored = database_.trial_by_key(found.key);
  if (!stored || stored->status != TrialStatus::passed) return;
  stored->status = found.status;
  stored->message = "kerlab check: " + found.message;
  database_.put(*stored);
  notes_.push_back(fmt::format("trial {} is no longer valid", stored->id));
}

CheckState CheckSession::state() const {
  CheckState state;
  state.done = next_;
  state.total = jobs_.size();
  for (const CheckRow& row : rows_) state.failed += row.trial.status != TrialStatus::passed ? 1 : 0;
  if (!rows_.empty()) state.label = fmt::format("{} {}", rows_.back().problem.title(), rows_.back().trial.variant);
  return state;
}

}  // namespace kerlab
