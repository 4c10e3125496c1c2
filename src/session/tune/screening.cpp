#include "session/tune/screening.h"

#include <algorithm>

#include "base/hash.h"
#include "model/roofline.h"
#include "plan/plan_identity.h"
#include "session/tune/contenders.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kAskAtOnce = 64;                  // looked up in the database together
constexpr std::chrono::minutes kLongestPreparation{5};  // of data and reference, which no time budget counts
constexpr std::size_t kMostReady = 64;                  // images waiting for a worker; or four for each compiler
constexpr std::size_t kMostQueued = 16;                 // compilations waiting for a compiler
constexpr std::chrono::seconds kShortCompilation{2};

std::string twin_key(const Bytes& image, const LaunchPlan& plan) {
  return digest(std::span<const std::byte>(image)) + plan_digest(plan);
}

}  // namespace

const VariantSource& source_of(const CandidateSpace& space, const Screened& screened) {
  return screened.outside != nullptr ? *screened.outside : space.variants()[screened.candidate.variant].source;
}

Screening::Screening(Rig& rig, Company& company, const ProblemSetup& setup, ProblemLoader& loader,
                     const CandidateSpace& space, Ledger& ledger, std::unique_ptr<Strategy> strategy,
                     std::size_t planned, ScreeningOptions options)
    : rig_(rig),
      company_(company),
      setup_(setup),
      loader_(loader),
      space_(space),
      ledger_(ledger),
      strategy_(std::move(strategy)),
      options_(options),
      crew_(rig, company, setup) {
  counts_.planned = planned;
  bound_compute();
  for (const VariantSpace& variant : space_.variants()) ledger_.keep_source(variant.source.source);
}

/// At most so much work is no reason to leave anybody out.
void Screening::bound_compute() {
  if (setup_.count && !setup_.count->counted) return;
  const DType dtype = setup_.problem.dtype;
  const Ceilings ceilings = theoretical_ceilings(rig_.device(), dtype, uses_tensor_cores(dtype));
  if (ceilings.flops_per_s > 0) compute_us_ = 1e6 * setup_.plan.flops / ceilings.flops_per_s;
}

void Screening::ask_first(std::size_t index) {
  first_.push_back(index);
  // A search that learns counts them among its trials.
  if (!options_.learns) counts_.planned = std::min(counts_.planned + 1, space_.size());
}

bool Screening::step() {
  rig_.compilers().step();
  if (loader_.step()) prepare_workers();
  take_all_compiled();
  take_finished();
  if (out_of_time()) {
    timed_out_ = true;
    abandon();
  } else {
    refill();
  }
  feed_workers();  // first the devices, then the disk: commits overlap with the candidate that runs now
  commit_launching();
  ledger_.flush_in_time();
  const bool more =
      crew_.busy() || !ready_.empty() || !compiling_.empty() || !asked_.empty() || !put_off_.empty() || !exhausted_;
  if (!more) ledger_.flush();
  return more;
}

std::vector<std::string> Screening::take_notes() {
  std::vector<std::string> notes = crew_.take_notes();
  notes.insert(notes.end(), notes_.begin(), notes_.end());
  notes_.clear();
  return notes;
}

bool Screening::out_of_time() const {
  if (options_.time_s <= 0) return false;
  const auto limit = std::chrono::duration<double>(options_.time_s);
  return counted_from_ ? Clock::now() - *counted_from_ > limit : Clock::now() - begun_ > limit + kLongestPreparation;
}

void Screening::abandon() {
  compiling_.clear();
  asked_.clear();
  put_off_.clear();
  for (Screened* screened : std::exchange(ready_, {})) {
    Trial& trial = screened->candidate.trial;
    if (trial.status != TrialStatus::launching) continue;
    trial.status = TrialStatus::interrupted;
    trial.message = "not begun: the session ended";
    end(*screened);
  }
  exhausted_ = true;
}

/// Compiled candidates that a search which learns should hear of before it is asked again. Before the worker is ready
/// there is nothing to hear, and compilers that wait for it would be lost time; while it opens the library, for
/// seconds, they go on for one more round.
std::size_t Screening::excess_ready(std::size_t processes) const {
  std::size_t patience = crew_.prepares() ? 2 * processes : processes;
  if (counts_.passed == 0) patience = most_ready();
  return ready_.size() - std::min(ready_.size(), patience);
}

void Screening::recall() {
  while (!first_.empty()) ask_batch(0);
  recalled_ = true;
  abandon();
}

std::size_t Screening::under_way() const {
  return asked_.size() + compiling_.size() + ready_.size() + crew_.running();
}

std::optional<SweepEnd> Screening::end() const {
  if (recalled_) return SweepEnd::recalled;
  if (timed_out_) return SweepEnd::time;
  return strategy_->ended().empty() ? std::nullopt : std::optional(SweepEnd::search);
}

std::size_t Screening::most_ready() const {
  return std::max(kMostReady, 4 * static_cast<std::size_t>(rig_.compilers().processes()));
}

