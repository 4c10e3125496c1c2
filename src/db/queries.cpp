#include <fmt/format.h>

#include "db/rows.h"
#include "db/state.h"

namespace kerlab::db {

namespace {

/// A decision stands while its trial passes its check: a later check may have found it wrong.
constexpr std::string_view kStands = "(SELECT status FROM trial WHERE trial.id = decision.trial) = 'passed'";

/// By time and not by id alone: an import brings older rows under newer ids.
constexpr std::string_view kNewestFirst = "created DESC, id DESC";

}  // namespace

std::optional<std::string> Database::source_text(const std::string& hash) const {
  return state_->run([&]() -> std::optional<std::string> {
    SQLite::Statement query = rows::statement(state_->connection, "SELECT text FROM source WHERE hash = ?", hash);
    if (!query.executeStep()) return std::nullopt;
    return query.getColumn(0).getString();
  });
}

std::optional<SessionRecord> Database::session(std::int64_t id) const {
  return state_->run([&] { return rows::first<SessionRecord>(state_->connection, "WHERE id = ?", id); });
}

std::optional<Trial> Database::trial(std::int64_t id) const {
  return state_->run([&] { return rows::first<Trial>(state_->connection, "WHERE id = ?", id); });
}

std::optional<Trial> Database::trial_by_key(const std::string& key) const {
  return state_->run([&] { return rows::first<Trial>(state_->connection, "WHERE key = ?", key); });
}

std::vector<Trial> Database::trials_by_keys(const std::vector<std::string>& keys) const {
  return state_->run([&] {
    SQLite::Transaction one_view(state_->connection);  // rolled back: nothing is written
    SQLite::Statement query = rows::select<Trial>(state_->connection, "WHERE key = ?");
    std::vector<Trial> found;
    for (const std::string& key : keys) {
      query.bind(1, key);
      if (query.executeStep()) found.push_back(rows::read<Trial>(query));
      query.reset();
    }
    return found;
  });
}

std::vector<Trial> Database::trials(const std::string& problem, const std::string& device_class) const {
  return state_->run([&] {
    return rows::all<Trial>(state_->connection, "WHERE problem = ? AND device_class = ? ORDER BY id", problem,
                            device_class);
  });
}

std::vector<Trial> Database::trials_of(const std::string& family) const {
  return state_->run(
      [&] { return rows::all<Trial>(state_->connection, "WHERE ?1 = '' OR family = ?1 ORDER BY id", family); });
}

std::vector<Measurement> Database::measurements(std::int64_t trial) const {
  return state_->run([&] { return rows::all<Measurement>(state_->connection, "WHERE trial = ? ORDER BY id", trial); });
}

std::vector<Measurement> Database::measurements(const std::string& problem, const std::string& device_class) const {
  constexpr std::string_view kOfTrials =
      "WHERE trial IN (SELECT id FROM trial WHERE problem = ? AND device_class = ?) ORDER BY id";
  return state_->run([&] { return rows::all<Measurement>(state_->connection, kOfTrials, problem, device_class); });
}

std::optional<Measurement> Database::latest_measurement(std::int64_t trial, TimingStage stage) const {
  const std::string rest = fmt::format("WHERE trial = ? AND stage = ? ORDER BY {} LIMIT 1", kNewestFirst);
  return state_->run(
      [&] { return rows::first<Measurement>(state_->connection, rest, trial, std::string(name(stage))); });
}

std::vector<LibraryTime> Database::library_times(std::int64_t measurement) const {
  return state_->run(
      [&] { return rows::all<LibraryTime>(state_->connection, "WHERE measurement = ? ORDER BY id", measurement); });
}

std::vector<LibraryTime> Database::library_times(const std::string& problem, const std::string& device_class,
                                                 plan::ClockKind clock) const {
  const auto newest = state_->run([&]() -> std::int64_t {
    SQLite::Statement query =
        rows::statement(state_->connection,
                        "SELECT m.id FROM measurement m JOIN trial t ON t.id = m.trial "
                        "WHERE t.problem = ? AND t.device_class = ? AND m.clock = ? AND m.cache = 'cold' AND m.id IN "
                        "(SELECT measurement FROM library_time) ORDER BY m.created DESC, m.id DESC LIMIT 1",
                        problem, device_class, std::string(plan::name(clock)));
    return query.executeStep() ? query.getColumn(0).getInt64() : 0;
  });
  return newest == 0 ? std::vector<LibraryTime>{} : library_times(newest);
}

std::optional<Decision> Database::winner(const std::string& problem, const std::string& device_class) const {
  std::vector<Decision> newest = decisions(problem, device_class);
  if (newest.empty()) return std::nullopt;
  return std::move(newest.front());
}

std::vector<Decision> Database::decisions(const std::string& problem, const std::string& device_class) const {
  const std::string rest =
      fmt::format("WHERE problem = ? AND device_class = ? AND {} ORDER BY {}", kStands, kNewestFirst);
  return state_->run([&] { return rows::all<Decision>(state_->connection, rest, problem, device_class); });
}

std::vector<Decision> Database::winners() const {
  constexpr std::string_view kNewestOfEach =
      "WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY problem, device_class ORDER BY {}) AS "
      "place FROM decision WHERE {}) WHERE place = 1) ORDER BY problem, device_class";
  const std::string rest = fmt::format(kNewestOfEach, kNewestFirst, kStands);
  return state_->run([&] { return rows::all<Decision>(state_->connection, rest); });
}

std::vector<Database::CeilingRow> Database::ceilings(const std::string& device_class) const {
  return state_->run([&] {
    SQLite::Statement query =
        rows::statement(state_->connection,
                        "SELECT device_class, name, unit, value, created FROM ceiling WHERE id IN "
                        "(SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY name ORDER BY created DESC, "
                        "id DESC) AS age FROM ceiling WHERE device_class = ?) WHERE age = 1) ORDER BY name",
                        device_class);
    std::vector<CeilingRow> found;
    while (query.executeStep()) {
      found.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(), query.getColumn(2).getString(),
                       query.getColumn(3).getDouble(), query.getColumn(4).getString()});
    }
    return found;
  });
}

Database::Stats Database::stats() const {
  return state_->run([&] {
    auto& connection = state_->connection;
    const auto count = [&](const char* sql) { return connection.execAndGet(sql).getInt64(); };
    return Stats{.sessions = count("SELECT count(*) FROM session"),
                 .trials = count("SELECT count(*) FROM trial"),
                 .measurements = count("SELECT count(*) FROM measurement"),
                 .decisions = count("SELECT count(*) FROM decision"),
                 .bytes = count("PRAGMA page_count") * count("PRAGMA page_size"),
                 .schema = static_cast<int>(count("PRAGMA user_version"))};
  });
}

}  // namespace kerlab::db
