// `--beside COMMAND` from the outside.

#include "base/child_process.h"
#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

constexpr const char* kAnswers =
    "sh -c 'while read line; do echo \"{\\\"rows\\\": [{\\\"name\\\": \\\"torch\\\", "
    "\\\"microseconds\\\": [150, 150, 150, 150, 150, 150, 150]}]}\"; done'";

}  // namespace

TEST_CASE("cli: bench --beside shows the rows of a command, and says who timed them", "[cli]") {
  const Sandbox sandbox;
  const std::vector<std::string> words = {"bench", sandbox.family(), "--config", "THREADS=128", "--beside", kAnswers};
  const ProcessResult text = sandbox.run_scripted(words);
  INFO(text.err);
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Catch::Contains("each timed by itself and not in the same rounds") && Catch::Contains("torch") &&
                           Catch::Contains("150.0  ") && Catch::Contains("over ours"));
  std::vector<std::string> json = words;
  json.emplace_back("--json");
  const ProcessResult document = sandbox.run_scripted(json);
  CHECK_THAT(document.out, Catch::Contains("\"beside\": [") && Catch::Contains("\"timed\": \"by itself\"") &&
                               Catch::Contains("\"samples\": 7"));
  std::vector<std::string> markdown = words;
  markdown.insert(markdown.end(), {"--markdown", "-"});
  CHECK_THAT(sandbox.run_scripted(markdown).out, Catch::Contains("| torch | 150.0 | "));
}

TEST_CASE("cli: a command beside that fails is one line with its last words, and the rest goes on", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult tuned = sandbox.run_scripted(
      {"tune", sandbox.family(), "--beside", "sh -c 'echo no torch >&2; exit 2'", "--beside", kAnswers});
  INFO(tuned.err);
  CHECK(tuned.exit_code == 0);
  CHECK_THAT(tuned.err, Catch::Contains("it ended (exit code 2) before it answered\n  | no torch\n"));
  CHECK_THAT(tuned.out, Catch::Contains("THREADS=128") && Catch::Contains("150.0  "));
  const ProcessResult absent =
      sandbox.run_scripted({"bench", sandbox.family(), "--config", "THREADS=128", "--beside", "kerlab-absent --x"});
  CHECK(absent.exit_code == 0);
  CHECK_THAT(absent.err, Catch::Contains("beside 'kerlab-absent --x': ") && Catch::Contains("not found in PATH"));

  for (const std::string command : {"'open", " "})
    CHECK(sandbox.run_scripted({"tune", sandbox.family(), "--beside", command}).exit_code == 64);
  CHECK(sandbox.run_scripted({"bench", sandbox.family(), "--once", "--beside", "true"}).exit_code == 64);
  CHECK(sandbox.run_scripted({"bench", "gemm", "--library-only", "--beside", "true"}).exit_code == 64);
}

TEST_CASE("cli: the smallest script of examples/beside answers", "[cli]") {
  const auto python = std::filesystem::exists("/usr/bin/python3") ? std::optional<std::string>("/usr/bin/python3")
                                                                  : find_program("python3");
  const std::filesystem::path script = share_folder() / "examples" / "beside" / "smallest.py";
  if (!python || !std::filesystem::exists(script)) {
    WARN("skipped: no python3, or no examples");
    return;
  }
  const Sandbox sandbox;
  const ProcessResult result =
      sandbox.run_scripted({"bench", sandbox.family(), "--config", "THREADS=128", "--N", "1K,2K", "--rounds", "9",
                            "--json", "--beside", *python + " '" + script.string() + "'"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("\"name\": \"Python\"") && Catch::Contains("\"samples\": 9") &&
                             Catch::Contains("a list of 1000 numbers, on the CPU"));
}
