#include "session/run/runner.h"

#include <algorithm>
#include <numeric>
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
void take_samples(RunOutcome& outcome, std::vector<SampleSet>& samples) {
  for (SampleSet& set : samples) {
    if (set.id >= kLibraryIds)
      outcome.library.samples.push_back(std::move(set));
    else if (set.id < outcome.items.size())
      outcome.items[set.id].samples = std::move(set);
  }
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

void CandidateRunner::begin(std::vector<Loadable> items, Protocol protocol) {
  run_.emplace();
  run_->items = std::move(items);
  run_->protocol = std::move(protocol);
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
  run.outcome.items.resize(run.items.size());
  const Protocol& asked = run.protocol;
  if (!worker_ready_) {
    if (problem_) run.steps.push_back({*problem_, kProblemDeadline});
    run.steps.push_back({request::Health{}, kHealthDeadline});
  }
  const bool first = run.attempts < asked.attempts;
  const auto deadline =
      first ? std::min(asked.first_deadline.value_or(asked.deadline), asked.deadline) : asked.deadline;
  const auto count = static_cast<std::uint32_t>(run.items.size());
  std::vector<std::uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  for (const std::uint32_t id : ids) {
    const Loadable& item = run.items[id];
    run.steps.push_back({request::Load{id, item.label, item.image, item.plan, item.small_plan}, kLoadDeadline});
  }
  for (const std::uint32_t id : ids) {
    if (asked.recipes.empty() || run.items[id].checked) continue;
    run.steps.push_back({request::Check{id, asked.recipes, asked.thorough, asked.sampling,
                                        run.items[id].nondeterministic, false, asked.explain, asked.hazards},
                         deadline});
  }
  for (const std::uint32_t id : ids)
    if (asked.run_once) run.steps.push_back({request::RunOnce{id}, deadline});
  for (const std::uint32_t id : ids)
    if (asked.sanitize) run.steps.push_back({request::Sanitize{id}, deadline});
  if (asked.library) run.steps.push_back({request::Library{}, kLibraryDeadline});
  if (asked.schedule)
    run.steps.push_back({request::Time{ids, *asked.schedule, asked.library, asked.count_lines}, deadline});
  const bool fresh = asked.fresh && asked.schedule && worker_.device().has_clock;
  for (const std::uint32_t id : ids) {
    if (!fresh || run.items[id].checked) continue;
    request::Check check;
    check.id = id;
    check.fresh = true;
    run.steps.push_back({std::move(check), kFreshDeadline + deadline});
  }
  if (asked.energy_seconds > 0)
    run.steps.push_back({request::Energy{ids, asked.energy_seconds, asked.library}, kEnergyDeadline});
  for (const std::uint32_t id : ids) run.steps.push_back({request::Unload{id}, kLoadDeadline});
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
    run.outcome.items[loaded->id].resources = std::move(loaded->resources);
  } else if (auto* checked = std::get_if<reply::Checked>(&reply)) {
    const auto& asked = std::get<request::Check>(run.steps[run.next].request);
    failed_check = !checked->report.passed();
    ItemOutcome& item = run.outcome.items[asked.id];
    (asked.fresh ? item.fresh : item.check) = std::move(checked->report);
  } else if (auto* timed = std::get_if<reply::Timed>(&reply)) {
    take_samples(run.outcome, timed->samples);
    model_times();
  }
  if (auto* sanitized = std::get_if<reply::Sanitized>(&reply)) {
    run.outcome.items[std::get<request::Sanitize>(run.steps[run.next].request).id].sanitized =
        std::move(sanitized->launches);
  }
  if (auto* energy = std::get_if<reply::Energy>(&reply)) {
    run.outcome.energy = std::move(energy->samples);
    run.outcome.energy_message = std::move(energy->message);
  }
  if (auto* library = std::get_if<reply::LibraryReady>(&reply)) {
    LibraryOutcome& known = run.outcome.library;
    known.rows = std::move(library->rows);
    known.message = std::move(library->message);
    known.load_ms = library->load_ms;
    known.choose_ms = library->choose_ms;
    known.read_ms = library->read_ms;
    known.start_ms = library->start_ms;
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
  for (std::size_t id = 0; id < run_->outcome.items.size(); ++id) {
    ItemOutcome& item = run_->outcome.items[id];
    if (item.samples && !item.samples->launches.empty())
      model_time(*item.samples, item.resources, problem_->problem, run_->items[id].predicted, worker_.device());
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

RunOutcome CandidateRunner::wait() {
  for (;;) {
    WorkerClient::Outcome event = worker_.wait();
    if (std::optional<RunOutcome> outcome = take(event)) return std::move(*outcome);
  }
}

std::vector<Ceiling> CandidateRunner::measure_ceilings() {
  if (!worker_ready_) {
    begin({}, {});
    wait();
  }
  worker_.send(request::Ceilings{}, kProblemDeadline);
  WorkerClient::Outcome event = worker_.wait();
  if (event.event != WorkerClient::Event::reply) throw Error(fmt::format("measuring ceilings: {}", event.message));
  if (const auto* fault = std::get_if<reply::Fault>(&event.reply)) {
    throw Error(fmt::format("measuring ceilings: {}", fault->message));
  }
  return std::get<reply::Ceilings>(event.reply).ceilings;
}

reply::CostCounted CandidateRunner::count_cost(const request::CountCost& count) {
  if (counted_ && counted_->first == count) return counted_->second;
  start_again();
  worker_ready_ = false;
  problem_.reset();
  const Clock::time_point begin = Clock::now();
  worker_.send(count, kProblemDeadline);
  const WorkerClient::Outcome event = worker_.wait();
  seconds_.prepare += seconds_since(begin);
  if (event.event != WorkerClient::Event::reply) throw Error(event.message);
  if (const auto* fault = std::get_if<reply::Fault>(&event.reply)) {
    if (fault->sticky) worker_.stop();
    throw Error(fault->message);
  }
  counted_.emplace(count, std::get<reply::CostCounted>(event.reply));
  return counted_->second;
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
