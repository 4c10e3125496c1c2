// Several devices from the outside.
#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

std::string two(const Sandbox& sandbox) {
  sandbox.write("other.toml", "[device]\nuuid = \"OTHER\"\n" + std::string(kToyScript));
  return sandbox.device() + ",script:" + (sandbox / "other.toml").string();
}

}  // namespace

TEST_CASE("cli: tune on two devices says so, and repeats on the first", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult result = sandbox.run({"tune", sandbox.family(), "-v", "--device", two(sandbox)});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("2 x Scripted H200") && Catch::Contains("THREADS=128") &&
                             Catch::Contains("measured anew on " + sandbox.device() + " alone") &&
                             Catch::Contains("other.toml (") && Catch::Contains(" tried)"));
  CHECK_THAT(result.out, Catch::Contains("--device " + sandbox.device() + " --trial"));
  const ProcessResult json = sandbox.run({"tune", sandbox.family(), "--fresh", "--json", "--device", two(sandbox)});
  CHECK(json.exit_code == 0);
  CHECK_THAT(json.out, Catch::StartsWith("{") && Catch::Contains("\"uuid\": \"OTHER\""));
}

TEST_CASE("cli: only tune takes several devices", "[cli]") {
  const Sandbox sandbox;
  for (const char* command : {"check", "bench", "roofline", "inspect", "list"}) {
    INFO(command);
    const ProcessResult result = sandbox.run({command, sandbox.family(), "--device", "cuda:0,1"});
    CHECK(result.exit_code == 64);
    CHECK_THAT(result.err, Catch::Contains("only tune takes several devices"));
  }
}

TEST_CASE("cli: two models, or one device twice, are usage errors", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("slower.toml", "[device]\nclock_mhz = 1755\n");
  const std::string mixed = sandbox.device() + ",script:" + (sandbox / "slower.toml").string();
  const ProcessResult result = sandbox.run({"tune", sandbox.family(), "--device", mixed});
  CHECK(result.exit_code == 64);
  CHECK_THAT(result.err, Catch::Contains("not of one model") && Catch::Contains("1980/") && Catch::Contains("1755/"));
  CHECK(sandbox.run({"tune", sandbox.family(), "--device", "cuda:1,1"}).exit_code == 64);
}
