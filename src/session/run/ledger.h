#pragma once
// A session's way into the database: results are gathered and committed together, because every commit waits for the
// disk; what is about to be launched is committed before.

#include "db/database.h"
#include "session/run/candidate.h"

namespace kerlab::session {

/// Of a command that runs on one device; `options` have what was typed, and kerlab's version.
template <typename Options>
SessionRecord session_record(const Options& options, const DeviceInfo& device) {
  SessionRecord record;
  record.command = options.command;
  record.version = options.version;
  record.device = device.id + " " + device.name;
  return record;
}

class Ledger {
 public:
  /// Begins a session record. Rows left `launching` by dead sessions become `interrupted`.
  Ledger(Database& database, const SessionRecord& record);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  /// A session that nobody closed was interrupted.
  ~Ledger();

  /// Source text that trials of this session refer to.
  void keep_source(const SourceBundle& source);
  /// Commits the trials as `launching`: durable on return.
  void launching(const std::vector<Trial*>& trials);
  /// Takes a result (and its measurement, if any), to be committed by the next flush; `trial` must live until then.
  void result(Trial& trial, std::optional<Measurement> measurement = std::nullopt);
  /// Throws Error where the commit fails; what it would have written is forgotten then.
  void flush();
  /// The same where enough waits, or has waited long enough: a commit costs milliseconds in which nobody is fed.
  void flush_in_time();
  /// Commits one measurement at once and sets its id.
  void measured(const Trial& trial, Measurement& measurement);
  void decide(Decision& decision);
  /// Commits what a library took in the rounds of a measurement.
  void library(std::vector<LibraryTime> times);
  /// Flushes and ends the session record.
  void close(SessionState state);

  [[nodiscard]] Database& database() const { return database_; }
  [[nodiscard]] std::int64_t session() const { return session_; }
  [[nodiscard]] double seconds() const;

 private:
  Database& database_;
  std::int64_t session_ = 0;
  Clock::time_point begun_ = Clock::now();
  std::vector<Trial*> trials_;
  std::vector<std::pair<Trial*, Measurement>> measurements_;
  Clock::time_point flushed_ = Clock::now();
  bool closed_ = false;
};

}  // namespace kerlab::session
