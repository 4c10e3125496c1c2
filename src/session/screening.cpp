#include "session/screening.h"

#include <algorithm>

#include "base/hash.h"

namespace kerlab {

namespace {

constexpr std::size_t kAskAtOnce = 64;                // looked up in the database together
constexpr std::size_t kMostReady = 64;                // images waiting for the worker
constexpr std::chrono::minutes kEmulatedDeadline{5};  // its instruction budget ends endless loops much earlier
constexpr std::size_t kLaunchingAtOnce = 8;           // committed together before the first of them runs

std::string twin_key(const Bytes& image, const LaunchPlan& plan) {
  return digest(std::span<const std::byte>(image)) + digest(encode(Request{request::Load{0, "", {}, plan}}));
}

}  // namespace

std::vector<std::uint32_t> quick_recipes(const ProblemPlan& plan) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i) {
    if (plan.recipes[i].name == "normal" || plan.recipes[i].name == "small_integer") chosen.push_back(i);
  }
  for (std::uint32_t i = 0; chosen.empty() && i < std::min<std::size_t>(2, plan.recipes.size()); ++i)
    chosen.push_back(i);
  return chosen;
}

Screening::Screening(Rig& rig, const ProblemSetup& setup, ProblemLoader& loader, const CandidateSpace& space,
                     Ledger& ledger, std::unique_ptr<Strategy> strategy, std::size_t planned, ScreeningOptions options)
    : rig_(rig),
      setup_(setup),
      loader_(loader),
      space_(space),
      ledger_(ledger),
      strategy_(std::move(strategy)),
      options_(options) {
  counts_.planned = planned;
  for (const VariantSpace& variant : space_.variants()) ledger_.keep_source(variant.source.source);
}

void Screening::ask_first(std::size_t index) {
  first_.push_back(index);
  // A search that learns counts them among its trials.
  if (!options_.learns) counts_.planned = std::min(counts_.planned + 1, space_.size());
}

bool Screening::step() {
  for (auto& finished : rig_.compilers().poll()) {
    if (loader_.take(finished)) {
      if (loader_.ready()) prepare_worker();
      continue;
    }
    const auto at = compiling_.find(finished.ticket);
    if (at == compiling_.end()) continue;
    Screened* screened = at->second;
    compiling_.erase(at);
    take_compiled(*screened, finished.result);
  }
  if (auto outcome = rig_.runner().poll(); outcome && running_ != nullptr) {
    take_outcome(*std::exchange(running_, nullptr), *outcome);
  }
  if (out_of_time()) {
    timed_out_ = true;
    abandon();
  } else {
    refill();
  }
  feed_worker();  // first the device, then the disk: commits overlap with the candidate that runs now
  commit_launching();
  ledger_.flush();
  return !rig_.runner().idle() || !ready_.empty() || !compiling_.empty() || !asked_.empty() || !exhausted_;
}

/// Data and reference are made while candidates compile, and the vendor's library is opened: one to two seconds that
/// cost nothing now. Not by a thread of the worker: a library that loads code waits for the device, and the device may
/// be waiting behind a blocker for launches that the library keeps out.
void Screening::prepare_worker() {
  RunRequest run;
  run.library = has_library(setup_, rig_.device());
  rig_.runner().begin(std::move(run));
}

bool Screening::out_of_time() const {
  return options_.time_s > 0 && Clock::now() - begun_ > std::chrono::duration<double>(options_.time_s);
}

void Screening::abandon() {
  rig_.compilers().cancel_queued();
  compiling_.clear();
  asked_.clear();
  for (Screened* screened : std::exchange(ready_, {})) {
    if (screened->candidate.trial.status == TrialStatus::launching) {
      end(*screened, TrialStatus::interrupted, "not begun: the session ended");
    }
  }
  exhausted_ = true;
}

std::size_t Screening::under_way() const {
  return asked_.size() + compiling_.size() + ready_.size() + (running_ != nullptr ? 1 : 0);
}

