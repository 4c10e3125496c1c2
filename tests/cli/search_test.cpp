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
