#include "session/find/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <tuple>

#include "session/run/arguments.h"

namespace kerlab::session {

namespace {

bool is_number_like(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == 'x' || c == '.';
}

bool is_exponent_sign(const std::string& text, std::size_t i) {
  return (text[i] == '-' || text[i] == '+') && text[i - 1] == 'e';
}

/// Names and values of "BM=128 BN=64"; false: it is not of that form.
bool read_configuration(const std::string& text, std::vector<std::string>& names, std::vector<std::int64_t>& values) {
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return false;
    std::int64_t value = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data() + equals + 1, end, value);
    if (error != std::errc{} || rest != end) continue;  // a word
    names.push_back(word.substr(0, equals));
    values.push_back(value);
  }
  return true;
}

/// Trials that a predicate on parameters can tell apart: everything but the configuration is the same.
auto population(const Trial& trial) {
  return std::tie(trial.problem, trial.device_class, trial.variant, trial.source_hash, trial.toolchain);
}

bool is_failure(const Trial& trial) {
  return is_final(trial.status) && trial.status != TrialStatus::passed;
}

void find_constraints(FailureGroup& group, const std::vector<const Trial*>& failed,
                      const std::vector<const Trial*>& passed) {
  if (failed.size() < kFewestAlike) return;
  ExclusionData data;
  const auto read = [&](const std::vector<const Trial*>& trials, std::vector<std::vector<std::int64_t>>& rows) {
    for (const Trial* trial : trials) {
      std::vector<std::string> names;
      std::vector<std::int64_t> values;
      if (!read_configuration(trial->configuration, names, values)) continue;
      if (data.parameters.empty()) data.parameters = names;
      if (names == data.parameters) rows.push_back(std::move(values));
    }
  };
  read(failed, data.failed);
  read(passed, data.healthy);
  group.exclusions = find_exclusions(data);
}

}  // namespace

std::string failure_cause(const Trial& trial) {
  return trial.message.substr(0, trial.message.find('\n'));
}

std::string normal_cause(const Trial& trial) {
  const std::string text = failure_cause(trial);
  std::string result;
  for (std::size_t i = 0; i < text.size() && text[i] != ';';) {
    const bool inside_word =
        i > 0 && (std::isalpha(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == '_');
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0 || inside_word) {
      result += text[i++];
      continue;
    }
    while (i < text.size() && (is_number_like(text[i]) || is_exponent_sign(text, i))) ++i;
    if (result.ends_with('-')) result.pop_back();
    result += '#';
  }
  return result;
}

std::vector<FailureGroup> group_failures(const std::vector<Trial>& trials) {
  using Population = decltype(population(trials.front()));
  std::map<Population, std::vector<const Trial*>> passed;
  std::map<std::tuple<Population, TrialStatus, std::string>, std::vector<const Trial*>> failed;
  for (const Trial& trial : trials) {
    if (trial.status == TrialStatus::passed) passed[population(trial)].push_back(&trial);
    if (is_failure(trial)) failed[{population(trial), trial.status, normal_cause(trial)}].push_back(&trial);
  }
  std::vector<FailureGroup> groups;
  for (const auto& [alike, members] : failed) {
    FailureGroup& group = groups.emplace_back();
    group.first = *members.front();
    group.cause = failure_cause(group.first);
    for (const Trial* trial : members) group.trials.push_back(trial->id);
    const auto healthy = passed.find(std::get<0>(alike));
    if (healthy == passed.end()) continue;
    group.healthy = healthy->second.size();
    find_constraints(group, members, healthy->second);
  }
  const auto place = [](const FailureGroup& group) {
    return std::make_tuple(group.first.status == TrialStatus::rejected, -static_cast<std::int64_t>(group.trials.size()),
                           group.first.id);
  };
  std::sort(groups.begin(), groups.end(),
            [&](const FailureGroup& a, const FailureGroup& b) { return place(a) < place(b); });
  return groups;
}

bool on_small_problem(const FailureGroup& group) {
  return group.first.reason == TrialReason::small_problem || group.first.reason == TrialReason::thorough_small;
}

std::string exclusion_text(const FailureGroup& group, const Exclusion& exclusion) {
  return fmt::format("{}: {} of {}, no healthy one of {}", exclusion.condition, exclusion.excluded, group.trials.size(),
                     group.healthy);
}

std::string constraint_toml(const FailureGroup& group, std::size_t exclusion) {
  const Exclusion& found = group.exclusions.at(exclusion);
  const std::string number = exclusion > 0 ? fmt::format("_{}", exclusion + 1) : "";
  const std::string_view status = name(group.first.status);
  return fmt::format(
      "[[constraint]]\nname = \"no_{}{}\"\ncondition = \"{}\"\n"
      "doc = \"else {}: {} of {} that ended so, none of {} that passed\"\n",
      status, number, found.condition, status, found.excluded, group.trials.size(), group.healthy);
}

std::string check_command(const Trial& trial, const std::string& target) {
  std::string configuration = trial.configuration;
  std::replace(configuration.begin(), configuration.end(), ' ', ',');
  if (!configuration.empty()) configuration = " --config " + configuration;
  return fmt::format("kerlab check {} --variant {}{}{} --only", target, trial.variant, configuration,
                     problem_options(trial.problem));
}

std::string reproduction(const Trial& trial, const std::string& target, const std::string& options) {
  // Only a check does what the winner's last check did; only bench also times.
  const bool elsewhere = trial.reason == TrialReason::thorough_elsewhere || trial.reason == TrialReason::thorough_small;
  if (elsewhere || trial.reason == TrialReason::thorough) {
    std::string command = check_command(trial, target);
    if (elsewhere) command.resize(command.rfind(" --only"));
    return command + options;
  }
  const std::string folder = target.find('/') == std::string::npos ? "" : " " + target;
  return fmt::format("kerlab bench{}{} --trial {}", folder, options, trial.id);
}

}  // namespace kerlab::session
