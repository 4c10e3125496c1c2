// The database as text: one JSON object a line, in an order that does not depend on ids, so that two exports can be
// compared line by line. Rows refer to each other by key. What is still open, and what rests on a trial that no longer
// passes, stays at home.

#include <map>
#include <set>
#include <sstream>

#include "db/rows.h"
#include "db/state.h"
#include "db/text_rows.h"

namespace kerlab::db {

namespace {

using text_rows::Json;

/// "3,7" -> "key of 3,key of 7"
std::string tie_set_of_keys(const std::string& ids, const std::map<std::int64_t, std::string>& keys) {
  std::istringstream words(ids);
  std::vector<std::string> found;
  for (std::string id; std::getline(words, id, ',');) {
    const auto key = keys.find(std::atoll(id.c_str()));
    if (key != keys.end()) found.push_back(key->second);
  }
  return fmt::format("{}", fmt::join(found, ","));
}

class Export {
 public:
  explicit Export(SQLite::Database& connection) : connection_(connection) {}

  std::string text() {
    add_all<SessionRecord>();
    add_all<Trial>();
    add_all<Measurement>();
    add_all<LibraryTime>();
    add_all<Decision>();
    add_all<RegressRun>();
    add_ceilings();
    add_blobs();
    std::string text = text_rows::line({{"format", text_rows::kFormat}, {"version", text_rows::kVersion}});
    for (const std::string& hash : used_sources_) text += source(hash);
    for (const auto* lines :
         {&sessions_, &trials_, &measurements_, &library_times_, &decisions_, &ceilings_, &regress_runs_, &blobs_}) {
      for (const auto& [order, line] : *lines) text += line;
    }
    return text;
  }

 private:
  using Lines = std::map<std::vector<std::string>, std::string>;  ///< by what they are sorted by

  template <typename Record>
  void add_all() {
    for (const Record& record : rows::all<Record>(connection_, "ORDER BY id")) add(record);
  }

  void add(const SessionRecord& session) {
    session_keys_[session.id] = text_rows::session_key(session);
    session_records_[session.id] = session;
  }

  void add(const Trial& trial) {
    trial_keys_[trial.id] = trial.key;
    if (!is_final(trial.status)) return;
    if (trial.status == TrialStatus::passed) passed_.insert(trial.id);
    used_sources_.insert(trial.source_hash);
    Json object = text_rows::to_json(trial);
    object["session"] = use_session(trial.session);
    trials_[{trial.problem, trial.device_class, trial.variant, trial.configuration, trial.key}] =
        text_rows::line(object);
  }

  void add(const Measurement& measurement) {
    if (!passed_.contains(measurement.trial)) return;
    const std::string& trial = trial_keys_.at(measurement.trial);
    const std::string session = use_session(measurement.session);
    measurement_keys_[measurement.id] = text_rows::measurement_key(measurement, trial, session);
    Json object = text_rows::to_json(measurement);
    object["trial"] = trial;
    object["session"] = session;
    const std::string& key = measurement_keys_[measurement.id];
    measurements_[{trial, measurement.created, key}] = text_rows::line(object);
  }

  void add(const LibraryTime& time) {
    const auto measurement = measurement_keys_.find(time.measurement);
    if (measurement == measurement_keys_.end()) return;
    Json object = text_rows::to_json(time);
    object["measurement"] = measurement->second;
    library_times_[{measurement->second, time.label}] = text_rows::line(object);
  }

  void add(const Decision& decision) {
    if (!passed_.contains(decision.trial)) return;
    Json object = text_rows::to_json(decision);
    object["session"] = use_session(decision.session);
    object["trial"] = trial_keys_.at(decision.trial);
    object["measurement"] = measurement_keys_.at(decision.measurement);
    object["tie_set"] = tie_set_of_keys(decision.tie_set, trial_keys_);
    const std::string line = text_rows::line(object);
    decisions_[{decision.problem, decision.device_class, decision.created, line}] = line;
  }

  void add(const RegressRun& run) {
    const std::string line = text_rows::line(text_rows::to_json(run));
    regress_runs_[{run.name, run.key, run.created, line}] = line;
  }

  void add_ceilings() {
    SQLite::Statement query(connection_, "SELECT device_class, name, unit, value, created FROM ceiling");
    while (query.executeStep()) {
      const std::string line = text_rows::line({{"row", "ceiling"},
                                                {"device_class", query.getColumn(0).getString()},
                                                {"name", query.getColumn(1).getString()},
                                                {"unit", query.getColumn(2).getString()},
                                                {"value", query.getColumn(3).getDouble()},
                                                {"created", query.getColumn(4).getString()}});
      ceilings_[{query.getColumn(0).getString(), query.getColumn(1).getString(), query.getColumn(4).getString(),
                 line}] = line;
    }
  }

  /// Of baselines that are text elsewhere: who has both can run the old kernel as it was.
  void add_blobs() {
    SQLite::Statement query(connection_, "SELECT hash, kind, created, bytes FROM baseline_blob");
    while (query.executeStep()) {
      const SQLite::Column bytes = query.getColumn(3);
      const auto* begin = static_cast<const std::byte*>(bytes.getBlob());
      const auto size = static_cast<std::size_t>(bytes.getBytes());
      blobs_[{query.getColumn(0).getString()}] = text_rows::line({{"row", "blob"},
                                                                  {"hash", query.getColumn(0).getString()},
                                                                  {"kind", query.getColumn(1).getString()},
                                                                  {"created", query.getColumn(2).getString()},
                                                                  {"bytes", text_rows::to_hex({begin, size})}});
    }
  }

  /// Only sessions that something refers to are written.
  std::string use_session(std::int64_t id) {
    SessionRecord session = session_records_.at(id);
    session.host = text_rows::host_name(session.host);
    sessions_[{session.created, session_keys_.at(id)}] = text_rows::line(text_rows::to_json(session));
    return session_keys_.at(id);
  }

  std::string source(const std::string& hash) {
    SQLite::Statement query = rows::statement(connection_, "SELECT name, text FROM source WHERE hash = ?", hash);
    query.executeStep();
    return text_rows::line({{"row", "source"},
                            {"hash", hash},
                            {"name", query.getColumn(0).getString()},
                            {"text", query.getColumn(1).getString()}});
  }

  SQLite::Database& connection_;
  std::map<std::int64_t, SessionRecord> session_records_;
  std::map<std::int64_t, std::string> session_keys_, trial_keys_, measurement_keys_;
  std::set<std::int64_t> passed_;
  std::set<std::string> used_sources_;
  Lines sessions_, trials_, measurements_, library_times_, decisions_, ceilings_, regress_runs_, blobs_;
};

}  // namespace

std::string Database::export_text() const {
  return state_->run([&] {
    SQLite::Transaction one_view(state_->connection);  // rolled back: nothing is written
    return Export(state_->connection).text();
  });
}

}  // namespace kerlab::db
