#include "measure/energy.h"

#include <algorithm>

#include "catch.h"

using namespace kerlab;

TEST_CASE("mean power is taken between changes of the counter", "[measure]") {
  // 500 W; the counter moves every 100 ms, readings come every 20 ms.
  std::vector<EnergyReading> readings;
  for (int i = 0; i < 100; ++i) readings.push_back({0.02 * i, 50.0 * (2 * i / 10)});
  REQUIRE(mean_watts(readings, 0));
  CHECK(*mean_watts(readings, 0) == Approx(500));
  // What came before `from`, at another power, is left out.
  for (EnergyReading& reading : readings) reading.joules = std::max(reading.joules / 5, reading.joules - 400);
  CHECK(*mean_watts(readings, 1.05) == Approx(500));
  CHECK(*mean_watts(readings, 0) != Approx(500));
}

TEST_CASE("a counter that stands still or moves once says nothing", "[measure]") {
  CHECK_FALSE(mean_watts({}, 0));
  CHECK_FALSE(mean_watts({{0, 5}, {1, 5}, {2, 5}}, 0));
  CHECK_FALSE(mean_watts({{0, 5}, {1, 6}, {2, 6}}, 0));
  CHECK(mean_watts({{0, 5}, {1, 6}, {2, 8}}, 0) == 2);
}

TEST_CASE("a load is sustained for the time asked, one reading a batch while the device works", "[measure]") {
  double now = 7;  // a batch takes 0.25 s of this clock, at 300 W
  int queued = 0, waited = 0;
  bool working = false;
  EnergyMeter meter;
  meter.seconds = [&] { return now; };
  meter.joules = [&] {
    CHECK(working);
    return 300 * now;
  };
  const auto queue = [&] {
    ++queued;
    working = true;
  };
  const auto wait = [&] {
    ++waited;
    working = false;
    now += 0.25;
  };
  const std::vector<EnergyReading> readings = sustain(meter, 1.5, queue, wait);
  CHECK(queued == 6);
  CHECK(waited == 6);
  REQUIRE(readings.size() == 6);
  CHECK(mean_watts(readings, 0) == Approx(300));
}
