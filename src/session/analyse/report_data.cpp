#include "session/analyse/report_data.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <tuple>

#include "base/format.h"
#include "base/split.h"
#include "base/utc_time.h"
#include "session/run/rig.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kMostRuns = 2000;
constexpr std::size_t kMostListed = 20;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// What an argument may look like in a key: "--M 1K..4K:x2" is M=1024, M=2048 or M=4096.
std::vector<std::string> wanted_words(const ProblemArgument& argument) {
  std::vector<std::string> words;
  try {
    for (const std::int64_t size : parse_sizes("--" + argument.name, argument.value))
      words.push_back(fmt::format("{}={}", argument.name, size));
  } catch (const UsageError&) {  // a flag or a scalar
    for (const std::string& value : split(argument.value, ',')) words.push_back(argument.name + "=" + value);
  }
  return words;
}

bool any_of_words(const std::set<std::string>& key, const std::vector<std::string>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& word) { return key.contains(word); });
}

bool agrees(const ReportOptions& options, const Trial& trial) {
  if (!options.family.empty() && trial.family != options.family) return false;
  if (!options.device_class.empty() && trial.device_class != options.device_class) return false;
  if (!options.device_kind.empty() && trial.device_kind != options.device_kind) return false;
  if (lower(trial.device_class).find(lower(options.class_part)) == std::string::npos) return false;
  const std::vector<std::string> words = words_of(trial.problem);
  const std::set<std::string> key(words.begin(), words.end());
  if (!options.dtypes.empty() && !any_of_words(key, split(options.dtypes, ','))) return false;
  return std::all_of(options.arguments.begin(), options.arguments.end(),
                     [&](const ProblemArgument& argument) { return any_of_words(key, wanted_words(argument)); });
}

/// Of one clock: by problem, device class and kind.
using Groups = std::map<std::tuple<std::string, std::string, std::string>, std::vector<Trial>>;

Groups group_trials(const ReportOptions& options, const Database& database) {
  Groups groups;
  for (Trial& trial : database.trials_of(options.family))
    if (agrees(options, trial))
      groups[{trial.device_kind, trial.device_class, trial.problem}].push_back(std::move(trial));
  return groups;
}

[[noreturn]] void throw_nothing(const ReportOptions& options, const Database& database) {
  std::set<std::string> there, families;
  for (const Trial& trial : database.trials_of("")) {
    there.insert(fmt::format("\n  {}, {}", trial.problem, trial.device_class));
    families.insert(trial.family);
  }
  const bool known = options.family.empty() || families.contains(options.family);
  const std::string meant = known ? "" : nearest(options.family, {families.begin(), families.end()});
  std::string list;
  std::size_t listed = 0;
  for (const std::string& one : there)
    if (listed++ < kMostListed) list += one;
  if (listed > kMostListed) list += fmt::format("\n  and {} more", listed - kMostListed);
  throw UsageError(fmt::format("nothing to report: no trial in database {} agrees with what was asked for{}{}{}",
                               database.path().string(), options.device_class.empty() ? "" : " on this device",
                               meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant),
                               there.empty() ? "; it is empty: `kerlab tune FAMILY` fills it" : "; there are:" + list));
}

