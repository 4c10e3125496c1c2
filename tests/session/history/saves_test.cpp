// Saves of a kernel's files: kept once, compared, restored, and never written anywhere else.
#include "session/history/saves.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/temporary_folder.h"
#include "catch.h"

using namespace kerlab;

namespace {

namespace fs = std::filesystem;

class Kernel {
 public:
  Kernel() : database(Database::in_memory()), folder(fs::canonical(temporary.path()) / "op") {
    fs::create_directories(folder / "detail");
    write("family.toml", "name = \"op\"\n");
    write("v.cu", "line one\nline two\n");
    write("detail/tile.cuh", "tile\n");
  }
  void write(const std::string& name, std::string_view text) const { write_atomic(folder / name, text); }
  [[nodiscard]] std::string read(const std::string& name) const { return read_text(folder / name); }
  std::int64_t keep(const std::string& verdict = "passed") {
    KernelFiles files{folder, {}, {}};
    for (const std::string name : {"detail/tile.cuh", "family.toml", "v.cu"}) files.own.push_back({name, read(name)});
    Save save;
    save.family = "op";
    save.variant = "v";
    save.verdict = verdict;
    save.median_us = 12.5;
    save.clock = ClockKind::modelled;
    return keep_save(database, files, std::move(save));
  }
  /// As from a database that somebody else has made.
  std::int64_t plant(const fs::path& where, const std::string& name, const std::string& text = "planted") {
    Save save;
    save.folder = where.string();
    save.variant = "v";
    save.verdict = "passed";
    save.files = {{name, digest(text)}};
    database.put(save, {text});
    return save.id;
  }

  TemporaryFolder temporary;
  Database database;
  fs::path folder;
};

}  // namespace

TEST_CASE("saves: the same files are kept once", "[session]") {
  Kernel kernel;
  const std::int64_t first = kernel.keep();
  CHECK(kernel.keep() == first);
  kernel.write("v.cu", "line one\nline 2\nline three\n");
  const std::int64_t second = kernel.keep("wrong");
  CHECK(second > first);
  kernel.write("v.cu", "line one\nline two\n");
  CHECK(kernel.keep() > second);  // as the first, but after another
  const std::vector<SaveRow> rows = save_rows(kernel.database, "op", "");
  REQUIRE(rows.size() == 3);
  CHECK_FALSE(rows[0].before);
  CHECK(rows[1].before == first);
  CHECK(rows[1].added == 2);
  CHECK(rows[1].removed == 1);
  CHECK(rows[1].save.verdict == "wrong");
  CHECK(rows[1].save.median_us == 12.5);
  CHECK(save_rows(kernel.database, kernel.folder.string(), "v").size() == 3);
  CHECK(save_rows(kernel.database, "op", "w").empty());
  CHECK(save_rows(kernel.database, "other", "").empty());
  CHECK_THAT(save_difference(kernel.database, rows[0].save, rows[1].save),
             Catch::Contains("--- v.cu (save 1)") && Catch::Contains("-line two") && Catch::Contains("+line three") &&
                 !Catch::Contains("tile"));
}

TEST_CASE("saves: restoring keeps what is there, and leads back", "[session]") {
  Kernel kernel;
  const std::int64_t first = kernel.keep();
  kernel.write("v.cu", "never kept\n");
  fs::remove(kernel.folder / "detail/tile.cuh");
  const RestorePlan plan = plan_restore(kernel.database, first);
  CHECK(kernel.read("v.cu") == "never kept\n");  // a plan touches nothing
  REQUIRE(plan.files.size() == 3);
  CHECK(plan.files[0].missing);
  CHECK_FALSE(plan.files[1].differs);
  CHECK((plan.files[2].differs && !plan.files[2].missing));

  const std::int64_t back = restore(kernel.database, plan);
  CHECK(kernel.read("v.cu") == "line one\nline two\n");
  CHECK(kernel.read("detail/tile.cuh") == "tile\n");
  CHECK(kernel.database.save(back)->verdict == "kept");
  CHECK(plan_restore(kernel.database, first).changes_nothing());

  CHECK(restore(kernel.database, plan_restore(kernel.database, back)) == first);  // kept before: not once more
  CHECK(kernel.read("v.cu") == "never kept\n");
  CHECK(kernel.database.saves("").size() == 2);
}

