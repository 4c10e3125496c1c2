#include "base/file.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iterator>

#include "base/error.h"
#include "base/scoped_variable.h"
#include "base/temporary_folder.h"
#include "catch.h"

using namespace kerlab;

namespace {

std::ptrdiff_t entries(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

}  // namespace

TEST_CASE("file: what is written is read back, and replaced whole", "[base]") {
  const TemporaryFolder folder;
  std::string text(200'000, 'x');
  text[7] = '\0';
  write_atomic(folder / "a", text);
  CHECK(read_text(folder / "a") == text);
  CHECK(read_bytes(folder / "a").size() == text.size());
  write_atomic(folder / "a", "short");
  CHECK(read_text(folder / "a") == "short");
  write_atomic(folder / "a", "");
  CHECK(read_text(folder / "a").empty());
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("file: errors name the path and the reason", "[base]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(read_text(folder / "none"), Catch::Contains("none: No such file"));
  CHECK_THROWS_WITH(read_text(folder.path()), Catch::Contains("Is a directory"));
  CHECK_THROWS_WITH(write_atomic(folder / "none" / "a", "x"), Catch::Contains("none/a: No such file"));
  std::filesystem::create_directory(folder / "taken");
  CHECK_THROWS_AS(write_atomic(folder / "taken", "x"), Error);
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("file: a write that fails half-way keeps the old file and leaves no temporary one", "[base]") {
  const TemporaryFolder folder;
  write_atomic(folder / "a", "old");
  // A child with a file-size limit stands for a full disk: write() fails after the first 4096 bytes.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int code = 1;
    try {
      write_atomic(folder / "a", std::string(100'000, 'x'));
    } catch (const Error&) {
      code = 42;
    }
    ::_exit(code);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 42);
  CHECK(read_text(folder / "a") == "old");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("file: folders follow their variables", "[base]") {
  const ScopedVariable home("HOME", "/home/somebody");
  {
    const ScopedVariable cache("XDG_CACHE_HOME", ""), data("XDG_DATA_HOME", "relative"), own("KERLAB_CACHE", "");
    CHECK(cache_folder() == "/home/somebody/.cache/kerlab");
    CHECK(data_folder() == "/home/somebody/.local/share/kerlab");
  }
  const ScopedVariable cache("XDG_CACHE_HOME", "/c"), data("XDG_DATA_HOME", "/d");
  {
    const ScopedVariable own("KERLAB_CACHE", "");
    CHECK(cache_folder() == "/c/kerlab");
  }
  const ScopedVariable own("KERLAB_CACHE", "/mine");
  CHECK(cache_folder() == "/mine");
  CHECK(data_folder() == "/d/kerlab");
}

TEST_CASE("file: kernels are found from the executable, or where KERLAB_SHARE says", "[base]") {
  CHECK(std::filesystem::exists(share_folder() / "kernels" / "common" / "lab_abi.h"));
  const TemporaryFolder folder;
  const ScopedVariable share("KERLAB_SHARE", folder.path().c_str());
  CHECK_THROWS_WITH(share_folder(), Catch::Contains("KERLAB_SHARE"));
  std::filesystem::create_directories(folder / "kernels" / "common");
  write_atomic(folder / "kernels" / "common" / "lab_abi.h", "");
  CHECK(share_folder() == folder.path());
}
