// The guided tour: how it begins and how it is left. tests/cli/demo.sh walks it to its end.
#include "base/error.h"
#include "catch.h"
#include "cli/help/demo_kernel.h"
#include "cli/pseudo_terminal.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

/// Someone who takes the tour.
PseudoTerminal visitor(const Sandbox& sandbox) {
  std::filesystem::create_directories(sandbox / "tmp");
  return {{kerlab_program().string(), "demo", "--device", "emu:h200"},
          {"HOME=" + sandbox.family(), "KERLAB_CACHE=", "TERM=xterm", "TMPDIR=" + (sandbox / "tmp").string()},
          sandbox.family()};
}

}  // namespace

TEST_CASE("demo: waits for Enter; q and the end of the input leave it, and nothing is left behind", "[cli]") {
  const Sandbox sandbox;
  for (const std::string key : {"q\n", "\x04"}) {
    PseudoTerminal terminal = visitor(sandbox);
    CHECK(terminal.wait_for("q ends the tour"));
    terminal.type(key);
    CHECK(terminal.end() == 0);
    CHECK_THAT(terminal.screen(), Catch::Contains("kerlab device --device emu:h200") &&
                                      Catch::Contains("tour ends here") && !Catch::Contains("compute capability"));
    CHECK(std::filesystem::is_empty(sandbox / "tmp"));
  }
}

TEST_CASE("demo: Ctrl-C leaves it as an interrupted command does", "[cli]") {
  const Sandbox sandbox;
  PseudoTerminal terminal = visitor(sandbox);
  CHECK(terminal.wait_for("q ends the tour"));
  terminal.type("\x03");
  CHECK(terminal.end() == 130);
  CHECK(std::filesystem::is_empty(sandbox / "tmp"));
}

TEST_CASE("demo: Enter runs what was shown", "[cli]") {
  const Sandbox sandbox;
  PseudoTerminal terminal = visitor(sandbox);
  CHECK(terminal.wait_for("q ends the tour"));
  terminal.type("\n");
  CHECK(terminal.wait_for("q ends the tour"));
  CHECK_THAT(terminal.answer(), Catch::Contains("compute capability 9.0") && Catch::Contains("exit code 0"));
  terminal.type("q\n");
  CHECK(terminal.end() == 0);
}

TEST_CASE("demo: --json is refused, a folder that is there is never taken", "[cli]") {
  const Sandbox sandbox;
  CHECK(sandbox.run({"demo", "--json"}).exit_code == 64);
  CHECK(free_folder(sandbox / "mine") == sandbox / "mine");
  sandbox.write("mine/a", "");
  sandbox.write("mine_2", "");
  CHECK(free_folder(sandbox / "mine") == sandbox / "mine_3");
}

TEST_CASE("demo: a line that is replaced is shown, one that is gone is an error", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("a.cu", "one\n  two = 2;\nthree\n");
  CHECK(replace_line(sandbox / "a.cu", "= 2", "= 3") == "  a.cu\n  -  two = 2;\n  +  two = 3;\n");
  CHECK(read_text(sandbox / "a.cu") == "one\n  two = 3;\nthree\n");
  CHECK_THROWS_AS(replace_line(sandbox / "a.cu", "= 2", "= 3"), Error);
}
