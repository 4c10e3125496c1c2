// What there is to search, and how well strategies do it: list --space, replay.

#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {
constexpr std::string_view kTwoConstraints = R"toy(
[[parameter]]
name = "PER_THREAD"
values = [1, 2, 4]
[[constraint]]
name = "whole_warps"
condition = "THREADS % 32 == 0"
[[constraint]]
name = "small"
condition = "THREADS * PER_THREAD <= 256"
)toy";

std::string output_of(const ProcessResult& result) {
  INFO(result.err);
  CHECK(result.exit_code == 0);
  return result.out;
}
}  // namespace

TEST_CASE("list: --space says what each constraint leaves, and which cuts most", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("twice/flat.toml", std::string(kToyVariant) + std::string(kTwoConstraints));
  const std::string text = output_of(sandbox.run_scripted({"list", sandbox.family(), "--space", "--N", "4096"}));
  CHECK_THAT(text, Catch::Contains("flat: 12 configurations"));
  CHECK_THAT(text, Catch::Contains("whole_warps              -> 12           100.0 %\n"));
  CHECK_THAT(text, Catch::Contains("small                    -> 6             50.0 %  cuts most\n"));
  const std::string json = output_of(sandbox.run_scripted({"list", sandbox.family(), "--space", "--json"}));
  CHECK_THAT(json, Catch::Contains("\"valid\": 6"));
  CHECK_THAT(json, Catch::Contains("\"cuts_most\": \"small\""));
  CHECK(sandbox.run({"list", sandbox.family(), "--N", "4096"}).exit_code == 64);  // of no use without --space
}

TEST_CASE("replay: any strategy over a recorded sweep, without a GPU", "[cli]") {
  const Sandbox sandbox;
  std::string sweep =
      "kerlab sweep 1\nfamily none\nvariant gone\nproblem none N=1 fp32\ndevice H200 sm_90 132 SM\ndriver 1\n"
      "toolchain NVRTC 13.0\ndate 2026-01-01\nclock 1 to 2 MHz\nsource 0\nrole fitted\n\n";
  for (const int a : {1, 2, 4, 8, 16, 32})
    for (const int b : {1, 2, 3, 4, 5})
      for (const int c : {0, 1})
        sweep += "A=" + std::to_string(a) + " B=" + std::to_string(b) + " C=" + std::to_string(c) + " = " +
                 std::to_string(100 + (a > 8 ? a - 8 : 8 - a) * 3 + (b - 3) * (b - 3) * 5 + 20 * c) + "\n";
  sandbox.write("made-up.txt", sweep);
  for (const char* strategy : {"random", "local", "surrogate"}) {
    const std::string text =
        output_of(sandbox.run({"replay", (sandbox / "made-up.txt").string(), "--strategy", strategy, "--seeds", "9"}));
    CHECK_THAT(text, Catch::Contains(std::string(strategy) + ", 9 seeds, 16 at once"));
    CHECK_THAT(text, Catch::Contains("none-gone-1-fp32"));
    CHECK_THAT(text, Catch::Contains("99 % of the best: largest median"));
  }
  const std::string json =
      output_of(sandbox.run({"replay", (sandbox / "made-up.txt").string(), "--seeds", "3", "--batch", "4", "--json"}));
  CHECK_THAT(json, Catch::Contains("\"configurations\": 60"));
  CHECK_THAT(json, Catch::Contains("\"within\": 1,"));
  CHECK(sandbox.run({"replay", "no-such-sweep"}).exit_code == 64);
}

TEST_CASE("replay: a cache file of Kernel Tuner, every search of it, and a compressed one", "[cli]") {
  const Sandbox sandbox;
  std::string cache = R"({"device_name": "X", "kernel_name": "conv", "tune_params_keys": ["a", "b"], "cache": {)";
  for (const int a : {1, 2, 4, 8})
    for (const char* b : {"tree", "flat"})
      cache += "\n\"" + std::to_string(a) + "," + b + "\": {\"a\": " + std::to_string(a) + ", \"b\": \"" + b +
               "\", \"time\": " + std::to_string(a + (b[0] == 't' ? 1 : 2)) + "},";
  sandbox.write("conv/X.json", cache);  // the run goes on: no last braces
  sandbox.write("X.json.gz", "\x1f\x8b\x08");
  const std::string file = (sandbox / "conv/X.json").string();
  CHECK_THAT(output_of(sandbox.run({"replay", file, "--seeds", "2"})), Catch::Contains("conv/X  8       0"));
  const std::string runs = output_of(sandbox.run({"replay", file, "--seeds", "2", "--runs", "--json"}));
  CHECK_THAT(runs, Catch::Contains("\"best_us\": 2000.0") && Catch::Contains("\"random_runs\""));
  CHECK(sandbox.run({"replay", file, "--runs"}).exit_code == 64);
  const ProcessResult compressed = sandbox.run({"replay", (sandbox / "X.json.gz").string()});
  CHECK(compressed.exit_code == 1);
  CHECK_THAT(compressed.err, Catch::Contains("X.json.gz: the compressed data are damaged"));
  const ProcessResult none = sandbox.run({"db", "export", (sandbox / "out").string(), "--format", "t4"});
  CHECK(none.exit_code != 0);
  CHECK_THAT(none.err, Catch::Contains("there is no such file"));
}
