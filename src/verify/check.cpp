#include "verify/check.h"

#include <fmt/format.h>

#include "verify/check_run.h"
#include "verify/checker.h"
#include "verify/compare.h"
#include "verify/explain.h"
#include "verify/normwise.h"
#include "verify/rounding_verdict.h"
#include "verify/second_look.h"

namespace kerlab::verify {

Checker::Checker(ProblemData& data)
    : data_(data), reports_(data.device()), begin_(data.device().create_event()), end_(data.device().create_event()) {}

Checker::~Checker() {
  data_.device().release_event(begin_);
  data_.device().release_event(end_);
}

std::size_t Checker::hash_slot(const Run& run, std::size_t attempt, std::size_t output) const {
  return run.first_hash + data_.inputs().size() + attempt * data_.plan().references.size() + output;
}

/// Compares the outputs of an attempt, or only hashes them.
void Checker::look(Run& run, std::size_t attempt) {
  const auto& references = data_.plan().references;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Tensor& output = data_.output(i);
    if (output.elements() == 0) continue;
    const GuardedBuffer& buffer = data_.buffer(run.set, output.name);
    const std::size_t slot = run.first_compare + attempt * references.size() + i;
    if (attempt < run.compared && references[i].checker)
      run.judged[slot] = judge_by_checker(data_, run.recipe, i, run.set);
    else if (attempt < run.compared)
      queue_compare(data_, reports_, slot,
                    {run.recipe, i, buffer.pointer(), &(*run.expected)[i], run.sums, run.accuracy});
    if (run.poisons.size() > 1)
      data_.queue_hash(buffer.pointer(), buffer.bytes(), reports_,
                       static_cast<std::uint32_t>(hash_slot(run, attempt, i)));
  }
}

std::vector<NamedBuffer> Checker::guarded_buffers(const Candidate& candidate, int set) const {
  std::vector<NamedBuffer> guarded = data_.named_buffers(set);
  for (const NamedBuffer& workspace : candidate.workspaces()) guarded.push_back(workspace);
  for (const NamedBuffer& copy : candidate.pitched().buffers()) guarded.push_back(copy);
  return guarded;
}

void Checker::tell_progress(const CheckWishes& wishes) {
  if (!wishes.progress) return;
  data_.device().synchronize();
  wishes.progress();
}

void Checker::queue(Candidate& candidate, Run& run, const CheckWishes& wishes) {
  for (std::size_t attempt = 0; attempt < run.poisons.size(); ++attempt) {
    for (const BoundLaunch& launch : data_.restore_launches(run.set, run.recipe)) data_.device().launch(launch);
    if (!run.untouched) {
      poison_outputs(data_, run.set, run.poisons[attempt]);
      candidate.poison_workspaces(run.poisons[attempt]);
    }
    const bool timed = run.timed && attempt == 0;
    if (timed) data_.device().record(begin_);
    candidate.run(run.set, LaunchMode::check);
    if (timed) data_.device().record(end_);
    look(run, attempt);
    tell_progress(wishes);
  }
  data_.queue_input_hashes(run.set, reports_, run.first_hash);
}

std::vector<Checker::Run> Checker::plan_runs(std::span<const std::uint32_t> recipes, CheckWishes wishes) const {
  std::vector<Run> runs;
  const std::size_t outputs = data_.plan().references.size();
  std::size_t compares = 0, hashes = 0;
  for (const std::uint32_t recipe : recipes) {
    if (recipe >= data_.plan().recipes.size()) throw Error(fmt::format("check: the problem has no recipe {}", recipe));
    Run run;
    run.recipe = recipe;
    run.poisons = {runs.size() % 2 == 0 ? kPoisonNan : kPoisonFinite};
    if (wishes.thorough) run.poisons = {kPoisonNan, kPoisonFinite, kPoisonNan};
    run.compared = run.poisons.size();
    run.sums = wishes.thorough;
    run.timed = runs.empty();
    if (wishes.thorough && runs.empty()) run.poisons.resize(kRunsOfFirst, kPoisonNan);
    run.first_compare = compares;
    run.first_hash = static_cast<std::uint32_t>(hashes);
    compares += run.compared * outputs;
    hashes += data_.inputs().size() + run.poisons.size() * outputs;
    runs.push_back(std::move(run));
  }
  return runs;
}

