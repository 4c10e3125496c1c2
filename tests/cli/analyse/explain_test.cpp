// explain from the outside.
#include <sstream>

#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;
using Catch::Contains;

TEST_CASE("cli: explain needs no GPU and no database, and names the next commands", "[cli]") {
  const Sandbox sandbox;
  const std::string kernel = sandbox.family() + "/flat";
  const ProcessResult result = sandbox.run({"explain", kernel, "THREADS=128", "--N", "4096"}, {"LC_ALL=C"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("THREADS=128") && Contains("bottleneck  launch overhead") && Contains("suggestion") &&
                             Contains("32 blocks on") && Contains("wave 1") && Contains("THREADS 128 -> 256") &&
                             Contains("THREADS 128 -> 64") && Contains("2 of 2 steps"));
  CHECK_THAT(result.out, Contains("next        kerlab inspect " + kernel + ":THREADS=128 --N 4096 --dtype fp32\n"));
  CHECK_THAT(result.out, Contains("#") && !Contains("█"));
  const ProcessResult drawn = sandbox.run({"explain", kernel, "--no-what-if"}, {"LC_ALL=C.UTF-8"});
  CHECK(drawn.exit_code == 0);
  CHECK_THAT(drawn.out, Contains("█") && !Contains("one step"));
}

TEST_CASE("cli: the commands that explain names run", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult result = sandbox.run({"explain", sandbox.family() + "/flat", "THREADS=512", "--N", "4096"});
  std::istringstream lines(result.out.substr(result.out.find("\nnext")));
  std::size_t run = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("kerlab ");
    if (at == std::string::npos || line.find(" roofline ") != std::string::npos) continue;
    std::vector<std::string> words;
    std::istringstream text(line.substr(at + 7));
    for (std::string word; text >> word;) words.push_back(word);
    if (line.find('\'') != std::string::npos) continue;  // a shell's business
    const ProcessResult again = sandbox.run(words);
    INFO(line << again.err);
    CHECK(again.exit_code == 0);
    ++run;
  }
  CHECK(run >= 1);
}

TEST_CASE("cli: explain says what is wrong, where and with what helps", "[cli]") {
  const Sandbox sandbox;
  const auto error = [&](const Sandbox::Words& words, int code) {
    const ProcessResult result = sandbox.run(words);
    INFO(result.err);
    CHECK(result.exit_code == code);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK_THAT(error({"explain", "12"}, 64), Contains("trial 12"));
  CHECK_THAT(error({"explain", sandbox.family() + "/flat", "THREADS"}, 64), Contains("'THREADS' is not NAME=VALUE"));
  CHECK_THAT(error({"explain", sandbox.family() + "/flat", "THREADS=96"}, 64), Contains("THREADS"));
  CHECK_THAT(error({"explain", "gemm/reg3d"}, 64), Contains("reg3d"));
  CHECK_THAT(error({"explain", sandbox.family() + "/flat", "--db", (sandbox / "none.db").string()}, 64),
             Contains("there is no such file"));

  sandbox.write("twice/flat.cu", "extern \"C\" __global__ void twice() { nonsense; }\n");
  const ProcessResult broken = sandbox.run({"explain", sandbox.family() + "/flat"});
  CHECK(broken.exit_code == 1);
  CHECK_THAT(broken.out,
             Contains("not run") && Contains("compile_error") && Contains("flat.cu") && Contains("suggestion"));
  const ProcessResult fp64 = sandbox.run({"explain", sandbox.family() + "/flat", "--dtype", "fp64", "--json"});
  CHECK(fp64.exit_code == 4);
  CHECK_THAT(fp64.out, Contains("\"command\": \"explain\"") && Contains("has no fp64"));
}
