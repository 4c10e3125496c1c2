// Opening: what is ours is opened and migrated, everything else is refused and left as it was.
#include <fmt/format.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "catch.h"
#include "db/location.h"
#include "db/schema.h"
#include "fixture.h"

using namespace kerlab;
using namespace kerlab::db_test;
using Catch::Contains;

namespace fs = std::filesystem;

namespace {
std::string content(const fs::path& path) {
  return digest(read_text(path));
}

void execute(const fs::path& path, const std::string& sql) {
  SQLite::Database database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(sql);
}

/// Refuses with `words`, and neither the file nor its folder has changed.
void check_refused(const fs::path& path, const std::string& words) {
  const std::string before = content(path);
  const auto files = std::distance(fs::directory_iterator(path.parent_path()), {});
  const std::string said = refusal(path);
  CHECK_THAT(said, Contains(words));
  CHECK_THAT(said, Contains(path.string()));
  CHECK_THAT(said, Contains("--db PATH"));
  CHECK(content(path) == before);
  CHECK(std::distance(fs::directory_iterator(path.parent_path()), {}) == files);
}

/// A database with enough rows to have inner pages.
void fill(const fs::path& path) {
  Database database = Database::open(path);
  const auto session = begin(database);
  std::vector<Trial> trials;
  for (int i = 0; i < 200; ++i) trials.push_back(a_trial(session, i));
  std::vector<Trial*> all;
  for (Trial& one : trials) all.push_back(&one);
  database.put(all);
}
}  // namespace

TEST_CASE("open: creates the file and its folders, and opens it again", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "new" / "deep" / "50% #1?.db";
  std::int64_t id = 0;
  {
    Database database = Database::open(path);
    CHECK(database.path() == path);
    Trial one = a_trial(begin(database), 1);
    database.put(one);
    id = one.id;
  }
  CHECK(std::distance(fs::directory_iterator(path.parent_path()), {}) == 1);  // no log, no temporary file
  const Database again = Database::open(path);
  CHECK(again.trial(id)->configuration == "BM=1");
  CHECK(again.stats().schema == static_cast<int>(kSchemaFiles.size()));
  CHECK(again.stats().bytes > 0);
}

TEST_CASE("open: durable and guarded settings are on", "[db]") {
  const TemporaryFolder folder;
  SQLite::Database database = open_database(folder / "a.db", kSchemaFiles);
  CHECK(database.execAndGet("PRAGMA journal_mode").getString() == "wal");
  CHECK(database.execAndGet("PRAGMA synchronous").getInt() == 2);  // FULL
  CHECK(database.execAndGet("PRAGMA foreign_keys").getInt() == 1);
  CHECK(database.execAndGet("PRAGMA busy_timeout").getInt() >= 5000);
  CHECK(database.execAndGet("PRAGMA application_id").getInt() == kApplicationId);
}

TEST_CASE("open: what is not a database is refused untouched", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "notes.db";
  write_atomic(path, std::string_view("These are my notes, not a database at all. "));
  check_refused(path, "not a database");
  write_atomic(path, std::string(8192, 'x'));
  check_refused(path, "not a database");
  write_atomic(path, std::string_view(""));
  check_refused(path, "is empty");
}

TEST_CASE("open: a database of another program is refused untouched", "[db]") {
  const TemporaryFolder folder;
  const fs::path plain = folder / "plain.db", named = folder / "named.db", logged = folder / "logged.db";
  execute(plain, "CREATE TABLE trial (id INTEGER); INSERT INTO trial VALUES (1)");
  check_refused(plain, "of another program");
  execute(named, "PRAGMA application_id = 252006673; PRAGMA user_version = 1; CREATE TABLE a (b)");
  check_refused(named, "of another program");
  execute(logged, "PRAGMA journal_mode = WAL; CREATE TABLE a (b)");
  check_refused(logged, "of another program");
}

TEST_CASE("open: our number on other tables is refused untouched", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  execute(path, fmt::format("PRAGMA application_id = {}; PRAGMA user_version = 1; CREATE TABLE trial (id INTEGER)",
                            kApplicationId));
  check_refused(path, "has no table 'session'");
}

TEST_CASE("open: a newer schema is refused untouched", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  fill(path);
  execute(path, "PRAGMA user_version = 999");
  check_refused(path, "has schema 999");
}

TEST_CASE("open: a corrupt database is refused untouched", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  fill(path);
  SECTION("cut short") {
    fs::resize_file(path, fs::file_size(path) / 2);
    check_refused(path, "corrupt");
  }
  SECTION("cut within its header") {
    fs::resize_file(path, 60);
    check_refused(path, "not a database");
  }
  SECTION("pages overwritten") {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2 / 4096 * 4096));
    file << std::string(16384, '\x5a');
    file.close();
    check_refused(path, "corrupt");
  }
}

