// --suite from the outside: every problem has its line, one that fails does not stop the others.

#include "catch.h"
#include "cli/sandbox.h"
#include "report/form/json.h"

using namespace kerlab;

namespace {

/// Two problems of the toy family that pass, and between them one in a dtype that no variant has.
constexpr std::string_view kSuite = R"(
[[problem]]
name = "first"
family = "./twice"
dimensions = { N = 1000 }
[[problem]]
name = "hopeless"
family = "./twice"
dtype = "fp64"
[[problem]]
name = "last"
family = "./twice"
dimensions = { N = "4K" }
options = { trials = 2 }
)";

}  // namespace

TEST_CASE("cli: a suite is tuned, resumed, timed and checked, whatever fails in it", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("some.toml", kSuite);
  const std::string suite = (sandbox / "some.toml").string();
  const ProcessResult bench_before = sandbox.run_scripted({"bench", "--suite", suite});
  CHECK(bench_before.exit_code == 1);  // no winner yet
  CHECK_THAT(bench_before.err, Catch::Contains("no winner is stored"));

  const ProcessResult tuned = sandbox.run_scripted({"tune", "--suite", suite});
  INFO(tuned.err);
  CHECK(tuned.exit_code == 4);
  CHECK_THAT(tuned.out, Catch::Contains("suite some") && Catch::Contains("2 of 3 problems passed"));
  CHECK_THAT(tuned.out, Catch::Contains("[3/3] last: "));
  CHECK_THAT(tuned.out, Catch::Contains("no variant of twice supports"));
  CHECK_THAT(tuned.err, Catch::Contains("no variant of twice supports"));

  const ProcessResult again = sandbox.run_scripted({"tune", "--suite", suite, "--json"});
  CHECK(again.exit_code == 4);
  const auto document = parse_json(again.out);
  REQUIRE(document);
  REQUIRE(document->find("results") != nullptr);
  const auto& results = document->find("results")->elements();
  REQUIRE(results.size() == 3);
  CHECK(results[0].find("result")->find("stored_before")->text() == "4");
  CHECK(results[1].find("result")->text() == "null");
  CHECK(results[1].find("exit_code")->text() == "4");
  CHECK(results[2].find("result")->find("stored_before")->text() == "2");

  const ProcessResult csv = sandbox.run_scripted({"tune", "--suite", suite, "--csv", "-"});
  CHECK_THAT(csv.out,
             Catch::StartsWith("name,problem,us,low_us,high_us,TFLOP/s,% roof,winner\nfirst,twice 1000 fp32,"));

  const ProcessResult timed = sandbox.run_scripted({"bench", "--suite", suite});
  CHECK(timed.exit_code == 1);
  CHECK_THAT(timed.out, Catch::Contains("twice 1000 fp32") && Catch::Contains("twice 4096 fp32"));
  CHECK_THAT(timed.err, Catch::Contains("2 of 3 problems passed"));

  const ProcessResult alone = sandbox.run_scripted({"bench", "--suite", suite, "--library-only"});
  CHECK(alone.exit_code == 4);
  CHECK_THAT(alone.err,
             Catch::Contains("no vendor's library for twice 4096 fp32") && Catch::Contains("0 of 3 problems"));
  const ProcessResult both = sandbox.run_scripted({"bench", "--suite", suite, "--library-only", "--variant", "flat"});
  CHECK(both.exit_code == 64);

  const ProcessResult checked = sandbox.run_scripted({"check", "--suite", suite, "--only"});
  CHECK(checked.exit_code == 4);
  CHECK_THAT(checked.out, Catch::Contains("2 of 3 problems passed"));

  const ProcessResult plan = sandbox.run_scripted({"tune", "--suite", suite, "--dry-run"});
  CHECK_THAT(plan.err + plan.out, Catch::Contains("first: twice 1000 fp32"));
}

TEST_CASE("cli: a suite says which problems; nothing else may", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("some.toml", kSuite);
  const std::string suite = (sandbox / "some.toml").string();
  for (const Sandbox::Words& more : {Sandbox::Words{"gemm"}, {"--N", "7"}, {"--dtype", "fp32"}}) {
    Sandbox::Words words = {"tune", "--suite", suite};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = sandbox.run(words);
    CHECK(result.exit_code == 64);
    CHECK_THAT(result.err, Catch::Contains("the suite says which problems"));
  }
  CHECK(sandbox.run({"tune"}).exit_code == 64);
  CHECK(sandbox.run({"tune", "--suite", "nothing-like-it"}).exit_code == 64);
  sandbox.write("wrong.toml", "[[problem]]\nfamily = \"gemm\"\ndimensons = { M = 1 }\n");
  const ProcessResult wrong = sandbox.run({"tune", "--suite", (sandbox / "wrong.toml").string()});
  CHECK(wrong.exit_code == 1);
  CHECK_THAT(wrong.err, Catch::Contains("wrong.toml:3:1: unknown key 'dimensons', did you mean 'dimensions'?"));
}

TEST_CASE("cli: the smoke suite on the emulated device", "[.nightly][cli][emulated]") {
  Sandbox sandbox;
  sandbox.limit = std::chrono::minutes(10);  // five winners are checked: 1.5 minutes on two cores
  const ProcessResult result = sandbox.run({"tune", "--suite", "gemm-smoke", "--device", "emu:h200"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("5 of 5 problems passed") && Catch::Contains("us modelled"));
}
