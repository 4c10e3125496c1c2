#pragma once
// The open connection behind Database. Only for the files of this module.

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <string>

#include "db/database.h"
#include "db/sqlite_error.h"

namespace kerlab::db {

struct Database::State {
  std::filesystem::path path;
  SQLite::Database connection;

  /// Runs `work`; SQLite's errors become ours.
  template <typename Work>
  auto run(Work&& work) {
    try {
      return work();
    } catch (const SQLite::Exception& error) {
      throw explained(error, path);
    }
  }

  /// As `run`, all or nothing and durable on return.
  template <typename Work>
  auto run_transaction(Work&& work) {
    return run([&] {
      SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
      auto result = work();
      transaction.commit();
      return result;
    });
  }
};

}  // namespace kerlab::db