TEST_CASE("open: a folder, and a file in the way of a folder, are refused", "[db]") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal(folder.path()), Contains("is a folder") && Contains("--db PATH"));
  write_atomic(folder / "file", std::string_view("x"));
  CHECK_THAT(refusal(folder.path() / "file" / "a.db"), Contains("folder") && Contains("--db PATH"));
  CHECK(read_text(folder / "file") == "x");
}

TEST_CASE("open: a read-only file or folder is refused", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  fill(path);
  const bool root = ::geteuid() == 0;  // whom permissions do not stop: be somebody else for a moment
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(path, fs::perms(0444));
  if (root) REQUIRE(::seteuid(65534) == 0);
  const std::string said_file = refusal(path);
  const std::string said_new = refusal(folder / "new.db");
  if (root) REQUIRE(::seteuid(0) == 0);
  if (root) {
    CHECK_THAT(said_file, Contains("cannot be written") && Contains("--db PATH"));
    CHECK_THAT(said_new, Contains("cannot be written") && Contains("--db PATH"));
  } else {
    CHECK_THAT(said_file, Contains("cannot be written") && Contains("--db PATH"));
    fs::permissions(folder.path(), fs::perms(0555));
    CHECK_THAT(refusal(folder / "new.db"), Contains("cannot be written") && Contains("--db PATH"));
    fs::permissions(folder.path(), fs::perms(0755));
  }
  CHECK_FALSE(fs::exists(folder / "new.db"));
}

TEST_CASE("open: network file systems are known by their magic", "[db]") {
  CHECK(network_file_system(0x6969) == "NFS");
  CHECK(network_file_system(0xff534d42) == "CIFS");
  CHECK(network_file_system(0xfe534d42) == "SMB2");
  CHECK(network_file_system(0xef53).empty());      // ext4
  CHECK(network_file_system(0x01021994).empty());  // tmpfs
  CHECK(network_file_system(0x794c7630).empty());  // overlay
}

TEST_CASE("open: a migration keeps the rows and is applied once", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  fill(path);
  std::vector<EmbeddedFile> migrations(kSchemaFiles.begin(), kSchemaFiles.end());
  migrations.push_back({"999_more.sql", "ALTER TABLE trial ADD COLUMN note TEXT NOT NULL DEFAULT 'none';"});
  for (int i = 0; i < 2; ++i) {
    SQLite::Database database = open_database(path, migrations);
    CHECK(schema_version(database) == static_cast<int>(migrations.size()));
    CHECK(database.execAndGet("SELECT count(*) FROM trial WHERE note = 'none'").getInt() == 200);
  }
  CHECK_THAT(refusal(path), Contains("Update kerlab"));
}

TEST_CASE("open: trials of before there were classes of accuracy are of the strictest", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  fill(path);
  {
    SQLite::Database older(path.string(), SQLite::OPEN_READWRITE);
    older.exec("ALTER TABLE trial DROP COLUMN accuracy; ALTER TABLE trial DROP COLUMN reason");
    older.exec("ALTER TABLE session DROP COLUMN purpose");
    older.exec("PRAGMA user_version = 6");
  }
  const Database database = Database::open(path);
  const std::vector<Trial> trials = database.trials_of("");
  CHECK(trials.size() == 200);
  CHECK(std::ranges::all_of(trials, [](const Trial& trial) { return trial.accuracy.empty(); }));
}

TEST_CASE("open: older sessions told what they were for by their command alone", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  {
    Database database = Database::open(path);
    for (const char* command : {"kerlab tune gemm", "kerlab bench gemm"}) {
      SessionRecord session;
      session.command = command;
      database.begin_session(session);
    }
  }
  {
    SQLite::Database older(path.string(), SQLite::OPEN_READWRITE);
    older.exec("ALTER TABLE session DROP COLUMN purpose; PRAGMA user_version = 9");
  }
  const Database database = Database::open(path);
  CHECK(database.session(1)->purpose == SessionPurpose::tune);
  CHECK(database.session(2)->purpose == SessionPurpose::other);
}

