// Which lines of the source a counter's number comes from.
#include "model/excess.h"

#include "catch.h"

using namespace kerlab;

namespace {

LineCounts access(int line, const std::string& text, std::int64_t bytes, bool shared = false) {
  LineCounts counts;
  counts.line = {"tile.cu", line, 100 + line};
  counts.text = text;
  counts.bytes = bytes;
  (shared ? counts.shared_requests : counts.global_requests) = 1;
  return counts;
}

LaunchInspection launch() {
  LaunchInspection launch;
  launch.work.blocks = 8;
  launch.work.blocks_run = 2;
  launch.instructions = {access(10, "ld.global.f32", 300), access(20, "ld.global.f32", 100),
                         access(30, "st.global.f32", 64), access(40, "ld.shared.f32", 500, true)};
  launch.lines = by_source_line(launch.instructions);
  launch.lines.front().source = "x = A[i];";
  return launch;
}

}  // namespace

TEST_CASE("excess: loads and stores by line, the largest first", "[model]") {
  const auto loads = places_of("global_load_bytes", {launch()}, 2);
  REQUIRE(loads.size() == 2);
  CHECK(loads[0].line.line == 10);
  CHECK(loads[0].share == Approx(0.75));
  CHECK(loads[1].line.line == 20);
  CHECK(places_of("global_load_bytes", {launch()}, 1).size() == 1);
  const auto stores = places_of("global_store_bytes", {launch()}, 2);
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].line.line == 30);
  CHECK(places_of("shared_load_bytes", {launch()}, 2).front().line.line == 40);
}

TEST_CASE("excess: launches count by all their blocks and repetitions", "[model]") {
  LaunchInspection often = launch();
  often.times = 3;
  often.instructions = {access(50, "ld.global.f32", 400)};
  const auto places = places_of("global_load_bytes", {launch(), often}, 5);  // 400 once, 400 three times
  REQUIRE(places.size() == 3);
  CHECK(places.front().line.line == 50);
  CHECK(places.front().share == Approx(0.75));
}

TEST_CASE("excess: what lines do not tell is left out", "[model]") {
  CHECK(places_of("flops", {launch()}, 2).empty());
  CHECK(places_of("no such counter", {launch()}, 2).empty());
  CHECK(places_of("atomics", {launch()}, 2).empty());
  CHECK(places_of("global_load_bytes", {}, 2).empty());
}
