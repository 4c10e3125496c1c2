#include "session/find/subject.h"

#include <algorithm>

#include "base/notice.h"
#include "session/run/space.h"

namespace kerlab::session {

namespace {

Trial named_trial(std::int64_t id, const Database* database) {
  if (database == nullptr) throw UsageError(fmt::format("trial {}: there is no database yet", id));
  const auto trial = database->trial(id);
  if (!trial)
    throw UsageError(fmt::format("trial {}: there is no such trial in {}; kerlab db trials lists them", id,
                                 database->path().string()));
  return *trial;
}

/// The stored trial of the same variant, configuration and problem that was added last.
std::optional<Trial> newest_trial(const Subject& subject, const Family& family, const Database* database) {
  if (database == nullptr) return std::nullopt;
  std::optional<Trial> newest;
  const std::string configuration = configuration_text(*subject.source.variant, subject.configuration);
  for (Trial& trial : database->trials_of(family.name)) {
    if (trial.problem != subject.problem.key() || trial.variant != subject.source.variant->name) continue;
    if (trial.configuration != configuration || trial.status != TrialStatus::passed) continue;
    if (!newest || trial.id > newest->id) newest = std::move(trial);
  }
  return newest;
}

Subject of_trial(const Trial& trial, const KernelFolder& folder, const DeviceInfo& device, const Database& database) {
  Subject subject;
  subject.problem = problem_for_device(folder, request_of_key(folder.family, trial.problem), device);
  const Variant& variant = find_variant(folder, trial.variant);
  subject.source = {&variant, read_kernel_source(variant)};
  if (subject.source.source.hash != trial.source_hash) {
    const std::string file = variant.source.filename().string();
    if (const auto text = database.source_text(trial.source_hash)) {
      subject.source.source = unpack_source(*text, variant.source.string(), trial.source_hash);
      subject.note = fmt::format("{} has changed since trial {}: its stored source is taken", file, trial.id);
    } else {
      subject.note =
          fmt::format("{} has changed since trial {}, whose source is not stored: today's is taken", file, trial.id);
    }
  }
  subject.configuration = parse_configuration(variant, trial.configuration);
  subject.how = fmt::format("trial {}", trial.id);
  subject.trial = trial;
  return subject;
}

const Variant& the_variant(const SubjectName& name, const KernelFolder& folder, const Problem& problem) {
  if (!name.variant.empty()) return find_variant(folder, name.variant);
  if (folder.variants.size() == 1) return folder.variants.front();
  std::vector<std::string> names;
  for (const Variant& variant : folder.variants) names.push_back(variant.name);
  throw UsageError(fmt::format("{}: no winner is stored for {}; name a variant: {}/VARIANT, with one of {}",
                               name.family, problem.title(), name.family, fmt::join(names, ", ")));
}

/// What was typed, or the default, made valid; or the error that says why it cannot be.
void choose_configuration(Subject& subject, const std::string& typed, const std::string& how,
                          const DeviceInfo& device) {
  const Variant& variant = *subject.source.variant;
  const CompletedConfiguration completed = complete_configuration(variant, subject.problem, device, typed);
  require_valid(completed, variant, subject.problem);
  subject.configuration = completed.configuration;
  subject.how = how_completed(how, completed);
  subject.completion = completion_remark(completed);
}

/// That a stored configuration can still be run, or the error that says why not.
void require_still_valid(const Subject& subject, const DeviceInfo& device) {
  const Variant& variant = *subject.source.variant;
  const std::string broken = violated_constraint(variant, subject.problem, device, subject.configuration);
  if (!broken.empty())
    throw UsageError(fmt::format("{} {} is not valid for {}: {}", variant.name,
                                 configuration_text(variant, subject.configuration), subject.problem.title(), broken));
}

void require_supported(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  if (const std::string reason = unsupported_reason(variant, problem, device); !reason.empty())
    throw Error(fmt::format("{} cannot do {}: {}", variant.name, problem.title(), reason), ExitCode::inconclusive);
}

void refuse_problem_of_trial(std::int64_t id, const std::vector<ProblemArgument>& arguments, const std::string& dtype) {
  if (!arguments.empty() || !dtype.empty())
    throw UsageError(fmt::format("trial {}: an id says it all; dimensions and --dtype go with a family", id));
}

}  // namespace

std::string family_of(const SubjectName& name, const Database* database) {
  refuse_revision(name);
  return name.trial > 0 ? named_trial(name.trial, database).family : name.family;
}

std::optional<Trial> newest_winner(const Problem& problem, const Database* database) {
  if (database == nullptr) return std::nullopt;
  std::optional<Decision> newest;
  for (Decision& decision : database->winners())
    if (decision.problem == problem.key() && (!newest || decision.created > newest->created))
      newest = std::move(decision);
  return newest ? database->trial(newest->trial) : std::nullopt;
}

Subject resolve_subject(const SubjectName& name, const std::vector<ProblemArgument>& arguments,
                        const std::string& dtype, const KernelFolder& folder, const DeviceInfo& device,
                        const Database* database) {
  if (name.trial > 0) {
    refuse_problem_of_trial(name.trial, arguments, dtype);
    return of_trial(named_trial(name.trial, database), folder, device, *database);
  }
  return resolve_subject(name, problem_for_device(folder, make_request(folder.family, arguments, dtype), device),
                         folder, device, database);
}

Subject resolve_subject(const SubjectName& name, const Problem& problem, const KernelFolder& folder,
                        const DeviceInfo& device, const Database* database) {
  Subject subject;
  subject.problem = problem;
  if (name.variant.empty() && name.configuration.empty()) {
    if (const auto winner = newest_winner(subject.problem, database)) {
      subject = of_trial(*winner, folder, device, *database);
      subject.how = fmt::format("winner, trial {}", winner->id);
      return subject;
    }
  }
  const Variant& variant = the_variant(name, folder, subject.problem);
  require_supported(variant, subject.problem, device);
  subject.source = {&variant, read_kernel_source(variant)};
  choose_configuration(subject, name.configuration, name.configuration.empty() ? "default" : "as typed", device);
  subject.trial = newest_trial(subject, folder.family, database);
  return subject;
}

Subject todays_subject(const SubjectName& name, const std::vector<ProblemArgument>& arguments, const std::string& dtype,
                       const KernelFolder& folder, const DeviceInfo& device, const Database* database) {
  Subject subject;
  std::optional<Trial> model;
  if (name.trial > 0) {
    refuse_problem_of_trial(name.trial, arguments, dtype);
    model = named_trial(name.trial, database);
    subject.problem = problem_for_device(folder, request_of_key(folder.family, model->problem), device);
    subject.how = fmt::format("trial {}", model->id);
  } else {
    subject.problem = problem_for_device(folder, make_request(folder.family, arguments, dtype), device);
    if (name.variant.empty() && folder.variants.size() > 1) model = newest_winner(subject.problem, database);
    if (model) subject.how = fmt::format("winner, trial {}", model->id);
  }
  const bool first = !model && name.variant.empty() && folder.variants.size() > 1;
  const Variant& variant = model   ? find_variant(folder, model->variant)
                           : first ? *std::ranges::min_element(folder.variants, {}, &Variant::rung)
                                   : the_variant(name, folder, subject.problem);
  require_supported(variant, subject.problem, device);
  subject.source = {&variant, read_kernel_source(variant)};
  if (!name.configuration.empty()) {
    choose_configuration(subject, name.configuration, model ? subject.how + ", configuration as typed" : "as typed",
                         device);
  } else if (model) {
    subject.configuration = parse_configuration(variant, model->configuration);
    require_still_valid(subject, device);
  } else {
    choose_configuration(subject, "", first ? "first rung, default" : "default", device);
  }
  return subject;
}

std::string how_completed(const std::string& how, const CompletedConfiguration& completed) {
  return completed.changes.empty() ? how : fmt::format("{}; to be valid {}", how, changes_text(completed.changes));
}

void announce_completion(const std::string& variant, const std::string& completion) {
  if (!completion.empty()) print_notice(fmt::format("{}: {}", variant, completion));
}

std::string short_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                const Configuration& configuration) {
  if (configuration == default_configuration(variant, problem, device)) return "";
  const auto text = [&](bool all) {
    std::string values;
    for (std::size_t i = 0; i < variant.parameters.size(); ++i) {
      const Parameter& parameter = variant.parameters[i];
      if (!all && configuration.values[i] == parameter.default_value) continue;
      values += fmt::format("{}{}={}", values.empty() ? "" : ",", parameter.name,
                            value_text(parameter, configuration.values[i]));
    }
    return values;
  };
  std::string few = text(false);
  return complete_configuration(variant, problem, device, few).configuration == configuration ? few : text(true);
}

std::string options_of(const Problem& problem, const Family& family) {
  std::string text;
  for (const auto& [name, extent] : problem.dimensions)
    if (!problem.unsaid.contains(name)) text += fmt::format(" --{} {}", name, extent);
  text += fmt::format(" --dtype {}", name(problem.dtype));
  for (const Flag& flag : family.flags)
    for (const auto& [name, value] : problem.flags)
      if (name == flag.name && value != flag.default_value) text += fmt::format(" --{} {}", name, value);
  for (const ScalarDecl& scalar : family.scalars)
    for (const auto& [name, value] : problem.scalars)
      if (name == scalar.name && value != scalar.default_value) text += fmt::format(" --{} {}", name, value);
  return text;
}

}  // namespace kerlab::session
