#include "report/picture/roofline_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/format.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

constexpr int kLabelWidth = 10;  // of the numbers on the left

struct Axis {
  double low = 0, high = 1;  ///< log10

  [[nodiscard]] int cell(double value, int cells) const {
    const double share = (std::log10(value) - low) / (high - low);
    return std::clamp(static_cast<int>(std::lround(share * (cells - 1))), 0, cells - 1);
  }
  [[nodiscard]] double value(int cell, int cells) const {
    return std::pow(10, low + (high - low) * cell / (cells - 1));
  }
};

/// The powers of ten on an axis.
std::vector<double> decades(const Axis& axis) {
  std::vector<double> values;
  for (double exponent = std::ceil(axis.low); exponent <= axis.high; ++exponent)
    values.push_back(std::pow(10, exponent));
  return values;
}

struct Glyphs {
  std::string slope, flat, vertical, corner, horizontal, tick;
};
Glyphs glyphs(bool unicode) {
  if (unicode) return {"╱", "─", "│", "└", "─", "┴"};
  return {"/", "-", "|", "+", "-", "+"};
}

using Grid = std::vector<std::vector<std::string>>;  ///< [row from the top][column]

/// Every column has one cell of roof; where the roof rises by more than a row a column, the gap is filled below it.
void draw_roof(Grid& grid, const Axis& x, const Axis& y, const Ceilings& ceilings, const Glyphs& glyph) {
  const int height = static_cast<int>(grid.size()), width = static_cast<int>(grid[0].size());
  int before = -1;
  for (int column = 0; column < width; ++column) {
    const double slope = x.value(column, width) * ceilings.bytes_per_s;
    const int level = y.cell(std::min(slope, ceilings.flops_per_s), height);
    const std::string& mark = slope < ceilings.flops_per_s ? glyph.slope : glyph.flat;
    const int from = before < 0 ? level : std::min(before + 1, level);
    for (int row = from; row <= level; ++row) {
      grid[static_cast<std::size_t>(height - 1 - row)][static_cast<std::size_t>(column)] = mark;
    }
    before = level;
  }
}

/// Where marks stand already.
using Taken = std::vector<std::vector<bool>>;

/// The nearest free place for a mark of `length` cells: its own, else some cells to a side or some rows away. None: it
/// is too crowded there.
std::optional<std::pair<int, int>> place_for(const Taken& taken, int row, int column, int length) {
  const int height = static_cast<int>(taken.size()), width = static_cast<int>(taken[0].size());
  column = std::clamp(column, 0, std::max(0, width - length));
  const auto is_free = [&](int r, int c) {
    if (r < 0 || r >= height || c < 0 || c + length > width) return false;
    const std::vector<bool>& cells = taken[static_cast<std::size_t>(r)];
    // One cell apart, so that 1 and 2 are not read as 12.
    for (int at = std::max(0, c - 1); at < std::min(width, c + length + 1); ++at)
      if (cells[static_cast<std::size_t>(at)]) return false;
    return true;
  };
  constexpr int kFarthest = 12;  // cells
  for (int distance = 0; distance <= kFarthest; ++distance)
    for (const int r : {row, row - 1, row + 1, row - 2, row + 2})
      for (const int c : {column + distance, column - distance})
        if (is_free(r, c)) return std::pair(r, c);
  return std::nullopt;
}

/// The last first: it is the one that has to stand where it belongs.
void draw_points(Grid& grid, const Axis& x, const Axis& y, const std::vector<PlotPoint>& points) {
  const int height = static_cast<int>(grid.size()), width = static_cast<int>(grid[0].size());
  Taken taken(grid.size(), std::vector<bool>(grid[0].size(), false));
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (point->intensity <= 0 || point->flops_per_s <= 0) continue;
    const auto place = place_for(taken, height - 1 - y.cell(point->flops_per_s, height),
                                 x.cell(point->intensity, width), static_cast<int>(point->mark.size()));
    if (!place) continue;
    const auto [row, column] = *place;
    for (std::size_t i = 0; i < point->mark.size(); ++i) {
      grid[static_cast<std::size_t>(row)][static_cast<std::size_t>(column) + i] = point->mark[i];
      taken[static_cast<std::size_t>(row)][static_cast<std::size_t>(column) + i] = true;
    }
  }
}

