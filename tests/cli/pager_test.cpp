// Long texts on a terminal, through a pager.
#include "catch.h"
#include "cli/on_terminal.h"
#include "cli/sandbox.h"

namespace {

OnTerminal terminal_of(const Sandbox& sandbox, const std::string& pager) {
  OnTerminal terminal;
  terminal.environment = {
      "HOME=" + sandbox.family(), "KERLAB_DB=" + sandbox.database().string(), "KERLAB_CACHE=", "TERM=xterm", "LESS=FRX",
      "KERLAB_PAGER=" + pager};
  return terminal;
}

/// A pager that says what it was given, in a file, and ends with this code.
std::string writing_pager(const Sandbox& sandbox, int code) {
  return "cat > '" + (sandbox / "paged").string() + "'; echo the pager; exit " + std::to_string(code);
}

}  // namespace

TEST_CASE("pager: what is longer than the screen goes through it, colours kept, exit codes unchanged", "[cli]") {
  const Sandbox sandbox;
  OnTerminal terminal = terminal_of(sandbox, writing_pager(sandbox, 3));
  terminal.run({kerlab_program().string(), "list", "gemm"});
  CHECK(terminal.exit_code == 0);
  CHECK_THAT(terminal.seen, Catch::Contains("the pager") && !Catch::Contains("reg2d"));
  CHECK_THAT(kerlab::read_text(sandbox / "paged"), Catch::Contains("reg2d") && Catch::Contains("\x1b[1mgemm"));
}

TEST_CASE("pager: what fits, JSON, pipes and KERLAB_PAGER=cat go without it", "[cli]") {
  const Sandbox sandbox;
  const auto seen = [&](const std::string& pager, const Sandbox::Words& words) {
    OnTerminal terminal = terminal_of(sandbox, pager);
    Sandbox::Words all = {kerlab_program().string()};
    all.insert(all.end(), words.begin(), words.end());
    terminal.run(all);
    CHECK(terminal.exit_code == 0);
    CHECK_THAT(terminal.seen, !Catch::Contains("the pager"));
    return terminal.seen;
  };
  CHECK_THAT(seen(writing_pager(sandbox, 0), {"db", "path"}), Catch::Contains("kerlab.db"));
  CHECK_THAT(seen(writing_pager(sandbox, 0), {"list", "gemm", "--json"}), Catch::Contains("\"reg2d\""));
  CHECK_THAT(seen("cat", {"list", "gemm"}), Catch::Contains("reg2d"));
  CHECK_THAT(seen("", {"list", "gemm"}), Catch::Contains("reg2d"));
  CHECK_THAT(seen("no-such-pager", {"list", "gemm"}), Catch::Contains("reg2d"));  // sh says so, the text is there
  CHECK_THAT(sandbox.run({"list", "gemm"}, {"KERLAB_PAGER=" + writing_pager(sandbox, 0)}).out,
             Catch::Contains("reg2d"));
}

TEST_CASE("pager: an error after long output keeps its code, and Ctrl-C in the pager is the pager's", "[cli]") {
  const Sandbox sandbox;
  OnTerminal failing = terminal_of(sandbox, writing_pager(sandbox, 0));
  failing.run({kerlab_program().string(), "show", "77"});
  CHECK(failing.exit_code != 0);
  CHECK_THAT(failing.seen, Catch::Contains("kerlab:"));

  OnTerminal stopped = terminal_of(sandbox, "head -n 5; echo ready; exec sleep 30");
  stopped.presses = {{"ready", "\x03"}};
  stopped.run({kerlab_program().string(), "list", "gemm"});
  CHECK(stopped.exit_code == 0);  // of kerlab list, which had ended

  OnTerminal quit = terminal_of(sandbox, "head -n 1");
  quit.run({kerlab_program().string(), "list", "gemm"});
  CHECK(quit.exit_code == 0);
}

TEST_CASE("pager: less shows the first screen and q leaves it", "[cli]") {
  if (std::system("command -v less >/dev/null") != 0) {
    WARN("skipped: less is not installed");
    return;
  }
  const Sandbox sandbox;
  OnTerminal terminal = terminal_of(sandbox, "less -FRX");
  terminal.presses = {{"gemm", "q"}};
  terminal.run({kerlab_program().string(), "list", "gemm"});
  CHECK(terminal.exit_code == 0);
  CHECK_THAT(terminal.seen, Catch::Contains("gemm") && !Catch::Contains("wgmma_unaligned"));
}
