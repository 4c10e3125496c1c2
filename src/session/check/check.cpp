#include "session/check/check.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/interrupt.h"
#include "plan/sparse_tensor.h"
#include "session/find/failures.h"
#include "session/run/elsewhere.h"
#include "session/shapes/adversarial.h"
#include "session/shapes/checked_problem.h"
#include "session/shapes/far.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/first_shape.h"
#include "session/shapes/thin.h"
#include "session/shapes/valid_shape.h"
#include "spec/request_of.h"
#include "spec/space/unsupported.h"
#include "verify/emulated/emulated_check.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kNamed = 3;  // of what no problem reaches

/// "13 of 141 edges, residues and other values of VARIANT not tried: K % 8 = 1, ...".
std::string left_out_note(const std::string& variant, const AdversarialShapes& found) {
  std::string note;
  const auto add = [&](const std::vector<std::string>& goals, const char* why) {
    if (goals.empty()) return;
    const std::size_t named = std::min(kNamed, goals.size());
    note += fmt::format("{}{} {}: {}{}", note.empty() ? "" : "; ", goals.size(), why,
                        fmt::join(goals.begin(), goals.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                        named < goals.size() ? ", ..." : "");
  };
  add(found.left, "left out, their problems are too large or too many");
  add(found.lost, "in no valid problem");
  if (note.empty()) return note;
  return fmt::format("{}: {} edges, residues and values are tried; {}", variant, found.goals, note);
}

/// The same problem of another type; none: a constraint leaves it out.
std::optional<Problem> with_dtype(const Family& family, const Problem& asked, DType dtype) {
  ProblemRequest request = request_of(asked);
  request.dtype = name(dtype);
  try {
    return make_problem(family, request);
  } catch (const UsageError&) {
    return std::nullopt;
  }
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
  require_recordings(family, asked_, options_.rig.target);
  chosen_ = choose_configurations(options_, rig_.folder(), asked_, rig_.device(), database_);
  notes_ = chosen_.notes;
  choose_problems();
  std::ranges::stable_sort(jobs_, {}, &Job::problem);  // data are made once
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
    jobs_.push_back({static_cast<std::uint32_t>(problems_.size()), rig_.device().sms, winner.source,
                     std::move(winner.configuration), Thoroughness::thorough});
    problems_.push_back(std::move(winner.problem));
  }
}

/// The problem asked for, and each configuration's own that break it.
void CheckSession::choose_problems() {
  problems_ = {asked_};
  for (const auto& [source, configuration] : chosen_.configurations) add_asked(source, configuration);
  if (options_.only_asked) return;
  if (rig_.folder().family.accuracy.against_recordings) {
    add_recorded();
    return;
  }
  std::map<std::string, std::size_t> known = {{asked_.key(), 0}};
  std::set<std::string> notes;
  std::set<std::pair<std::size_t, std::string>> siblings;  // sources and problems of smaller configurations beside
  const std::string small = checked_small();
  for (const auto& [source, configuration] : chosen_.configurations) {
    const Variant& variant = *chosen_.sources[source].variant;
    const AdversarialShapes found = adversarial_shapes({rig_.folder().family, variant, configuration, rig_.device()},
                                                       asked_, limits_for(rig_.device()));
    if (std::string note = left_out_note(variant.name, found); !note.empty()) notes.insert(std::move(note));
    for (const CheckedProblem& one : found.problems) {
      const Configuration its = one.configuration.value_or(configuration);
      Problem problem = make_problem(rig_.folder().family, one.request);
      // What was typed is looked at and no other; of a sibling that is looked at anyway once is enough.
      if (one.configuration && !(options_.configuration.empty() && siblings.emplace(source, problem.key()).second))
        continue;
      if (problem.key() == small || problem.key() == asked_.key()) continue;
      const std::string why_not = why_no_plan(rig_.folder(), variant, problem, its, rig_.device());
      if (!why_not.empty()) {
        notes.insert(fmt::format("{}: {} is not tried: {}", variant.name, problem.title(), why_not));
        continue;
      }
      const auto [at, is_new] = known.emplace(problem.key(), problems_.size());
      if (is_new) problems_.push_back(std::move(problem));
      add_job(at->second, source, its, one);
    }
  }
  notes_.insert(notes_.end(), notes.begin(), notes.end());
  if (options_.dtype.empty() && options_.recipes.empty()) add_other_dtypes();
  add_far();
}

