#include "session/values/value_checks.h"

#include <algorithm>

#include "base/format.h"
#include "session/find/failures.h"
#include "session/run/elsewhere.h"
#include "session/shapes/few_sms.h"
#include "verify/emulated/emulated_check.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kAttempts = 3;  // configurations of a value, none of which could be run

std::set<ParameterValue> values_of(const Configuration& configuration, const std::set<ParameterValue>& among) {
  std::set<ParameterValue> values;
  for (std::size_t p = 0; p < configuration.values.size(); ++p)
    if (among.contains({p, configuration.values[p]})) values.insert({p, configuration.values[p]});
  return values;
}

bool same_form(const Problem& one, const Problem& other) {
  return one.dtype == other.dtype && one.flags == other.flags;
}

}  // namespace

std::string ValueFault::text() const {
  return fmt::format(
      "{} with {} is {}; see {}. Mend it, take the value out of its description, or rely on it with "
      "--unchecked-values",
      variant, values, message, command);
}

ValueChecks::ValueChecks(Rig& rig, Database* database, SessionRecord record)
    : rig_(rig), database_(database), record_(std::move(record)) {}

void ValueChecks::add(const VariantSource& source, const Problem& problem, const Configuration& relied) {
  const auto is_it = [&](const Form& form) {
    return form.source.variant == source.variant && same_form(form.asked, problem);
  };
  auto form = std::ranges::find_if(forms_, is_it);
  if (form == forms_.end()) {
    forms_.push_back({source, problem, all_values(*source.variant), {}, {}, {}, 0});
    form = forms_.end() - 1;
    take_stored(*form);
  }
  for (std::size_t p = 0; p < relied.values.size(); ++p) form->unproven.erase({p, relied.values[p]});
}

/// Trials of the same text on this kind of device.
void ValueChecks::take_stored(Form& form) {
  if (database_ == nullptr) return;
  const Family& family = rig_.folder().family;
  const Variant& variant = *form.source.variant;
  std::map<std::string, bool> is_alike;  // by problem
  const auto alike = [&](const std::string& key) {
    const auto [at, is_new] = is_alike.try_emplace(key, false);
    if (!is_new) return at->second;
    try {
      at->second = same_form(make_problem(family, request_of_key(family, key)), form.asked);
    } catch (const Error&) {  // of a description that is no more
    }
    return at->second;
  };
  for (const Trial& trial : database_->trials_of(family.name)) {
    const bool passed = trial.status == TrialStatus::passed;
    if (trial.variant != variant.name || trial.source_hash != form.source.source.hash ||
        trial.device_class != rig_.device().device_class() || trial.toolchain != rig_.toolchain() ||
        trial.check_version != kCheckVersion || !(passed || never_ran(trial.status)) || !alike(trial.problem))
      continue;
    const auto configuration = stored_configuration(variant, trial.configuration);
    if (!configuration) continue;
    if (!passed) could_not_run(form, *configuration);
    for (const ParameterValue& value : passed ? values_of(*configuration, form.unproven) : std::set<ParameterValue>())
      form.unproven.erase(value);
  }
}

void ValueChecks::could_not_run(Form& form, const Configuration& configuration) {
  if (!form.banned.insert(configuration).second) return;
  for (const ParameterValue& value : values_of(configuration, all_values(*form.source.variant))) ++form.failed[value];
}

bool ValueChecks::step() {
  if (ahead_ && ahead_->step()) return true;
  if (next_ < jobs_.size()) {
    check(forms_[at_], jobs_[next_++]);
    return true;
  }
  return next_round();
}

/// Of a form as many rounds as bring anything, on its small problem and then on its own.
bool ValueChecks::next_round() {
  for (; at_ < forms_.size(); ++at_, on_asked_ = false) {
    Form& form = forms_[at_];
    if (!on_asked_) {
      const auto small = choose_small_problem(rig_.folder(), form.asked, rig_.device());
      if (small && plan_round(form, small->problem)) return true;
      on_asked_ = true;
    }
    if (plan_round(form, form.asked)) return true;
    settle(form);
  }
  if (ledger_) ledger_->close(SessionState::finished);
  return false;
}