std::string Screening::ended() const {
  if (timed_out_) return fmt::format("{:g} s", options_.time_s);
  return strategy_->ended();
}

/// Keeps the compilers busy with about twice as many jobs as there are processes. A search that learns is asked late,
/// when it knows most, and for a few at once, because it thinks; one that does not, early and for many, which are
/// looked up in the database together.
void Screening::refill() {
  const std::size_t processes = static_cast<std::size_t>(rig_.compilers().processes());
  const std::size_t ahead = 2 * processes;
  while (compiling_.size() < ahead && ready_.size() < kMostReady) {
    if (asked_.empty() && !exhausted_) {
      if (options_.learns && under_way() + (processes + 1) / 2 > ahead) return;
      if (!ask_batch(options_.learns ? ahead - under_way() : kAskAtOnce)) return;
      continue;  // all of them may have been known
    }
    if (asked_.empty()) return;
    submit(*asked_.front());
    asked_.pop_front();
  }
}

/// Those to ask first come alone: what is stored of them the strategy knows before it is asked.
std::vector<std::size_t> Screening::next_indices(std::size_t most) {
  std::vector<std::size_t> indices;
  for (; !first_.empty() && indices.size() < kAskAtOnce; first_.pop_front()) indices.push_back(first_.front());
  if (indices.empty()) {
    indices = strategy_->ask(most);
    exhausted_ = indices.empty() && (under_way() == 0 || !strategy_->ended().empty());
  }
  std::erase_if(indices, [&](std::size_t index) { return !seen_.emplace(index, true).second; });
  return indices;
}

/// False: the search waits, or has ended.
bool Screening::ask_batch(std::size_t most) {
  std::vector<Screened*> batch;
  std::vector<std::string> keys;
  for (const std::size_t index : next_indices(most)) {
    const auto place = space_.place(index);
    const VariantSpace& variant = space_.variants()[place.variant];
    Screened& screened = screened_.emplace_back();
    screened.index = index;
    screened.candidate = make_candidate(rig_.folder().family, variant.source, place.variant, *place.configuration,
                                        setup_.problem, rig_.device(), rig_.toolchain());
    screened.candidate.small_plan =
        small_plan(rig_.folder().family, *variant.source.variant, screened.candidate, setup_, rig_.device());
    batch.push_back(&screened);
    keys.push_back(screened.candidate.trial.key);
  }
  counts_.asked += batch.size();
  std::map<std::string, Trial> stored;
  if (!options_.fresh) {
    for (Trial& trial : ledger_.database().trials_by_keys(keys)) stored.emplace(trial.key, std::move(trial));
  }
  for (Screened* screened : batch) {
    const auto found = stored.find(screened->candidate.trial.key);
    admit(*screened, found == stored.end() ? nullptr : &found->second);
  }
  return !batch.empty();
}

/// A stored final trial stands; anything else is tried.
void Screening::admit(Screened& screened, const Trial* stored) {
  TrialCandidate& candidate = screened.candidate;
  if (stored != nullptr && is_final(stored->status)) {
    const auto measured = stored->status == TrialStatus::passed
                              ? ledger_.database().latest_measurement(stored->id, "screen")
                              : std::nullopt;
    if (measured || stored->status != TrialStatus::passed) {
      candidate.trial = *stored;
      screened.stored = true;
      screened.twin = stored->status == TrialStatus::passed && !stored->message.empty();
      ++counts_.stored;
      ++counts_.done;
      if (measured) {
        screened.cost_us = measured->median_us;
        ++counts_.passed;
        if (best_ == nullptr || *screened.cost_us < *best_->cost_us) best_ = &screened;
      }
      strategy_->tell(screened.index, screened.cost_us);
      return;
    }
  }
  if (std::string reason = impossible_launch(rig_.device(), candidate.plan); !reason.empty()) {
    end(screened, TrialStatus::rejected, std::move(reason));
    return;
  }
  asked_.push_back(&screened);
}

