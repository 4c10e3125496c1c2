#include "session/export/replays.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <limits>
#include <map>
#include <sstream>
#include <thread>

#include "base/cores.h"
#include "search/known_values.h"
#include "search/replay.h"
#include "session/run/arguments.h"
#include "session/run/device_class.h"
#include "session/run/prune.h"
#include "stats/quantile.h"

namespace kerlab::session {

namespace {

std::vector<double> shares_of(const ReplayOptions& options) {
  std::vector<double> shares = {0.9, 0.95, 0.99};
  if (options.runs) shares.push_back(1);
  return shares;
}

/// What a sweep says about each of its configurations.
struct Recorded {
  std::string variant;
  std::vector<std::string> parameters;
  std::vector<Configuration> points;
  std::vector<SearchSpace::Feature> features;
  std::vector<std::optional<double>> costs;
};

/// "BM=64 LAYOUT=row": names and values, whatever the variant has today. A word is the number of those of its parameter
/// that came before it.
Configuration parse_point(const std::string& text, std::vector<std::string>& names,
                          std::map<std::string, std::vector<std::string>>& seen) {
  Configuration configuration;
  names.clear();
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    names.push_back(word.substr(0, equals));
    const std::string value = word.substr(equals + 1);
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || rest != value.data() + value.size()) {
      std::vector<std::string>& before = seen[names.back()];
      number = std::ranges::find(before, value) - before.begin();
      if (number == std::ssize(before)) before.push_back(value);
    }
    configuration.values.push_back(number);
  }
  return configuration;
}

/// What is known without compiling, while the kernel is still there with the same parameters.
std::vector<SearchSpace::Feature> features_of(const Recorded& recorded, const Sweep& sweep,
                                              const Catalogue& catalogue) {
  if (sweep.family.empty()) return {};  // of another tuner
  try {
    const KernelFolder folder = catalogue.find(sweep.family);
    for (const Variant& variant : folder.variants) {
      std::vector<std::string> names;
      for (const Parameter& parameter : variant.parameters) names.push_back(parameter.name);
      if (variant.name != sweep.variant || names != recorded.parameters) continue;
      const Problem problem = make_problem(folder.family, request_of_key(folder.family, sweep.problem));
      std::vector<Configuration> points;  // words are numbered as the variant lists them
      for (const SweepPoint& point : sweep.points) points.push_back(parse_configuration(variant, point.configuration));
      return known_values(variant, problem, device_of_class(sweep.device), points);
    }
  } catch (const Error&) {
    return {};  // a kernel that has changed too much
  }
  return {};
}

Recorded read_recorded(const Sweep& sweep, const Catalogue& catalogue, bool spills) {
  Recorded recorded;
  recorded.variant = sweep.variant;
  std::map<std::string, std::vector<std::string>> seen;
  for (const SweepPoint& point : sweep.points) {
    recorded.points.push_back(parse_point(point.configuration, recorded.parameters, seen));
    const bool failed = !point.failed.empty() || (!spills && point.spills > kMostSpillBytes);
    recorded.costs.push_back(failed ? std::nullopt : std::optional(point.us));
  }
  recorded.features = features_of(recorded, sweep, catalogue);
  return recorded;
}

/// One space to search, with what all of its candidates cost.
struct Task {
  ReplayedSpace result;
  SearchSpace space;
  std::vector<std::optional<double>> costs;
};

Task make_task(std::string name, const std::vector<const Recorded*>& sweeps) {
  std::vector<SearchSpace::Part> parts;
  std::vector<std::optional<double>> costs;
  for (const Recorded* sweep : sweeps) {
    parts.push_back({sweep->variant, sweep->parameters, &sweep->points, sweep->features});
    costs.insert(costs.end(), sweep->costs.begin(), sweep->costs.end());
  }
  const auto failed = static_cast<std::size_t>(std::count(costs.begin(), costs.end(), std::nullopt));
  ReplayedSpace result{std::move(name), costs.size(), failed, sweeps.size(), {}};
  std::vector<double> passed;
  for (const auto& cost : costs)
    if (cost) passed.push_back(*cost);
  if (!passed.empty()) {
    result.best_us = *std::ranges::min_element(passed);
    result.median_us = quantile(std::move(passed), 0.5);
  }
  return {std::move(result), SearchSpace(std::move(parts)), std::move(costs)};
}

