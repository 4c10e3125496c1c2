// One session on several devices of one model, without a GPU: scripted devices, one file each.

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "catch.h"
#include "session/run/device_ids.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kSlow = "real_sleep = true\nus = 4000.0\nspread = 0.5\n";

/// A second device in the fixture's folder; the id of both together.
std::string with_second(const SessionFixture& fixture, const std::string& script) {
  const auto file = fixture.folder() / "second.toml";
  write_atomic(file, std::string_view(script));
  return fixture.device() + ",script:" + file.string();
}

std::string device_section(const std::string& uuid) {
  return "[device]\nuuid = \"" + uuid + "\"\n";
}

}  // namespace

TEST_CASE("devices: lists are taken apart", "[session]") {
  using Ids = std::vector<std::string>;
  CHECK(device_ids("auto", true) == Ids{"auto"});
  CHECK(device_ids("cuda:3", true) == Ids{"cuda:3"});
  CHECK(device_ids("cuda:0,1,5", true) == Ids{"cuda:0", "cuda:1", "cuda:5"});
  CHECK(device_ids("cuda:0,cuda:1", true) == Ids{"cuda:0", "cuda:1"});
  CHECK(device_ids("emu:h200,emu:h200", true) == Ids{"emu:h200", "emu:h200"});
  CHECK(device_ids("script:/a,b.toml", true) == Ids{"script:/a,b.toml"});  // a comma in a file's name
  CHECK(device_ids("script:/a,b.toml,script:c", true) == Ids{"script:/a,b.toml", "script:c"});
  CHECK(device_ids("cuda:0,cuda:0", false) == Ids{"cuda:0", "cuda:0"});  // of two machines
  for (const char* bad : {"cuda:0,0", "cuda:0,auto", "cuda:0,gpu", "cuda:all,cuda:1"}) {
    INFO(bad);
    CHECK_THROWS_AS(device_ids(bad, true), UsageError);
  }
  CHECK_THROWS_WITH(device_ids("cuda:all", false), Catch::Contains("--worker-command"));
  CHECK(names_several_devices("cuda:all"));
  CHECK(names_several_devices("cuda:0,1"));
  CHECK_FALSE(names_several_devices("cuda:10"));
  CHECK_FALSE(names_several_devices("script:/a,b.toml"));
  CHECK(first_device("cuda:2,1") == "cuda:2");
  CHECK(first_device("cuda:all") == "cuda:0");
}

TEST_CASE("devices: both sweep, the first decides, and who measured is recorded", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  fixture.tune(options);  // all is compiled now: on a busy machine one device keeps up with the compilers
  fixture.write_script(fast("A=2 B=3"), std::string(kSlow));
  options.screening.fresh = true;
  options.rig.device =
      with_second(fixture, device_section("SECOND") + "[default]\n" + std::string(kSlow) + fast("A=2 B=3"));
  const TuneResult result = fixture.tune(options);
  CHECK(result.counts.passed == 12);
  CHECK(result.device_title == "2 x Scripted H200");
  REQUIRE(result.devices.size() == 2);
  CHECK(result.devices[0].tried + result.devices[1].tried == 12);
  CHECK(result.devices[0].tried >= 3);
  CHECK(result.devices[1].tried >= 3);
  CHECK(result.devices[1].busy > 0);
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
  std::size_t on_second = 0;
  for (const auto& [configuration, trial] : fixture.trials(result)) {
    const auto measured = fixture.database().latest_measurement(trial.id, TimingStage::screen);
    REQUIRE(measured);
    if (measured->device_uuid == "SECOND") ++on_second;
  }
  CHECK(on_second == result.devices[1].tried);
  for (const RankedTrial& row : result.rows) CHECK(row.measurement.device_uuid == "SCRIPTED");
}

TEST_CASE("devices: a percent between them keeps nobody out of the finals", "[session]") {
  // Twelve within 1.2 %: the last of them may have been on the slower device.
  SessionFixture fixture("", "us = 100.0\nspread = 0.012\nnoise = 0.0\n");
  CHECK(fixture.tune().rows.size() == kMostFinalists);
  TuneOptions options = fixture.options();
  options.screening.fresh = true;
  options.rig.device = with_second(fixture, "[default]\nus = 100.0\nspread = 0.012\nnoise = 0.0\n");
  CHECK(fixture.tune(options).rows.size() == 12);
}

