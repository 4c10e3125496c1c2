#pragma once
// Saves of a kernel's files: kept whenever they are tried, listed, compared, and restored.

#include <optional>

#include "db/database.h"
#include "session/history/kernel_files.h"

namespace kerlab::session {

/// Stores the files as a save, unless they are those of the newest save of this folder and variant. `save` says what
/// came of them; its folder and files are filled in. Returns the number of the save that holds them.
std::int64_t keep_save(Database& database, const KernelFiles& files, Save save);

/// A save in a list.
struct SaveRow {
  Save save;
  std::optional<std::int64_t> before;   ///< the one before of the same folder and variant
  std::int64_t added = 0, removed = 0;  ///< lines, against that
};
/// Oldest first. `family`: a name, or a folder; empty: all. `variant` may be empty.
std::vector<SaveRow> save_rows(const Database& database, const std::string& family, const std::string& variant);

/// The save of this number. Throws UsageError when there is none.
Save find_save(const Database& database, std::int64_t number);
/// A unified diff of all files; empty: they are the same. No `before`: everything is new.
std::string save_difference(const Database& database, const std::optional<Save>& before, const Save& after);

/// What restoring a save would do to a file.
struct FileToRestore {
  std::string name;
  std::string text;      ///< as saved
  bool differs = false;  ///< from what is there now
  bool missing = false;  ///< there is none now
};
struct RestorePlan {
  Save save;
  std::filesystem::path folder;
  std::vector<FileToRestore> files;
  bool elsewhere = false;  ///< in a new folder: there is nothing to keep
  [[nodiscard]] bool changes_nothing() const;
};
/// Looks, and touches nothing. `to`: a new or empty folder in place of the kernel's own; empty: that one. Throws
/// UsageError (no such save; `to` holds something) and Error: the folder is gone or holds no kernel, a
/// name leads out of it or to something that is no plain file, a file cannot be written.
RestorePlan plan_restore(const Database& database, std::int64_t number, const std::filesystem::path& to = {});
/// Keeps what is there now as a save unless one holds it already, then writes what differs. Returns the number of the
/// save that leads back; 0: there was nothing.
std::int64_t restore(Database& database, const RestorePlan& plan);

}  // namespace kerlab::session
