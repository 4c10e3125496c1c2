// Long texts on a terminal, through a pager.
#include "catch.h"
#include "cli/pseudo_terminal.h"
#include "cli/sandbox.h"

namespace {

/// kerlab at a terminal of 24 rows.
PseudoTerminal at_terminal(const Sandbox& sandbox, const std::string& pager, const Sandbox::Words& words) {
  Sandbox::Words all = {kerlab_program().string()};
  all.insert(all.end(), words.begin(), words.end());
  return {all,
          {"HOME=" + sandbox.family(), "KERLAB_DB=" + sandbox.database().string(), "KERLAB_CACHE=", "TERM=xterm",
           "LESS=FRX", "KERLAB_PAGER=" + pager},
          sandbox.family(),
          24};
}

/// A pager that says what it was given, in a file, and ends with this code.
std::string writing_pager(const Sandbox& sandbox, int code) {
  return "cat > '" + (sandbox / "paged").string() + "'; echo the pager; exit " + std::to_string(code);
}

}  // namespace

TEST_CASE("pager: what is longer than the screen goes through it, colours kept, exit codes unchanged", "[cli]") {
  const Sandbox sandbox;
  PseudoTerminal terminal = at_terminal(sandbox, writing_pager(sandbox, 3), {"list", "gemm"});
  CHECK(terminal.end() == 0);
  CHECK_THAT(terminal.screen(), Catch::Contains("the pager") && !Catch::Contains("reg2d"));
  CHECK_THAT(kerlab::read_text(sandbox / "paged"), Catch::Contains("reg2d") && Catch::Contains("\x1b[1mgemm"));
}

TEST_CASE("pager: what fits, JSON, pipes and KERLAB_PAGER=cat go without it", "[cli]") {
  const Sandbox sandbox;
  const auto seen = [&](const std::string& pager, const Sandbox::Words& words) {
    PseudoTerminal terminal = at_terminal(sandbox, pager, words);
    CHECK(terminal.end() == 0);
    CHECK_THAT(terminal.screen(), !Catch::Contains("the pager"));
    return terminal.screen();
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
  PseudoTerminal failing = at_terminal(sandbox, writing_pager(sandbox, 0), {"show", "77"});
  CHECK(failing.end() != 0);
  CHECK_THAT(failing.screen(), Catch::Contains("kerlab:"));

  PseudoTerminal stopped = at_terminal(sandbox, "head -n 5; echo ready; exec sleep 30", {"list", "gemm"});
  CHECK(stopped.wait_for("ready"));
  stopped.type("\x03");
  CHECK(stopped.end() == 0);  // of kerlab list, which had ended

  PseudoTerminal quit = at_terminal(sandbox, "head -n 1", {"list", "gemm"});
  CHECK(quit.end() == 0);
}

TEST_CASE("pager: less shows the first screen and q leaves it", "[cli]") {
  if (std::system("command -v less >/dev/null") != 0) {
    WARN("skipped: less is not installed");
    return;
  }
  const Sandbox sandbox;
  PseudoTerminal terminal = at_terminal(sandbox, "less -FRX", {"list", "gemm"});
  CHECK(terminal.wait_for("gemm"));
  terminal.type("q");
  CHECK(terminal.end() == 0);
  CHECK_THAT(terminal.screen(), !Catch::Contains("wgmma_unaligned"));
}
