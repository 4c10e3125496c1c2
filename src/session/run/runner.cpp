#include "session/run/runner.h"

#include <algorithm>
#include <thread>

#include "base/elapsed.h"
#include "session/run/modelled.h"

namespace kerlab::session {

namespace {

using namespace std::chrono_literals;

constexpr auto kProblemDeadline = 300s;  // data and an FP64 reference of the largest problems
constexpr auto kLoadDeadline = 30s;
constexpr auto kLibraryDeadline = 60s;
constexpr auto kHealthDeadline = 30s;
constexpr auto kEnergyDeadline = 60s;
constexpr auto kFreshDeadline = 60s;  // another reference must be computed
constexpr auto kPauseBeforeStart = 200ms;

/// Where the time of a request is counted.
double& share_of(WorkerSeconds& seconds, const Request& request) {
  if (std::holds_alternative<request::Check>(request)) return seconds.check;
  if (std::holds_alternative<request::Time>(request)) return seconds.time;
  if (std::holds_alternative<request::Load>(request)) return seconds.load;
  if (std::holds_alternative<request::Library>(request)) return seconds.library;
  if (std::holds_alternative<request::SetProblem>(request) || std::holds_alternative<request::Health>(request))
    return seconds.prepare;
  return seconds.other;
}

/// Rows of the library come behind the items.
void split_library(RunOutcome& outcome) {
  const auto first = std::find_if(outcome.samples.begin(), outcome.samples.end(),
                                  [](const SampleSet& samples) { return samples.id >= kLibraryIds; });
  outcome.library.samples.assign(std::make_move_iterator(first), std::make_move_iterator(outcome.samples.end()));
  outcome.samples.erase(first, outcome.samples.end());
}

}  // namespace

CandidateRunner::CandidateRunner(WorkerClient::Options options) : worker_(std::move(options)) {}

void CandidateRunner::spawn() {
  seconds_ = {};
  if (worker_.running()) return;  // and holds the problem of the session before
  worker_ready_ = false;
  problem_.reset();
  worker_.spawn();
}

const DeviceInfo& CandidateRunner::greet() {
  if (worker_.busy()) worker_.greet();
  respawns_before_ = worker_.respawns();
  return worker_.device();
}

void CandidateRunner::stop() {
  worker_ready_ = false;
  run_.reset();
  worker_.stop();
}

void CandidateRunner::set_problem(request::SetProblem problem) {
  if (worker_ready_ && worker_.running() && problem_ == problem) return;
  problem_ = std::move(problem);
  worker_ready_ = false;
}

void CandidateRunner::begin(RunRequest run) {
  run_.emplace();
  run_->request = std::move(run);
  plan_steps();
  send_next();
}

void CandidateRunner::plan_steps() {
  Run& run = *run_;
  run.steps.clear();
  run.next = 0;
  run.loaded.clear();
  run.cleaning = false;
  run.outcome = {};
  if (!worker_ready_) {
    if (problem_) run.steps.push_back({*problem_, kProblemDeadline});
    run.steps.push_back({request::Health{}, kHealthDeadline});
  }
  const bool short_of_time = run.attempts < run.request.attempts && run.request.first_deadline.count() > 0;
  const auto deadline =
      short_of_time ? std::min(run.request.first_deadline, run.request.deadline) : run.request.deadline;
  const auto count = static_cast<std::uint32_t>(run.request.items.size());
  for (std::uint32_t id = 0; id < count; ++id) {
    const RunItem& item = run.request.items[id];
    run.steps.push_back({request::Load{id, item.label, item.image, item.plan, item.small_plan}, kLoadDeadline});
  }
  for (std::uint32_t id = 0; id < count && !run.request.recipes.empty(); ++id) {
    if (run.request.items[id].checked) continue;
    run.steps.push_back({request::Check{id, run.request.recipes, run.request.thorough, run.request.sampling,
                                        run.request.items[id].nondeterministic, false, run.request.explain},
                         deadline});
  }
  for (std::uint32_t id = 0; id < count && run.request.run_once; ++id) {
    run.steps.push_back({request::RunOnce{id}, deadline});
  }
  for (std::uint32_t id = 0; id < count && run.request.sanitize; ++id) {
    run.steps.push_back({request::Sanitize{id}, deadline});
  }
  if (run.request.library) run.steps.push_back({request::Library{}, kLibraryDeadline});
  if (run.request.schedule) {
    request::Time time;
    time.library = run.request.library;
    for (std::uint32_t id = 0; id < count; ++id) time.ids.push_back(id);
    time.schedule = *run.request.schedule;
    time.lines = run.request.count_lines;
    run.steps.push_back({std::move(time), deadline});
  }
  const bool fresh = run.request.fresh && run.request.schedule && worker_.device().kind != DeviceKind::emulated;
  for (std::uint32_t id = 0; id < count && fresh; ++id) {
    if (run.request.items[id].checked) continue;
    request::Check check;
    check.id = id;
    check.fresh = true;
    run.steps.push_back({std::move(check), kFreshDeadline + deadline});
  }
  if (run.request.energy_seconds > 0) {
    request::Energy energy{{}, run.request.energy_seconds, run.request.library};
    for (std::uint32_t id = 0; id < count; ++id) energy.ids.push_back(id);
    run.steps.push_back({std::move(energy), kEnergyDeadline});
  }
  for (std::uint32_t id = 0; id < count; ++id) run.steps.push_back({request::Unload{id}, kLoadDeadline});
  // Asked to get ready, which it is: something must be answered all the same.
  if (run.steps.empty()) run.steps.push_back({request::Health{}, kHealthDeadline});
}

/// A device may need a moment after what was on it was killed.
void CandidateRunner::start_again() {
  for (int attempt = 1; !worker_.running(); ++attempt) {
    try {
      worker_.start();
    } catch (const Error& error) {
      if (error.code() == ExitCode::interrupted) throw;
      if (attempt == kStartsBeforeGivingUp)
        throw Error(fmt::format("no worker can be started any more: {} ({} attempts); see `kerlab device`",
                                error.what(), attempt),
                    error.code());
      std::this_thread::sleep_for(attempt * kPauseBeforeStart);
    }
  }
}

void CandidateRunner::send_next() {
  start_again();
  const Step& step = run_->steps[run_->next];
  sent_ = Clock::now();
  worker_.send(step.request, step.deadline);
}

std::optional<RunOutcome> CandidateRunner::poll() {
  if (!run_) return std::nullopt;
  WorkerClient::Outcome event = worker_.poll();
  if (event.event == WorkerClient::Event::none) return std::nullopt;
  return take(event);
}

std::optional<RunOutcome> CandidateRunner::take(WorkerClient::Outcome& event) {
  const double seconds = seconds_since(sent_);
  const Request& request = run_->steps[run_->next].request;
  share_of(seconds_, request) += seconds;
  if (std::holds_alternative<request::Check>(request) || std::holds_alternative<request::Time>(request))
    run_->outcome.longest_ms = std::max(run_->outcome.longest_ms, 1e3 * seconds);
  if (event.event == WorkerClient::Event::reply) return take(event.reply);
  return lost(event.event, event.message);
}

std::optional<RunOutcome> CandidateRunner::take(Reply& reply) {
  Run& run = *run_;
  if (const auto* fault = std::get_if<reply::Fault>(&reply)) return take_fault(*fault);
  bool failed_check = false;
  if (auto* ready = std::get_if<reply::ProblemReady>(&reply)) {
    ready_ = *ready;
  } else if (auto* healthy = std::get_if<reply::Healthy>(&reply)) {
    if (!healthy->canary_right) {
      not_ready("the canary kernel gave a wrong result");
      return std::nullopt;
    }
    worker_ready_ = true;
    failed_starts_ = 0;
  } else if (auto* loaded = std::get_if<reply::Loaded>(&reply)) {
    run.loaded.push_back(loaded->id);
    run.outcome.resources.push_back(std::move(loaded->resources));
  } else if (auto* checked = std::get_if<reply::Checked>(&reply)) {
    failed_check = !checked->report.passed();
    const bool fresh = std::get<request::Check>(run.steps[run.next].request).fresh;
    (fresh ? run.outcome.fresh : run.outcome.checks).push_back(std::move(checked->report));
  } else if (auto* timed = std::get_if<reply::Timed>(&reply)) {
    run.outcome.samples = std::move(timed->samples);
    split_library(run.outcome);
    model_times();
  }
  if (auto* sanitized = std::get_if<reply::Sanitized>(&reply)) {
    run.outcome.sanitized.push_back(std::move(sanitized->launches));
  }
  if (auto* energy = std::get_if<reply::Energy>(&reply)) {
    run.outcome.energy = std::move(energy->samples);
    run.outcome.energy_message = std::move(energy->message);
  }
  if (auto* library = std::get_if<reply::LibraryReady>(&reply)) {
    run.outcome.library = {std::move(library->rows),
                           {},
                           std::move(library->message),
                           library->load_ms,
                           library->choose_ms,
                           library->read_ms,
                           library->start_ms};
  }
  if (failed_check) {  // what is wrong is never timed
    clean_up();
  } else {
    ++run.next;
  }
  return finish();
}

/// An emulated device counts; what the counts take on the real one is a model's business.
void CandidateRunner::model_times() {
  RunOutcome& outcome = run_->outcome;
  for (std::size_t i = 0; i < outcome.samples.size(); ++i) {
    if (outcome.samples[i].launches.empty() || i >= outcome.resources.size()) continue;
    model_time(outcome.samples[i], outcome.resources[i], problem_->problem, worker_.device());
  }
}

std::optional<RunOutcome> CandidateRunner::finish() {
  if (run_->next < run_->steps.size()) {
    send_next();
    return std::nullopt;
  }
  RunOutcome outcome = std::move(run_->outcome);
  run_.reset();
  return outcome;
}

/// Goes on with unloading whatever is loaded.
void CandidateRunner::clean_up() {
  Run& run = *run_;
  run.cleaning = true;
  run.steps.clear();
  run.next = 0;
  for (const std::uint32_t id : run.loaded) run.steps.push_back({request::Unload{id}, kLoadDeadline});
}

RunOutcome CandidateRunner::run(RunRequest request) {
  begin(std::move(request));
  for (;;) {
    WorkerClient::Outcome event = worker_.wait();
    if (std::optional<RunOutcome> outcome = take(event)) return std::move(*outcome);
  }
}

std::vector<Ceiling> CandidateRunner::measure_ceilings() {
  if (!worker_ready_) run({});
  worker_.send(request::Ceilings{}, kProblemDeadline);
  WorkerClient::Outcome event = worker_.wait();
  if (event.event != WorkerClient::Event::reply) throw Error(fmt::format("measuring ceilings: {}", event.message));
  if (const auto* fault = std::get_if<reply::Fault>(&event.reply)) {
    throw Error(fmt::format("measuring ceilings: {}", fault->message));
  }
  return std::get<reply::Ceilings>(event.reply).ceilings;
}

std::vector<ForeignProcess> CandidateRunner::neighbours() {
  if (!worker_.running()) return {};
  worker_.send(request::Neighbours{}, kHealthDeadline);
  WorkerClient::Outcome event = worker_.wait();
  if (event.event != WorkerClient::Event::reply) worker_ready_ = false;
  auto* seen = std::get_if<reply::Neighbours>(&event.reply);
  return event.event == WorkerClient::Event::reply && seen != nullptr ? std::move(seen->processes)
                                                                      : std::vector<ForeignProcess>{};
}

}  // namespace kerlab::session