bool ValueChecks::plan_round(Form& form, const Problem& problem) {
  std::set<ParameterValue> wanted;
  for (const ParameterValue& value : form.unproven)
    if (const auto failed = form.failed.find(value); failed == form.failed.end() || failed->second < kAttempts)
      wanted.insert(value);
  jobs_.clear();
  next_ = 0;
  CompileList list(rig_);
  for (Configuration& configuration : cover(*form.source.variant, problem, rig_.device(), wanted, form.banned)) {
    const auto few = device_of_few(rig_.folder().family, *form.source.variant, problem, configuration, rig_.device());
    const bool whole =
        is_executed_whole(flops_of(rig_.folder().family, problem), bytes_of(rig_.folder().family, problem));
    const DeviceInfo& device = few && whole ? *few : rig_.device();
    list.add(form.source, configuration, problem, device);
    jobs_.push_back({std::move(configuration), device});
  }
  if (jobs_.empty()) return false;
  if (!setup_ || setup_->problem.key() != problem.key()) {
    setup_ = prepare_alone(rig_.folder(), problem, rig_.device());
    ProblemLoader(rig_, *setup_).load();
  }
  ahead_.emplace(rig_, rig_.device().is_scripted ? std::vector<CompileRequest>() : list.take());
  doing_ = fmt::format("values of {}: {} to check", form.source.variant->name, form.unproven.size());
  return true;
}

void ValueChecks::check(Form& form, const Job& job) {
  const Variant& variant = *form.source.variant;
  doing_ = fmt::format("values of {}: {}", variant.name, configuration_text(variant, job.configuration));
  SingleOptions single;
  single.recipes = quick_recipes(setup_->plan);
  single.deadline = generous_deadline(rig_, *setup_, 10 * (single.recipes.size() + 2));
  Evaluation result = run_single_for(rig_, *setup_, form.source, job.configuration, single, job.device);
  Trial& trial = result.candidate.trial;
  keep(form, trial);
  if (trial.status == TrialStatus::passed) {
    for (const ParameterValue& value : values_of(job.configuration, form.unproven)) {
      form.unproven.erase(value);
      ++form.checked;
    }
    return;
  }
  could_not_run(form, job.configuration);
  if (never_ran(trial.status)) return;
  form.wrong.push_back({job.configuration,
                        {variant.name, configuration_text(variant, job.configuration),
                         fmt::format("{} on {}: {}", name(trial.status), setup_->problem.title(), failure_cause(trial)),
                         check_command(trial, rig_.folder().family.name)}});
}

/// Whose values pass elsewhere is wrong only where they meet; else those are named that passed nowhere.
void ValueChecks::settle(Form& form) {
  const Variant& variant = *form.source.variant;
  std::set<ParameterValue> left = form.unproven;
  for (auto& [configuration, fault] : form.wrong) {
    const std::set<ParameterValue> guilty = values_of(configuration, form.unproven);
    for (const ParameterValue& value : guilty) left.erase(value);
    if (!guilty.empty()) fault.values = values_text(variant, guilty);
    faults_.push_back(std::move(fault));
  }
  if (form.checked > 0)
    notes_.push_back(
        fmt::format("{}: {} of its parameters' values, which no stored trial of this text had passed, {} "
                    "checked",
                    variant.name, form.checked, form.checked == 1 ? "is" : "are"));
  if (!left.empty())
    notes_.push_back(fmt::format("{}: not checked, since {} allows none of them or they cannot be run: {}",
                                 variant.name, form.asked.title(), values_text(variant, left)));
  form.wrong.clear();
}

void ValueChecks::keep(Form& form, Trial& trial) {
  if (database_ == nullptr) return;
  if (!ledger_) ledger_.emplace(*database_, record_);
  ledger_->keep_source(form.source.source);
  ledger_->result(trial);
  ledger_->flush();
}

}  // namespace kerlab::session
