#include "session/check/check.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "session/find/failures.h"

namespace kerlab::session {

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
  if (options_.stored_winners) {
    take_winners();
    return;
  }
  const Family& family = rig_.folder().family;
  ProblemRequest request = make_request(family, options_.arguments, options_.dtype);
  request.row_padding = options_.row_padding;
  asked_ = problem_for_device(rig_.folder(), std::move(request), rig_.device());
  chosen_ = choose_configurations(options_, rig_.folder(), asked_, rig_.device(), database_);
  notes_ = chosen_.notes;
  choose_problems();
  add_jobs();
  if (jobs_.empty() || jobs_.front().problem != 0)
    throw UsageError(
        fmt::format("check: no configuration that was asked for is valid for {}; see kerlab list {} --space",
                    asked_.title(), family.name));
}

void CheckSession::take_winners() {
  StoredWinners stored = stored_winners(rig_.folder(), rig_.device(), database_);
  chosen_.sources = std::move(stored.sources);
  notes_ = std::move(stored.notes);
  for (StoredWinner& winner : stored.winners) {
    jobs_.push_back({problems_.size(), winner.source, std::move(winner.configuration)});
    problems_.push_back(std::move(winner.problem));
  }
}

void CheckSession::choose_problems() {
  problems_ = {asked_};
  if (options_.only_asked) return;
  std::set<std::int64_t> tiles;
  for (const auto& [source, configuration] : chosen_.configurations) tiles.insert(tile_of(configuration));
  std::set<std::string> known = {asked_.key()};
  std::size_t left_out = 0;
  for (const std::int64_t tile : tiles) {
    const AdversarialShapes found = adversarial_shapes(rig_.folder().family, asked_, tile);
    left_out = std::max(left_out, found.left_out);
    for (const ProblemRequest& request : found.shapes) {
      Problem problem = make_problem(rig_.folder().family, request);
      if (known.insert(problem.key()).second) problems_.push_back(std::move(problem));
    }
  }
  if (left_out > 0)
    notes_.push_back(fmt::format("{} left out as too large: a reference of them would take long",
                                 format_count(static_cast<std::int64_t>(left_out), "shape")));
  const FarShape far = far_shape(rig_.folder().family, asked_, rig_.device());
  if (far.request) problems_.push_back(make_problem(rig_.folder().family, *far.request));
  if (!far.why_not.empty()) notes_.push_back(far.why_not);
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
  single.recipes = chosen_recipes();
  single.thorough = true;
  single.full = options_.full;
  single.deadline = generous_deadline(rig_, *setup_, 10 * (single.recipes.size() + 2));
  const auto begin = std::chrono::steady_clock::now();
  Evaluation result = run_single(rig_, *setup_, chosen_.sources[job.variant], job.configuration, single);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  note_stored(result);
  add_row(job, std::move(result), took.count());
  return true;
}

void CheckSession::add_row(const Job& job, Evaluation result, double seconds) {
  CheckRow row{setup_->problem,
               std::move(result.candidate.trial),
               job.problem != 0 && !options_.stored_winners,
               std::move(result.scope),
               std::move(result.report),
               "",
               seconds};
  if (row.trial.status != TrialStatus::passed) {
    row.command = check_command(row.trial, options_.rig.target);
    if (options_.full) row.command += " --full";
    if (!options_.recipes.empty()) row.command += fmt::format(" --recipe {}", fmt::join(options_.recipes, ","));
  }
  rows_.push_back(std::move(row));
}

std::vector<std::uint32_t> CheckSession::chosen_recipes() const {
  if (options_.recipes.empty()) return all_recipes(setup_->plan);
  std::vector<std::uint32_t> chosen;
  std::vector<std::string> names;
  for (const Recipe& recipe : setup_->plan.recipes) names.push_back(recipe.name);
  for (const std::string& asked : options_.recipes)
    if (std::find(names.begin(), names.end(), asked) == names.end())
      throw UsageError(fmt::format("--recipe: {} has no recipe '{}'; it has {}", setup_->problem.family, asked,
                                   fmt::join(names, ", ")));
  for (std::uint32_t i = 0; i < names.size(); ++i)
    if (std::find(options_.recipes.begin(), options_.recipes.end(), names[i]) != options_.recipes.end())
      chosen.push_back(i);
  return chosen;
}

/// A stored trial that turns out to be wrong must not stay a winner.
void CheckSession::note_stored(const Evaluation& result) {
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

}  // namespace kerlab::session
