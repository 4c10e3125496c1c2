// What a run comes to when the worker reports a fault, dies or overruns its deadline, and what a verdict is.

#include "session/run/runner.h"
#include "verify/problem_data.h"

namespace kerlab::session {

namespace {

bool is_preparation(const Request& request) {
  return std::holds_alternative<request::SetProblem>(request) || std::holds_alternative<request::Health>(request);
}

}  // namespace

TrialStatus status_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
      return TrialStatus::illegal_address;
    case FaultKind::misaligned_address:
      return TrialStatus::misaligned_address;
    case FaultKind::trap:
      return TrialStatus::trap;
    case FaultKind::launch_failed:
      return TrialStatus::launch_failed;
    case FaultKind::timeout:
      return TrialStatus::timeout;
    case FaultKind::out_of_memory:
      return TrialStatus::out_of_memory;
    case FaultKind::load_failed:
      return TrialStatus::load_failed;
    case FaultKind::unsupported:
      return TrialStatus::unsupported;
    case FaultKind::other:
      return TrialStatus::launch_failed;
  }
  return TrialStatus::launch_failed;
}

CheckVerdict judge(const CheckReport& report) {
  const std::string_view where = report.only_small() ? kOnSmallProblem : "";
  if (!report.guard_violation.empty())
    return {TrialStatus::guard_violation, fmt::format("{}{}", where, report.guard_violation)};
  if (!report.input_modified.empty())
    return {TrialStatus::input_modified, fmt::format("{}input {} was modified", where, report.input_modified)};
  // Whoever says what it holds tells more than whoever comes first.
  const RecipeReport* told = nullptr;
  for (const RecipeReport& recipe : report.recipes)
    if (!recipe.passed && (told == nullptr || (told->culprit.empty() && !recipe.culprit.empty()))) told = &recipe;
  if (told != nullptr) {
    std::string text =
        fmt::format("{}{}, recipe {}: {} of {} wrong{}; {}", where, told->output, told->recipe, told->mismatches,
                    told->compared, told->nans > 0 ? fmt::format(" ({} NaN)", told->nans) : "", told->detail);
    for (const std::string& more : {told->pattern, told->culprit})
      if (!more.empty()) text += "; " + more;
    return {TrialStatus::wrong, std::move(text)};
  }
  if (!report.passed()) return {TrialStatus::wrong, "the check did not pass"};
  return {};
}

std::optional<RunOutcome> CandidateRunner::take_fault(const reply::Fault& fault) {
  Run& run = *run_;
  if (fault.message.starts_with(kReferenceFault))
    throw Error(fmt::format("nothing can be checked against reference.cu: {}", fault.message));
  if (is_preparation(run.steps[run.next].request)) {
    // Without a sticky fault the device is fine and the problem is not: nothing that a new worker would mend.
    if (!fault.sticky) throw Error(fmt::format("the device cannot hold or compute the problem: {}", fault.message));
    not_ready(fault.message);
    return std::nullopt;
  }
  if (!run.cleaning) {
    run.outcome.status = status_of(fault.kind);
    run.outcome.message = fmt::format("{}: {}", labels(), fault.message);
  }
  if (fault.sticky || run.cleaning) {  // the context is lost, or not even unloading works: a new process
    worker_ready_ = false;
    worker_.stop();
    run.next = run.steps.size();
  } else {
    clean_up();
  }
  return finish();
}

/// The worker died or overran its deadline. Once may be bad luck; twice is the candidate.
std::optional<RunOutcome> CandidateRunner::lost(WorkerClient::Event event, const std::string& message) {
  Run& run = *run_;
  worker_ready_ = false;
  if (is_preparation(run.steps[run.next].request)) {
    const bool of_problem = std::holds_alternative<request::SetProblem>(run.steps[run.next].request);
    const std::string why = of_problem ? "making the problem's data and its reference: " + message : message;
    // What was given minutes will not end the next time either.
    if (of_problem && event == WorkerClient::Event::deadline) throw Error(why);
    not_ready(why);
    return std::nullopt;
  }
  if (run.cleaning) {
    run.next = run.steps.size();
    return finish();
  }
  if (run.attempts < run.request.attempts) {
    ++run.attempts;
    plan_steps();
    send_next();
    return std::nullopt;
  }
  run.outcome.status = event == WorkerClient::Event::deadline ? TrialStatus::timeout : TrialStatus::worker_crash;
  run.outcome.message = fmt::format("{}: {}{}", labels(), message, run.attempts > 1 ? " (twice)" : "");
  run.next = run.steps.size();
  return finish();
}

/// The worker could not even be made ready. Starts another; gives up after three in a row.
void CandidateRunner::not_ready(const std::string& why) {
  worker_ready_ = false;
  worker_.stop();
  if (++failed_starts_ >= kStartsBeforeGivingUp) {
    throw Error(fmt::format("the device is not usable: {} ({} fresh workers in a row); see `kerlab device`", why,
                            failed_starts_));
  }
  plan_steps();
  send_next();
}

std::string CandidateRunner::labels() const {
  std::string text;
  for (const RunItem& item : run_->request.items) {
    if (!text.empty()) text += ", ";
    text += item.label;
  }
  return text.empty() ? "the library" : text;
}

}  // namespace kerlab::session