CheckReport Checker::check_once(Candidate& candidate, std::span<const std::uint32_t> recipes, CheckWishes wishes) {
  return check_runs(candidate, plan_runs(recipes, wishes), wishes);
}

CheckReport Checker::check_runs(Candidate& candidate, std::vector<Run> runs, CheckWishes wishes) {
  const std::size_t outputs = data_.plan().references.size();
  std::size_t compares = 0, hashes = 0;
  for (const Run& run : runs) {
    compares += run.compared * outputs;
    hashes += data_.inputs().size() + run.poisons.size() * outputs;
  }
  const std::vector<NamedBuffer> zeroed = candidate.zeroed_workspaces();
  const PitchedTensors& pitched = candidate.pitched();
  const std::size_t buffers = guarded_buffers(candidate, 0).size();
  const std::size_t scans = 2 * buffers + zeroed.size() + pitched.size();  // of each run
  reports_.reset(compares, scans * runs.size(), hashes);
  std::vector<Expected> by_norm;  // of one run at a time
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Run& run = runs[i];
    run.accuracy = candidate.plan().accuracy;
    run.input_hashes = data_.input_hashes(run.recipe);
    if (run.accuracy.normwise) by_norm = expected_by_norm(data_, run.recipe, run.accuracy);
    run.expected = run.accuracy.normwise ? &by_norm : &data_.expected(run.recipe);
    run.set = data_.set_with(run.recipe, candidate.plan().alignment);
    queue(candidate, run, wishes);
    scan_guards(data_.lab(), guarded_buffers(candidate, run.set), reports_, static_cast<std::uint32_t>(scans * i));
    scan_zeros(data_.lab(), zeroed, reports_, static_cast<std::uint32_t>(scans * i + 2 * buffers));
    pitched.scan_gaps(reports_, static_cast<std::uint32_t>(scans * i + 2 * buffers + zeroed.size()));
  }
  reports_.read();
  CheckReport report = read(candidate, runs, wishes);
  const std::string changed = candidate.restore_variables();
  if (report.guard_violation.empty()) report.guard_violation = changed;
  return report;
}

RecipeReport Checker::judge(const Run& run, std::size_t output, CheckWishes wishes) const {
  const std::size_t outputs = data_.plan().references.size();
  const Recipe& recipe = data_.plan().recipes[run.recipe];
  RecipeReport worst;
  for (std::size_t attempt = 0; attempt < run.compared; ++attempt) {
    const std::size_t slot = run.first_compare + attempt * outputs + output;
    const auto judged = run.judged.find(slot);
    RecipeReport report =
        judged != run.judged.end() ? judged->second : explain(recipe, data_.output(output), reports_.compared()[slot]);
    for (const double target : data_.plan().references[output].rows_sum_to)
      judge_row_sums(report, data_.output(output), target, reports_.summed()[slot]);
    const bool worse = worst.passed == report.passed ? report.error_ratio > worst.error_ratio : worst.passed;
    if (attempt == 0 || worse) worst = std::move(report);
  }
  worst.runs = static_cast<std::int64_t>(run.poisons.size());
  std::vector<std::uint64_t> hashes;
  for (std::size_t attempt = 0; attempt < run.poisons.size(); ++attempt)
    hashes.push_back(reports_.hashed()[hash_slot(run, attempt, output)]);
  const bool leaves_places = data_.plan().references[output].checker;
  judge_repeats(worst, different_runs(hashes, run.poisons, leaves_places), wishes.nondeterministic);
  return worst;
}

