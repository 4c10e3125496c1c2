#include "report/picture/roofline_svg.h"

#include <cmath>
#include <regex>

#include <string>
#include <vector>

#include "catch.h"
#include "report/form/label_layout.h"
#include "report/form/xml_text.h"

using namespace kerlab;

namespace {

RooflineDrawing sample() {
  RooflineDrawing drawing;
  drawing.title = "gemm 4096x4096x4096 bf16 nn";
  drawing.subtitle = "a GPU";
  drawing.memories = {{"memory", 4.8e12, 4.2e12, "memory copy"}, {"shared memory", 33e12, 0}};
  drawing.pipes = {{"bf16 tensor pipe", 989e12, 670e12}, {"fp32 FMA", 67e12, 60e12}};
  const double intensity = 1365;
  drawing.points = {{SvgPoint::Kind::winner, "mma_pipe", "610 TFLOP/s", intensity, 610e12},
                    {SvgPoint::Kind::other, "mma_sync", "600 TFLOP/s", intensity, 600e12},
                    {SvgPoint::Kind::other, "split_k", "590 TFLOP/s", intensity, 590e12},
                    {SvgPoint::Kind::library, "cuBLASLt", "640 TFLOP/s", intensity, 640e12},
                    {SvgPoint::Kind::other, "naive", "1 TFLOP/s", intensity, 1e12}};
  return drawing;
}

/// Every match of an expression with `count` groups of numbers.
std::vector<std::vector<double>> numbers(const std::string& text, const std::string& expression) {
  std::vector<std::vector<double>> found;
  const std::regex pattern(expression);
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.emplace_back();
    for (std::size_t group = 1; group < at->size(); ++group) found.back().push_back(std::stod((*at)[group]));
  }
  return found;
}

/// Elements open and close in order, attributes are quoted, and no bare markup stands in text.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  const std::regex tag(R"rx(<(/?)([A-Za-z]+)((?:\s+[A-Za-z0-9:-]+="[^"<]*")*)\s*(/?)>)rx");
  std::size_t at = 0;
  for (std::sregex_iterator match(xml.begin(), xml.end(), tag), end; match != end; ++match) {
    const auto begin = static_cast<std::size_t>(match->position());
    if (xml.substr(at, begin - at).find_first_of("<>") != std::string::npos) return false;
    at = begin + static_cast<std::size_t>(match->length());
    if ((*match)[1] == "/") {
      if (open.empty() || open.back() != (*match)[2]) return false;
      open.pop_back();
    } else if ((*match)[4] != "/") {
      open.push_back((*match)[2]);
    }
  }
  const std::regex reference("&(?!(amp|lt|gt|quot);)");
  return open.empty() && at > 0 && xml.find_first_not_of(" \n", at) == std::string::npos &&
         !std::regex_search(xml, reference);
}

}  // namespace

TEST_CASE("roofline svg: well-formed, with every roof and point by name", "[report]") {
  const std::string svg = roofline_svg(sample());
  CHECK(well_formed(svg));
  for (const char* part :
       {"gemm 4096x4096x4096 bf16 nn", "memory 4.80 TB/s", "memory copy 4.20 TB/s measured", "shared memory 33.00 TB/s",
        "bf16 tensor pipe 989.0 TFLOP/s", "bf16 tensor pipe 670.0", "fp32 FMA 67.00 TFLOP/s", "mma_pipe", "naive",
        "cuBLASLt", "arithmetic intensity", "data sheet", "ridge 160 FLOP/byte", "prefers-color-scheme: dark"}) {
    INFO(part);
    CHECK_THAT(svg, Catch::Contains(part));
  }
  CHECK(numbers(svg, R"rx(<circle cx="([0-9.]+)")rx").size() == 4 + 2);  // and once each in the legend
}

