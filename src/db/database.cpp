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
  return rows::insert<Trial>(fmt::format("ON CONFLICT (key) DO UPDATE SET {}", fmt::join(updates, ", ")));
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
  rows::put_all<SessionRecord>(*state_, rows::insert<SessionRecord>(), {&session});
  return session.id;
}

void Database::end_session(std::int64_t id, SessionState state, double wall_s) {
  state_->run_transaction([&] {
    return rows::execute(state_->connection, "UPDATE session SET state = ?, ended = ?, wall_s = ? WHERE id = ?",
                         std::string(name(state)), utc_now(), wall_s, id);
  });
}

int Database::mark_interrupted() {
  return state_->run_transaction([&] {
    auto& connection = state_->connection;
    for (const auto& session : rows::all<SessionRecord>(connection, "WHERE state = 'running'"))
      if (process_is_gone(session.host))
        rows::execute(connection, "UPDATE session SET state = 'interrupted', ended = ? WHERE id = ?", utc_now(),
                      session.id);
    return connection.exec(
        "UPDATE trial SET status = 'interrupted', message = 'kerlab ended before its result was known' "
        "WHERE status IN ('compiling', 'launching') AND session IN (SELECT id FROM session WHERE state <> 'running')");
  });
}

void Database::store_source(const std::string& hash, const std::string& name, const std::string& text) {
  state_->run_transaction([&] {
    return rows::execute(state_->connection, "INSERT OR IGNORE INTO source (hash, name, text) VALUES (?, ?, ?)", hash,
                         name, text);
  });
}

void Database::put(Trial& trial) {
  put(std::vector{&trial});
}
void Database::put(std::vector<Trial*> trials) {
  rows::put_all(*state_, upsert_trial(), trials);
}
void Database::put(Measurement& measurement) {
  put(std::vector{&measurement});
}
void Database::put(std::vector<Measurement*> measurements) {
  rows::put_all(*state_, rows::insert<Measurement>(), measurements);
}
void Database::put(const std::vector<Trial*>& trials,
                   const std::vector<std::pair<const Trial*, Measurement*>>& measurements) {
  for (Trial* trial : trials) rows::date(*trial);
  for (const auto& [trial, measurement] : measurements) rows::date(*measurement);
  const std::string upsert = upsert_trial(), insert = rows::insert<Measurement>();
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
  rows::put_all<Decision>(*state_, rows::insert<Decision>(), {&decision});
}

void Database::put(std::vector<LibraryTime*> times) {
  rows::put_all(*state_, rows::insert<LibraryTime>(), times);
}

void Database::put_ceilings(const std::vector<CeilingRow>& ceilings) {
  state_->run_transaction([&] {
    for (const CeilingRow& row : ceilings)
      rows::execute(state_->connection,
                    "INSERT INTO ceiling (device_class, name, unit, value, created) VALUES (?, ?, ?, ?, ?)",
                    row.device_class, row.name, row.unit, row.value, row.created.empty() ? utc_now() : row.created);
    return ceilings.size();
  });
}

}  // namespace kerlab::db
