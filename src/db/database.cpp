#include "db/database.h"

#include <fmt/format.h>
#include <map>

#include "base/utc_time.h"
#include "db/process.h"
#include "db/rows.h"
#include "db/schema.h"
#include "db/state.h"

namespace kerlab::db {

namespace {

/// A trial keeps its id and the time it was first seen; everything else follows the newest put.
std::string upsert_trial() {
  std::vector<std::string> updates;
  for (const std::string& column : rows::column_names<Trial>()) {
    if (column != "key" && column != "created") updates.push_back(fmt::format("{0} = excluded.{0}", column));
  }
  return rows::insert<Trial>("trial", fmt::format("ON CONFLICT (key) DO UPDATE SET {}", fmt::join(updates, ", ")));
}

template <typename Record>
void date(Record& record) {
  if (record.created.empty()) record.created = utc_now();
}

/// One statement for many records; ids are handed out once all of them are committed.
template <typename Record>
void put_all(Database::State& state, const std::string& sql, const std::vector<Record*>& records) {
  for (Record* record : records) date(*record);
  const auto ids = state.run_transaction([&] {
    SQLite::Statement statement(state.connection, sql);
    std::vector<std::int64_t> made;
    for (const Record* record : records) made.push_back(rows::run_insert(statement, *record));
    return made;
  });
  for (std::size_t i = 0; i < records.size(); ++i) records[i]->id = ids[i];
}

}  // namespace

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Database Database::open(const std::filesystem::path& path) {
  return Database(std::make_unique<State>(State{path, open_database(path, kSchemaFiles)}));
}

Database Database::in_memory() {
  return Database(std::make_unique<State>(State{":memory:", open_memory_database(kSchemaFiles)}));
}

const std::filesystem::path& Database::path() const {
  return state_->path;
}

std::int64_t Database::begin_session(const SessionRecord& record) {
  SessionRecord session = record;
  if (session.host.empty()) session.host = process_identity();
  if (session.state.empty()) session.state = "running";
  put_all<SessionRecord>(*state_, rows::insert<SessionRecord>("session"), {&session});
  return session.id;
}

void Database::end_session(std::int64_t id, const std::string& state, double wall_s) {
  state_->run_transaction([&] {
    SQLite::Statement update(state_->connection, "UPDATE session SET state = ?, ended = ?, wall_s = ? WHERE id = ?");
    update.bind(1, state);
    update.bind(2, utc_now());
    update.bind(3, wall_s);
    update.bind(4, id);
    return update.exec();
  });
}

int Database::mark_interrupted() {
  return state_->run_transaction([&] {
    auto& connection = state_->connection;
    SQLite::Statement running(connection, rows::select<SessionRecord>("session", "WHERE state = 'running'"));
    for (const SessionRecord& session : rows::read_all<SessionRecord>(running)) {
      if (!process_is_gone(session.host)) continue;
      SQLite::Statement end(connection, "UPDATE session SET state = 'interrupted', ended = ? WHERE id = ?");
      end.bind(1, utc_now());
      end.bind(2, session.id);
      end.exec();
    }
    return connection.exec(
        "UPDATE trial SET status = 'interrupted', message = 'kerlab ended before its result was known' "
        "WHERE status IN ('compiling', 'launching') AND session IN (SELECT id FROM session WHERE state <> 'running')");
  });
}

void Database::store_source(const std::string& hash, const std::string& name, const std::string& text) {
  state_->run_transaction([&] {
    SQLite::Statement insert(state_->connection, "INSERT OR IGNORE INTO source (hash, name, text) VALUES (?, ?, ?)");
    insert.bind(1, hash);
    insert.bind(2, name);
    insert.bind(3, text);
    return insert.exec();
  });
}

void Database::put(Trial& trial) {
  put(std::vector{&trial});
}
void Database::put(std::vector<Trial*> trials) {
  put_all(*state_, upsert_trial(), trials);
}
void Database::put(Measurement& measurement) {
  put(std::vector{&measurement});
}
void Database::put(std::vector<Measurement*> measurements) {
  put_all(*state_, rows::insert<Measurement>("measurement"), measurements);
}
void Database::put(const std::vector<Trial*>& trials,
                   const std::vector<std::pair<const Trial*, Measurement*>>& measurements) {
  for (Trial* trial : trials) date(*trial);
  for (const auto& [trial, measurement] : measurements) date(*measurement);
  const std::string upsert = upsert_trial(), insert = rows::insert<Measurement>("measurement");
  std::map<const Trial*, std::int64_t> trial_ids;
  const auto ids = state_->run_transaction([&] {
    SQLite::Statement put_trial(state_->connection, upsert), put_measurement(state_->connection, insert);
    for (const Trial* trial : trials) trial_ids[trial] = rows::run_insert(put_trial, *trial);
    std::vector<std::int64_t> made;
    for (const auto& [trial, measurement] : measurements) {
      const auto at = trial_ids.find(trial);
      measurement->trial = at == trial_ids.end() ? trial->id : at->second;
      made.push_back(rows::run_insert(put_measurement, *measurement));
    }
    return made;
  });
  for (Trial* trial : trials) trial->id = trial_ids[trial];
  for (std::size_t i = 0; i < measurements.size(); ++i) measurements[i].second->id = ids[i];
}
/// Now, or when the newest one of its problem was made, where a clock has gone backwards since: what is decided last
/// reigns.
void Database::put(Decision& decision) {
  if (decision.created.empty()) {
    const auto newest = winner(decision.problem, decision.device_class);
    decision.created = std::max(utc_now(), newest ? newest->created : "");
  }
  put_all<Decision>(*state_, rows::insert<Decision>("decision"), {&decision});
}

void Database::put(std::vector<LibraryTime*> times) {
  put_all(*state_, rows::insert<LibraryTime>("library_time"), times);
}

void Database::put_ceilings(const std::vector<CeilingRow>& rows) {
  state_->run_transaction([&] {
    SQLite::Statement insert(state_->connection,
                             "INSERT INTO ceiling (device_class, name, unit, value, created) VALUES (?, ?, ?, ?, ?)");
    for (const CeilingRow& row : rows) {
      insert.bind(1, row.device_class);
      insert.bind(2, row.name);
      insert.bind(3, row.unit);
      insert.bind(4, row.value);
      insert.bind(5, row.created.empty() ? utc_now() : row.created);
      insert.exec();
      insert.reset();
    }
    return rows.size();
  });
}

}  // namespace kerlab::db
