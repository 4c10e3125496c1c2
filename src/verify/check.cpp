#include "verify/check.h"

#include <fmt/format.h>

#include "verify/explain.h"

namespace kerlab {

/// One recipe of a check, and where its results go.
struct Checker::Run {
  std::uint32_t recipe = 0;
  int set = 0;
  std::vector<std::uint32_t> poisons;  ///< of each attempt
  const std::vector<Expected>* expected = nullptr;
  std::vector<std::uint64_t> input_hashes;
  std::size_t first_compare = 0;  ///< slots: attempts x outputs
  std::uint32_t first_hash = 0;   ///< slots: inputs, then attempts x outputs
  bool timed = false;             ///< its first attempt lies between the two events
};

Checker::Checker(ProblemData& data)
    : data_(data), reports_(data.device()), begin_(data.device().create_event()), end_(data.device().create_event()) {}

Checker::~Checker() {
  data_.device().release_event(begin_);
  data_.device().release_event(end_);
}

void Checker::poison(int set, std::uint32_t pattern) {
  for (std::size_t i = 0; i < data_.plan().tensors.size(); ++i)
    if (data_.plan().tensors[i].role == Role::output)
      data_.device().fill(data_.buffer(set, i).pointer(), pattern, data_.buffer(set, i).words());
}

void Checker::compare(const Run& run, std::size_t attempt) {
  const auto& references = data_.plan().references;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Tensor& output = data_.output(i);
    if (output.elements() == 0) continue;
    const Tolerance& t = references[i].tolerance;
    const std::size_t slot = run.first_compare + attempt * references.size() + i;
    const GuardedBuffer& buffer = data_.buffer(run.set, output.name);
    const lab::CompareArguments arguments{buffer.pointer(),
                                          (*run.expected)[i].value.pointer(),
                                          (*run.expected)[i].scale.pointer(),
                                          output.elements(),
                                          static_cast<lab::u32>(output.dtype),
                                          references[i].accumulator == DType::fp32 ? 1u : 0u,
                                          data_.plan().recipes[run.recipe].exact ? 1u : 0u,
                                          0,
                                          t.value_factor,
                                          t.scale_factor,
                                          t.absolute,
                                          reports_.compare(slot)};
    data_.lab().run_over("lab_compare", arguments, arguments.count);
    const auto hash_slot =
        run.first_hash + static_cast<std::uint32_t>(data_.inputs().size() + attempt * references.size() + i);
    if (run.poisons.size() > 1) data_.queue_hash(buffer.pointer(), buffer.bytes(), reports_, hash_slot);
  }
}

void Checker::queue(Candidate& candidate, Run& run) {
  for (std::size_t attempt = 0; attempt < run.poisons.size(); ++attempt) {
    for (const BoundLaunch& launch : data_.restore_launches(run.set, run.recipe)) data_.device().launch(launch);
    poison(run.set, run.poisons[attempt]);
    const bool timed = run.timed && attempt == 0;
    if (timed) data_.device().record(begin_);
    candidate.run(run.set, LaunchMode::check);
    if (timed) data_.device().record(end_);
    compare(run, attempt);
  }
  data_.queue_input_hashes(run.set, reports_, run.first_hash);
}

CheckReport Checker::check_once(Candidate& candidate, std::span<const std::uint32_t> recipes, bool thorough) {
  std::vector<Run> runs;
  const std::size_t outputs = data_.plan().references.size(), tensors = data_.plan().tensors.size();
  std::size_t compares = 0, hashes = 0;
  for (const std::uint32_t recipe : recipes) {
    if (recipe >= data_.plan().recipes.size()) throw Error(fmt::format("check: the problem has no recipe {}", recipe));
    Run run;
    run.recipe = recipe;
    run.poisons = {runs.size() % 2 == 0 ? kPoisonNan : kPoisonFinite};
    if (thorough) run.poisons = {kPoisonNan, kPoisonFinite, kPoisonNan};
    run.timed = runs.empty();
    run.first_compare = compares;
    run.first_hash = static_cast<std::uint32_t>(hashes);
    compares += run.poisons.size() * outputs;
    hashes += data_.inputs().size() + run.poisons.size() * outputs;
    runs.push_back(std::move(run));
  }
  const std::size_t buffers = tensors + candidate.workspaces().size();
  reports_.reset(compares, 2 * buffers * runs.size(), hashes);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Run& run = runs[i];
    run.input_hashes = data_.input_hashes(run.recipe);
    run.expected = &data_.expected(run.recipe);
    run.set = data_.set_with(run.recipe);
    queue(candidate, run);
    std::vector<NamedBuffer> guarded = data_.named_buffers(run.set);
    for (const NamedBuffer& workspace : candidate.workspaces()) guarded.push_back(workspace);
    scan_guards(data_.lab(), guarded, reports_, static_cast<std::uint32_t>(2 * buffers * i));
  }
  reports_.read();
  return read(candidate, runs);
}