CheckReport Checker::read(const Candidate& candidate, const std::vector<Run>& runs, CheckWishes wishes) {
  CheckReport report;
  const std::vector<NamedBuffer> zeroed = candidate.zeroed_workspaces();
  if (!runs.empty()) {
    report.first_us = data_.device().elapsed_us(begin_, end_);
    report.runs = static_cast<std::int64_t>(runs.front().poisons.size());
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    for (std::size_t output = 0; output < data_.plan().references.size(); ++output)
      report.recipes.push_back(judge(run, output, wishes));
    for (std::size_t input = 0; input < run.input_hashes.size(); ++input) {
      if (reports_.hashed()[run.first_hash + input] == run.input_hashes[input]) continue;
      if (report.input_modified.empty()) report.input_modified = data_.plan().tensors[data_.inputs()[input]].name;
      data_.distrust(run.set);
    }
    const std::vector<NamedBuffer> guarded = guarded_buffers(candidate, run.set);
    const std::size_t scans = 2 * guarded.size() + zeroed.size() + candidate.pitched().size();
    const auto found = std::span(reports_.guarded()).subspan(scans * i, scans);
    std::string damage = describe_damage(guarded, found);
    for (std::size_t z = 0; z < zeroed.size(); ++z) {
      const std::uint64_t words = found[2 * guarded.size() + z].damaged;
      if (damage.empty()) damage = describe_rest(zeroed[z].name, 4 * words);
      if (words > 0) data_.device().fill(zeroed[z].buffer->pointer(), 0, zeroed[z].buffer->words());
    }
    if (damage.empty()) damage = candidate.pitched().describe_gaps(found.subspan(2 * guarded.size() + zeroed.size()));
    if (damage.empty()) continue;
    if (report.guard_violation.empty()) report.guard_violation = damage;
    for (const NamedBuffer& named : guarded) named.buffer->restore_guards(data_.device());
    candidate.pitched().restore();
  }
  return report;
}

CheckReport Checker::check(Candidate& candidate, std::span<const std::uint32_t> recipes, CheckWishes wishes) {
  CheckReport report = check_once(candidate, recipes, wishes);
  if (!report.passed()) {
    // An earlier candidate may have written into these data (while it was timed, say): nobody is blamed for another's
    // damage, so with data made anew it gets a second chance.
    bool intact = true;
    for (const std::uint32_t recipe : recipes) intact = data_.expected_intact(recipe) && intact;
    if (!intact || !report.input_modified.empty()) {
      data_.distrust_all();
      report = check_once(candidate, recipes, wishes);
    }
  }
  if (!wishes.thorough && !wishes.explain) return report;
  if (report.guard_violation.empty() && report.input_modified.empty())
    look_again(data_, reports_, candidate, recipes, report);
  if (wishes.thorough && report.passed() && !recipes.empty()) look_for_memory(candidate, wishes, report);
  return report;
}

CheckReport Checker::check_fresh(Candidate& candidate, ProblemData::Fresh which) {
  const std::uint32_t recipe = data_.fresh_recipe(which);
  data_.refill(0, 0);
  candidate.run(0, LaunchMode::check);
  data_.refill(0, recipe);
  const std::uint32_t recipes[] = {recipe};
  CheckReport report = check(candidate, recipes, {});
  data_.distrust(0);
  return report;
}

Checker::Damage Checker::scan(const Candidate& candidate, int sets) {
  std::vector<NamedBuffer> guarded = candidate.workspaces();
  const std::size_t own = guarded.size();
  for (int set = 0; set < sets; ++set)
    for (const NamedBuffer& named : data_.named_buffers(set)) guarded.push_back(named);
  if (guarded.empty()) return {};
  reports_.reset(0, 2 * guarded.size(), 0);
  scan_guards(data_.lab(), guarded, reports_, 0);
  reports_.read();
  const std::span<const lab::GuardReport> found = reports_.guarded();
  Damage damage{describe_damage(std::span(guarded).first(own), found.first(2 * own)), true};
  if (damage.what.empty()) damage = {describe_damage(guarded, found), false};
  if (!damage.what.empty())
    for (const NamedBuffer& named : guarded) named.buffer->restore_guards(data_.device());
  return damage;
}

}  // namespace kerlab::verify
