// One problem of a report: its trials with their times, the roof above them, and what follows from these.

#include <algorithm>
#include <charconv>
#include <sstream>

#include "search/strategy.h"
#include "session/analyse/report_data.h"
#include "session/analyse/report_trials.h"
#include "session/analyse/roofline.h"
#include "session/find/failures.h"
#include "session/run/ceilings.h"
#include "session/run/count_operations.h"
#include "session/run/device_class.h"

namespace kerlab::session {

namespace {

DeviceInfo device_of(const std::string& device_class, const std::string& device_kind) {
  DeviceInfo device = device_of_class(device_class);
  if (const auto kind = kind_named(device_kind)) device.set_kind(*kind);
  return device;
}

ReportRoof to_report(const Ceilings& ceilings, const Roofline& roof) {
  return {ceilings.bytes_per_s, ceilings.flops_per_s, ceilings.measured_peak, roof.minimum_us, roof.memory_bound};
}

void rate(ReportProblem& problem) {
  for (ReportTrial& one : problem.trials) {
    if (!one.time) continue;
    one.flops_per_s = problem.flops / one.time->median_us * 1e6;
    one.bytes_per_s = problem.bytes / one.time->median_us * 1e6;
    if (problem.theoretical) one.of_roof = problem.theoretical->minimum_us / one.time->median_us;
  }
}

/// The fastest of those that passed; a screening flatters, so one that was measured beside others goes first.
std::optional<std::size_t> fastest(const ReportProblem& problem) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < problem.trials.size(); ++i) {
    const ReportTrial& one = problem.trials[i];
    if (!one.time || one.trial.status != TrialStatus::passed) continue;
    if (!best || one.time->median_us < problem.trials[*best].time->median_us) best = i;
  }
  return best;
}

void add_roof(ReportProblem& problem, const Database& database, const KernelFolder& folder) {
  const Problem resolved = make_problem(folder.family, request_of_key(folder.family, problem.key));
  const DeviceInfo device = device_of(problem.device_class, problem.device_kind);
  problem.title = resolved.title();
  problem.dimensions = resolved.dimensions;
  problem.flops = flops_of(folder.family, resolved);
  problem.bytes = bytes_of(folder.family, resolved);
  if (device.name.empty()) return;
  ProblemRoofline roof = problem_roof(folder.family, resolved, device, stored_ceilings(database, device));
  problem.intensity = roof.roof.intensity;
  problem.pipe = roof.theoretical.unit;
  problem.bandwidth = roof.bandwidth;
  problem.theoretical = to_report(roof.theoretical, roof.roof);
  if (roof.measured) problem.measured = to_report(*roof.measured, *roof.measured_roof);
  problem.bottleneck = "bottleneck: " + sentence(roof.bottleneck);
  rate(problem);
  const auto best = problem.winner ? problem.winner : fastest(problem);
  if (best && problem.trials[*best].time) {
    roof.points.push_back(point_under(roof, problem.trials[*best].trial, *problem.trials[*best].time));
    roof.points.front().winner = problem.winner.has_value();
  }
  problem.sentence = roofline_sentence(roof);
}

std::optional<std::size_t> index_of(const ReportProblem& problem, std::int64_t trial) {
  for (std::size_t i = 0; i < problem.trials.size(); ++i)
    if (problem.trials[i].trial.id == trial) return i;
  return std::nullopt;
}

std::string label(const Trial& trial) {
  return label_text(trial);
}

const Measurement* find(const ByTrial& times, std::int64_t trial, std::int64_t measurement) {
  const auto at = times.find(trial);
  if (at == times.end()) return nullptr;
  for (const Measurement& one : at->second)
    if (one.id == measurement) return &one;
  return nullptr;
}

