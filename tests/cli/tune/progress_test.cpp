// Commands that take long, at a terminal and elsewhere: what they say meanwhile, and how Ctrl-C ends them.
#include <fmt/format.h>

#include <chrono>
#include <set>

#include "base/file.h"
#include "base/json_reader.h"
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

TEST_CASE("tune: --kernel-tuner writes each result as it comes, in a file that Kernel Tuner reads as it is",
          "[cli][emulated]") {
  const Sandbox sandbox;
  const std::filesystem::path folder = sandbox / "caches";
  const auto only_file = [&] {
    std::filesystem::path found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) found = entry.path();
    return found;
  };
  const auto keys_of = [](std::string text) {  // as Kernel Tuner's read_cache closes a file that grows
    text.erase(text.find_last_not_of(" \n") + 1);
    const bool closed = text.ends_with("}\n}");
    if (!closed && text.ends_with(",")) text.pop_back();
    std::string keys;
    for (const auto& [key, entry] : JsonNode::parse(closed ? text : text + "}\n}", "cache").at("cache").members())
      keys += key + (entry.at("time").is_number() ? "" : "!") + " ";
    return keys + (closed ? "closed" : "open");
  };
  const Sandbox::Words tune = {"tune",     sandbox.family(), "--N",          "4096", "--device",
                               "emu:h200", "--kernel-tuner", folder.string()};
  // Killed at any time the file is there or not, and readable; a second tune goes on in it and closes it.
  std::set<std::string> seen;
  for (int milliseconds = 200; milliseconds <= 1000; milliseconds += 200) {
    std::filesystem::remove_all(folder);
    std::filesystem::remove(sandbox.database());
    const ProcessResult killed =
        sandbox.run_below({"timeout", "-s", "KILL", fmt::format("{:.3f}", milliseconds / 1e3)}, tune);
    if (killed.exit_code == 0) break;
    if (std::filesystem::exists(folder)) seen.insert(keys_of(read_text(only_file())));
  }
  for (const std::string& keys : seen) CHECK_THAT(keys, Catch::EndsWith("open") || Catch::EndsWith("closed"));
  REQUIRE(sandbox.run(tune).exit_code == 0);
  const std::string whole = read_text(only_file());
  CHECK(std::filesystem::path(only_file()).filename() == "twice-flat-4096-fp32.json");
  CHECK_THAT(keys_of(whole), Catch::EndsWith("closed") && Catch::Contains("64 ") && Catch::Contains("512 "));
  CHECK_THAT(whole, Catch::Contains(R"("tune_params":{"THREADS":[64,128,256,512]})"));
  // Nothing new: nothing is added; another problem has a file of its own.
  REQUIRE(sandbox.run(tune).exit_code == 0);
  CHECK(read_text(only_file()) == whole);
  // kerlab's own replay takes it.
  const ProcessResult replay = sandbox.run({"replay", only_file().string(), "--seeds", "2"});
  INFO(replay.err);
  CHECK(replay.exit_code == 0);
}