RecipeReport Checker::judge(const Run& run, std::size_t output) const {
  const std::size_t outputs = data_.plan().references.size();
  const Recipe& recipe = data_.plan().recipes[run.recipe];
  const std::size_t first_hash = run.first_hash + data_.inputs().size() + output;
  RecipeReport worst;
  bool repeatable = true;
  for (std::size_t attempt = 0; attempt < run.poisons.size(); ++attempt) {
    const RecipeReport report =
        explain(recipe, data_.output(output), reports_.compared()[run.first_compare + attempt * outputs + output]);
    const bool worse = worst.passed == report.passed ? report.error_ratio > worst.error_ratio : worst.passed;
    if (attempt == 0 || worse) worst = report;
    repeatable = repeatable && reports_.hashed()[first_hash + attempt * outputs] == reports_.hashed()[first_hash];
  }
  if (!repeatable && worst.passed)
    worst.detail = "repeated runs differ bit by bit: atomics, or a race that stays within the tolerance";
  return worst;
}

CheckReport Checker::read(const Candidate& candidate, const std::vector<Run>& runs) {
  CheckReport report;
  if (!runs.empty()) report.first_us = data_.device().elapsed_us(begin_, end_);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    for (std::size_t output = 0; output < data_.plan().references.size(); ++output)
      report.recipes.push_back(judge(run, output));
    for (std::size_t input = 0; input < run.input_hashes.size(); ++input) {
      if (reports_.hashed()[run.first_hash + input] == run.input_hashes[input]) continue;
      if (report.input_modified.empty()) report.input_modified = data_.plan().tensors[data_.inputs()[input]].name;
      data_.distrust(run.set);
    }
    std::vector<NamedBuffer> guarded = data_.named_buffers(run.set);
    for (const NamedBuffer& workspace : candidate.workspaces()) guarded.push_back(workspace);
    const auto found = std::span(reports_.guarded()).subspan(2 * guarded.size() * i, 2 * guarded.size());
    const std::string damage = describe_damage(guarded, found);
    if (damage.empty()) continue;
    if (report.guard_violation.empty()) report.guard_violation = damage;
    for (const NamedBuffer& named : guarded) named.buffer->restore_guards(data_.device());
  }
  return report;
}

CheckReport Checker::check(Candidate& candidate, std::span<const std::uint32_t> recipes, bool thorough) {
  CheckReport report = check_once(candidate, recipes, thorough);
  if (report.passed()) return report;
  // An earlier candidate may have written into these data (while it was timed, say): nobody is blamed for another's
  // damage, so with data made anew it gets a second chance.
  bool intact = true;
  for (const std::uint32_t recipe : recipes) intact = data_.expected_intact(recipe) && intact;
  if (intact && report.input_modified.empty()) return report;
  data_.distrust_all();
  return check_once(candidate, recipes, thorough);
}

std::string Checker::scan(const Candidate& candidate, int sets) {
  std::vector<NamedBuffer> guarded = candidate.workspaces();
  for (int set = 0; set < sets; ++set)
    for (const NamedBuffer& named : data_.named_buffers(set)) guarded.push_back(named);
  if (guarded.empty()) return {};
  reports_.reset(0, 2 * guarded.size(), 0);
  scan_guards(data_.lab(), guarded, reports_, 0);
  reports_.read();
  std::string damage = describe_damage(guarded, reports_.guarded());
  if (!damage.empty())
    for (const NamedBuffer& named : guarded) named.buffer->restore_guards(data_.device());
  return damage;
}

}  // namespace kerlab
