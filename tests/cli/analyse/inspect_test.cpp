// inspect, diff and check --sanitize from the outside.
#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

TEST_CASE("cli: inspect, diff and check --sanitize need no GPU and no database", "[cli]") {
  const Sandbox sandbox;
  const std::string kernel = sandbox.family() + "/flat";
  const ProcessResult inspected = sandbox.run({"inspect", kernel, "THREADS=128", "--N", "4096"});
  INFO(inspected.err);
  CHECK(inspected.exit_code == 0);
  CHECK_THAT(inspected.out, Catch::Contains("THREADS=128") && Catch::Contains("limited by") &&
                                Catch::Contains("flat.cu:4") && Catch::Contains("y[i] = 2 * x[i]") &&
                                Catch::Contains("bottleneck"));
  const ProcessResult diff = sandbox.run({"diff", kernel + ":THREADS=128", kernel + ":THREADS=256", "--N", "4096"});
  INFO(diff.err);
  CHECK(diff.exit_code == 0);
  CHECK_THAT(diff.out,
             Catch::Contains("THREADS") && Catch::Contains("256") && Catch::Contains("the sources are the same"));
  const ProcessResult sanitized = sandbox.run({"check", sandbox.family(), "--sanitize"});
  INFO(sanitized.err);
  CHECK(sanitized.exit_code == 0);
  CHECK_THAT(sanitized.out, Catch::Contains("flat: nothing found") && Catch::Contains("compute-sanitizer"));
}

TEST_CASE("cli: check --sanitize ends with 3 when it finds something, with the line", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("twice/flat.cu", R"toy(#include "common/types.cuh"
extern "C" __global__ void twice(const DTYPE* x, DTYPE* y, int N) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N) y[i] = 2 * x[i + (1 << 28)];
}
)toy");
  const ProcessResult result = sandbox.run({"check", sandbox.family(), "--sanitize"});
  INFO(result.err);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.out, Catch::Contains("out of bounds") &&
                             Catch::Contains("flat.cu:4:  if (i < N) y[i] = 2 * x[i + (1 << 28)];"));
  const ProcessResult json = sandbox.run({"check", sandbox.family(), "--sanitize", "--json"});
  CHECK(json.exit_code == 3);
  CHECK_THAT(json.out,
             Catch::Contains("\"command\": \"sanitize\"") && Catch::Contains("\"hazard\": \"out of bounds\""));
}

TEST_CASE("cli: what inspect cannot do is said with what helps", "[cli]") {
  const Sandbox sandbox;
  const auto error = [&](const Sandbox::Words& words, int code) {
    const ProcessResult result = sandbox.run(words);
    CHECK(result.exit_code == code);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK_THAT(error({"inspect", "12"}, 64), Catch::Contains("trial 12"));
  CHECK_THAT(error({"inspect", sandbox.family() + "/flat", "THREADS"}, 64), Catch::Contains("NAME=VALUE"));
  CHECK_THAT(error({"inspect", sandbox.family() + "/flat", "THREADS=96"}, 64), Catch::Contains("THREADS"));
  CHECK_THAT(error({"diff", sandbox.family() + "/flat", "gemm/nothing"}, 64), Catch::Contains("nothing"));
  CHECK_THAT(error({"check", sandbox.family(), "--second-opinion"}, 64), Catch::Contains("--sanitize"));
}
