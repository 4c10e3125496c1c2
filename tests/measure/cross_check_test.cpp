#include "measure/cross_check.h"

#include <fstream>
#include <thread>

#include "base/temporary_folder.h"
#include "catch.h"
#include "device/script/script_device.h"

using namespace kerlab;

namespace {

Script slow_script(const std::filesystem::path& file) {
  std::ofstream(file) << "[default]\nus = 10000.0\nspread = 0.0\nnoise = 0.0\nreal_sleep = true\n";
  return read_script(file);
}

/// Every launch takes 10 ms, by its events and on the wall. Waiting for the whole device takes 10 ms more, so many
/// times.
class Lingering : public ScriptDevice {
 public:
  Lingering(const std::filesystem::path& file, int times) : ScriptDevice(slow_script(file)), left_(times) {}
  void synchronize_all() override {
    synchronize();
    if (left_-- > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

 private:
  int left_;
};

double ratio(int lingers) {
  const TemporaryFolder folder;
  Lingering device(folder / "script.toml", lingers);
  BoundLaunch launch;
  launch.module = device.load({}, "kernel");
  launch.kernel = "k";
  launch.block = {128, 1, 1};
  const std::vector<BoundLaunch> launches = {launch};
  Timeable candidate;
  candidate.sets.emplace_back(launches);
  return host_over_events(device, candidate, 10000);
}

}  // namespace

TEST_CASE("two clocks agree on a kernel whose work ends with it, and on a host that was busy once", "[measure]") {
  CHECK(ratio(0) > 0.99);
  CHECK(ratio(0) < kHostDisagrees);
  CHECK(ratio(2) < kHostDisagrees);
}

TEST_CASE("work that goes on when its stream has ended shows on the host's clock", "[measure]") {
  CHECK(ratio(1000) > kHostDisagrees);
}
