#include "report/picture/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "report/form/xml_text.h"

namespace kerlab::report {

namespace {

constexpr std::size_t kDense = 600;  // more dots are smaller

/// 1, 2, 5, 10, ... times a power of ten.
double nice_step(double range, int most) {
  const double rough = range / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

std::vector<double> logarithmic_ticks(double low, double high, int most) {
  const double decades = std::log10(high / low);
  std::vector<double> factors = {1};
  if (3 * decades <= most) factors = {1, 2, 5};
  if (decades < 0.8) return {};
  const int every = std::max(1, static_cast<int>(std::ceil(decades / most)));
  std::vector<double> values;
  for (int exponent = static_cast<int>(std::floor(std::log10(low))); std::pow(10, exponent) <= high; ++exponent)
    for (const double factor : factors) {
      const double value = factor * std::pow(10, exponent);
      if (exponent % every == 0 && value >= low * 0.999 && value <= high * 1.001) values.push_back(value);
    }
  return values;
}

std::vector<double> linear_ticks(double low, double high, int most) {
  if (!(high > low)) return {low};
  const double step = nice_step(high - low, most);
  std::vector<double> values;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    values.push_back(std::abs(i) < 1e-9 ? 0 : i * step);
  return values;
}

}  // namespace

double Scale::pixel(double value) const {
  double share = 0;
  if (logarithmic)
    share = value > 0 ? std::log(value / low) / std::log(high / low) : 0;
  else
    share = high > low ? (value - low) / (high - low) : 0;
  return from + std::clamp(share, 0.0, 1.0) * (to - from);
}

std::vector<double> Scale::ticks(int most) const {
  if (!logarithmic) return linear_ticks(low, high, most);
  std::vector<double> values = logarithmic_ticks(low, high, most);
  return values.size() < 2 ? linear_ticks(low, high, most) : values;
}

Scale scale_for(const std::vector<double>& values, double from, double to, double ratio) {
  Scale scale{0, 1, from, to, false};
  double least = 1e300, largest = -1e300;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  if (least > largest) return scale;
  scale.logarithmic = least > 0 && largest > ratio * least;
  if (scale.logarithmic) {
    const double margin = std::pow(largest / least, 0.05);
    scale.low = least / margin;
    scale.high = largest * margin;
  } else {
    const double margin = std::max((largest - least) * 0.06, std::abs(largest) * 1e-3 + 1e-12);
    scale.low = least >= 0 ? std::max(0.0, least - margin) : least - margin;
    scale.high = largest + margin;
  }
  return scale;
}

std::string tick_text(double value) {
  if (std::abs(value) < 10000) return fmt::format("{:.6g}", value);
  std::string text = format_si(value);  // "20.00 k"
  const std::size_t dot = text.find('.'), space = text.find(' ');
  if (dot == std::string::npos || space == std::string::npos) return text;
  std::size_t end = space;
  while (end > dot && (text[end - 1] == '0' || text[end - 1] == '.')) --end;
  return text.substr(0, end) + text.substr(space);
}

double jitter(std::size_t index) {
  const double place = static_cast<double>(index) * 0.6180339887498949;
  return place - std::floor(place) - 0.5;
}

std::string index_list(const std::vector<std::size_t>& indices) {
  return fmt::format("{}", fmt::join(indices, " "));
}

std::string dots(std::string_view style, const std::vector<Dot>& marks) {
  if (marks.empty()) return "";
  std::vector<std::size_t> indices;
  std::string path;
  for (const Dot& mark : marks) {
    indices.push_back(mark.index);
    path += fmt::format("M{:.1f} {:.1f}h0", mark.x, mark.y);
  }
  return fmt::format("<path class=\"dots {}{}\" data-i=\"{}\" d=\"{}\"/>\n", style,
                     marks.size() > kDense ? " dense" : "", index_list(indices), path);
}

std::string svg_text(double x, double y, std::string_view text, std::string_view style, std::string_view anchor) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, style, anchor,
                     xml_text(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                     style);
}

std::string svg_rect(double x, double y, double width, double height, std::string_view style, std::string_view more) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"{}{}/>\n", x, y,
                     width, height, style, more.empty() ? "" : " ", more);
}

std::string horizontal_axis(const Scale& x, double top, double bottom, std::string_view title) {
  std::string text;
  for (const double value : x.ticks(std::max(2, static_cast<int>((x.to - x.from) / 70)))) {
    text += svg_line(x.pixel(value), top, x.pixel(value), bottom, "grid");
    text += svg_text(x.pixel(value), bottom + 17, tick_text(value), "dim", "middle");
  }
  text += svg_line(x.from, bottom, x.to, bottom, "frame");
  return text + svg_text((x.from + x.to) / 2, bottom + 36, title, "ink", "middle");
}

std::string vertical_axis(const Scale& y, double left, double right, std::string_view title) {
  std::string text;
  for (const double value : y.ticks(std::max(2, static_cast<int>((y.from - y.to) / 42)))) {
    text += svg_line(left, y.pixel(value), right, y.pixel(value), "grid");
    text += svg_text(left - 8, y.pixel(value) + 4, tick_text(value), "dim", "end");
  }
  return text + svg_text(left - 8, y.to - 12, title, "ink", "start");
}

}  // namespace kerlab::report
