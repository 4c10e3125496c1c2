#pragma once
// Records that the schema accepts, and files in a folder of their own.

#include <filesystem>
#include <string>

#include "db/database.h"
#include "modules.h"

namespace kerlab::db_test {

/// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Begins a session and stores the source that the records below refer to.
std::int64_t begin(Database& database, const std::string& host = "");
/// `number` makes the configuration, and so the key.
Trial a_trial(std::int64_t session, int number, TrialStatus status = TrialStatus::passed);
Measurement measurement(const Trial& trial, double median_us = 100);
Decision decision(const Trial& trial, const Measurement& measurement);
/// What Database::open says; empty when it opens.
std::string refusal(const std::filesystem::path& path);

}  // namespace kerlab::db_test
