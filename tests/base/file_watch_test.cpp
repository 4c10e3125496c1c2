#include "base/file_watch.h"

#include <chrono>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"

using namespace kerlab;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, std::string_view text) {
  write_atomic(file, text);  // beside it, then renamed: as editors do
}

/// Of the next save; generous, for loaded machines.
std::vector<std::string> names(FileWatch& watch) {
  std::vector<std::string> found;
  for (int i = 0; i < 100 && found.empty(); ++i)
    if (const auto saved = watch.wait(200ms))
      for (const fs::path& file : saved->files) found.push_back(file.filename().string());
  return found;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("file watch: tells what was saved, however it was", "[base]") {
  const auto means = GENERATE(FileWatch::Means::inotify, FileWatch::Means::polling);
  const TemporaryFolder folder;
  write(folder / "a.cu", "one");
  write(folder / "b.cuh", "one");
  write(folder / "other.txt", "one");
  FileWatch watch(means);
  watch.watch({folder / "a.cu", folder / "b.cuh"});
  CHECK_FALSE(watch.wait(1ms));

  SECTION("replaced by renaming") {
    write(folder / "a.cu", "two");
    CHECK(names(watch) == Names{"a.cu"});
    CHECK_FALSE(watch.wait(1ms));
  }
  SECTION("written in place") {
    std::FILE* file = std::fopen((folder / "b.cuh").c_str(), "a");
    REQUIRE(file != nullptr);
    std::fputs("more", file);
    std::fclose(file);
    CHECK(names(watch) == Names{"b.cuh"});
  }
  SECTION("several at once are one save") {
    write(folder / "b.cuh", "two");
    write(folder / "a.cu", "two");
    CHECK(names(watch) == Names{"a.cu", "b.cuh"});
  }
  SECTION("removed, and made anew") {
    fs::remove(folder / "a.cu");
    CHECK(names(watch) == Names{"a.cu"});
    write(folder / "a.cu", "again");
    CHECK(names(watch) == Names{"a.cu"});
  }
  SECTION("others do not matter") {
    write(folder / "other.txt", "two");
    write(folder / "new.cu", "two");
    CHECK_FALSE(watch.wait(150ms));
  }
  SECTION("its folder replaced") {
    fs::rename(folder.path(), folder.path().string() + "-old");
    fs::create_directories(folder.path());
    write(folder / "a.cu", "two");
    write(folder / "b.cuh", "one");
    CHECK_FALSE(names(watch).empty());
    watch.wait(100ms);
    write(folder / "a.cu", "three");
    CHECK(names(watch) == Names{"a.cu"});
    fs::remove_all(folder.path().string() + "-old");
  }
}

TEST_CASE("file watch: a save while nobody waits is told by the next wait", "[base]") {
  const TemporaryFolder folder;
  write(folder / "a.cu", "one");
  FileWatch watch;
  watch.watch({folder / "a.cu"});
  write(folder / "a.cu", "two");
  watch.watch({folder / "a.cu", folder / "b.cuh"});  // other files, after an attempt
  CHECK(names(watch) == Names{"a.cu"});
}

TEST_CASE("file watch: of a folder every source counts, new ones too", "[base]") {
  const TemporaryFolder folder;
  write(folder / "a.cu", "one");
  FileWatch watch;
  watch.watch({folder / "a.cu"}, {folder.path()});
  write(folder / "notes.txt", "no source");
  CHECK_FALSE(watch.wait(100ms));
  write(folder / "tile.cuh", "new");
  CHECK(names(watch) == Names{"tile.cuh"});
  fs::remove(folder / "tile.cuh");
  CHECK(names(watch) == Names{"tile.cuh"});
}
