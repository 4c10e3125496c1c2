// What [[launch]] says beyond grid and block, through the program: examples/dependent_launch, and mistakes in it.
#include "base/file.h"
#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

/// The example in a folder of the sandbox, with a piece of two_launches.toml replaced.
std::string launch_example(const Sandbox& sandbox, const std::string& from, const std::string& to) {
  const std::filesystem::path example = share_folder() / "examples" / "dependent_launch";
  for (const char* file : {"family.toml", "reference.cu", "two_launches.cu", "clusters.toml", "clusters.cu"})
    sandbox.write(std::filesystem::path("example") / file, read_text(example / file));
  std::string text = read_text(example / "two_launches.toml");
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  sandbox.write("example/two_launches.toml", text.replace(at, from.size(), to));
  return (sandbox / "example").string();
}

}  // namespace

TEST_CASE("launch attributes: device says how many clusters are resident at once", "[cli]") {
  const Sandbox sandbox;
  CHECK_THAT(
      sandbox.run({"device", "--device", "emu:h200"}).out,
      Catch::Contains("clusters at once, one block an SM: 132 of 1, 66 of 2, 30 of 4, 15 of 8, 7 of 16 blocks\n"));
  CHECK_THAT(sandbox.run({"device", "--device", "emu:a100"}).out, !Catch::Contains("clusters"));
}

TEST_CASE("launch attributes: mistakes have their place", "[cli]") {
  const Sandbox sandbox;
  const auto said = [&](const std::string& from, const std::string& to) {
    return sandbox.run({"list", launch_example(sandbox, from, to)}).err;
  };
  CHECK_THAT(said("carveout = \"CARVEOUT\"", "programmatic = true"),
             Catch::Contains("two_launches.toml:34:16: 'add_parts' is the first launch of the plan"));
  CHECK_THAT(said("programmatic = \"PDL\"", "programmatic = \"PLD\""),
             Catch::Contains("two_launches.toml:41:") && Catch::Contains("unknown name 'PLD', did you mean 'PDL'?"));
}

TEST_CASE("launch attributes: inspect shows them", "[cli][emulated]") {
  const Sandbox sandbox;
  const std::string family = (share_folder() / "examples" / "dependent_launch").string();
  const auto inspected = sandbox.run({"inspect", family + "/two_launches", "--config", "PDL=true,CARVEOUT=0", "--M",
                                      "200", "--N", "1000", "--device", "emu:h200"});
  INFO(inspected.err);
  CHECK_THAT(inspected.out, Catch::Contains("begins before the launch before it has ended") &&
                                Catch::Contains("0 % shared memory, a hint"));
}
