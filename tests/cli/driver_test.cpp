// No driver, a broken one, an old one, from the outside: tests/device/fake_driver.cpp stands in for libcuda.so.1.
#include "catch.h"
#include "cli/sandbox.h"
#include "device/cuda/driver_api.h"

using namespace kerlab;

namespace {

ProcessResult tune_with(const Sandbox& sandbox, const std::filesystem::path& driver, const std::string& device) {
  return sandbox.run({"tune", sandbox.family(), "--device", device},
                     {"LD_LIBRARY_PATH=" + driver.string(), "KERLAB_FAKE_CUINIT=803"});
}

}  // namespace

TEST_CASE("cli: without a GPU, cuda:0 and gpu say so and what else there is", "[cli]") {
  if (has_gpu_nodes() || has_driver_library()) {
    WARN("skipped: this machine has a GPU or its driver");
    return;
  }
  const Sandbox sandbox;
  for (const std::string device : {"cuda:0", "gpu"}) {
    const ProcessResult result = sandbox.run({"tune", sandbox.family(), "--device", device});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Catch::Contains("no GPU here") && Catch::Contains("emu:h200"));
  }
}

TEST_CASE("cli: emulated devices are listed, shown as profiles, and nothing is measured on them", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult list = sandbox.run({"device"});
  CHECK(list.exit_code == 0);
  CHECK_THAT(list.out, Catch::Contains("emu:h200") && Catch::Contains("emu:rtx4090") && Catch::Contains("modelled"));
  CHECK_THAT(list.out, !Catch::Contains("mi300x"));
  const ProcessResult shown = sandbox.run({"device", "--device", "emu:h200"});
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out, Catch::Contains("Emulated H200") && Catch::Contains("a profile") &&
                            Catch::Contains("132 SMs") && !Catch::Contains("measured yet"));
  CHECK_THAT(shown.err, !Catch::Contains("no GPU here"));
  const ProcessResult measured = sandbox.run({"device", "--measure", "--device", "emu:h200"});
  CHECK(measured.exit_code == 4);
  CHECK_THAT(measured.err, Catch::Contains("is emulated"));
  const ProcessResult roofline_only = sandbox.run({"device", "--device", "emu:mi300x"});
  CHECK(roofline_only.exit_code == 4);
  CHECK_THAT(roofline_only.err, Catch::Contains("rooflines only"));
}

TEST_CASE("cli: a broken driver is an error, also for auto, and an old one is unsupported", "[cli]") {
  if (!std::filesystem::exists(pretended_driver("fake"))) {
    WARN("skipped: the pretended drivers are not part of an install tree");
    return;
  }
  const Sandbox sandbox;
  for (const std::string device : {"cuda:0", "auto"}) {
    const ProcessResult broken = tune_with(sandbox, pretended_driver("fake"), device);
    CHECK(broken.exit_code == 1);
    CHECK_THAT(broken.err, Catch::Contains("the NVIDIA driver is broken") && Catch::Contains("803"));
    const ProcessResult old = tune_with(sandbox, pretended_driver("old"), device);
    CHECK(old.exit_code == 4);
    CHECK_THAT(old.err, Catch::Contains("too old"));
  }
}

TEST_CASE("cli: a driver older than the toolkit is unsupported", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("device.toml", "[device]\ndriver_version = 11080\n");
  const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()});
  CHECK(result.exit_code == 4);
  CHECK_THAT(result.err, Catch::Contains("11.8") && Catch::Contains("driver"));
}
