#include "cli/frame/failure_screen.h"

#include <algorithm>
#include <sstream>

#include "base/format.h"
#include "cli/frame/existing_database.h"
#include "report/form/table.h"
#include "session/run/device_class.h"

namespace kerlab::cli {

namespace {

std::string indented(const std::string& text, std::size_t spaces) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += std::string(spaces, ' ') + line + "\n";
  return result;
}

std::string kind_of(const FailureGroup& group, bool color) {
  const std::string status = styled(std::string(name(group.first.status)) + ":",
                                    is_fault(group.first.status) ? Style::bad : Style::warning, color);
  return group.trials.size() == 1 ? status : fmt::format("{} {}", group.trials.size(), status);
}

/// One that is alone with its configuration, several with their variant.
std::string cause_of(const FailureGroup& group, std::size_t width) {
  const Trial& first = group.first;
  const std::string who =
      group.trials.size() > 1 || first.configuration.empty() ? variant_text(first) : label_text(first);
  return shortened(who + ": " + group.cause, width);
}

JsonValue::Array exclusion_values(const FailureGroup& group) {
  JsonValue::Array values;
  for (std::size_t i = 0; i < group.exclusions.size(); ++i) {
    const Exclusion& exclusion = group.exclusions[i];
    values.push_back(JsonValue::Object{{"condition", exclusion.condition},
                                       {"excluded", exclusion.excluded},
                                       {"chance", exclusion.chance},
                                       {"toml", constraint_toml(group, i)}});
  }
  return values;
}

/// The folder that a command line names: "kerlab tune ./my_op --N 4M".
std::string folder_in(const std::string& command) {
  std::istringstream words(command);
  std::string word;
  words >> word;  // kerlab itself
  while (words >> word) {
    if (word.find('/') != std::string::npos && std::filesystem::exists(word + "/family.toml")) return word;
  }
  return "";
}

std::string exclusion_lines(const FailureGroup& group, std::size_t indent) {
  std::string text;
  for (std::size_t i = 0; i < group.exclusions.size(); ++i) {
    text += indented(fmt::format("excluded by {}; paste into {}.toml:", exclusion_text(group, group.exclusions[i]),
                                 group.first.variant),
                     indent);
    text += indented(constraint_toml(group, i), indent + 2);
  }
  return text;
}

std::string block_text(const FailureGroup& group, const ToRepeat& again, bool color) {
  std::string text = fmt::format("  {} {}\n", kind_of(group, color), cause_of(group, 200));
  text += exclusion_lines(group, 5);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < std::min<std::size_t>(group.trials.size(), 8); ++i)
    ids.push_back(fmt::format("{}", group.trials[i]));
  const std::string more = group.trials.size() > ids.size() ? ", ..." : "";
  text += fmt::format("     trial{} {}{}   reproduce: {}\n", group.trials.size() > 1 ? "s" : "", fmt::join(ids, ", "),
                      more, reproduction_of(group.first, again));
  return text;
}

}  // namespace

std::string failure_lines(const std::vector<FailureGroup>& groups, bool color, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
    text += fmt::format("  {} {}  (kerlab show {})\n", kind_of(groups[i], color), cause_of(groups[i], 160),
                        groups[i].first.id);
    for (const Exclusion& exclusion : groups[i].exclusions)
      text += fmt::format("     excluded by {}\n", exclusion_text(groups[i], exclusion));
  }
  if (groups.size() > most) text += fmt::format("  and {} more (kerlab db failures)\n", groups.size() - most);
  return text;
}

JsonValue::Array failure_values(const std::vector<FailureGroup>& groups, const ToRepeat& again) {
  JsonValue::Array values;
  for (const FailureGroup& group : groups) {
    values.push_back(JsonValue::Object{{"status", name(group.first.status)},
                                       {"problem", group.first.problem},
                                       {"device_class", group.first.device_class},
                                       {"variant", group.first.variant},
                                       {"cause", group.cause},
                                       {"trials", group.trials},
                                       {"healthy", group.healthy},
                                       {"reproduce", reproduction_of(group.first, again)},
                                       {"constraints", exclusion_values(group)}});
  }
  return values;
}

