// kerlab noise: kernels against themselves on a scripted device, whose noise is known.

#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

std::string script(double noise) {
  return "[device]\nopened = \"opened\"\n[default]\nus = 100.0\nspread = 0.0\nnoise = " + std::to_string(noise) + "\n";
}

constexpr std::string_view kNoiseSuite = "[[problem]]\nfamily = \"./twice\"\ndimensions = { N = 4096 }\n";

}  // namespace

TEST_CASE("noise: says what slow-down the device can see, and sees more with less noise", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("mine.toml", kNoiseSuite);
  sandbox.write("device.toml", script(0.004));
  const Sandbox::Words command = {"noise", "--suite", (sandbox / "mine.toml").string()};
  const ProcessResult quiet = sandbox.run_scripted(command);
  INFO(quiet.err);
  CHECK(quiet.exit_code == 0);
  CHECK_THAT(quiet.out, Catch::Contains("5 fresh processes of 8 pairs") && Catch::Contains("against itself"));
  CHECK_THAT(quiet.out, Catch::Contains("1.000") || Catch::Contains("0.999"));
  sandbox.write("device.toml", script(0.4));
  const ProcessResult loud = sandbox.run_scripted(command);
  CHECK(loud.exit_code == 0);
  CHECK_THAT(loud.out, Catch::Contains("inconclusive: this device cannot tell kernels from themselves now"));
}

TEST_CASE("noise: as JSON; an emulated device has none; what does not run is named", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("mine.toml", std::string(kNoiseSuite) + "[[problem]]\nfamily = \"./twice\"\ndtype = \"fp32\"\n");
  sandbox.write("device.toml", script(0.004));
  const std::string suite = (sandbox / "mine.toml").string();
  const ProcessResult json = sandbox.run_scripted({"noise", "--suite", suite, "--json", "--processes", "2"});
  CHECK(json.exit_code == 0);
  CHECK_THAT(json.out, Catch::Contains("\"mde\": 0.0") && Catch::Contains("\"verdict\": \"passed\""));
  const ProcessResult emulated = sandbox.run({"noise", "--suite", suite, "--device", "emu:h200"});
  CHECK(emulated.exit_code == 64);
  CHECK_THAT(emulated.err, Catch::Contains("an emulated device has none"));
  sandbox.write("twice/flat.cu", "this is no CUDA");
  const ProcessResult broken = sandbox.run_scripted({"noise", "--suite", suite});
  CHECK(broken.exit_code == 1);
  CHECK_THAT(broken.err, Catch::Contains("flat"));
}
