// Text of export.cpp back into a database: what is there already is skipped, what is new gets ids of this database.

#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "db/rows.h"
#include "db/schema.h"
#include "db/state.h"
#include "db/text_rows.h"

namespace kerlab::db {

namespace {

using text_rows::Json;

class Import {
 public:
  explicit Import(SQLite::Database& connection) : connection_(connection) {
    for (const auto& session : rows::all<SessionRecord>(connection_, "")) {
      const std::string key = text_rows::session_key(session);
      sessions_[key] = session.id;
      session_keys_[session.id] = key;
    }
  }

  /// Takes one line; returns whether it was new.
  bool take(const Json& object) {
    const auto row = object.at("row").get<std::string>();
    if (row == "source") return take_source(object);
    if (row == "session") return take_session(object);
    if (row == "trial") return take_trial(object);
    if (row == "measurement") return take_measurement(object);
    if (row == "library_time") return take_library_time(object);
    if (row == "decision") return take_decision(object);
    if (row == "ceiling") return take_ceiling(object);
    if (row == "regress_run") return take_regress_run(object);
    if (row == "blob") return take_blob(object);
    throw Error(fmt::format("unknown row '{}': written by a newer kerlab?", row));
  }

 private:
  template <typename Record>
  std::int64_t insert(const Record& record) {
    SQLite::Statement statement(connection_, rows::insert<Record>());
    return rows::run_insert(statement, record);
  }

  static std::int64_t find(const std::map<std::string, std::int64_t>& ids, const Json& object, const char* what) {
    const auto found = ids.find(object.at(what).get<std::string>());
    if (found == ids.end())
      throw Error(fmt::format("its {} '{}' is not among the lines before", what, object.at(what)));
    return found->second;
  }

  bool take_source(const Json& object) {
    const auto text = [&](const char* column) { return object.at(column).get<std::string>(); };
    return rows::execute(connection_, "INSERT OR IGNORE INTO source (hash, name, text) VALUES (?, ?, ?)", text("hash"),
                         text("name"), text("text")) > 0;
  }

  bool take_session(const Json& object) {
    auto session = text_rows::from_json<SessionRecord>(object);
    const std::string key = text_rows::session_key(session);
    if (sessions_.contains(key)) return false;
    if (session.state == SessionState::running) session.state = SessionState::interrupted;  // not in this database
    sessions_[key] = insert(session);
    session_keys_[sessions_[key]] = key;
    return true;
  }

  bool take_trial(Json object) {
    object["session"] = find(sessions_, object, "session");
    auto trial = text_rows::from_json<Trial>(object);
    const std::string written = trial.key;
    if (seal(trial) != written)
      throw Error(fmt::format("key '{}' does not belong to these columns: was it edited?", written));
    const auto known = rows::first<Trial>(connection_, "WHERE key = ?", trial.key);
    if (known) know_measurements(*known);
    trials_[trial.key] = known ? known->id : insert(trial);
    if ((known ? known->status : trial.status) == TrialStatus::passed) passed_.insert(trials_[trial.key]);
    return !known;
  }

  void know_measurements(const Trial& trial) {
    for (const auto& one : rows::all<Measurement>(connection_, "WHERE trial = ?", trial.id))
      measurements_[text_rows::measurement_key(one, trial.key, session_keys_.at(one.session))] = one.id;
  }

  bool take_measurement(Json object) {
    const auto trial_key = object.at("trial").get<std::string>(), session_key = object.at("session").get<std::string>();
    object["trial"] = find(trials_, object, "trial");
    object["session"] = find(sessions_, object, "session");
    const auto measurement = text_rows::from_json<Measurement>(object);
    if (!passed_.contains(measurement.trial)) return false;  // found wrong here
    const std::string key = text_rows::measurement_key(measurement, trial_key, session_key);
    if (measurements_.contains(key)) return false;
    measurements_[key] = insert(measurement);
    return true;
  }

  bool take_library_time(Json object) {
    // Its measurement may have stayed out: of a trial that was found wrong here.
    if (!measurements_.contains(object.at("measurement").get<std::string>())) return false;
    object["measurement"] = find(measurements_, object, "measurement");
    const auto time = text_rows::from_json<LibraryTime>(object);
    if (rows::first<LibraryTime>(connection_, "WHERE measurement = ? AND label = ?", time.measurement, time.label))
      return false;
    insert(time);
    return true;
  }

