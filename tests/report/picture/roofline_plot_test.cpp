#include "report/picture/roofline_plot.h"

#include <sstream>

#include "catch.h"
#include "report/form/table.h"

using namespace kerlab;
using Catch::Contains;

namespace {
const Ceilings kCeilings{1e12, 1e13, "FMA", {}, false};  // ridge at 10
}  // namespace

TEST_CASE("roofline plot: slope, flat and points where they belong", "[report]") {
  const std::string plot =
      roofline_plot(kCeilings, {{"a", 1, 1e12, "on the slope"}, {"b", 100, 5e12, "under the flat"}},
                    {.width = 43, .height = 9, .unicode = false});
  CHECK(plot ==
        "    FLOP/s\n"
        "           |\n"
        "      10 T |            ///----------------\n"
        "           |        ////                  b\n"
        "           |    ////\n"
        "       1 T |a///\n"
        "           |\n"
        "           |\n"
        "           |\n"
        "     100 G |\n"
        "           ++--------------+--------------+\n"
        "            1              10           100\n"
        "                                  FLOP/byte\n"
        "roof (theoretical): 1.00 TB/s, FMA 10.00 TFLOP/s, ridge at 10.0 FLOP/byte\n"
        "a on the slope: 1.00 TFLOP/s at 1 FLOP/byte\n"
        "b under the flat: 5.00 TFLOP/s at 100 FLOP/byte\n");
}

TEST_CASE("roofline plot: nothing to draw, and nothing that breaks it", "[report]") {
  CHECK(roofline_plot({}, {}).empty());
  CHECK_NOTHROW(
      roofline_plot(kCeilings, {{"x", 0, 0, "empty"}, {"y", 1e-30, 1e30, "wild"}, {"z", 1e30, 1e-30, "wild"}}));
}

TEST_CASE("roofline plot: box characters only where asked for", "[report]") {
  const auto is_ascii = [](const std::string& text) { return display_width(text) == static_cast<int>(text.size()); };
  CHECK(is_ascii(roofline_plot(kCeilings, {}, {.width = 60, .height = 10, .unicode = false})));
  CHECK_FALSE(is_ascii(roofline_plot(kCeilings, {}, {.width = 60, .height = 10, .unicode = true})));
}

TEST_CASE("roofline plot: marks that meet stand side by side, and every one is there", "[report]") {
  for (const int width : {80, 100, 120, 200}) {
    std::vector<PlotPoint> points;
    for (int i = 1; i <= 60; ++i) points.push_back({std::to_string(100 + i), 1.0 + 0.01 * i, 8e11, ""});
    const std::string plot = roofline_plot(kCeilings, points, {.width = width, .height = 18, .unicode = false});
    std::istringstream lines(plot);
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= width);
    points.resize(8);
    const std::string few = roofline_plot(kCeilings, points, {.width = width, .height = 18, .unicode = false});
    for (const PlotPoint& point : points) CHECK_THAT(few, Contains(point.mark));
  }
}
