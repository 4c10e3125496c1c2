// Suites: what a file says becomes problems, and what is wrong in it is told with its place.

#include "session/find/suite.h"

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "spec/expression/expression.h"

using namespace kerlab;

namespace {

Suite read(const std::string& text) {
  const TemporaryFolder folder;
  write_atomic(folder / "some.toml", std::string_view(text));
  return read_suite((folder / "some.toml").string(), {});
}

/// What is wrong, without the folder.
std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const SpecError& error) {
    const std::string what = error.what();
    return what.substr(what.find("some.toml"));
  }
  return "nothing is wrong";
}

}  // namespace

TEST_CASE("suite: lists become problems, in order, with their options", "[session]") {
  const Suite suite = read(R"(
doc = "a test"
[options]
trials = 64
accuracy = ["normwise", "may-be-nan"]
[[problem]]
name = "decode"
family = "gemm"
dtype = ["bf16", "fp16"]
dimensions = { M = [1, 8], N = 256, K = "4K" }
flags = { layout = "nt" }
scalars = { beta = 0.5 }
variants = ["gemv"]
options = { time = 1.5, patience = 20, search = "random", accuracy = "may-be-nan" }
[[problem]]
family = "reduce"
)");
  CHECK(suite.name == "some");
  CHECK(suite.doc == "a test");
  REQUIRE(suite.problems.size() == 5);
  const SuiteProblem& last = suite.problems[3];
  CHECK(suite.problems[0].title.find("gemm 1x256x4096 bf16 nt") == 0);
  CHECK(last.title.find("gemm 8x256x4096 fp16 nt") == 0);
  CHECK(last.name == "decode");
  CHECK(last.dtype == "fp16");
  CHECK(last.variants == std::vector<std::string>{"gemv"});
  CHECK(last.options.trials == 64);
  CHECK(last.options.time_s == 1.5);
  CHECK(last.options.patience == 20);
  CHECK(last.options.search == "random");
  CHECK(last.options.accuracy == Accuracy{.may_be_nan = true});
  CHECK(suite.problems[4].options.accuracy == Accuracy{.normwise = true, .may_be_nan = true});
  CHECK(suite.problems[4].name == "reduce");
  CHECK(suite.problems[4].dtype.empty());
  CHECK_FALSE(suite.problems[4].options.time_s);
}

TEST_CASE("suite: every mistake is told with its place and what it may have meant", "[session]") {
  CHECK(error_of("[[problem]]\nfamily = \"gemm\"\ndimension = { M = 4 }\n") ==
        "some.toml:3:1: unknown key 'dimension', did you mean 'dimensions'? (problem)");
  CHECK(error_of("[[problem]]\nname = \"x\"\n").find("key 'family' is missing (problem 'x')") != std::string::npos);
  CHECK(error_of("[[problem]]\nfamily = \"gem\"\n").find("some.toml:2:10: unknown kernel 'gem'") == 0);
  CHECK(error_of("[[problem]]\nfamily = \"gemm\"\ndimensions = { M = 4, X = 5 }\n")
            .find("some.toml:3:23: gemm has no 'X' among its dimensions") == 0);
  CHECK(error_of("[[problem]]\nfamily = \"gemm\"\ndimensions = { M = -4 }\n").find("some.toml:3:14: ") == 0);
  CHECK(error_of("[[problem]]\nfamily = \"gemm\"\ndtype = \"bf61\"\n").find("bf61") != std::string::npos);
  CHECK(error_of("[[problem]]\nfamily = \"gemm\"\nvariants = [\"mma_syn\"]\n").find("mma_sync") != std::string::npos);
  CHECK(error_of("[[problem]]\nfamily = \"gemm\"\noptions = { trials = 0 }\n").find("must be above 0") !=
        std::string::npos);
  CHECK(
      error_of("[[problem]]\nfamily = \"gemm\"\noptions = { search = \"randon\" }\n").find("did you mean 'random'?") !=
      std::string::npos);
  CHECK(error_of("[[problem]]\nfamily = \"gemm\"\noptions = { accuracy = \"may-be-nam\" }\n")
            .find("expected normwise, may-be-nan, or a list of them") != std::string::npos);
  CHECK(error_of("doc = \"none\"\n").find("no [[problem]]") != std::string::npos);
  CHECK_THROWS_AS(read_suite("no-such-suite", {}), UsageError);
}

TEST_CASE("suite: the shipped ones can be read", "[session]") {
  CHECK(read_suite("gemm-smoke", {}).problems.size() == 5);
  const Suite suite = read_suite("gemm-sm80.toml", {});
  CHECK(suite.problems.size() >= 20);
  const auto has = [&](const std::string& title) {
    return std::any_of(suite.problems.begin(), suite.problems.end(),
                       [&](const SuiteProblem& problem) { return problem.title.starts_with(title); });
  };
  for (const char* title : {"gemm 4096x4096x4096 fp32", "gemm 4096x4096x4096 bf16", "gemm 4096x4096x4096 tf32",
                            "gemm 128x128x65536 bf16", "gemm 4095x4097x4093 bf16", "gemm 1x4096x4096 bf16"}) {
    INFO(title);
    CHECK(has(title));
  }
}