/// Another winner that was decided before.
void add_previous(ReportProblem& problem, const Decision& decision, const ByTrial& times) {
  const auto index = index_of(problem, decision.trial);
  const Measurement* then = find(times, decision.trial, decision.measurement);
  if (!index || then == nullptr) return;
  ReportPrevious previous{decision, label(problem.trials[*index].trial), then->median_us, 0};
  for (const Measurement& one : times.at(decision.trial))
    if (one.session == problem.decision->session && one.stage == TimingStage::final) previous.again_us = one.median_us;
  problem.previous = std::move(previous);
}

void add_decisions(ReportProblem& problem, const Database& database, const ByTrial& times) {
  for (const Decision& decision : database.decisions(problem.key, problem.device_class)) {
    const auto index = index_of(problem, decision.trial);
    if (!index) continue;  // of another kind of device with the same name
    if (problem.decision) {
      add_previous(problem, decision, times);
      return;
    }
    problem.decision = decision;
    problem.winner = index;
    ReportTrial& winner = problem.trials[*index];
    winner.winner = true;
    if (const Measurement* decided = find(times, decision.trial, decision.measurement)) {
      winner.time = *decided;
      winner.time->samples_us.clear();
    }
    std::istringstream ids(decision.tie_set);
    for (std::string id; std::getline(ids, id, ',');)
      if (const auto tied = index_of(problem, std::atoll(id.c_str()))) problem.trials[*tied].tied = *tied != *index;
  }
}

/// Those that were measured side by side when the winner was decided; without a winner none.
void add_finalists(ReportProblem& problem, const ByTrial& times) {
  if (!problem.decision) return;
  for (std::size_t i = 0; i < problem.trials.size(); ++i) {
    const auto at = times.find(problem.trials[i].trial.id);
    if (at == times.end()) continue;
    const Measurement* last = nullptr;
    for (const Measurement& one : at->second)
      if (one.stage == TimingStage::final && one.session == problem.decision->session) last = &one;
    if (problem.trials[i].winner)
      if (const Measurement* decided = find(times, problem.decision->trial, problem.decision->measurement))
        last = decided;
    if (last != nullptr) problem.finalists.push_back({i, *last});
  }
  std::stable_sort(problem.finalists.begin(), problem.finalists.end(),
                   [](const auto& a, const auto& b) { return a.measurement.median_us < b.measurement.median_us; });
}

void add_ladder(ReportProblem& problem, const KernelFolder& folder) {
  for (const Variant& variant : folder.variants) {
    ReportRung rung{variant.rung, variant.name, {}, {}};
    const std::string at_default = configuration_text(variant, default_configuration(variant));
    for (std::size_t i = 0; i < problem.trials.size(); ++i) {
      const ReportTrial& one = problem.trials[i];
      if (one.trial.variant != variant.name || !one.time || one.trial.status != TrialStatus::passed) continue;
      const auto us = [&](std::size_t index) { return problem.trials[index].time->median_us; };
      if (!rung.best || us(i) < us(*rung.best)) rung.best = i;
      if (one.trial.configuration == at_default && (!rung.at_default || us(i) < us(*rung.at_default)))
        rung.at_default = i;
    }
    if (rung.best) problem.ladder.push_back(std::move(rung));
  }
  std::stable_sort(problem.ladder.begin(), problem.ladder.end(),
                   [](const ReportRung& a, const ReportRung& b) { return a.rung < b.rung; });
}

/// The lowest rung that was timed, if it is below the winner's or is the winner.
void add_naive(ReportProblem& problem, const KernelFolder& folder) {
  const auto best = problem.winner ? problem.winner : fastest(problem);
  if (!best || problem.ladder.empty()) return;
  const ReportRung& lowest = problem.ladder.front();
  const auto first = std::ranges::min_element(folder.variants, {}, &Variant::rung);
  const bool is_first = first->name == lowest.variant;
  if (!is_first && problem.trials[*best].trial.variant == lowest.variant) return;
  problem.naive = ReportNaive{lowest.at_default.value_or(*lowest.best), is_first};
}

