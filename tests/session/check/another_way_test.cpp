// Kernels that are right in another way (tests/kernels/another_way): accepted as what they declare, rejected without
// it, and wrong ones rejected although they declare as much.
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "locations.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

namespace fs = std::filesystem;

struct Judged {
  TrialStatus status = TrialStatus::passed;
  std::string accuracy, message;
};

std::map<std::string, Judged> judge_all(SessionFixture& fixture, const fs::path& folder) {
  CheckOptions options = emulated_check(fixture, "all", folder.string());
  options.only_asked = true;
  const std::vector<CheckRow> rows = checked_rows(fixture, options);
  std::map<std::string, Judged> judged;
  for (const CheckRow& row : rows) {
    Judged& one = judged[row.trial.variant];
    one.accuracy = row.trial.accuracy;
    if (one.status == TrialStatus::passed) one.status = row.trial.status;
    if (!row.trial.message.empty()) one.message = row.trial.message;
  }
  return judged;
}

/// The folder's files, with what they declare or without.
void copy_kernels(const fs::path& from, const fs::path& to, bool declared) {
  fs::create_directories(to);
  for (const fs::directory_entry& file : fs::directory_iterator(from)) {
    std::string kept;
    std::istringstream lines(read_text(file.path()));
    for (std::string line; std::getline(lines, line);)
      if (declared || !(line.starts_with("accuracy = ") || line.starts_with("specials = "))) kept += line + "\n";
    write_atomic(to / file.path().filename(), kept);
  }
}

/// Returns how many were accepted as what they declare.
std::size_t check_family(const std::string& name) {
  INFO(name);
  SessionFixture fixture;
  const TemporaryFolder folder;
  const fs::path source = tests_folder() / "kernels" / "another_way" / name;
  copy_kernels(source, folder.path() / "declared" / name, true);
  copy_kernels(source, folder.path() / "undeclared" / name, false);
  std::size_t accepted = 0;
  for (const auto& [variant, judged] : judge_all(fixture, folder.path() / "declared" / name)) {
    INFO(variant << ": " << judged.message);
    CHECK(!judged.accuracy.empty());
    CHECK((judged.status == TrialStatus::passed) == !variant.starts_with("wrong_"));
    accepted += judged.status == TrialStatus::passed ? 1 : 0;
  }
  for (const auto& [variant, judged] : judge_all(fixture, folder.path() / "undeclared" / name)) {
    INFO(variant << " declares nothing: " << judged.message);
    CHECK(judged.accuracy.empty());
    CHECK(judged.status == TrialStatus::wrong);
  }
  return accepted;
}

}  // namespace

TEST_CASE("right in another way: compensated sums, NaN where others have infinity", "[session][emulated]") {
  CHECK(check_family("total") == 4);
}

TEST_CASE("right in another way: split operands, Strassen", "[session][emulated]") {
  CHECK(check_family("product") == 7);
}

TEST_CASE("right in another way: Winograd's convolutions", "[session][emulated]") {
  CHECK(check_family("taps") == 2);
}

TEST_CASE("right in another way: exponentials and reciprocals", "[session][emulated]") {
  CHECK(check_family("weights") + check_family("inverse") + check_family("power") == 5);
}
