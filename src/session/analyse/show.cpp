#include "session/analyse/show.h"
#include "base/split.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "session/analyse/roofline.h"
#include "session/run/count_operations.h"
#include "session/run/device_class.h"

namespace kerlab::session {

namespace {

/// Values as a problem's key writes them: "4K" is 4096, "1.0" is 1.
std::string canonical(const ProblemArgument& argument) {
  const std::string& text = argument.value;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return text;  // a flag's value
  const bool whole = end == text.data() + text.size();
  return whole ? fmt::format("{}", number) : fmt::format("{}", parse_size(argument.name, text));
}

bool agrees(const std::string& problem, const std::vector<std::string>& wanted) {
  const std::vector<std::string> words = words_of(problem);
  return std::ranges::all_of(wanted, [&](const std::string& word) { return std::ranges::count(words, word) > 0; });
}

void add_roof(TrialFacts& facts, const DeviceInfo& device, const KernelPlaces& kernels) {
  try {
    const KernelFolder folder = open_catalogue(kernels).find(facts.trial.family);
    const Problem problem = make_problem(folder.family, request_of_key(folder.family, facts.trial.problem));
    ProblemPlan plan;
    plan.flops = flops_of(folder.family, problem);
    plan.bytes = bytes_of(folder.family, problem);
    facts.flops = plan.flops;
    if (!device.name.empty()) facts.roof = theoretical_roof(problem, plan, device);
  } catch (const Error&) {
    // The family is gone, or no longer has such a problem: the record is shown all the same.
  }
}

std::optional<Occupancy> stored_occupancy(const Trial& trial, const DeviceInfo& device) {
  if (trial.registers == 0 || device.threads_per_sm == 0) return {};
  Occupancy result = occupancy(device, static_cast<int>(trial.threads), static_cast<int>(trial.registers),
                               static_cast<int>(trial.shared_bytes));
  if (trial.blocks_per_sm > 0) {  // the driver's word counts
    result.blocks = static_cast<int>(trial.blocks_per_sm);
    result.fraction = static_cast<double>(trial.blocks_per_sm * trial.threads) / device.threads_per_sm;
  }
  return result;
}

std::string listed(const std::vector<Decision>& decisions) {
  std::string text;
  for (const Decision& decision : decisions)
    text += fmt::format("\n  {}  (kerlab show {})", decision.problem, decision.trial);
  return text;
}

}  // namespace

Trial find_trial(const Database& database, std::int64_t id) {
  if (auto trial = database.trial(id)) return *trial;
  throw UsageError(
      fmt::format("no trial {} in database {}; `kerlab db trials` lists those there are, --db FILE names "
                  "another database",
                  id, database.path().string()));
}

std::vector<Decision> find_winners(const Database& database, const std::string& family, const std::string& dtype,
                                   const std::vector<ProblemArgument>& arguments) {
  std::vector<std::string> wanted;
  if (!dtype.empty()) wanted.push_back(dtype);
  for (const ProblemArgument& argument : arguments)
    wanted.push_back(fmt::format("{}={}", argument.name, canonical(argument)));
  std::vector<Decision> of_family, found;
  for (const Decision& decision : database.winners()) {
    if (decision.family != family) continue;
    of_family.push_back(decision);
    if (agrees(decision.problem, wanted)) found.push_back(decision);
  }
  if (of_family.empty()) {
    throw UsageError(
        fmt::format("no winner of {} in database {}; find one with `kerlab tune {}`, list what there is "
                    "with `kerlab db winners`",
                    family, database.path().string(), family));
  }
  if (found.empty()) {
    throw UsageError(fmt::format("no winner of {} with {} in database {}; there are:{}", family, fmt::join(wanted, " "),
                                 database.path().string(), listed(of_family)));
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Decision::created);
  return found;
}

TrialFacts trial_facts(const Database& database, const Trial& trial, const KernelPlaces& kernels) {
  TrialFacts facts;
  facts.trial = trial;
  facts.measurements = database.measurements(trial.id);
  const DeviceInfo device = device_of_class(trial.device_class);
  facts.occupancy = stored_occupancy(trial, device);
  add_roof(facts, device, kernels);
  facts.operations = predicted_operations(trial, kernels);
  const auto decision = database.winner(trial.problem, trial.device_class);
  facts.winner = decision && decision->trial == trial.id;
  return facts;
}

}  // namespace kerlab::session