std::vector<Task> make_tasks(const std::vector<Sweep>& sweeps, const std::vector<Recorded>& recorded) {
  std::vector<Task> tasks;
  std::map<std::string, std::vector<const Recorded*>> by_problem;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    tasks.push_back(make_task(sweeps[i].name, {&recorded[i]}));
    by_problem[sweeps[i].device + " " + sweeps[i].problem].push_back(&recorded[i]);
  }
  for (const auto& [problem, together] : by_problem) {
    if (together.size() < 2) continue;
    const auto one = std::find_if(sweeps.begin(), sweeps.end(), [&, &key = problem](const Sweep& sweep) {
      return sweep.device + " " + sweep.problem == key;
    });
    Sweep all = *one;
    all.variant = fmt::format("{}_variants", together.size());
    tasks.push_back(make_task(sweep_name(all), together));
  }
  return tasks;
}

using Runs = std::vector<Replay>;  ///< by seed

/// Every (task, seed) is a job; threads take the next.
std::vector<Runs> run_all(std::vector<Task>& tasks, const std::string& strategy, const ReplayOptions& options) {
  const auto seeds = static_cast<std::size_t>(options.seeds);
  const std::vector<double> shares = shares_of(options);
  std::vector<Runs> runs(tasks.size(), Runs(seeds));
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t job = next++; job < tasks.size() * seeds; job = next++) {
      Task& task = tasks[job / seeds];  // whose space does not grow: nobody writes
      SearchOptions search;
      search.seed = job % seeds + 1;
      const std::unique_ptr<Strategy> searcher = make_strategy(strategy, task.space, std::move(search));
      runs[job / seeds][job % seeds] = replay(*searcher, task.costs, shares, options.batch);
    }
  };
  std::vector<std::thread> threads;
  for (int left = usable_cores(); left > 0; --left) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return runs;
}

/// The evaluations that a share of the runs needed at most.
double quantile_of(const Runs& runs, std::size_t share, double at) {
  std::vector<double> evaluations;
  for (const Replay& run : runs) evaluations.push_back(static_cast<double>(run.evaluations[share]));
  return quantile(std::move(evaluations), at);
}

ReplayStep summarise(const Task& task, const Runs& runs, const Runs& random, std::size_t share, double value) {
  ReplayStep step{value,
                  0,
                  quantile_of(runs, share, 0.5),
                  quantile_of(runs, share, 0.1),
                  quantile_of(runs, share, 0.9),
                  quantile_of(random, share, 0.5)};
  step.within = static_cast<std::size_t>(std::count_if(task.costs.begin(), task.costs.end(), [&](const auto& cost) {
    return cost && *cost <= task.result.best_us / value;
  }));
  return step;
}

}  // namespace

std::vector<ReplayedSpace> replay_sweeps(const std::vector<Sweep>& sweeps, const KernelPlaces& kernels,
                                         const ReplayOptions& options) {
  const Catalogue catalogue = open_catalogue(kernels);
  std::vector<Recorded> recorded;
  for (const Sweep& sweep : sweeps) recorded.push_back(read_recorded(sweep, catalogue, options.spills));
  std::vector<Task> tasks = make_tasks(sweeps, recorded);
  const std::vector<Runs> runs = run_all(tasks, options.strategy, options);
  const std::vector<Runs> random = run_all(tasks, "random", options);
  const std::vector<double> shares = shares_of(options);
  std::vector<ReplayedSpace> results;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    ReplayedSpace& result = results.emplace_back(tasks[t].result);
    for (std::size_t share = 0; share < shares.size(); ++share)
      result.steps.push_back(summarise(tasks[t], runs[t], random[t], share, shares[share]));
    if (!options.runs) continue;
    for (const Replay& run : runs[t]) result.runs.push_back(run.improvements);
    for (const Replay& run : random[t]) result.random_runs.push_back(run.improvements);
  }
  return results;
}

}  // namespace kerlab::session
