#pragma once
// The tuning database. The only module that names SQLite. The parent process is the only writer.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trial/regress_run.h"
#include "trial/save.h"
#include "trial/trial.h"

namespace kerlab::db {

class Database {
 public:
  /// Opens or creates; migrates. Throws Error and leaves the file untouched when it is corrupt, foreign, too new, a
  /// folder, read-only, or on a network file system.
  static Database open(const std::filesystem::path& path);
  static Database in_memory();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  /// --db, KERLAB_DB, tuning_db/kerlab.db of a checkout, XDG_DATA_HOME/kerlab/kerlab.db.
  static std::filesystem::path default_path();
  [[nodiscard]] const std::filesystem::path& path() const;

  std::int64_t begin_session(const SessionRecord& record);
  void end_session(std::int64_t id, SessionState state, double wall_s);
  /// `compiling` and `launching` rows of sessions whose process is gone become `interrupted`. Returns how many.
  int mark_interrupted();

  void store_source(const std::string& hash, const std::string& name, const std::string& text);
  [[nodiscard]] std::optional<std::string> source_text(const std::string& hash) const;

  /// Inserts, or updates the row of the same key; sets the id. Its own transaction, durable on return.
  void put(Trial& trial);
  /// Many in one transaction.
  void put(std::vector<Trial*> trials);
  void put(Measurement& measurement);
  void put(std::vector<Measurement*> measurements);
  /// Results with their measurements in one transaction; each measurement gets the id of the trial beside it.
  void put(const std::vector<Trial*>& trials, const std::vector<std::pair<const Trial*, Measurement*>>& measurements);
  void put(Decision& decision);
  void put(std::vector<LibraryTime*> times);

  [[nodiscard]] std::optional<SessionRecord> session(std::int64_t id) const;
  [[nodiscard]] std::optional<Trial> trial(std::int64_t id) const;
  [[nodiscard]] std::optional<Trial> trial_by_key(const std::string& key) const;
  [[nodiscard]] std::vector<Trial> trials_by_keys(const std::vector<std::string>& keys) const;
  [[nodiscard]] std::vector<Trial> trials(const std::string& problem, const std::string& device_class) const;
  /// Of a family, or of all when empty.
  [[nodiscard]] std::vector<Trial> trials_of(const std::string& family) const;
  [[nodiscard]] std::vector<Measurement> measurements(std::int64_t trial) const;
  /// Of all trials of a problem on a device class.
  [[nodiscard]] std::vector<Measurement> measurements(const std::string& problem,
                                                      const std::string& device_class) const;
  [[nodiscard]] std::optional<Measurement> latest_measurement(std::int64_t trial, TimingStage stage) const;
  /// What a library took in the rounds of a measurement, in the order stored.
  [[nodiscard]] std::vector<LibraryTime> library_times(std::int64_t measurement) const;
  /// Of the newest measurement of the problem with such a clock that a library was timed beside.
  [[nodiscard]] std::vector<LibraryTime> library_times(const std::string& problem, const std::string& device_class,
                                                       plan::ClockKind clock) const;
  /// Newest decision on a problem for a device class.
  [[nodiscard]] std::optional<Decision> winner(const std::string& problem, const std::string& device_class) const;
  [[nodiscard]] std::vector<Decision> winners() const;  ///< newest of every problem and device class
  /// All on a problem for a device class that stand, newest first.
  [[nodiscard]] std::vector<Decision> decisions(const std::string& problem, const std::string& device_class) const;

  struct CeilingRow {
    std::string device_class, name, unit;
    double value = 0;
    std::string created;
  };
  void put_ceilings(const std::vector<CeilingRow>& rows);
  [[nodiscard]] std::vector<CeilingRow> ceilings(const std::string& device_class) const;

  void put(std::vector<RegressRun*> runs);
  /// Of the baselines of a name (of all names when it is empty), newest first, at most `limit`; `key`: only those of
  /// keys that hold this text.
  [[nodiscard]] std::vector<RegressRun> regress_runs(const std::string& name, const std::string& key,
                                                     std::int64_t limit) const;
  /// An image or samples that a baseline refers to by digest. Stored once.
  void store_blob(const std::string& hash, const std::string& kind, std::span<const std::byte> bytes);
  [[nodiscard]] std::optional<std::vector<std::byte>> blob(const std::string& hash) const;

  /// `texts`: of its files, in their order. Sets the id.
  void put(Save& save, const std::vector<std::string>& texts);
  [[nodiscard]] std::optional<Save> save(std::int64_t id) const;
  /// Of a kernel's folder, or of all when empty; oldest first.
  [[nodiscard]] std::vector<Save> saves(const std::string& folder) const;
  [[nodiscard]] std::optional<Save> newest_save(const std::string& folder, const std::string& variant) const;

  struct Stats {
    std::int64_t sessions = 0, trials = 0, measurements = 0, decisions = 0, bytes = 0;
    int schema = 0;
  };
  [[nodiscard]] Stats stats() const;

  /// Reviewable text: one JSON object a line. Import skips what is there; returns how many rows were new.
  [[nodiscard]] std::string export_text() const;
  int import_text(const std::string& text);

  struct State;  ///< the connection; defined for this module only

 private:
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kerlab::db