/// Of the other dtypes, where none was asked for, a few small problems of each variant.
void CheckSession::add_other_dtypes() {
  const Family& family = rig_.folder().family;
  for (const DType dtype : family.dtypes) {
    if (dtype == asked_.dtype) continue;
    const auto problem = with_dtype(family, asked_, dtype);
    std::set<std::size_t> done;
    for (const auto& [source, chosen] : chosen_.configurations) {
      if (!problem || !done.insert(source).second) continue;
      const Variant& variant = *chosen_.sources[source].variant;
      const Configuration configuration = is_valid_on(variant, *problem, rig_.device(), chosen)
                                              ? chosen
                                              : default_configuration(variant, *problem, rig_.device());
      const ShapedKernel kernel = {family, variant, configuration, rig_.device()};
      if (!is_valid_on(variant, *problem, rig_.device(), configuration)) continue;
      for (const CheckedProblem& one : shapes_of_dtype(kernel, *problem, limits_for(rig_.device()))) {
        Problem small = make_problem(family, one.request);
        if (!why_no_plan(rig_.folder(), variant, small, configuration, rig_.device()).empty()) continue;
        const auto known = std::ranges::find(problems_, small.key(), &Problem::key);
        const auto at = static_cast<std::size_t>(known - problems_.begin());
        if (known == problems_.end()) problems_.push_back(std::move(small));
        add_job(at, source, configuration, one);
      }
      if (!rig_.device().executes_samples) continue;
      for (const CheckedProblem& one : far_problems(kernel, *problem, 1).problems)
        add_far(one, source, one.configuration.value_or(configuration));
    }
  }
}

/// Of outputs that nobody computes here there are no other problems than those that were recorded.
void CheckSession::add_recorded() {
  std::vector<std::string> titles;
  for (Problem& problem : recorded_elsewhere(rig_.folder().family, asked_, false)) {
    titles.push_back(problem.title());
    problems_.push_back(std::move(problem));
    for (const auto& [source, configuration] : chosen_.configurations)
      add_small(problems_.size() - 1, source, configuration);
  }
  notes_.push_back(
      fmt::format("against recordings: no edges, residues, special values, unforeseen data or indices "
                  "beyond 2^31 are tried; recorded besides {}: {}",
                  asked_.title(), titles.empty() ? "nothing" : fmt::format("{}", fmt::join(titles, ", "))));
}

/// Key of the small problem that is executed beside the one asked for, with the same plans; empty: none is.
std::string CheckSession::checked_small() const {
  const Family& family = rig_.folder().family;
  const bool whole = rig_.device().executes_samples &&
                     (options_.full || is_executed_whole(flops_of(family, asked_), bytes_of(family, asked_)));
  if (whole) return {};
  const auto small = choose_small_problem(rig_.folder(), asked_, rig_.device());
  return small ? small->problem.key() : std::string();
}

/// As it will be executed, and, where it is small enough to be executed whole, as for a device of few multiprocessors.
void CheckSession::add_asked(std::size_t source, const Configuration& configuration) {
  end_interrupted_wait();
  const ShapedKernel kernel = {rig_.folder().family, *chosen_.sources[source].variant, configuration, rig_.device()};
  const bool as_it_is = is_valid_on(kernel.variant, asked_, rig_.device(), configuration);
  const auto few = device_for(kernel, asked_, std::nullopt);
  if (as_it_is) jobs_.push_back({0, rig_.device().sms, source, configuration, Thoroughness::thorough});
  if (few && few->sms != rig_.device().sms && as_it_is)
    jobs_.push_back({0, few->sms, source, configuration, Thoroughness::thorough});
}

/// Of another problem.
void CheckSession::add_job(std::size_t problem, std::size_t source, const Configuration& configuration,
                           const CheckedProblem& how) {
  end_interrupted_wait();
  const ShapedKernel kernel = {rig_.folder().family, *chosen_.sources[source].variant, configuration, rig_.device()};
  if (const auto device = device_for(kernel, problems_[problem], how.sms))
    jobs_.push_back(
        {static_cast<std::uint32_t>(problem), device->sms, source, configuration, how.thoroughness, how.executed});
}

/// Of one that nobody has sought.
void CheckSession::add_small(std::size_t problem, std::size_t source, const Configuration& configuration) {
  CheckedProblem how;
  const ShapedKernel kernel = {rig_.folder().family, *chosen_.sources[source].variant, configuration, rig_.device()};
  how.thoroughness = thoroughness_of(kernel, problems_[problem], limits_for(rig_.device()));
  add_job(problem, source, configuration, how);
}