TEST_CASE("devices: equal programs are measured once over all of them", "[session]") {
  // N is known to all variants alike, so these twelve are one program.
  SessionFixture fixture("", std::string(kSlow));
  write_atomic(fixture.family() / "simple.cu",
               std::string_view("extern \"C\" __global__ void simple(const float* x, float* y, int n, float a) {\n"
                                "  const int i = blockIdx.x * 32 + threadIdx.x;\n  if (i < n) y[i] = a * x[i];\n}\n"));
  std::string variant = read_text(fixture.family() / "simple.toml");
  const std::string grid = "ceil_div(N, 32 * A * B)";
  variant.replace(variant.find(grid), grid.size(), "ceil_div(N, 32)");
  write_atomic(fixture.family() / "simple.toml", std::string_view(variant));
  TuneOptions options = fixture.options();
  options.rig.device = with_second(fixture, "[default]\n" + std::string(kSlow));
  const TuneResult result = fixture.tune(options);
  CHECK(result.counts.passed == 12);
  CHECK(result.devices[0].tried + result.devices[1].tried == 1);
}

TEST_CASE("devices: of two models is refused, and both are named", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.rig.device = with_second(fixture, "[device]\nname = \"Scripted H100\"\nsms = 114\n");
  CHECK_THROWS_AS(fixture.tune(options), UsageError);
  CHECK_THROWS_WITH(fixture.tune(options), Catch::Contains("Scripted H200") && Catch::Contains("Scripted H100") &&
                                               Catch::Contains("132 SM") && Catch::Contains("114 SM"));
}

TEST_CASE("devices: one that never becomes ready leaves the work to the others", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  const std::string sick = "[[rule]]\nmatch = \"lab*\"\noutcome = \"wrong\"\n";
  options.rig.device = with_second(fixture, sick);
  const TuneResult result = fixture.tune(options);
  CHECK(result.counts.passed == 12);
  CHECK(result.devices[0].tried == 12);
  CHECK_THAT(result.devices[1].lost, Catch::Contains("not usable"));
  CHECK_THAT(result.warnings.back(), Catch::Contains("second.toml") && Catch::Contains("given up"));
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
}

TEST_CASE("devices: the first may be the one that is lost", "[session]") {
  SessionFixture fixture("[[rule]]\nmatch = \"lab*\"\noutcome = \"wrong\"\n");
  TuneOptions options = fixture.options();
  options.rig.device = with_second(fixture, device_section("SECOND") + fast("A=2 B=3"));
  const TuneResult result = fixture.tune(options);
  CHECK(result.counts.passed == 12);
  CHECK(result.devices[1].tried == 12);
  CHECK(result.device.uuid == "SECOND");
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows.front().measurement.device_uuid == "SECOND");
}

TEST_CASE("devices: what was on a device that dies for good is done by another", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"), std::string(kSlow));
  TuneOptions options = fixture.options();
  // Whatever runs on the second kills its worker, and no other can be started.
  options.rig.device = with_second(fixture, "[[rule]]\nmatch = \"simple *\"\noutcome = \"sigkill\"\n");
  TuneSession session(options, fixture.database());
  std::filesystem::remove(fixture.folder() / "second.toml");
  std::vector<std::string> notes;
  while (session.step())
    for (std::string& note : session.take_notes()) notes.push_back(std::move(note));
  const TuneResult result = session.result();
  CHECK(result.counts.passed == 12);
  CHECK(result.counts.faults == 0);
  CHECK(result.devices[0].tried == 12);
  CHECK_THAT(result.devices[1].lost, Catch::Contains("second.toml"));
  CHECK(std::ranges::count_if(
            notes, [](const std::string& note) { return note.find("takes no more part") != std::string::npos; }) == 1);
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
}

TEST_CASE("devices: when all are lost, the session says why", "[session]") {
  const std::string sick = "[[rule]]\nmatch = \"lab*\"\noutcome = \"wrong\"\n";
  SessionFixture fixture(sick);
  TuneOptions options = fixture.options();
  options.rig.device = with_second(fixture, sick);
  CHECK_THROWS_WITH(fixture.tune(options), Catch::Contains("the device is not usable"));
}

TEST_CASE("devices: a session of several resumes one of one, and the other way round", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions one = fixture.options();
  one.trials = 5;
  CHECK(fixture.tune(one).counts.passed == 5);
  TuneOptions two = fixture.options();
  two.rig.device = with_second(fixture, fast("A=2 B=3"));
  const TuneResult resumed = fixture.tune(two);
  CHECK(resumed.counts.stored == 5);
  CHECK(resumed.counts.passed == 12);
  CHECK(fixture.tune().counts.stored == 12);
}