TEST_CASE("roofline svg: points and roofs are where their numbers say", "[report]") {
  const std::string svg = roofline_svg(sample());
  const auto circles = numbers(svg, R"rx(<circle cx="([0-9.]+)" cy="([0-9.]+)")rx");
  REQUIRE(circles.size() == 6);
  // Decades of FLOP/s are grid lines with a number: their distance is the scale.
  const auto y_of = [&](const std::string& label) {
    return numbers(svg, "y=\"([0-9.]+)\" class=\"dim\" text-anchor=\"end\">" + label + "<").at(0).at(0) - 4;
  };
  const double decade = y_of("1 T") - y_of("10 T");
  CHECK(circles[0][1] == Approx(y_of("1 T")).margin(0.2));  // naive is drawn first, at 1 TFLOP/s
  CHECK(circles[3][1] == Approx(y_of("1 T") - decade * std::log10(610)).margin(0.3));  // the winner last
  const auto x_of = [&](const std::string& label) {
    return numbers(svg, "<text x=\"([0-9.]+)\" y=\"[0-9.]+\" class=\"dim\" text-anchor=\"middle\">" + label + "<")
        .at(0)
        .at(0);
  };
  CHECK(circles[0][0] == Approx(x_of("1000") + (x_of("1000") - x_of("100")) * std::log10(1.365)).margin(0.3));
  // The flat of the tensor pipe as measured ends at the right edge, at its height.
  const auto roofs = numbers(svg, R"rx(y1="([0-9.]+)" x2="[0-9.]+" y2="([0-9.]+)" class="roof")rx");
  CHECK(std::any_of(roofs.begin(), roofs.end(), [&](const std::vector<double>& y) {
    return y[0] == y[1] && std::abs(y[0] - (y_of("1 T") - decade * std::log10(670))) < 0.3;
  }));
}

TEST_CASE("roofline svg: labels of close points stand apart, inside the drawing", "[report]") {
  RooflineDrawing drawing = sample();
  for (int i = 0; i < 12; ++i)
    drawing.points.push_back({SvgPoint::Kind::other, "v" + std::to_string(i), "", 1365, 600e12 + i * 1e11});
  const std::string svg = roofline_svg(drawing);
  auto labels = numbers(svg, R"rx(y="([0-9.]+)" class="ink halo" text-anchor="start")rx");
  REQUIRE(labels.size() == 17);
  std::sort(labels.begin(), labels.end());
  for (std::size_t i = 1; i < labels.size(); ++i) CHECK(labels[i][0] - labels[i - 1][0] >= 15.9);
  CHECK(labels.front()[0] > 36);
  CHECK(labels.back()[0] < 36 + 430);
}

TEST_CASE("roofline svg: points of several intensities are numbered and named below", "[report]") {
  RooflineDrawing drawing = sample();
  drawing.points[4].intensity = 0.5;
  const std::string svg = roofline_svg(drawing);
  CHECK(well_formed(svg));
  CHECK_THAT(svg, Catch::Contains(">5</text>") && Catch::Contains("naive  1 TFLOP/s"));
}

TEST_CASE("roofline svg: any text is escaped", "[report]") {
  CHECK(xml_text("a<b & \"c\"\x01\xff") == "a&lt;b &amp; &quot;c&quot; \uFFFD");
  CHECK(xml_text("µs → 1") == "µs → 1");
  RooflineDrawing drawing = sample();
  drawing.title = "</text><script>alert(1)</script>";
  drawing.points[0].label = "a & b";
  const std::string svg = roofline_svg(drawing);
  CHECK(well_formed(svg));
  CHECK(svg.find("<script") == std::string::npos);
}

TEST_CASE("roofline svg: nothing to draw", "[report]") {
  CHECK(roofline_svg({}).empty());
  RooflineDrawing drawing = sample();
  drawing.points = {{SvgPoint::Kind::other, "none", "", 0, 0}};
  CHECK(well_formed(roofline_svg(drawing)));
}

TEST_CASE("labels are moved no further than they must, and stay in order", "[report]") {
  CHECK(spread_labels({10, 50}, 16, 0, 100) == std::vector<double>{10, 50});
  CHECK(spread_labels({50, 50}, 16, 0, 100) == std::vector<double>{42, 58});
  CHECK(spread_labels({50, 52, 54}, 16, 0, 100) == std::vector<double>{36, 52, 68});
  CHECK(spread_labels({1, 2}, 16, 0, 100) == std::vector<double>{0, 16});
  CHECK(spread_labels({98, 99}, 16, 0, 100) == std::vector<double>{84, 100});
  CHECK(spread_labels({}, 16, 0, 100).empty());
}

TEST_CASE("roofline svg: a caption is broken into lines that fit, below everything else", "[report]") {
  RooflineDrawing drawing = sample();
  const std::string bare = roofline_svg(drawing);
  drawing.caption = {std::string(60, 'a') + " " + std::string(60, 'b') + " " + std::string(60, 'c'), "d < e"};
  const std::string svg = roofline_svg(drawing);
  CHECK(well_formed(svg));
  CHECK(svg.find(">d &lt; e</text>") != std::string::npos);
  const std::string size = R"x(viewBox="0 0 960 (\d+)")x";
  CHECK(numbers(svg, size)[0][0] == numbers(bare, size)[0][0] + 3 * 16 + 14);
  CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("  a  verylongword b", 4) == std::vector<std::string>{"a", "verylongword", "b"});
  CHECK(wrapped("", 4).empty());
}
