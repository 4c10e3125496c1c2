#include "measure/timer.h"

#include <algorithm>

#include "catch.h"
#include "device/script/script_device.h"

using namespace kerlab;

TEST_CASE("rounds are permutations that differ, and the same for the same seed", "[measure]") {
  std::vector<std::size_t> first = shuffled_order(20, 1, 0);
  CHECK(first == shuffled_order(20, 1, 0));
  CHECK(first != shuffled_order(20, 1, 1));
  CHECK(first != shuffled_order(20, 2, 0));
  std::sort(first.begin(), first.end());
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i] == i);
  CHECK(shuffled_order(0, 1, 0).empty());
}

TEST_CASE("mirrored rounds come in pairs, the second backwards", "[measure]") {
  TimingSchedule schedule;
  CHECK(round_order(9, schedule, 3) == shuffled_order(9, schedule.seed, 3));
  schedule.mirrored = true;
  for (const int round : {0, 2, 4}) {
    std::vector<std::size_t> order = round_order(9, schedule, round);
    CHECK(order == shuffled_order(9, schedule.seed, round));
    std::reverse(order.begin(), order.end());
    CHECK(order == round_order(9, schedule, round + 1));
  }
}

TEST_CASE("every position of a round is equally likely", "[measure]") {
  std::vector<int> at_front(4);
  for (int round = 0; round < 4000; ++round) ++at_front[shuffled_order(4, 3, round).front()];
  for (const int count : at_front) CHECK(count == Approx(1000).margin(130));
}

TEST_CASE("a graph sample takes at least 200 us", "[measure]") {
  for (const double us : {0.5, 1.7, 4.0, 9.9})
    for (const std::size_t sets : {1u, 2u, 13u, 64u}) {
      const int repeats = graph_repeats(us, sets);
      CHECK(repeats * us * static_cast<double>(sets) >= 200 * 0.999);
      CHECK((repeats - 1) * us * static_cast<double>(sets) < 200);
    }
  CHECK(graph_repeats(0, 1) == 400);
}

namespace {

/// Counts the graphs that nobody has released.
class CountedGraphs : public ScriptDevice {
 public:
  CountedGraphs() : ScriptDevice(Script{}) {}
  GraphId capture(std::span<const BoundLaunch> launches, int repeats) override {
    ++alive;
    return ScriptDevice::capture(launches, repeats);
  }
  void launch_graph(GraphId) override { throw DeviceFault(FaultKind::launch_failed, "refused", false); }
  void release_graph(GraphId graph) noexcept override {
    --alive;
    ScriptDevice::release_graph(graph);
  }
  int alive = 0;
};

}  // namespace

TEST_CASE("a graph is released when launching it fails", "[measure]") {
  CountedGraphs device;
  const auto launch = [&] {
    Graph first(device, device.capture({}, 1));
    Graph graph = std::move(first);
    CHECK(device.alive == 1);
    graph.launch();
  };
  CHECK_THROWS_AS(launch(), DeviceFault);
  CHECK(device.alive == 0);
}
