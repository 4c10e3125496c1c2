#include "session/tune/crew.h"

#include <algorithm>

#include "session/tune/screening.h"

namespace kerlab::session {

std::vector<Crew::Finished> Crew::poll() {
  std::vector<Finished> finished;
  for (std::size_t device = 0; device < posts_.size(); ++device) {
    if (!takes_part(device)) continue;
    Post& post = posts_[device];
    std::optional<Evaluations> ended;
    try {
      if (post.run) ended = post.run->poll();
    } catch (const Error& error) {
      if (!lose(device, error)) throw;
    }
    if (!ended && takes_part(device)) continue;
    post.run.reset();
    std::optional<Evaluation> evaluation;
    if (ended && !ended->items.empty()) evaluation = std::move(ended->items.front());
    if (evaluation && evaluation->samples) {
      post.timed = true;
      if (company_.spoils(device, evaluation->samples->neighbours)) evaluation.reset();
    }
    if (ended && ended->library.status != TrialStatus::passed) library_trouble_ = ended->library.message;
    if (Screened* screened = std::exchange(post.screened, nullptr); screened != nullptr)
      finished.push_back({screened, device, std::move(evaluation)});
  }
  return finished;
}

/// The library is compared with finalists only, so the first device alone opens it.
void Crew::prepare(bool library) {
  for (std::size_t device = 0; device < posts_.size(); ++device)
    if (takes_part(device)) prepare(device, library && device == 0);
}

/// One attempt: whatever is wrong with the library, the sweep does without.
bool Crew::prepare(std::size_t device, bool library) {
  Protocol protocol;
  protocol.library = library;
  protocol.attempts = 1;
  return start(device, {}, std::move(protocol));
}

bool Crew::open_library() {
  std::size_t first = 0;
  while (first + 1 < posts_.size() && !takes_part(first)) ++first;
  return takes_part(first) && runner(first).idle() && prepare(first, true);
}

std::optional<std::size_t> Crew::idle() {
  for (std::size_t device = 0; device < posts_.size(); ++device)
    if (takes_part(device) && runner(device).idle() && company_.may_time(device)) return device;
  return std::nullopt;
}

bool Crew::begin(std::size_t device, Screened& screened, Protocol protocol) {
  if (!start(device, {screened.candidate}, std::move(protocol))) return false;
  posts_[device].screened = &screened;
  return true;
}

bool Crew::start(std::size_t device, std::vector<TrialCandidate> candidates, Protocol protocol) {
  try {
    posts_[device].run.emplace(runner(device), setup_, std::move(candidates), std::move(protocol));
    return true;
  } catch (const Error& error) {
    if (!lose(device, error)) throw;
    return false;
  }
}

bool Crew::lose(std::size_t device, const Error& error) {
  if (error.code() == ExitCode::interrupted || !rig_.lose(device, error.what())) return false;
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
