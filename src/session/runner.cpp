#include "session/runner.h"

#include <algorithm>

#include "session/modelled.h"

namespace kerlab {

namespace {

using namespace std::chrono_literals;

constexpr auto kProblemDeadline = 300s;  // data and an FP64 reference of the largest problems
constexpr auto kLoadDeadline = 30s;
constexpr auto kLibraryDeadline = 60s;
constexpr auto kHealthDeadline = 30s;
constexpr auto kEnergyDeadline = 60s;
constexpr int kStartsBeforeGivingUp = 3;

bool occupies_device(const Request& request) {
  return std::holds_alternative<request::Check>(request) || std::holds_alternative<request::Time>(request);
}

/// Rows of the library come behind the items.
void split_library(RunOutcome& outcome) {
  const auto first = std::find_if(outcome.samples.begin(), outcome.samples.end(),
                                  [](const SampleSet& samples) { return samples.id >= kLibraryIds; });
  outcome.library.samples.assign(std::make_move_iterator(first), std::make_move_iterator(outcome.samples.end()));
  outcome.samples.erase(first, outcome.samples.end());
}

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
  if (!report.guard_violation.empty()) return {TrialStatus::guard_violation, report.guard_violation};
  if (!report.input_modified.empty()) {
    return {TrialStatus::input_modified, fmt::format("input {} was modified", report.input_modified)};
  }
  for (const RecipeReport& recipe : report.recipes) {
    if (recipe.passed) continue;
    return {TrialStatus::wrong,
            fmt::format("{}, recipe {}: {} of {} wrong{}; {}", recipe.output, recipe.recipe, recipe.mismatches,
                        recipe.compared, recipe.nans > 0 ? fmt::format(" ({} NaN)", recipe.nans) : "", recipe.detail)};
  }
  if (!report.passed()) return {TrialStatus::wrong, "the check did not pass"};
  return {};
}

CandidateRunner::CandidateRunner(WorkerClient::Options options) : worker_(std::move(options)) {}

const DeviceInfo& CandidateRunner::start() {
  worker_ready_ = false;
  return worker_.start();
}

void CandidateRunner::set_problem(request::SetProblem problem) {
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
  const auto count = static_cast<std::uint32_t>(run.request.items.size());
  for (std::uint32_t id = 0; id < count; ++id) {
    const RunItem& item = run.request.items[id];
    run.steps.push_back({request::Load{id, item.label, item.image, item.plan, item.small_plan}, kLoadDeadline});
  }
  for (std::uint32_t id = 0; id < count && !run.request.recipes.empty(); ++id) {
    run.steps.push_back({request::Check{id, run.request.recipes, run.request.thorough, run.request.sampling}, run.request.deadline});
  }
  for (std::uint32_t id = 0; id < count && run.request.run_once; ++id) {
    run.steps.push_back({request::RunOnce{id}, run.request.deadline});
  }
  for (std::uint32_t id = 0; id < count && run.request.sanitize; ++id) {
    run.steps.push_back({request::Sanitize{id}, run.request.deadline});
  }
  if (run.request.library) run.steps.push_back({request::Library{}, kLibraryDeadline});
  if (run.request.schedule) {
    request::Time time;
    time.library = run.request.library;
    for (std::uint32_t id = 0; id < count; ++id) time.ids.push_back(id);
    time.schedule = *run.request.schedule;
    time.lines = run.request.count_lines;
    run.steps.push_back({std::move(time), run.request.deadline});
  }
  if (run.request.energy_seconds > 0) {
    request::Energy energy{{}, run.request.energy_seconds, run.request.library};
    for (std::uint32_t id = 0; id < count; ++id) energy.ids.push_back(id);
    run.steps.push_back({std::move(energy), kEnergyDeadline});
  }
  for (std::uint32_t id = 0; id < count; ++id) run.steps.push_back({request::Unload{id}, kLoadDeadline});
}

void CandidateRunner::send_next() {
  if (!worker_.running()) {
    worker_.start();
  }
  const Step& step = run_->steps[run_->next];
  sent_ = Clock::now();
  worker_.send(step.request, step.deadline);
}

std::optional<RunOutcome> CandidateRunner::poll() {
  if (!run_) return std::nullopt;
  WorkerClient::Outcome event = worker_.poll();
  if (event.event == WorkerClient::Event::none) return std::nullopt;
  if (occupies_device(run_->steps[run_->next].request)) {
    busy_seconds_ += std::chrono::duration<double>(Clock::now() - sent_).count();
  }
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
    run.outcome.checks.push_back(std::move(checked->report));
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
    run.outcome.library = {std::move(library->rows), {}, std::move(library->message), library->load_ms,
                           library->choose_ms};
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

std::optional<RunOutcome> CandidateRunner::take_fault(const reply::Fault& fault) {
  Run& run = *run_;
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
    not_ready(message);
    return std::nullopt;
  }
  if (run.cleaning) {
    run.next = run.steps.size();
    return finish();
  }
  if (run.attempts == 1) {
    ++run.attempts;
    plan_steps();
    send_next();
    return std::nullopt;
  }
  run.outcome.status = event == WorkerClient::Event::deadline ? TrialStatus::timeout : TrialStatus::worker_crash;
  run.outcome.message = fmt::format("{}: {} (twice)", labels(), message);
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

RunOutcome CandidateRunner::run(RunRequest request) {
  begin(std::move(request));
  for (;;) {
    WorkerClient::Outcome event = worker_.wait();
    std::optional<RunOutcome> outcome =
        event.event == WorkerClient::Event::reply ? take(event.reply) : lost(event.event, event.message);
    if (outcome) return std::move(*outcome);
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

std::string CandidateRunner::labels() const {
  std::string text;
  for (const RunItem& item : run_->request.items) {
    if (!text.empty()) text += ", ";
    text += item.label;
  }
  return text.empty() ? "the library" : text;
}

}  // namespace kerlab