bool CheckSession::step() {
  if (next_ == jobs_.size() || stops_here()) return false;
  compile_together();
  if (ahead_.step()) return true;
  const Job& job = jobs_[next_];
  try {
    if (job.executed != Executed::as_usual)
      run_far(job);
    else
      run(job);
  } catch (const NoMemoryError& error) {
    if (is_asked(job) || job.executed != Executed::as_usual) throw;
    leave_out(job, error.what());
    while (next_ + 1 < jobs_.size() && jobs_[next_ + 1].problem == job.problem) ++next_;
  }
  ++next_;  // not before: what was interrupted has not been done
  return true;
}

void CheckSession::run(const Job& job) {
  if (loaded_ != job.problem) {
    setup_ = is_asked(job) ? prepare_problem(rig_.folder(), problems_[job.problem], rig_.device())
                           : prepare_alone(rig_.folder(), problems_[job.problem], rig_.device());
    setup_->timed = false;
    ProblemLoader(rig_, *setup_).load();
    loaded_ = job.problem;
  }
  SingleOptions single;
  single.recipes = recipes_for(job.thoroughness);
  single.thorough = job.thoroughness == Thoroughness::thorough;
  single.hazards = !is_asked(job);
  single.explain = true;
  single.full = options_.full;
  single.deadline = generous_deadline(rig_, *setup_, 10 * (single.recipes.size() + 2));
  const auto begin = std::chrono::steady_clock::now();
  const DeviceInfo device = rig_.device().with_sms(job.sms);
  Evaluation result = run_single_for(rig_, *setup_, chosen_.sources[job.variant], job.configuration, single, device);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const Trial& trial = result.candidate.trial;
  if (trial.status == TrialStatus::out_of_memory && !is_asked(job)) {
    leave_out(job, trial.message);
    return;
  }
  note_stored(result);
  add_row(job, std::move(result), took.count());
}

/// A problem that nobody asked for, and for which the device has no memory, says nothing of the kernel.
void CheckSession::leave_out(const Job& job, const std::string& why) {
  notes_.push_back(fmt::format("{}: {} is left out: {}", chosen_.sources[job.variant].variant->name,
                               problems_[job.problem].title(), why));
}

bool CheckSession::stops_here() const {
  return options_.fail_fast && !rows_.empty() && rows_.back().trial.status != TrialStatus::passed;
}

/// Jobs that are compiled together: all, but where the first failure is the last thing of interest those of a problem.
std::size_t CheckSession::end_of_batch() const {
  if (!options_.fail_fast) return jobs_.size();
  std::size_t end = next_;
  while (end < jobs_.size() && jobs_[end].problem == jobs_[next_].problem) ++end;
  return end;
}

/// Whatever the next jobs have compiled, with all compilers at once, before the first of them.
void CheckSession::compile_together() {
  if (next_ < compiled_) return;
  CompileList list(rig_);
  for (compiled_ = next_; compiled_ < end_of_batch(); ++compiled_) {
    const Job& job = jobs_[compiled_];
    const DeviceInfo device = rig_.device().with_sms(job.sms);
    list.add(chosen_.sources[job.variant], job.configuration, problems_[job.problem], device);
  }
  ahead_ = CompileAhead(rig_, rig_.device().is_scripted ? std::vector<CompileRequest>() : list.take());
}

void CheckSession::add_row(const Job& job, Evaluation result, double seconds) {
  CheckRow row{problems_[job.problem],
               std::move(result.candidate.trial),
               job.problem != 0 && !options_.stored_winners,
               std::move(result.scope),
               std::move(result.report),
               "",
               seconds};
  if (row.trial.status != TrialStatus::passed) {
    if (job.sms < rig_.device().sms) row.trial.message += fmt::format(" (as for {} multiprocessors)", job.sms);
    row.command = check_command(row.trial, options_.rig.target);
    if (options_.full) row.command += " --full";
    if (!options_.recipes.empty()) row.command += fmt::format(" --recipe {}", fmt::join(options_.recipes, ","));
  }
  rows_.push_back(std::move(row));
}

/// Those that were asked for on any problem.
std::vector<std::uint32_t> CheckSession::recipes_for(Thoroughness thoroughness) const {
  return options_.recipes.empty() ? recipes_of(setup_->plan, thoroughness) : chosen_recipes();
}

std::vector<std::uint32_t> CheckSession::chosen_recipes() const {
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
  state.compiling = ahead_.left();
  state.done = next_;
  state.total = jobs_.size();
  state.stopped = next_ < jobs_.size() && stops_here();
  for (const CheckRow& row : rows_) state.failed += row.trial.status != TrialStatus::passed ? 1 : 0;
  if (!rows_.empty()) state.label = fmt::format("{} {}", rows_.back().problem.title(), rows_.back().trial.variant);
  return state;
}

}  // namespace kerlab::session
