// The devices' side of the sweep: who runs what next, and how.

#include <algorithm>

#include "session/run/single.h"
#include "session/tune/screening.h"

namespace kerlab::session {

namespace {

constexpr std::chrono::minutes kEmulatedDeadline{5};  // its instruction budget ends endless loops much earlier
constexpr std::size_t kLaunchingAtOnce = 8;           // committed together before the first of them runs
constexpr std::size_t kMostHeldBack = 32;             // suspects that wait while others compile
constexpr double kLongRunUs = 1000, kAbandonLong = 1.25;
constexpr std::chrono::milliseconds kShortRun{500};  // a busy machine may hold up a healthy one for so long

}  // namespace

/// Data and reference are made while candidates compile, and the vendor's library is opened: one to two seconds that
/// cost nothing now. Not by a thread of the worker: a library that loads code waits for the device, and the device may
/// be waiting behind a blocker for launches that the library keeps out.
void Screening::prepare_workers() {
  bound_compute();
  library_due_ = has_library(setup_, rig_);
  crew_.prepare(library_due_ && !options_.learns);
  if (!options_.learns) library_due_ = false;
}

void Screening::take_finished() {
  for (Crew::Finished& finished : crew_.poll()) {
    Screened& screened = *finished.screened;
    if (finished.evaluation) {
      screened.device = finished.device;
      take_evaluation(screened, *finished.evaluation);
    } else {
      ready_.push_front(&screened);
    }
  }
}

/// Spilling configurations come late, those that may hang last. Whose twin is running waits for it.
Screened* Screening::next_ready() {
  const auto may = [this](const Screened* s) { return !crew_.runs_twin_of(*s); };
  const auto sane = [this](const Screened* s) { return suspects_.resembles(*s, TrialStatus::timeout).empty(); };
  auto at =
      std::find_if(ready_.begin(), ready_.end(), [&](const Screened* s) { return !s->spills && may(s) && sane(s); });
  if (at == ready_.end())
    at = std::find_if(ready_.begin(), ready_.end(), [&](const Screened* s) { return may(s) && sane(s); });
  const bool more = !compiling_.empty() || !asked_.empty();
  if (at == ready_.end() && more && ready_.size() < kMostHeldBack) return nullptr;
  if (at == ready_.end()) at = std::find_if(ready_.begin(), ready_.end(), may);
  if (at == ready_.end()) return nullptr;
  Screened* next = *at;
  ready_.erase(at);
  return next;
}

/// A search that learns wants its first results at once; then there is time for the library.
void Screening::open_library_in_time() {
  const bool enough = counts_.passed >= static_cast<std::size_t>(rig_.compilers().processes());
  if (library_due_ && enough && crew_.open_library()) library_due_ = false;
}

void Screening::feed_workers() {
  open_library_in_time();
  while (loader_.ready()) {
    const auto device = crew_.idle();
    if (!device) return;
    Screened* next = next_ready();
    if (next == nullptr) return;
    if (credit_twin(*next)) continue;
    if (next->candidate.trial.status != TrialStatus::launching) ledger_.launching({&next->candidate.trial});
    if (!run(*device, *next)) ready_.push_front(next);
  }
}

/// One sample of a long run is as good as three: whoever is so much slower than the best will not be in the duel.
double Screening::abandon_us() const {
  if (best_ == nullptr) return 0;
  const double best_us = best_->time->median_us;
  return best_us * (best_us < kLongRunUs ? options_.abandon_factor : std::min(options_.abandon_factor, kAbandonLong));
}

/// False: the device is lost.
bool Screening::run(std::size_t device, Screened& screened) {
  if (!counted_from_) counted_from_ = Clock::now();
  Protocol run;
  run.stage = TimingStage::screen;
  run.recipes = quick_recipes(setup_.plan);
  run.sampling = sampling(screened);
  TimingSchedule schedule;
  schedule.rounds = options_.samples;
  schedule.settle = !crew_.has_timed(device);
  schedule.abandon_us = abandon_us();
  run.schedule = schedule;
  run.deadline = deadline(2 * run.recipes.size() + static_cast<std::size_t>(schedule.rounds));
  screened.waited = schedule.settle;
  screened.suspect = suspects_.resembles(screened, TrialStatus::timeout);
  // A hang should not cost its whole deadline twice; what is only slow gets it the second time. An emulated device ends
  // endless loops by itself.
  const bool may_hang = rig_.device().can_hang;
  if (longest_ms_ > 0 && may_hang && options_.timeout_s <= 0) run.first_deadline = tenfold(longest_ms_, kShortRun);
  if (!screened.suspect.empty() && run.first_deadline) {
    run.deadline = std::min(run.deadline, *run.first_deadline);
    run.attempts = 1;
  }
  return crew_.begin(device, screened, std::move(run));
}

Sampling Screening::sampling(const Screened& screened) const {
  if (options_.full) return Sampling::everything;
  return source_of(space_, screened).variant->sampling;
}

/// `launching` must be durable before the launch. The next few share one commit, made while another candidate runs.
void Screening::commit_launching() {
  std::vector<Trial*> group;
  std::size_t committed = 0;
  for (Screened* screened : ready_) {
    if (screened->candidate.trial.status == TrialStatus::launching) {
      if (++committed == crew_.size()) return;  // the last group is not used up
    } else if (group.size() < kLaunchingAtOnce && !measured_.contains(screened->candidate.twin_key)) {
      group.push_back(&screened->candidate.trial);
    }
  }
  if (!group.empty()) ledger_.launching(group);
}

std::chrono::milliseconds Screening::deadline(std::size_t launches) const {
  if (rig_.device().is_slow && options_.timeout_s <= 0) return kEmulatedDeadline;
  if (options_.timeout_s > 0) return std::chrono::milliseconds(static_cast<std::int64_t>(options_.timeout_s * 1e3));
  // Without a best, a kernel at a thousandth of the roof must still be let through.
  const double per_launch_us = best_ != nullptr ? 20 * best_->time->median_us : 1000 * setup_.plan.minimum_us;
  const double ms = std::max(2000.0, per_launch_us * static_cast<double>(launches) * 1e-3);
  // Filling and comparing take as long as they take: preparing the problem did the same work and more.
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms + 2 * rig_.runner().problem_ready().prepare_ms));
}

}  // namespace kerlab::session
