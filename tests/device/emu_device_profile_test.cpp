#include "device/emu/emu_device_profile.h"

#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "model/profile.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

std::string message_of(const std::filesystem::path& folder, const char* name, ExitCode code) {
  try {
    read_emulated_device(folder, name);
  } catch (const Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  FAIL("no error");
  return {};
}

}  // namespace

TEST_CASE("device profiles: the shipped ones are whole, plausible and known to the roofline", "[device]") {
  const auto devices = list_emulated_devices(profile_folder());
  std::string ids;
  for (const DeviceInfo& device : devices) ids += device.id + " ";
  CHECK(ids == "emu:a100 emu:h100 emu:h200 emu:l40s emu:rtx4090 ");
  for (const DeviceInfo& device : devices) {
    INFO(device.id);
    CHECK(device.kind == DeviceKind::emulated);
    CHECK(device.uuid == "emu-" + device.id.substr(4));
    CHECK(device.driver.empty());
    CHECK(device.shared_per_block + device.shared_reserved == device.shared_per_sm);
    CHECK(device.name.starts_with("Emulated "));
    const auto profile = find_profile(profile_folder(), device.name);
    REQUIRE(profile);
    // Twice the memory clock (double data rate) times the width is the published bandwidth, to a few percent.
    CHECK(2e6 * device.memory_clock_mhz * device.memory_bus_bits / 8 == Approx(profile->bandwidth).epsilon(0.03));
    const double lanes = device.compute_capability() == 80 ? 64 : 128;
    CHECK(2e6 * device.clock_mhz * device.sms * lanes == Approx(profile->flops.at("fp32")).epsilon(0.01));
    CHECK(device.fp64_ratio == Approx(profile->flops.at("fp64") / profile->flops.at("fp32")).epsilon(0.02));
  }
}

TEST_CASE("device profiles: the H200", "[device]") {
  const DeviceInfo device = read_emulated_device(profile_folder(), "h200");
  CHECK(device.id == "emu:h200");
  CHECK(device.name == "Emulated H200");
  CHECK(device.arch() == "sm_90a");
  CHECK(device.sms == 132);
  CHECK(device.shared_per_block == 232448);
  CHECK(device.max_active_clusters == ActiveClusters{132, 66, 30, 15, 7});
  CHECK(read_emulated_device(profile_folder(), "a100").max_active_clusters == ActiveClusters{});
}

TEST_CASE("device profiles: what is not there, not for emulation, or malformed says so", "[device]") {
  CHECK_THAT(message_of(profile_folder(), "b900", ExitCode::usage), Catch::Contains("emu:a100, emu:h100, emu:h200"));
  CHECK_THAT(message_of(profile_folder(), "", ExitCode::usage), Catch::Contains("no such profile"));
  CHECK_THAT(message_of(profile_folder(), "../devices/h200", ExitCode::usage), Catch::Contains("no such profile"));
  CHECK_THAT(message_of(profile_folder(), "mi300x", ExitCode::inconclusive),
             Catch::Contains("rooflines only") && Catch::Contains("emu:h200"));
  const TemporaryFolder folder;
  const std::string whole = read_text(profile_folder() / "h200.toml");
  const auto broken = [&](const std::string& what, const std::string& with) {
    std::string text = whole;
    text.replace(text.find(what), what.size(), with);
    std::ofstream(folder.path() / "x.toml") << text;
    return message_of(folder.path(), "x", ExitCode::failed);
  };
  CHECK_THAT(broken("sms = 132", "sms = -1"), Catch::Contains("x.toml:") && Catch::Contains("'sms'"));
  CHECK_THAT(broken("sms = 132", "sms = 132.5"), Catch::Contains("'sms'"));
  CHECK_THAT(broken("sms = 132\n", ""), Catch::Contains("lacks 'sms'"));
  CHECK_THAT(broken("sms = 132", "sms = 132\nsmz = 1"), Catch::Contains("no 'smz'"));
  CHECK_THAT(broken("cc = \"9.0\"", "cc = \"nine\""), Catch::Contains("'cc'"));
  CHECK_THAT(broken("fp64_ratio = 0.5", "fp64_ratio = 0"), Catch::Contains("'fp64_ratio'"));
  const std::string clusters = "max_active_clusters = [132, 66, 30, 15, 7]";
  for (const char* wrong : {"[132, 66, 30, 15]", "[132, 66, 34, 15, 7]", "[132, 66, 30.5, 15, 7]", "132"})
    CHECK_THAT(broken(clusters, std::string("max_active_clusters = ") + wrong),
               Catch::Contains("x.toml:") && Catch::Contains("'max_active_clusters' must be 5 whole numbers"));
  std::ofstream(folder.path() / "y.toml") << std::string(whole).erase(whole.find(clusters), clusters.size());
  CHECK(read_emulated_device(folder.path(), "y").max_active_clusters == ActiveClusters{132, 66, 33, 16, 8});
  CHECK_THAT(broken("[device]", "[device"), Catch::Contains("x.toml:"));
}
