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
  chosen_ = choose_configurations(options_, rig_.folder(), asked_, rig_.device(), database_);
  notes_ = chosen_.notes;
  choose_problems();
  add_jobs();
}

void CheckSession::choose_problems() {
  problems_ = {asked_};
  if (options_.only_asked) return;
  std::set<std::int64_t> tiles;
  for (const auto& [source, configuration] : chosen_.configurations) tiles.insert(tile_of(configuration));
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
    for (const auto& [source, configuration] : chosen_.configurations) {
      const Variant& variant = *chosen_.sources[source].variant;
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
  const SingleResult result = run_single(rig_, *setup_, chosen_.sources[job.variant], job.configuration, single);
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