/// Keeps the compilers busy, and as many jobs waiting for them as there are processes, at most kMostQueued. A search
/// that learns is asked late, when it knows most, and for a few at once, because it thinks; one that does not, early
/// and for many, which are looked up in the database together.
void Screening::refill() {
  const std::size_t processes = static_cast<std::size_t>(rig_.compilers().processes());
  const std::size_t ahead = processes + std::min(processes, kMostQueued) + crew_.size() - 1;
  while (compiling_.size() < ahead && ready_.size() < most_ready()) {
    Screened* next = next_to_compile();
    if (next == nullptr && !exhausted_) {
      const std::size_t waiting = compiling_.size() + excess_ready(processes);
      if (options_.learns && waiting + (processes + 1) / 2 > ahead) return;
      if (ask_batch(options_.learns ? ahead - waiting : kAskAtOnce)) continue;  // all of them may have been known
    }
    if (next == nullptr && put_off_.empty()) return;
    if (next == nullptr) {
      next = put_off_.front();
      put_off_.pop_front();
    }
    submit(*next);
  }
}

/// Null: whoever is left was put off.
Screened* Screening::next_to_compile() {
  while (!asked_.empty()) {
    Screened* next = asked_.front();
    asked_.pop_front();
    if (is_hopeless(*next)) {
      leave_out(*next);
      continue;
    }
    next->suspect = suspects_.resembles(*next, TrialStatus::compile_timeout);
    if (next->suspect.empty()) return next;
    put_off_.push_back(next);
  }
  return nullptr;
}

bool Screening::is_hopeless(const Screened& screened) const {
  return options_.bound_factor > 0 && best_ != nullptr &&
         least_us(rig_.device(), screened.candidate.plan, compute_us_) > options_.bound_factor * best_->time->median_us;
}

/// Nothing is stored of it: against a slower best it would be tried. The search hears the bound, which flatters it.
void Screening::leave_out(Screened& screened) {
  screened.candidate.trial.status = TrialStatus::interrupted;
  ++counts_.done;
  ++counts_.hopeless;
  strategy_->tell(screened.index, least_us(rig_.device(), screened.candidate.plan, compute_us_));
}

/// Those to ask first come alone: what is stored of them the strategy knows before it is asked.
std::vector<std::size_t> Screening::next_indices(std::size_t most) {
  std::vector<std::size_t> indices;
  for (; !first_.empty() && indices.size() < kAskAtOnce; first_.pop_front()) indices.push_back(first_.front());
  if (indices.empty()) {
    // It does not know of those that came first and have no result yet.
    if (options_.learns) most = std::min(most, counts_.planned - std::min(counts_.planned, counts_.asked));
    indices = strategy_->ask(most);
    exhausted_ = indices.empty() && ((under_way() == 0 && put_off_.empty()) || !strategy_->ended().empty());
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
    screened.weaker = !space_.admits(screened.candidate.plan.accuracy);
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
    auto measured = stored->status == TrialStatus::passed
                        ? ledger_.database().latest_measurement(stored->id, TimingStage::screen)
                        : std::nullopt;
    if (measured && (!company_.stands(*measured) || !is_comparable(*measured, setup_, rig_.device()))) measured.reset();
    if (measured || stored->status != TrialStatus::passed) {
      candidate.trial = *stored;
      screened.stored = true;
      screened.twin = stored->reason == TrialReason::twin;
      ++counts_.stored;
      ++counts_.done;
      if (measured) {
        screened.time = std::move(measured);
        ++counts_.passed;
        if (best_ == nullptr || screened.time->median_us < best_->time->median_us) best_ = &screened;
      }
      strategy_->tell(screened.index, screened.time ? std::optional(screened.time->median_us) : std::nullopt);
      return;
    }
  }
  if (can_launch(candidate, rig_.device()))
    asked_.push_back(&screened);
  else
    end(screened);
}

void Screening::submit(Screened& screened) {
  loader_.begin();  // only now: a session that finds everything stored needs no data
  const SourceBundle& source = space_.variants()[screened.candidate.variant].source.source;
  CompileRequest request{source, screened.candidate.options};
  if (!screened.suspect.empty())
    request.deadline = std::min(rig_.compilers().time_limit(), tenfold(longest_compile_ms_, kShortCompilation));
  compiling_.push_back({&screened, rig_.compilers().submit(std::move(request))});
}

void Screening::take_all_compiled() {
  std::vector<Compiling> going_on;
  for (Compiling& one : std::exchange(compiling_, {})) {
    if (one.compilation.finished())
      take_compiled(*one.screened, one.compilation.take());
    else
      going_on.push_back(std::move(one));
  }
  compiling_ = std::move(going_on);
}

void Screening::take_compiled(Screened& screened, CompileResult result) {
  TrialCandidate& candidate = screened.candidate;
  const bool hung = result.status == CompileStatus::timeout;
  if (result.status == CompileStatus::ok) longest_compile_ms_ = std::max(longest_compile_ms_, result.milliseconds);
  if (!session::take_compiled(candidate, result, rig_.device(), options_.allow_spills)) {
    if (hung && !screened.suspect.empty())
      candidate.trial.message += fmt::format(", no longer because {}", screened.suspect);
    end(screened);
    return;
  }
  screened.suspect.clear();
  screened.spills = candidate.trial.spill_bytes > 0;
  candidate.twin_key = twin_key(candidate.image, candidate.plan);
  ready_.push_back(&screened);
}

}  // namespace kerlab::session
