#include "session/tune/crew.h"

#include <algorithm>

#include "session/tune/screening.h"

namespace kerlab::session {

std::vector<Crew::Finished> Crew::poll() {
  std::vector<Finished> finished;
  for (std::size_t device = 0; device < posts_.size(); ++device) {
    if (!takes_part(device)) continue;
    Post& post = posts_[device];
    std::optional<RunOutcome> outcome;
    try {
      outcome = runner(device).poll();
    } catch (const Error& error) {
      if (!lose(device, error)) throw;
    }
    if (!outcome && takes_part(device)) continue;
    if (outcome && !outcome->samples.empty()) {
      post.timed = true;
      if (company_.spoils(device, outcome->samples.front().neighbours)) outcome.reset();
    }
    if (outcome && post.screened == nullptr && outcome->status != TrialStatus::passed)
      library_trouble_ = outcome->message;
    if (Screened* screened = std::exchange(post.screened, nullptr); screened != nullptr)
      finished.push_back({screened, device, std::move(outcome)});
  }
  return finished;
}

/// The library is compared with finalists only, so the first device alone opens it.
void Crew::prepare(bool library) {
  for (std::size_t device = 0; device < posts_.size(); ++device) {
    RunRequest run;
    run.library = library && device == 0;
    run.attempts = 1;  // as below
    if (takes_part(device)) start(device, std::move(run));
  }
}

bool Crew::open_library() {
  std::size_t first = 0;
  while (first + 1 < posts_.size() && !takes_part(first)) ++first;
  if (!takes_part(first) || !runner(first).idle()) return false;
  RunRequest run;
  run.library = true;
  run.attempts = 1;  // whatever is wrong with it, the sweep does without
  return start(first, std::move(run));
}

std::optional<std::size_t> Crew::idle() {
  for (std::size_t device = 0; device < posts_.size(); ++device)
    if (takes_part(device) && runner(device).idle() && company_.may_time(device)) return device;
  return std::nullopt;
}

bool Crew::begin(std::size_t device, Screened& screened, RunRequest run) {
  if (!start(device, std::move(run))) return false;
  posts_[device].screened = &screened;
  return true;
}

bool Crew::start(std::size_t device, RunRequest run) {
  try {
    runner(device).begin(std::move(run));
    return true;
  } catch (const Error& error) {
    if (!lose(device, error)) throw;
    return false;
  }
}

bool Crew::lose(std::size_t device, const Error& error) {
  if (!rig_.lose(device, error.what())) return false;
  notes_.push_back(
      fmt::format("{} takes no more part, the others go on: {}", rig_.devices()[device].info.id, error.what()));
  return true;
}

std::size_t Crew::running() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(posts_, [](const Post& post) { return post.screened != nullptr; }));
}

bool Crew::busy() const {
  return std::ranges::any_of(rig_.devices(), [](const RigDevice& device) { return !device.runner->idle(); });
}

bool Crew::prepares() const {
  for (std::size_t device = 0; device < posts_.size(); ++device)
    if (takes_part(device) && posts_[device].screened == nullptr && !runner(device).idle()) return true;
  return false;
}

bool Crew::runs_twin_of(const Screened& screened) const {
  return std::ranges::any_of(posts_, [&](const Post& post) {
    return post.screened != nullptr && post.screened->candidate.twin_key == screened.candidate.twin_key;
  });
}

}  // namespace kerlab::session
