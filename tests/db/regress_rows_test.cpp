// The history of `kerlab regress`, and images by their digest.

#include "base/error.h"
#include "catch.h"
#include "db/database.h"
#include "db/fixture.h"

using namespace kerlab;

namespace {

RegressRun a_run(const std::string& key, const std::string& verdict, const std::string& created = "") {
  RegressRun run;
  run.name = "main";
  run.key = key;
  run.device_class = "Emulated H200";
  run.verdict = verdict;
  run.why = "instructions +3 %";
  run.ratio = 1.03;
  run.error_ratio = 0.5;
  run.figures = "instructions=5";
  run.created = created;
  return run;
}

}  // namespace

TEST_CASE("db: runs of regress are kept, newest first", "[db][regress]") {
  const db_test::TemporaryFolder folder;
  Database database = Database::open(folder / "x.db");
  RegressRun a = a_run("gemm/a", "passed", "2026-11-20"), b = a_run("gemm/b", "wrong", "2026-11-21"),
             c = a_run("gemm/a", "regressed");
  database.put(std::vector<RegressRun*>{&a, &b});
  database.put(std::vector<RegressRun*>{&c});
  CHECK(c.id > b.id);
  CHECK_FALSE(c.created.empty());
  const auto all = database.regress_runs("main", "", 10);
  REQUIRE(all.size() == 3);
  CHECK(all.front().verdict == "regressed");
  CHECK(all.front().ratio == 1.03);
  CHECK(all.front().figures == "instructions=5");
  CHECK(database.regress_runs("main", "gemm/a", 10).size() == 2);
  CHECK(database.regress_runs("main", "%", 10).empty());  // a text, not a pattern
  CHECK(database.regress_runs("main", "", 1).size() == 1);
  CHECK(database.regress_runs("other", "", 10).empty());
  RegressRun odd = a_run("gemm/a", "fine");
  CHECK_THROWS_AS(database.put(std::vector<RegressRun*>{&odd}), Error);
  CHECK(database.regress_runs("main", "", 10).size() == 3);
}

TEST_CASE("db: images are kept by digest", "[db][regress]") {
  Database database = Database::in_memory();
  const std::vector<std::byte> image = {std::byte{1}, std::byte{0}, std::byte{255}};
  database.store_blob("abc", "cubin", image);
  database.store_blob("abc", "cubin", {});  // known already
  database.store_blob("none", "samples", {});
  CHECK(database.blob("abc") == image);
  REQUIRE(database.blob("none"));
  CHECK(database.blob("none")->empty());
  CHECK_FALSE(database.blob("abd"));
  CHECK_THROWS_AS(database.store_blob("x", "picture", image), Error);
}