TEST_CASE("open: older rows said only in words why a trial failed", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  fill(path);
  const std::vector<std::array<std::string, 3>> trials = {
      {"rejected", "kernel ''wgmma_pipe'': spills 200 bytes a thread, more than 64", "spills"},
      {"rejected", "wgmma is serialised (ptxas C7511)", "serialised"},
      {"rejected", "kernel ''k'': not one block of 1024 threads with 128 registers each fits an SM", "occupancy"},
      {"rejected", "kernel ''k'': 300000 bytes of shared memory a block, 67552 more than", "shared_memory"},
      {"rejected", "kernel ''k'': block 1025x1x1 is larger than the device''s 1024 threads", "launch"},
      {"wrong", "k A=1: on the small problem: y, recipe normal: 3 of 9 wrong", "small_problem"},
      {"trap", "k A=1: thorough check: a trap", "thorough"},
      {"wrong", "k A=1: thorough check: on the small problem: y", "thorough_small"},
      {"wrong", "k A=1: thorough check: on gemm 3x3x3 bf16: k A=1: y", "thorough_elsewhere"},
      {"wrong", "k A=1: y, recipe normal: 3 of 9 wrong", ""}};
  {
    SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
    database.exec("ALTER TABLE trial DROP COLUMN reason; ALTER TABLE session DROP COLUMN purpose");
    database.exec("PRAGMA user_version = 7");
    for (std::size_t i = 0; i < trials.size(); ++i)
      database.exec(fmt::format("UPDATE trial SET status = '{}', message = '{}' WHERE id = {}", trials[i][0],
                                trials[i][1], i + 1));
  }
  const Database database = Database::open(path);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    INFO(trials[i][1]);
    CHECK(name(database.trial(static_cast<std::int64_t>(i) + 1)->reason) == trials[i][2]);
  }
  CHECK(database.trial(100)->reason == TrialReason::none);
}

TEST_CASE("open: messages of older rows no longer name their trial, and twins are marked", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  fill(path);
  using Row = std::array<std::string, 4>;  // accuracy, status, message before, after
  const std::vector<Row> rows = {
      {"", "wrong", "tile2d BM=1: y, recipe normal: 3 of 9 wrong", "y, recipe normal: 3 of 9 wrong"},
      {"", "wrong", "tile2d BM=1: thorough check: on gemm 3x3x3: tile2d BM=1: y", "thorough check: on gemm 3x3x3: y"},
      {"normwise", "trap", "tile2d BM=1 (normwise): kernel 'k': a trap", "kernel 'k': a trap"},
      {"", "trap", "kernel 'k' of xtile2d BM=1: a trap", "kernel 'k' of xtile2d BM=1: a trap"},
      {"", "passed", "the same program as tile2d BM=2", "the same program as tile2d BM=2"}};
  {
    SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
    database.exec("ALTER TABLE session DROP COLUMN purpose; PRAGMA user_version = 8");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      SQLite::Statement update(database,
                               "UPDATE trial SET variant = 'tile2d', configuration = 'BM=1', accuracy = ?1, "
                               "status = ?2, message = ?3, reason = '' WHERE id = ?4");
      for (int column = 0; column < 3; ++column) update.bind(column + 1, rows[i][static_cast<std::size_t>(column)]);
      update.bind(4, static_cast<std::int64_t>(i) + 1);
      update.exec();
    }
  }
  const Database database = Database::open(path);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Trial trial = database.trial(static_cast<std::int64_t>(i) + 1).value();
    CHECK(trial.message == rows[i][3]);
    CHECK((trial.reason == TrialReason::twin) == (rows[i][1] == "passed"));
  }
}

TEST_CASE("open: a migration that fails changes nothing", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  fill(path);
  std::vector<EmbeddedFile> migrations(kSchemaFiles.begin(), kSchemaFiles.end());
  migrations.push_back({"999_bad.sql", "ALTER TABLE trial ADD COLUMN note TEXT; CREATE TABLE trial (id);"});
  CHECK_THROWS_AS(open_database(path, migrations), Error);
  const Database database = Database::open(path);
  CHECK(database.stats().trials == 200);
  CHECK(database.stats().schema == static_cast<int>(kSchemaFiles.size()));
}

TEST_CASE("open: a disk that takes no more is an error and nothing is lost", "[db]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db", unborn = folder / "b.db";
  fill(path);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // a limit on file sizes stands for the full disk
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{20000, 20000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int wrong = 0;
    const std::string said = refusal(unborn);
    if (said.find("--db PATH") == std::string::npos || fs::exists(unborn)) wrong |= 1;
    try {
      Database database = Database::open(path);
      const auto session = begin(database);
      for (int i = 1000; i < 2000; ++i) {
        Trial one = a_trial(session, i);
        database.put(one);
      }
      wrong |= 2;
    } catch (const Error& error) {
      if (std::string(error.what()).find("--db PATH") == std::string::npos) wrong |= 4;
    }
    ::_exit(wrong);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(Database::open(path).stats().trials >= 200);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}