JsonValue::Array first_of_each_status(const std::vector<FailureGroup>& groups) {
  std::vector<TrialStatus> seen;
  JsonValue::Array values;
  for (const FailureGroup& group : groups) {
    if (std::find(seen.begin(), seen.end(), group.first.status) != seen.end()) continue;
    seen.push_back(group.first.status);
    values.push_back(to_value(group.first));
  }
  return values;
}

ToRepeat repeated_for(const Database& database, const Trial& trial, const GlobalOptions& global) {
  ToRepeat again{repeated_options(global), ""};
  const auto session = database.session(trial.session);
  if (!session) return again;
  if (global.device == "auto" && !stored_capabilities(trial.device_kind).is_hardware)
    again.options += " --device " + quoted(session->device.substr(0, session->device.find(' ')));
  if (const std::string folder = folder_in(session->command); !folder.empty()) again.folder = " " + quoted(folder);
  return again;
}

std::string reproduction_of(const Trial& trial, const ToRepeat& again) {
  return reproduction(trial, again.folder.empty() ? trial.family : again.folder.substr(1), again.options);
}

std::optional<FailureGroup> alike(const Database& database, const Trial& trial) {
  if (!is_final(trial.status) || trial.status == TrialStatus::passed) return {};
  for (FailureGroup& group : group_failures(database.trials(trial.problem, trial.device_class))) {
    if (std::find(group.trials.begin(), group.trials.end(), trial.id) != group.trials.end()) return std::move(group);
  }
  return {};
}

std::string alike_text(const FailureGroup& group) {
  const std::size_t others = group.trials.size() - 1;
  if (others == 0) return "";
  std::string text = fmt::format("\n{} other{} failed so (kerlab db failures)\n", others, others == 1 ? "" : "s");
  if (group.trials.size() >= kFewestAlike && group.exclusions.empty())
    text += "  no constraint tells them from the healthy ones better than chance would\n";
  return text + exclusion_lines(group, 2);
}

ExitCode print_failures(const GlobalOptions& global, const std::string& family, const std::string& status) {
  const auto wanted = parse_trial_status(status);
  if (!status.empty() && (!wanted || *wanted == TrialStatus::passed || !is_final(*wanted)))
    throw UsageError(
        fmt::format("--status {}: no such way to fail; wrong, rejected, compile_error, timeout, "
                    "illegal_address, ... (docs/json.md lists them all)",
                    status));
  const Database database = open_existing_database(global);
  std::vector<FailureGroup> groups = group_failures(database.trials_of(family));
  std::erase_if(groups, [&](const FailureGroup& group) { return wanted && group.first.status != *wanted; });
  std::stable_sort(groups.begin(), groups.end(), [](const FailureGroup& a, const FailureGroup& b) {
    return std::tie(a.first.problem, a.first.device_class) < std::tie(b.first.problem, b.first.device_class);
  });
  if (global.json) {
    JsonValue::Array values;
    for (const FailureGroup& group : groups)
      values.push_back(failure_values({group}, repeated_for(database, group.first, global)).front());
    fmt::print("{}\n", to_json(json_document("db", {{"action", "failures"},
                                                    {"path", database.path().string()},
                                                    {"failures", JsonValue(std::move(values))}})));
    return ExitCode::passed;
  }
  if (groups.empty()) fmt::print("no failed trial in {}\n", database.path().string());
  const bool color = color_on(global, stdout);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Trial& first = groups[i].first;
    if (i == 0 || groups[i - 1].first.problem != first.problem ||
        groups[i - 1].first.device_class != first.device_class)
      fmt::print("{}{}   {}\n", i > 0 ? "\n" : "", styled(first.problem, Style::bold, color), first.device_class);
    fmt::print("{}", block_text(groups[i], repeated_for(database, first, global), color));
  }
  return ExitCode::passed;
}

}  // namespace kerlab::cli
