// Commands that take long, at a terminal and elsewhere: what they say meanwhile, and how Ctrl-C ends them.
#include <chrono>

#include "catch.h"
#include "cli/pseudo_terminal.h"
#include "cli/sandbox.h"

using namespace kerlab;
using Catch::Contains;

namespace {

using Words = Sandbox::Words;

/// With nothing in the compiler's cache.
PseudoTerminal at_terminal(const Sandbox& sandbox, const Words& words) {
  Words all = {kerlab_program().string()};
  all.insert(all.end(), words.begin(), words.end());
  return {all,
          {"HOME=" + sandbox.family(), "XDG_CACHE_HOME=" + (sandbox / "cold").string(),
           "KERLAB_DB=" + sandbox.database().string(), "KERLAB_CACHE=", "TERM=xterm", "KERLAB_PAGER=cat"},
          sandbox.family()};
}

/// Long enough to be interrupted: every block of a large problem is counted.
const Words kLong = {"gemm/reg2d", "--M", "1024", "--dtype", "fp32"};

Words with(const std::string& command, Words words) {
  words.insert(words.begin(), command);
  return words;
}

}  // namespace

TEST_CASE("cli: what takes long says at a terminal what it is doing, and wipes the line", "[cli]") {
  const Sandbox sandbox;
  PseudoTerminal terminal = at_terminal(sandbox, {"explain", "./flat", "THREADS=128", "--N", "4096"});
  CHECK(terminal.wait_for("explain: starting emu:h200"));
  CHECK(terminal.wait_for("explain: preparing twice"));
  CHECK(terminal.wait_for("explain: compiling and counting flat on emu:h200"));
  CHECK(terminal.wait_for("explain: compiling 1 of 2 neighbours"));
  CHECK(terminal.wait_for("explain: counting 2 of 2 neighbours"));
  CHECK(terminal.wait_for("\r\x1b[K"));
  CHECK(terminal.end() == 0);
  CHECK_THAT(terminal.rest(), Contains("bottleneck") && !Contains("explain: "));
}

TEST_CASE("cli: elsewhere what takes long says nothing meanwhile", "[cli]") {
  const Sandbox sandbox;
  const std::string kernel = sandbox.family() + "/flat";
  for (const Words& words : {Words{"explain", kernel}, Words{"inspect", kernel}, Words{"diff", kernel, kernel}})
    CHECK(sandbox.run(with(words.front(), {words.begin() + 1, words.end()}), {"KERLAB_DEVICE=emu:h200"}).err == "");
}

TEST_CASE("cli: Ctrl-C ends what takes long at once, with 130", "[cli]") {
  const Sandbox sandbox;
  const auto [command, words] = GENERATE(table<std::string, Words>(
      {{"explain", kLong},
       {"inspect", kLong},
       {"model", {"reg2d"}},
       {"diff", {"gemm/reg2d", "gemm/reg2d:BM=64,MIN_BLOCKS=1", "--M", "1024", "--dtype", "fp32"}}}));
  CAPTURE(command);
  PseudoTerminal terminal = at_terminal(sandbox, with(command, words));
  REQUIRE(terminal.wait_for(command + ": "));
  const auto begin = std::chrono::steady_clock::now();
  terminal.type("\x03");
  CHECK(terminal.end() == 130);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));  // half a second on a quiet machine
  CHECK_THAT(terminal.screen(), !Contains("bottleneck"));
}