  bool take_decision(Json object) {
    object["trial"] = find(trials_, object, "trial");
    object["session"] = find(sessions_, object, "session");
    if (!passed_.contains(object["trial"].get<std::int64_t>())) return false;
    object["measurement"] = find(measurements_, object, "measurement");
    auto decision = text_rows::from_json<Decision>(object);
    decision.tie_set = tie_set_of_ids(decision.tie_set);
    if (rows::first<Decision>(connection_, "WHERE session = ? AND trial = ? AND measurement = ? AND created = ?",
                              decision.session, decision.trial, decision.measurement, decision.created))
      return false;
    insert(decision);
    return true;
  }

  bool take_ceiling(const Json& object) {
    const auto text = [&](const char* column) { return object.at(column).get<std::string>(); };
    return rows::execute(connection_,
                         "INSERT INTO ceiling (device_class, name, unit, value, created) "
                         "SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM ceiling WHERE "
                         "device_class = ?1 AND name = ?2 AND unit = ?3 AND value = ?4 AND created = ?5)",
                         text("device_class"), text("name"), text("unit"), object.at("value").get<double>(),
                         text("created")) > 0;
  }

  bool take_regress_run(const Json& object) {
    if (!regress_runs_) {
      regress_runs_.emplace();
      for (const auto& run : rows::all<RegressRun>(connection_, "")) regress_runs_->insert(line_of(run));
    }
    const auto run = text_rows::from_json<RegressRun>(object);
    if (!regress_runs_->insert(line_of(run)).second) return false;
    insert(run);
    return true;
  }

  static std::string line_of(const RegressRun& run) { return text_rows::line(text_rows::to_json(run)); }

  bool take_blob(const Json& object) {
    const auto hash = object.at("hash").get<std::string>();
    const std::vector<std::byte> bytes = text_rows::from_hex(object.at("bytes").get<std::string>());
    if (digest(bytes) != hash) throw Error(fmt::format("blob '{}' has other bytes: was it edited?", hash));
    SQLite::Statement insert_blob(connection_,
                                  "INSERT INTO baseline_blob (hash, kind, bytes, created) VALUES (?, ?, ?, ?) "
                                  "ON CONFLICT (hash) DO NOTHING");
    const std::byte none{};  // no bytes have no address, and a null one would bind NULL
    insert_blob.bind(1, hash);
    insert_blob.bind(2, object.at("kind").get<std::string>());
    insert_blob.bind(3, bytes.empty() ? &none : bytes.data(), static_cast<int>(bytes.size()));
    insert_blob.bind(4, object.at("created").get<std::string>());
    return insert_blob.exec() > 0;
  }

  std::string tie_set_of_ids(const std::string& keys) const {
    std::istringstream words(keys);
    std::vector<std::int64_t> found;
    for (std::string key; std::getline(words, key, ',');) {
      if (const auto id = trials_.find(key); id != trials_.end()) found.push_back(id->second);
    }
    return fmt::format("{}", fmt::join(found, ","));
  }

  SQLite::Database& connection_;
  std::map<std::string, std::int64_t> sessions_, trials_, measurements_;  ///< key -> id here
  std::map<std::int64_t, std::string> session_keys_;
  std::set<std::int64_t> passed_;
  std::optional<std::set<std::string>> regress_runs_;  ///< as lines; read when the first one comes
};

void check_format(const Json& object) {
  if (!object.is_object() || object.value("format", "") != text_rows::kFormat) {
    throw Error("is not the first line of a kerlab export: {\"format\":\"kerlab-db\",...}");
  }
  const int version = object.at("version").get<int>();
  if (version > text_rows::kVersion) throw Error(fmt::format("has format version {}: update kerlab", version));
}

/// The format's line first, then rows; returns how many were new. Errors name the line.
int take_all(Import& import, const std::string& text, const std::filesystem::path& path) {
  std::istringstream lines(text);
  int number = 0, added = 0;
  const auto failed = [&](const char* why) {
    return Error(fmt::format("import: line {}: {}; nothing was imported", number, why));
  };
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      const Json object = Json::parse(line);
      if (number == 1) {
        check_format(object);
      } else {
        added += import.take(object) ? 1 : 0;
      }
    } catch (const Json::exception& error) {
      throw failed(error.what());
    } catch (const Error& error) {
      throw failed(error.what());
    } catch (const SQLite::Exception& error) {
      throw failed(explained(error, path).what());
    }
  }
  if (number == 0) throw Error("import: the text is empty");
  return added;
}

}  // namespace

int Database::import_text(const std::string& text) {
  return state_->run_transaction([&] {
    Import import(state_->connection);
    const int added = take_all(import, text, state_->path);
    if (added > 0) renew_rows(state_->connection);
    return added;
  });
}

}  // namespace kerlab::db