void Screening::submit(Screened& screened) {
  loader_.begin();  // only now: a session that finds everything stored needs no data
  const std::uint64_t ticket = screened.index + 1;
  compiling_.emplace(ticket, &screened);
  const SourceBundle& source = space_.variants()[screened.candidate.variant].source.source;
  rig_.compilers().submit(ticket, {source, screened.candidate.options});
}

void Screening::take_compiled(Screened& screened, CompileResult& result) {
  TrialCandidate& candidate = screened.candidate;
  candidate.trial.compile_ms = result.milliseconds;
  if (result.status != CompileStatus::ok) {
    end(screened, status_of(result.status), fmt::format("{}: {}", candidate.label, result.message));
    return;
  }
  record_resources(candidate, result.kernels);
  std::string reason = reason_to_reject(rig_.device(), candidate.plan, result, options_.allow_spills);
  if (!reason.empty()) {
    end(screened, TrialStatus::rejected, std::move(reason));
    return;
  }
  screened.spills = candidate.trial.spill_bytes > 0;
  candidate.image = loadable_image(result, rig_.device());
  candidate.twin_key = twin_key(candidate.image, candidate.plan);
  ready_.push_back(&screened);
}

/// Spilling configurations come last.
Screened* Screening::next_ready() {
  const auto at = std::find_if(ready_.begin(), ready_.end(), [](const Screened* s) { return !s->spills; });
  if (at == ready_.end() && ready_.empty()) return nullptr;
  Screened* next = at == ready_.end() ? ready_.front() : *at;
  ready_.erase(std::find(ready_.begin(), ready_.end(), next));
  return next;
}

void Screening::feed_worker() {
  while (loader_.ready() && rig_.runner().idle()) {
    Screened* next = next_ready();
    if (next == nullptr) return;
    if (credit_twin(*next)) continue;
    if (next->candidate.trial.status != TrialStatus::launching) ledger_.launching({&next->candidate.trial});
    RunRequest run;
    run.items.push_back(
        {next->candidate.label, next->candidate.image, next->candidate.plan, next->candidate.small_plan});
    run.recipes = quick_recipes(setup_.plan);
    run.sampling = sampling(*next);
    TimingSchedule schedule;
    schedule.rounds = options_.samples;
    schedule.settle = best_ == nullptr;
    if (best_ != nullptr) schedule.abandon_us = options_.abandon_factor * *best_->cost_us;
    run.schedule = schedule;
    run.deadline = deadline(2 * run.recipes.size() + static_cast<std::size_t>(schedule.rounds));
    running_ = next;
    rig_.runner().begin(std::move(run));
  }
}

Sampling Screening::sampling(const Screened& screened) const {
  if (options_.full) return Sampling::everything;
  return space_.variants()[screened.candidate.variant].source.variant->sampling;
}

/// `launching` must be durable before the launch. The next few share one commit, made while another candidate runs.
void Screening::commit_launching() {
  std::vector<Trial*> group;
  for (Screened* screened : ready_) {
    if (screened->candidate.trial.status == TrialStatus::launching) return;  // the last group is not used up
    if (group.size() < kLaunchingAtOnce && !measured_.contains(screened->candidate.twin_key)) {
      group.push_back(&screened->candidate.trial);
    }
  }
  if (!group.empty()) ledger_.launching(group);
}

std::chrono::milliseconds Screening::deadline(std::size_t launches) const {
  if (rig_.device().kind == DeviceKind::emulated && options_.timeout_s <= 0) return kEmulatedDeadline;
  if (options_.timeout_s > 0) return std::chrono::milliseconds(static_cast<std::int64_t>(options_.timeout_s * 1e3));
  // Without a best, a kernel at a thousandth of the roof must still be let through.
  const double per_launch_us = best_ != nullptr ? 20 * *best_->cost_us : 1000 * setup_.plan.minimum_us;
  const double ms = std::max(2000.0, per_launch_us * static_cast<double>(launches) * 1e-3);
  // Filling and comparing take as long as they take: preparing the problem did the same work and more.
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms + 2 * rig_.runner().problem_ready().prepare_ms));
}

}  // namespace kerlab