/// The commands that run each trial again.
void add_reproductions(ReportProblem& problem, const std::string& repeated) {
  std::string device;
  if (stored_capabilities(problem.device_kind).counts_exactly)
    device = " --device " + emulated_twin(problem.device_class);
  for (ReportTrial& one : problem.trials) one.reproduce = reproduction(one.trial, one.trial.family, repeated + device);
}

/// Of the winner's variant; without a winner of the fastest trial's.
void add_importance(ReportProblem& problem) {
  const auto best = problem.winner ? problem.winner : fastest(problem);
  if (!best) return;
  problem.searched = problem.trials[*best].trial.variant;
  std::vector<std::string> names;
  for (const auto& [parameter, value] : parameters_of(problem.trials[*best].trial.configuration))
    names.push_back(parameter);
  std::vector<std::vector<std::int64_t>> configurations;
  std::vector<double> costs;
  for (const ReportTrial& one : problem.trials) {
    if (one.trial.variant != problem.searched || one.screen_us <= 0) continue;
    const auto parameters = parameters_of(one.trial.configuration);
    if (parameters.size() != names.size()) continue;  // of an older kernel
    std::vector<std::int64_t> values;
    for (std::size_t p = 0; p < names.size(); ++p)
      if (parameters[p].first == names[p]) values.push_back(parameters[p].second);
    if (values.size() != names.size()) continue;
    configurations.push_back(std::move(values));
    costs.push_back(one.screen_us);
  }
  for (const Importance& entry : parameter_importance(names, configurations, costs))
    problem.importance.emplace_back(entry.parameter, entry.share);
}

void add_failures(ReportProblem& problem, const std::vector<Trial>& trials, const std::string& repeated) {
  for (const FailureGroup& group : group_failures(trials)) {
    ReportFailure failure{group.first,         group.cause,   reproduction(group.first, group.first.family, repeated),
                          group.trials.size(), group.healthy, {}};
    for (const Exclusion& exclusion : group.exclusions) failure.excluded_by.push_back(exclusion_text(group, exclusion));
    problem.failures.push_back(std::move(failure));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::int64_t>> parameters_of(const std::string& configuration) {
  std::vector<std::pair<std::string, std::int64_t>> parameters;
  std::istringstream words(configuration);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    std::int64_t value = 0;
    const char* end = word.data() + word.size();
    if (equals == std::string::npos) return {};
    const auto [rest, error] = std::from_chars(word.data() + equals + 1, end, value);
    if (error != std::errc{} || rest != end) continue;  // a word
    parameters.emplace_back(word.substr(0, equals), value);
  }
  return parameters;
}

ReportProblem collect_problem(const ReportOptions& options, const Database& database, std::vector<Trial> trials,
                              const Catalogue& catalogue, std::vector<std::string>& warnings) {
  const Trial& one = trials.front();
  ReportProblem problem;
  problem.key = problem.title = one.problem;
  problem.family = one.family;
  problem.dtype = one.dtype;
  problem.device_class = one.device_class;
  problem.device_kind = one.device_kind;
  problem.clock = device_of(one.device_class, one.device_kind).clock();
  const ByTrial times = measurements_by_trial(database, problem);
  add_failures(problem, trials, options.repeated);
  add_trials(problem, std::move(trials), times, database);
  add_decisions(problem, database, times);
  add_finalists(problem, times);
  add_importance(problem);
  add_reproductions(problem, options.repeated);
  problem.library = database.library_times(problem.key, problem.device_class, problem.clock);
  try {
    const KernelFolder folder = catalogue.find(problem.family);
    add_ladder(problem, folder);
    add_naive(problem, folder);
    add_roof(problem, database, folder);
  } catch (const Error& error) {
    warnings.push_back(fmt::format("{}: no roof and no ladder: {}", problem.key, error.what()));
  }
  return problem;
}

}  // namespace kerlab::session
