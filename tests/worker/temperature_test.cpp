// Inputs that are hot where the others are cold: which buffers the timed launches of a scripted device get, and what is
// read before them.

#include <cstring>
#include <set>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "common/lab_abi.h"
#include "device/script/script_device.h"
#include "worker/example_problem.h"
#include "worker/workbench.h"

using namespace kerlab;

namespace {

/// Remembers what is launched between the records of events.
class RecordedLaunches : public ScriptDevice {
 public:
  explicit RecordedLaunches(Script script) : ScriptDevice(std::move(script)) {}
  LaunchReport launch(const BoundLaunch& launch, LaunchMode mode) override {
    if (recording) launches.push_back(launch);
    return ScriptDevice::launch(launch, mode);
  }
  GraphId capture(std::span<const BoundLaunch> captured, int repeats) override {
    ++graphs;
    return ScriptDevice::capture(captured, repeats);
  }
  bool recording = false;
  int graphs = 0;
  std::vector<BoundLaunch> launches;
};

DevicePtr address_at(const BoundLaunch& launch, std::size_t argument) {
  DevicePtr pointer = 0;
  std::memcpy(&pointer, launch.arguments.at(argument).data(), sizeof pointer);
  return pointer;
}

/// C = f(A, B) with B hot. `us`: what the kernel takes; `l2_bytes`: small enough, and rotation alone makes A cold.
struct HotAndCold {
  HotAndCold(double us, std::int64_t l2_bytes, bool hot = true) : device(script(us, l2_bytes)), bench(device) {
    ProblemPlan plan = test::example_problem();
    plan.tensors[1].shape = {64};
    plan.tensors[1].hot = hot;
    const Reply ready = serve(bench, test::set_problem(plan));
    REQUIRE(std::holds_alternative<reply::ProblemReady>(ready));
    sets = std::get<reply::ProblemReady>(ready).rotation_sets;
    request::Load load = test::load(1, "kernel");
    load.plan.launches[0].arguments.insert(load.plan.launches[0].arguments.begin() + 1, TensorArgument{"B", 0});
    REQUIRE(std::holds_alternative<reply::Loaded>(serve(bench, load)));
    REQUIRE(std::holds_alternative<reply::Checked>(serve(bench, request::Check{1, {0}, false})));
  }
  static Script script(double us, std::int64_t l2_bytes) {
    const TemporaryFolder folder;
    write_atomic(folder / "script.toml", std::string_view("[default]\nspread = 0.0\n"));
    Script script = read_script(folder / "script.toml");
    script.device.l2_bytes = l2_bytes;
    script.timing.us = us;
    return script;
  }
  SampleSet time(TimingSchedule schedule = {}) {
    device.recording = true;
    const Reply reply = serve(bench, request::Time{{1}, schedule});
    device.recording = false;
    if (const auto* fault = std::get_if<reply::Fault>(&reply)) FAIL("fault: " << fault->message);
    return std::get<reply::Timed>(reply).samples.at(0);
  }
  /// Of each timed launch of the kernel: those directly behind a clock reading, which nothing else precedes.
  [[nodiscard]] std::vector<std::size_t> timed() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 1; i < device.launches.size(); ++i)
      if (device.launches[i].kernel == "kernel" && device.launches[i - 1].kernel == "lab_clock") places.push_back(i);
    return places;
  }
  RecordedLaunches device;
  Workbench bench;
  int sets = 0;
};

constexpr std::int64_t kSmallL2 = 256 << 10;  // of tensors of 64 KiB: a few sets are more than twice as much

}  // namespace

TEST_CASE("hot inputs: cold ones rotate, the hot one is the same buffer and read before each timed launch",
          "[worker]") {
  HotAndCold fixture(100, kSmallL2);
  REQUIRE(fixture.sets > 2);
  TimingSchedule schedule;
  schedule.rounds = 6;
  const SampleSet samples = fixture.time(schedule);
  CHECK(samples.cache == CacheState::cold);
  CHECK(samples.protocol == "events-1, B hot");
  const std::vector<std::size_t> timed = fixture.timed();
  REQUIRE(timed.size() == 6);
  std::set<DevicePtr> cold, hot;
  for (const std::size_t place : timed) {
    const BoundLaunch& touch = fixture.device.launches.at(place - 2);  // then the clock
    CHECK(touch.kernel == "lab_hash");
    lab::HashArguments read{};
    std::memcpy(&read, touch.arguments.at(0).data(), sizeof read);
    CHECK(read.data == address_at(fixture.device.launches[place], 1));
    CHECK(read.bytes == 128);
    cold.insert(address_at(fixture.device.launches[place], 0));
    hot.insert(address_at(fixture.device.launches[place], 1));
  }
  CHECK(cold.size() == std::min<std::size_t>(6, static_cast<std::size_t>(fixture.sets)));
  CHECK(hot.size() == 1);
}

TEST_CASE("hot inputs: where a flush makes the rest cold, they are read behind it", "[worker]") {
  HotAndCold fixture(100, 50 << 20);
  const SampleSet samples = fixture.time();
  CHECK(samples.protocol == "events-1, B hot");
  const std::vector<std::size_t> timed = fixture.timed();
  REQUIRE(timed.size() == 3);
  for (const std::size_t place : timed) {
    CHECK(fixture.device.launches.at(place - 2).kernel == "lab_hash");
    CHECK(fixture.device.launches.at(place - 3).kernel == "lab_flush");
  }
}

TEST_CASE("hot inputs: fast kernels are no graph of many, in which nothing could be read between two", "[worker]") {
  HotAndCold fixture(3, kSmallL2);
  const SampleSet mixed = fixture.time();
  CHECK(mixed.protocol == "events-1, B hot");
  CHECK(fixture.device.graphs == 0);
  HotAndCold cold(3, kSmallL2, false);
  const SampleSet all_cold = cold.time();
  CHECK(all_cold.protocol == "graph-1");
  CHECK(all_cold.cache == CacheState::cold);
}

TEST_CASE("hot inputs: who wants all of it hot has no use for them", "[worker]") {
  HotAndCold fixture(100, kSmallL2);
  TimingSchedule schedule;
  schedule.cold = false;
  const SampleSet samples = fixture.time(schedule);
  CHECK(samples.cache == CacheState::hot);
  CHECK(samples.protocol == "events-1");
  for (const std::size_t place : fixture.timed()) CHECK(fixture.device.launches.at(place - 2).kernel != "lab_hash");
}

TEST_CASE("hot inputs: without one, every tensor rotates and nothing is read", "[worker]") {
  HotAndCold fixture(100, kSmallL2, false);
  TimingSchedule schedule;
  schedule.rounds = 6;
  CHECK(fixture.time(schedule).protocol == "events-1");
  const std::vector<std::size_t> timed = fixture.timed();
  REQUIRE(timed.size() == 6);
  std::set<DevicePtr> second;
  for (const std::size_t place : timed) {
    CHECK(fixture.device.launches.at(place - 2).kernel != "lab_hash");
    second.insert(address_at(fixture.device.launches[place], 1));
  }
  CHECK(second.size() > 2);
}