/// Rows with the decades of FLOP/s at their left.
std::string body(const Grid& grid, const Axis& y, const Glyphs& glyph) {
  const int height = static_cast<int>(grid.size());
  std::vector<std::string> labels(grid.size());
  for (const double value : decades(y)) {
    labels[static_cast<std::size_t>(height - 1 - y.cell(value, height))] = tick_text(value);
  }
  std::string text;
  for (std::size_t row = 0; row < grid.size(); ++row) {
    std::string line = fmt::format("{:>{}} {}", labels[row], kLabelWidth, glyph.vertical);
    for (const std::string& cell : grid[row]) line += cell;
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// The line below, with the decades of FLOP per byte.
std::string foot(const Axis& x, int width, const Glyphs& glyph) {
  std::vector<std::string> line(static_cast<std::size_t>(width), glyph.horizontal);
  std::string labels(static_cast<std::size_t>(width + 8), ' ');
  for (const double value : decades(x)) {
    const auto column = static_cast<std::size_t>(x.cell(value, width));
    line[column] = glyph.tick;
    const std::string label = fmt::format("{:g}", value);
    labels.replace(std::min(column, static_cast<std::size_t>(width) - label.size()), label.size(), label);
  }
  labels.resize(labels.find_last_not_of(' ') + 1);
  const std::string margin(kLabelWidth + 1, ' ');
  constexpr std::string_view kUnit = "FLOP/byte";
  const bool fits = labels.size() + 2 + kUnit.size() <= static_cast<std::size_t>(width);
  const std::string unit = fits ? fmt::format("  {}", kUnit) : fmt::format("\n{} {:>{}}", margin, kUnit, width);
  std::string text = margin + glyph.corner;
  for (const std::string& cell : line) text += cell;
  return text + "\n" + margin + " " + labels + unit + "\n";
}

}  // namespace

std::string roofline_plot(const Ceilings& ceilings, const std::vector<PlotPoint>& points, const PlotSize& size) {
  if (ceilings.bytes_per_s <= 0 || ceilings.flops_per_s <= 0) return "";
  const double ridge = ceilings.flops_per_s / ceilings.bytes_per_s;
  double left = ridge / 10, right = ridge * 10, bottom = ceilings.flops_per_s / 100;
  for (const PlotPoint& point : points) {
    if (point.intensity <= 0 || point.flops_per_s <= 0) continue;
    left = std::min(left, point.intensity);
    right = std::max(right, point.intensity);
    bottom = std::min(bottom, point.flops_per_s);
  }
  // A hopeless point must not squeeze the rest into a corner: six decades down, at most.
  const Axis x{std::floor(std::log10(std::max(left, ridge / 1e5))),
               std::ceil(std::log10(std::min(right, ridge * 1e5)))};
  const Axis y{std::floor(std::log10(std::max(bottom, ceilings.flops_per_s / 1e6))),
               std::log10(ceilings.flops_per_s) + 0.2};  // some air above the roof
  const int width = std::max(size.width - kLabelWidth - 2, 20), height = std::max(size.height, 5);

  const Glyphs glyph = glyphs(size.unicode);
  Grid grid(static_cast<std::size_t>(height), std::vector<std::string>(static_cast<std::size_t>(width), " "));
  draw_roof(grid, x, y, ceilings, glyph);
  draw_points(grid, x, y, points);
  std::string text = fmt::format("{:>{}}\n", "FLOP/s", kLabelWidth) + body(grid, y, glyph) + foot(x, width, glyph);
  text += fmt::format("roof ({}): {}, {} {}, ridge at {:.1f} FLOP/byte\n", ceilings.source(),
                      format_si(ceilings.bytes_per_s, "B/s"), ceilings.unit, format_si(ceilings.flops_per_s, "FLOP/s"),
                      ridge);
  for (const PlotPoint& point : points) {
    if (point.label.empty()) continue;
    text += fmt::format("{} {}: {} at {:.3g} FLOP/byte\n", point.mark, point.label,
                        format_si(point.flops_per_s, "FLOP/s"), point.intensity);
  }
  return text;
}

}  // namespace kerlab::report