TEST_CASE("saves: what cannot be restored is refused, and nothing is written", "[session]") {
  Kernel kernel;
  const std::int64_t first = kernel.keep();
  kernel.write("v.cu", "newer\n");
  SECTION("no such save") {
    CHECK_THROWS_AS(plan_restore(kernel.database, 99), UsageError);
  }
  SECTION("the folder is gone") {
    fs::rename(kernel.folder, kernel.temporary / "elsewhere");
    CHECK_THROWS_WITH(plan_restore(kernel.database, first), Catch::Contains("is gone"));
    CHECK_FALSE(fs::exists(kernel.folder));
    CHECK_THROWS_AS(plan_restore(kernel.database, first, kernel.temporary / "elsewhere"), UsageError);  // not empty
    const RestorePlan plan = plan_restore(kernel.database, first, kernel.temporary / "new/place");
    CHECK(restore(kernel.database, plan) == 0);
    CHECK(read_text(kernel.temporary / "new/place/v.cu") == "line one\nline two\n");
    CHECK(read_text(kernel.temporary / "elsewhere/v.cu") == "newer\n");
    CHECK_FALSE(fs::exists(kernel.folder));
  }
  SECTION("it holds no kernel any more") {
    for (const char* name : {"family.toml", "v.cu"}) fs::remove(kernel.folder / name);
    CHECK_THROWS_WITH(plan_restore(kernel.database, first), Catch::Contains("no kernel any more"));
  }
  SECTION("it is a link now") {
    fs::rename(kernel.folder, kernel.temporary / "elsewhere");
    fs::create_directory_symlink(kernel.temporary / "elsewhere", kernel.folder);
    CHECK_THROWS_WITH(plan_restore(kernel.database, first), Catch::Contains("is now a link"));
  }
  SECTION("a file is a link now") {
    write_atomic(kernel.temporary / "precious", std::string_view("precious"));
    fs::remove(kernel.folder / "v.cu");
    fs::create_symlink(kernel.temporary / "precious", kernel.folder / "v.cu");
    CHECK_THROWS_WITH(plan_restore(kernel.database, first), Catch::Contains("is a link"));
    CHECK(read_text(kernel.temporary / "precious") == "precious");
  }
  SECTION("the database has another text than was saved") {
    Save save;
    save.folder = kernel.folder.string();
    save.variant = "v";
    save.verdict = "passed";
    save.files = {{"v.cu", digest("what it says")}};
    kernel.database.put(save, {"what it holds"});
    CHECK_THROWS_WITH(plan_restore(kernel.database, save.id), Catch::Contains("not what was saved"));
  }
  CHECK((!fs::exists(kernel.folder / "v.cu") || kernel.read("v.cu") != "line one\nline two\n"));
}

TEST_CASE("saves: no name in a database leads out of the kernel's folder", "[session]") {
  Kernel kernel;
  const std::string name = GENERATE("../planted", "/tmp/planted", "detail/../../planted", "out/planted", "", ".", "..",
                                    "detail/", ".bashrc", "detail/.hidden", "./v.cu");
  CAPTURE(name);
  fs::create_directory_symlink(kernel.temporary.path(), kernel.folder / "out");
  const std::int64_t planted = kernel.plant(kernel.folder, name);
  CHECK_THROWS_WITH(plan_restore(kernel.database, planted), Catch::Contains("is not restored"));
  CHECK_FALSE(fs::exists(kernel.temporary / "planted"));
}
