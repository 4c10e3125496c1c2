#include "session/run/ledger.h"

#include <algorithm>
#include <utility>

#include "base/elapsed.h"

namespace kerlab::session {

namespace {
constexpr std::size_t kMostWaiting = 16;
constexpr std::chrono::milliseconds kLongestWaiting{100};
}  // namespace

Ledger::Ledger(Database& database, const SessionRecord& record) : database_(database) {
  database_.mark_interrupted();
  session_ = database_.begin_session(record);
}

Ledger::~Ledger() {
  if (closed_) return;
  try {
    close(SessionState::interrupted);
  } catch (const std::exception&) {
    // The next session marks it interrupted.
  }
}

void Ledger::keep_source(const SourceBundle& source) {
  database_.store_source(source.hash, std::filesystem::path(source.path).filename().string(), pack_source(source));
}

void Ledger::launching(const std::vector<Trial*>& trials) {
  for (Trial* trial : trials) {
    trial->status = TrialStatus::launching;
    result(*trial);
  }
  flush();
}

void Ledger::result(Trial& trial, std::optional<Measurement> measurement) {
  trial.session = session_;
  if (std::find(trials_.begin(), trials_.end(), &trial) == trials_.end()) trials_.push_back(&trial);
  if (measurement) measurements_.emplace_back(&trial, std::move(*measurement));
}

void Ledger::flush() {
  if (trials_.empty() && measurements_.empty()) return;
  // Taken out first: whoever gave a trial hears of a commit that fails, and may be gone before the next.
  const auto trials = std::exchange(trials_, {});
  auto measurements = std::exchange(measurements_, {});
  std::vector<std::pair<const Trial*, Measurement*>> rows;
  for (auto& [trial, measurement] : measurements) {
    measurement.session = session_;
    rows.emplace_back(trial, &measurement);
  }
  flushed_ = Clock::now();
  database_.put(trials, rows);
}

void Ledger::flush_in_time() {
  const bool many = trials_.size() >= kMostWaiting;
  if (many || Clock::now() - flushed_ >= kLongestWaiting) flush();
}

void Ledger::measured(const Trial& trial, Measurement& measurement) {
  flush();
  measurement.trial = trial.id;
  measurement.session = session_;
  database_.put(measurement);
}

void Ledger::library(std::vector<LibraryTime> times) {
  std::vector<LibraryTime*> pointers;
  for (LibraryTime& time : times) pointers.push_back(&time);
  if (!pointers.empty()) database_.put(std::move(pointers));
}

void Ledger::decide(Decision& decision) {
  flush();
  decision.session = session_;
  database_.put(decision);
}

void Ledger::close(SessionState state) {
  flush();
  closed_ = true;
  database_.end_session(session_, state, seconds());
}

double Ledger::seconds() const {
  return seconds_since(begun_);
}

}  // namespace kerlab::session
