// The history of `kerlab regress`, and what its baselines keep outside their text.

#include <fmt/format.h>

#include "base/utc_time.h"
#include "db/rows.h"

namespace kerlab::db {

void Database::put(std::vector<RegressRun*> runs) {
  rows::put_all(*state_, rows::insert<RegressRun>(), runs);
}

std::vector<RegressRun> Database::regress_runs(const std::string& name, const std::string& key,
                                               std::int64_t limit) const {
  return state_->run([&] {
    return rows::all<RegressRun>(state_->connection,
                                 "WHERE (?1 = '' OR name = ?1) AND (?2 = '' OR instr(key, ?2) > 0) "
                                 "ORDER BY created DESC, id DESC LIMIT ?3",
                                 name, key, limit);
  });
}

void Database::store_blob(const std::string& hash, const std::string& kind, std::span<const std::byte> bytes) {
  state_->run_transaction([&] {
    SQLite::Statement insert(state_->connection,
                             "INSERT INTO baseline_blob (hash, kind, bytes, created) VALUES (?, ?, ?, ?) "
                             "ON CONFLICT (hash) DO NOTHING");
    const std::byte none{};  // no bytes have no address, and a null one would bind NULL
    insert.bind(1, hash);
    insert.bind(2, kind);
    insert.bind(3, bytes.empty() ? &none : bytes.data(), static_cast<int>(bytes.size()));
    insert.bind(4, utc_now());
    return insert.exec();
  });
}

std::optional<std::vector<std::byte>> Database::blob(const std::string& hash) const {
  return state_->run([&]() -> std::optional<std::vector<std::byte>> {
    SQLite::Statement query =
        rows::statement(state_->connection, "SELECT bytes FROM baseline_blob WHERE hash = ?", hash);
    if (!query.executeStep()) return std::nullopt;
    const SQLite::Column blob = query.getColumn(0);
    const auto* begin = static_cast<const std::byte*>(blob.getBlob());
    return std::vector<std::byte>(begin, begin + blob.getBytes());
  });
}

}  // namespace kerlab::db
