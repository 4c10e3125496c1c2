#include "db/sqlite_error.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace kerlab::db {

namespace {

std::string cause_and_remedy(const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_NOTADB:
      return "is not a database; left untouched. Name another file with --db PATH";
    case SQLITE_CORRUPT:
      return "is corrupt; left untouched. Move it away, or name another file with --db PATH";
    case SQLITE_FULL:
      return "the disk is full: free some space, or name a file on another disk with --db PATH";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process keeps it locked: wait for it, or name another file with --db PATH";
    case SQLITE_READONLY:
      return "cannot be written: name another file with --db PATH";
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return fmt::format("cannot be read or written ({}): check the disk, or name another file with --db PATH",
                         error.what());
    default:
      return error.what();
  }
}

}  // namespace

DatabaseError explained(const SQLite::Exception& error, const std::filesystem::path& path) {
  return DatabaseError(fmt::format("database {}: {}", path.string(), cause_and_remedy(error)));
}

}  // namespace kerlab::db
