// Plug-ins of libraries: what is loaded, what is refused, and what is said of it.
#include "vendor/plugin.h"

#include "base/child.h"
#include "base/error.h"
#include "catch.h"
#include "cli/sandbox.h"
#include "device/device.h"
#include "locations.h"

using namespace kerlab;

namespace {

std::filesystem::path fake(const std::string& which) {
  return executable_path().parent_path() / "vendor" / (which + ".so");
}

std::string trouble(const std::string& which) {
  try {
    const Plugin plugin(fake(which));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

ProblemPlan twice() {
  ProblemPlan plan;
  plan.key = "twice N=10 fp32 mode=all";
  plan.tensors = {{"X", DType::fp32, Role::input, {10}}, {"Y", DType::fp32, Role::output, {10}}};
  return plan;
}

}  // namespace

TEST_CASE("plug-in: a library that cannot be one says why, without its folder", "[vendor]") {
  CHECK(trouble("works") == "none");
  CHECK_THAT(trouble("WRONG_VERSION"),
             Catch::StartsWith("library WRONG_VERSION.so: it speaks version 99 of the interface"));
  CHECK_THAT(trouble("NO_SYMBOL"), Catch::Contains("it has no C function kerlab_open_library"));
  CHECK_THAT(trouble("NO_NAME"), Catch::Contains("its name, open or run is null"));
  const std::string missing = trouble("not_there");
  CHECK_THAT(missing, Catch::StartsWith("library not_there.so: it cannot be loaded"));
  CHECK_THAT(missing, !Catch::Contains(fake("not_there").parent_path().string()));
}

TEST_CASE("plug-in: a problem's key in words", "[vendor]") {
  const auto words = problem_words(twice());
  CHECK(words.family == "twice");
  CHECK(words.dtype == "fp32");
  CHECK(words.settings == std::vector<std::pair<std::string, std::string>>{{"N", "10"}, {"mode", "all"}});
}

TEST_CASE("plug-in: a row runs on the problem's tensors, with the workspace that it asked for", "[vendor]") {
  const auto device = open_device("emu:h200");
  int x = 0, y = 0;
  std::string why;
  const Plugin plugin(fake("works"));
  const auto row = PluginRow::open(plugin, *device, twice(), {{&x, &y}}, why);
  REQUIRE(row);
  CHECK(row->label() == "Fake 1.0 way of fp32 X");
  CHECK(row->workspace_bytes() == 1000);
  CHECK_THROWS_WITH(row->run(0), Catch::Contains("Fake 1.0 way of fp32 X: its run says error 1"));  // without it
  row->use_workspace(1);
  CHECK_NOTHROW(row->run(0));
  CHECK_FALSE(row->capture(1, 2));  // a graph is a GPU's
}

TEST_CASE("plug-in: who refuses a problem, and whose run fails", "[vendor]") {
  const auto device = open_device("emu:h200");
  std::string why;
  const Plugin refuses(fake("REFUSE"));
  CHECK_FALSE(PluginRow::open(refuses, *device, twice(), {{nullptr, nullptr}}, why));
  CHECK(why == "Fake 1.0 does not compute twice N=10 fp32 mode=all: the fake takes nothing of twice");
  const Plugin fails(fake("FAIL_RUN"));
  const auto row = PluginRow::open(fails, *device, twice(), {{nullptr, nullptr}}, why);
  REQUIRE(row);
  CHECK_THROWS_WITH(row->run(0), Catch::Contains("its run says error 77"));
}

TEST_CASE("plug-in: --library from the command line", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult missing = sandbox.run({"bench", "axpy", "--N", "1000", "--library", "none.so"});
  CHECK(missing.exit_code == 64);
  CHECK_THAT(missing.err,
             Catch::Contains("--library: there is no file none.so") && Catch::Contains("docs/libraries.md"));
  const ProcessResult emulated = sandbox.run({"bench", "axpy", "--N", "1000", "--variant", "streamed", "--library",
                                              fake("works").string(), "--device", "emu:h200"});
  CHECK(emulated.exit_code == 0);
  CHECK_THAT(emulated.out + emulated.err, Catch::Contains("left out: what --library names runs on a GPU"));
}