template <typename Value>
void add_once(std::vector<Value>& values, const Value& value) {
  if (value != Value{} && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

ReportEnvironment& environment_of(LabReport& report, const ReportProblem& problem) {
  for (ReportEnvironment& known : report.environments)
    if (known.device_class == problem.device_class && known.device_kind == problem.device_kind) return known;
  report.environments.push_back({problem.device_class, problem.device_kind, problem.clock, {}, {}, {}, {}, {}, {}, {}});
  return report.environments.back();
}

void add_conditions(ReportEnvironment& environment, const Measurement& measurement) {
  add_once(environment.devices, measurement.device_uuid);
  add_once(environment.drivers, measurement.driver);
  add_once(environment.protocols, fmt::format("{}, {} cache", measurement.protocol, name(measurement.cache)));
  add_once(environment.recipes, measurement.recipe);
  add_once(environment.conditions, measurement.conditions);
  add_once(environment.neighbours, measurement.shared_with);
  const double mhz = measurement.sm_clock_mhz;
  if (mhz <= 0) return;
  environment.least_mhz = environment.least_mhz > 0 ? std::min(environment.least_mhz, mhz) : mhz;
  environment.most_mhz = std::max(environment.most_mhz, mhz);
}

void add_environment(LabReport& report, const ReportProblem& problem, std::set<std::int64_t>& sessions) {
  ReportEnvironment& environment = environment_of(report, problem);
  for (const ReportTrial& one : problem.trials) {
    sessions.insert(one.trial.session);
    add_once(environment.toolchains, one.trial.toolchain);
    if (!one.time) continue;
    sessions.insert(one.time->session);
    add_conditions(environment, *one.time);
  }
}

/// Runs of these families on these devices. A key begins with the device and the family: "h200-132sm/gemm/...".
std::vector<RegressRun> regress_history(const LabReport& report, const Database& database) {
  std::set<std::string> families, classes;
  for (const ReportProblem& problem : report.problems) {
    families.insert(problem.family);
    classes.insert(problem.device_class);
  }
  std::vector<RegressRun> runs = database.regress_runs("", "", kMostRuns);
  std::erase_if(runs, [&](const RegressRun& run) {
    const auto of_family = [&](const std::string& family) {
      return run.key.find("/" + family + "/") != std::string::npos;
    };
    return !classes.contains(run.device_class) || std::none_of(families.begin(), families.end(), of_family);
  });
  return runs;
}

/// A decision was made of it, or a tune began. What was only checked, benched or tried has no winner to report.
bool was_tuned(const ReportProblem& problem, const Database& database) {
  if (problem.decision) return true;
  std::set<std::int64_t> sessions;
  for (const ReportTrial& one : problem.trials) sessions.insert(one.trial.session);
  return std::any_of(sessions.begin(), sessions.end(), [&](std::int64_t id) {
    const auto session = database.session(id);
    return session && session->purpose == SessionPurpose::tune;
  });
}

/// Unless nothing at all was tuned: then what there is is shown.
void leave_out_untuned(LabReport& report, const Database& database) {
  const auto untuned = [&](const ReportProblem& problem) { return !was_tuned(problem, database); };
  const auto count = std::count_if(report.problems.begin(), report.problems.end(), untuned);
  if (count == 0 || count == std::ssize(report.problems)) return;
  std::string names;
  for (const ReportProblem& problem : report.problems)
    if (untuned(problem)) names += (names.empty() ? "" : ", ") + problem.title;
  std::erase_if(report.problems, untuned);
  report.warnings.push_back(
      fmt::format("left out, never tuned: {} (kerlab tune FAMILY adds {})", names, count == 1 ? "it" : "them"));
}

/// By kind and class of device, then family and the rest; the dimensions by their size, not as text.
void sort_problems(LabReport& report) {
  const auto place = [](const ReportProblem& problem) {
    std::vector<std::int64_t> sizes;
    for (const auto& [name, size] : problem.dimensions) sizes.push_back(size);
    return std::tuple(problem.device_kind, problem.device_class, problem.family, problem.dtype, std::move(sizes));
  };
  std::ranges::stable_sort(report.problems, {}, place);
}

std::string title_of(const ReportOptions& options, const LabReport& report) {
  if (report.problems.size() == 1) return report.problems.front().title;
  const std::string what = options.family.empty() ? "everything stored" : options.family;
  return fmt::format("{}: {} problems", what, report.problems.size());
}

}  // namespace

LabReport collect_report(const ReportOptions& options, const Database& database) {
  Groups groups = group_trials(options, database);
  if (groups.empty()) throw_nothing(options, database);
  const Catalogue catalogue = open_catalogue(options.kernels);
  LabReport report;
  report.created = utc_now();
  std::set<std::int64_t> sessions;
  for (auto& [key, trials] : groups)
    report.problems.push_back(collect_problem(options, database, std::move(trials), catalogue, report.warnings));
  leave_out_untuned(report, database);
  for (const ReportProblem& problem : report.problems) add_environment(report, problem, sessions);
  sort_problems(report);
  for (const std::int64_t id : sessions)
    if (auto session = database.session(id)) report.sessions.push_back(std::move(*session));
  report.runs = regress_history(report, database);
  report.title = title_of(options, report);
  return report;
}

}  // namespace kerlab::session
