// What a run comes to when the worker reports a fault, dies or overruns its deadline.

#include "session/run/runner.h"

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

std::optional<RunOutcome> CandidateRunner::take_fault(const reply::Fault& fault) {
  Run& run = *run_;
  if (fault.of == reply::FaultOf::reference)
    throw Error(fmt::format("nothing can be checked against reference.cu: {}", fault.message));
  if (is_preparation(run.steps[run.next].request)) {
    // Without a sticky fault the device is fine and the problem is not: nothing that a new worker would mend.
    const std::string why = fmt::format("the device cannot hold or compute the problem: {}", fault.message);
    if (!fault.sticky && fault.kind == FaultKind::out_of_memory) throw NoMemoryError(why);
    if (!fault.sticky) throw Error(why);
    not_ready(fault.message);
    return std::nullopt;
  }
  if (!run.cleaning) {
    run.outcome.status = status_of(fault.kind);
    if (fault.of == reply::FaultOf::small_problem) run.outcome.reason = TrialReason::small_problem;
    run.outcome.message = of_library() + fault.message;
    run.outcome.culprit = at_work();
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
  if (run.attempts < run.protocol.attempts) {
    ++run.attempts;
    plan_steps();
    send_next();
    return std::nullopt;
  }
  run.outcome.status = event == WorkerClient::Event::deadline ? TrialStatus::timeout : TrialStatus::worker_crash;
  run.outcome.culprit = at_work();
  run.outcome.message = of_library() + message + (run.attempts > 1 ? " (twice)" : "");
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

/// The one that the step under way is about; none: it is about all, or about the library.
std::optional<std::size_t> CandidateRunner::at_work() const {
  const Request& request = run_->steps[run_->next].request;
  if (const auto* load = std::get_if<request::Load>(&request)) return load->id;
  if (const auto* check = std::get_if<request::Check>(&request)) return check->id;
  if (const auto* once = std::get_if<request::RunOnce>(&request)) return once->id;
  if (const auto* sanitize = std::get_if<request::Sanitize>(&request)) return sanitize->id;
  return std::nullopt;
}

/// What a message begins with: who but the library was at work is told by `culprit`.
std::string CandidateRunner::of_library() const {
  const bool library = std::holds_alternative<request::Library>(run_->steps[run_->next].request);
  return library || run_->items.empty() ? "the library: " : "";
}

}  // namespace kerlab::session
