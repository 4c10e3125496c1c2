// A GPU that others use too, from the outside: a pretended NVML names them to the worker of a scripted device.
#include <fmt/format.h>
#include <unistd.h>

#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

/// The sandbox's device asks NVML, and NVML answers `list`.
Sandbox::Words shared(const Sandbox& sandbox, const std::string& list) {
  sandbox.write("device.toml", "[device]\nuuid = \"GPU-0\"\nneighbours = \"nvml\"\n" + std::string(kToyScript));
  sandbox.write("nvml", list);
  return {"LD_LIBRARY_PATH=" + pretended_driver("nvml").string(), "KERLAB_FAKE_NVML=" + (sandbox / "nvml").string()};
}

bool have_nvml() {
  if (std::filesystem::exists(pretended_driver("nvml"))) return true;
  WARN("skipped: the pretended NVML is not part of an installed tree");
  return false;
}

/// This process, as kerlab names it.
std::string myself() {
  return fmt::format("{} (pid {})", executable_path().filename().string(), getpid());
}

}  // namespace

TEST_CASE("cli: a process on the GPU is named on the screen, in show and in the documents", "[cli]") {
  if (!have_nvml()) return;
  const Sandbox sandbox;
  const auto environment = shared(sandbox, fmt::format("self 100\n{} 512\n", getpid()));
  const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()}, environment);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, Catch::Contains("is shared with " + myself() + " with 536.9 MB"));
  CHECK_THAT(result.out, Catch::Contains("fastest, while shared with " + myself()) && Catch::Contains("warning: ") &&
                             Catch::Contains("--exclusive waits"));
  CHECK_THAT(sandbox.run({"show", "1"}).out, Catch::Contains("shared with") && Catch::Contains(myself()));
  CHECK_THAT(sandbox.run({"show", "1", "--json"}).out, Catch::Contains("\"shared_with\": \"" + myself()));
  CHECK_THAT(sandbox.run_scripted({"bench", sandbox.family()}, environment).err,
             Catch::Contains("the device was shared with " + myself()));
}

TEST_CASE("cli: kerlab's own worker is nobody to be named", "[cli]") {
  if (!have_nvml()) return;
  const Sandbox sandbox;
  const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()}, shared(sandbox, "self 100\n"));
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("winner: ") && !Catch::Contains("shared"));
  CHECK_THAT(sandbox.run({"show", "1"}).out, !Catch::Contains("shared with"));
}

TEST_CASE("cli: --exclusive waits as long as it is told to, or until it is interrupted", "[cli]") {
  if (!have_nvml()) return;
  const Sandbox sandbox;
  auto environment = shared(sandbox, fmt::format("self 100\n{} 512\n", getpid()));
  const ProcessResult patient = sandbox.run_scripted({"tune", sandbox.family(), "--exclusive=1"}, environment);
  CHECK(patient.exit_code == 4);
  CHECK_THAT(patient.err, Catch::Contains("is still shared with " + myself()));
  CHECK(patient.out.empty());

  Sandbox::Words below = {"timeout", "--preserve-status", "-s", "INT", "3", "env"};
  below.insert(below.end(), environment.begin(), environment.end());
  const ProcessResult interrupted =
      sandbox.run_below(below, {"tune", sandbox.family(), "--exclusive", "--device", sandbox.device()});
  CHECK(interrupted.exit_code == 130);
  CHECK_THAT(interrupted.err, Catch::Contains(myself()) && Catch::Contains("nothing is timed until it is free"));
  CHECK_THAT(sandbox.run({"db", "trials"}).out, !Catch::Contains("passed"));

  const auto alone = shared(sandbox, "self 100\n");
  CHECK(sandbox.run_scripted({"tune", sandbox.family(), "--exclusive"}, alone).exit_code == 0);
}
