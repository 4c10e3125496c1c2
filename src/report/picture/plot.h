#pragma once
// What plots are made of: scales, axes with ticks, marks. Everything is in pixels of the figure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::report {

/// Values from `low` to `high` over the pixels from `from` to `to`.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;
  /// Values outside land on the edge.
  [[nodiscard]] double pixel(double value) const;
  /// Round values inside, at most about `most`.
  [[nodiscard]] std::vector<double> ticks(int most) const;
};
/// Room for all values, with a margin; logarithmic when they are positive and spread over more than a factor of
/// `ratio`.
Scale scale_for(const std::vector<double>& values, double from, double to, double ratio);

/// "0.5", "20", "1500", "20 K": as short as it can be.
std::string tick_text(double value);

/// A mark that stands for row `index` of the trials.
struct Dot {
  std::size_t index = 0;
  double x = 0, y = 0;
};

/// -0.5 to 0.5, the same for the same index every time: spreads dots that would lie on one another.
double jitter(std::size_t index);

/// One path of dots for all of them, of class "dots `style`".
std::string dots(std::string_view style, const std::vector<Dot>& marks);
std::string svg_text(double x, double y, std::string_view text, std::string_view style,
                     std::string_view anchor = "start");
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view style);
/// `more`: further attributes, escaped.
std::string svg_rect(double x, double y, double width, double height, std::string_view style,
                     std::string_view more = "");
/// The space separated list of a data-i attribute.
std::string index_list(const std::vector<std::size_t>& indices);

/// The axis below `bottom` with its title, and its grid up to `top`.
std::string horizontal_axis(const Scale& x, double top, double bottom, std::string_view title);
/// The axis left of `left` with its title above, where it can be read, and its grid up to `right`.
std::string vertical_axis(const Scale& y, double left, double right, std::string_view title);

}  // namespace kerlab::report
