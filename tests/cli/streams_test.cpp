// Standard input, output and error that are closed, full or gone, and files that are none: nothing that was stored is
// lost, nothing is overwritten, and what could not be printed is told by the exit code.
#include <sys/stat.h>

#include "base/file.h"
#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

/// kerlab with redirections of a shell, on the scripted device.
ProcessResult redirected(const Sandbox& sandbox, const std::string& redirections, Sandbox::Words arguments) {
  arguments.insert(arguments.end(), {"--device", sandbox.device()});
  return sandbox.run_below({"/bin/sh", "-c", "exec \"$0\" \"$@\" " + redirections}, arguments);
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("cli: closed standard streams are nobody's file, and nothing is lost", "[cli]") {
  const Sandbox sandbox;
  const std::string closed = GENERATE("<&-", "2>&-", "<&- 2>&-");
  CAPTURE(closed);
  const ProcessResult result = redirected(sandbox, closed, {"tune", sandbox.family()});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("THREADS=128"));
  CHECK_THAT(sandbox.run_scripted({"tune", sandbox.family()}).out, Catch::Contains("(4 stored before)"));
}

TEST_CASE("cli: output that cannot be written is an error at the end, not before", "[cli]") {
  const Sandbox sandbox;
  const std::string where = GENERATE(">&-", ">/dev/full", "<&- >&- 2>&-");
  CAPTURE(where);
  const ProcessResult result = redirected(sandbox, where, {"tune", sandbox.family()});
  CHECK(result.exit_code == 1);
  if (where.find("2>") == std::string::npos)
    CHECK_THAT(result.err, Catch::Contains("standard output cannot be written") && Catch::Contains("is kept"));
  CHECK_THAT(sandbox.run_scripted({"tune", sandbox.family()}).out, Catch::Contains("(4 stored before)"));
  CHECK(redirected(sandbox, where, {"db", "export"}).exit_code == 1);
}

TEST_CASE("cli: progress that cannot be written stops nothing", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult result = redirected(sandbox, "2>/dev/full", {"tune", sandbox.family()});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("THREADS=128"));
  CHECK(redirected(sandbox, "2>/dev/full", {"tune", "gem"}).exit_code == 64);
}

TEST_CASE("cli: a reader that goes away ends the program, and what was stored stays", "[cli]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
  const std::string whole = sandbox.run_scripted({"db", "export"}).out;
  const ProcessResult result =
      sandbox.run_below({"/bin/sh", "-c", "\"$0\" \"$@\" | head -n 1"}, {"db", "export", "--device", sandbox.device()});
  CHECK(lines(result.out) == 1);
  CHECK(sandbox.run_scripted({"db", "export"}).out == whole);
}

TEST_CASE("cli: a report goes to a device, a pipe or through a link without taking its place", "[cli]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
  const auto check = [&](const std::filesystem::path& file) {
    return sandbox.run_scripted({"check", sandbox.family(), "--only", "--junit", file.string()});
  };
  SECTION("a link stays a link") {
    sandbox.write("real.xml", "old");
    std::filesystem::create_symlink(sandbox / "real.xml", sandbox / "link.xml");
    CHECK(check(sandbox / "link.xml").exit_code == 0);
    CHECK(std::filesystem::is_symlink(sandbox / "link.xml"));
    CHECK_THAT(read_text(sandbox / "real.xml"), Catch::Contains("<testsuite"));
  }
  SECTION("links in a circle") {
    std::filesystem::create_symlink(sandbox / "b.xml", sandbox / "a.xml");
    std::filesystem::create_symlink(sandbox / "a.xml", sandbox / "b.xml");
    const ProcessResult result = check(sandbox / "a.xml");
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Catch::Contains("a.xml"));
    CHECK(std::filesystem::is_symlink(sandbox / "a.xml"));
  }
  SECTION("a named pipe") {
    REQUIRE(::mkfifo((sandbox / "pipe").c_str(), 0600) == 0);
    const std::string pipe = (sandbox / "pipe").string();
    const ProcessResult result =
        sandbox.run_below({"/bin/sh", "-c", "\"$0\" \"$@\" >/dev/null & timeout 60 cat '" + pipe + "'; wait $!"},
                          {"check", sandbox.family(), "--only", "--device", sandbox.device(), "--junit", pipe});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Catch::Contains("<testsuite"));
    CHECK(std::filesystem::is_fifo(pipe));
  }
  SECTION("devices") {
    // Behind links: what took their place as root would take it for everybody.
    std::filesystem::create_symlink("/dev/full", sandbox / "full.xml");
    const ProcessResult full = check(sandbox / "full.xml");
    CHECK(full.exit_code == 1);
    CHECK_THAT(full.err, Catch::Contains("full.xml: No space left on device"));
    CHECK(std::filesystem::is_symlink(sandbox / "full.xml"));
    CHECK(std::filesystem::is_character_file("/dev/full"));
    CHECK_THAT(check("/proc/self/fd/1").out, Catch::Contains("<testsuite"));
  }
}
