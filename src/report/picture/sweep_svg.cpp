#include "report/picture/sweep_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/form/label_layout.h"
#include "report/form/xml_text.h"
#include "report/picture/figure.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

// In pixels.
constexpr double kSweepLeft = 76, kSweepRight = kWide - 214, kSweepTop = 36, kSweepBottom = 466, kSweepHeight = 516;
constexpr double kSweepLineHeight = 16;
constexpr double kSweepLogarithmic = 8;  // from this ratio of the largest x to the smallest on
constexpr std::size_t kSweepNamed = 12;  // so many values of x are all named

class SweepPicture {
 public:
  explicit SweepPicture(const SweepDrawing& what) : what_(what) {
    std::vector<double> y{0};
    for (const SweepSeries& series : what_.series)
      for (const SweepPoint& point : series.points) {
        xs_.push_back(point.x);
        y.push_back(point.y);
      }
    std::sort(xs_.begin(), xs_.end());
    xs_.erase(std::unique(xs_.begin(), xs_.end()), xs_.end());
    x_ = scale_for(xs_, kSweepLeft, kSweepRight, kSweepLogarithmic);
    y_ = scale_for(y, kSweepBottom, kSweepTop, kSweepLogarithmic);
  }

  std::string body() {
    out_ = vertical_axis(y_, kSweepLeft, kSweepRight, what_.y);
    if (xs_.size() <= kSweepNamed)
      axis_of_values();
    else
      out_ += horizontal_axis(x_, kSweepTop, kSweepBottom, what_.x);
    for (std::size_t i = what_.series.size(); i-- > 0;) line(what_.series[i], i);  // the first over the others
    labels();
    return std::move(out_);
  }

 private:
  void axis_of_values() {
    for (const double value : xs_) {
      out_ += svg_line(x_.pixel(value), kSweepTop, x_.pixel(value), kSweepBottom, "grid");
      out_ += svg_text(x_.pixel(value), kSweepBottom + 17, fmt::format("{:.6g}", value), "dim", "middle");
    }
    out_ += svg_line(kSweepLeft, kSweepBottom, kSweepRight, kSweepBottom, "frame");
    out_ += svg_text((kSweepLeft + kSweepRight) / 2, kSweepBottom + 36, what_.x, "ink", "middle");
  }

  void line(const SweepSeries& series, std::size_t index) {
    const char* path = series.library ? "library" : index == 0 ? "best" : "thin series";
    const char* mark = series.library ? "library" : index == 0 ? "winner" : "other";
    std::string corners;
    for (const SweepPoint& point : series.points)
      corners += fmt::format("{}{:.1f} {:.1f}", corners.empty() ? "M" : "L", x_.pixel(point.x), y_.pixel(point.y));
    out_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", path, corners);
    for (const SweepPoint& point : series.points)
      out_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"{}\"><title>{}: {:.6g}, {:.4g} {}</title></circle>\n",
          x_.pixel(point.x), y_.pixel(point.y), mark, xml_text(series.label), point.x, point.y, xml_text(what_.y));
  }

  /// Beside the last point of each.
  void labels() {
    std::vector<const SweepSeries*> order;
    for (const SweepSeries& series : what_.series)
      if (!series.points.empty()) order.push_back(&series);
    std::stable_sort(order.begin(), order.end(), [](const SweepSeries* a, const SweepSeries* b) {
      return a->points.back().y > b->points.back().y;
    });
    std::vector<double> wanted;
    for (const SweepSeries* series : order) wanted.push_back(y_.pixel(series->points.back().y));
    const auto places = spread_labels(wanted, kSweepLineHeight, kSweepTop, kSweepBottom);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double x = x_.pixel(order[i]->points.back().x);
      out_ += svg_line(x + 6, wanted[i], kSweepRight + 12, places[i], "lead");
      out_ += svg_text(kSweepRight + 16, places[i] + 4, order[i]->label, "ink");
    }
  }

  const SweepDrawing& what_;
  std::vector<double> xs_;  ///< each once
  Scale x_, y_;
  std::string out_;
};

}  // namespace

std::string sweep_svg(const SweepDrawing& drawing) {
  SweepDrawing usable = drawing;
  for (SweepSeries& series : usable.series)
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const SweepPoint& a, const SweepPoint& b) { return a.x < b.x; });
  std::erase_if(usable.series, [](const SweepSeries& series) { return series.points.empty(); });
  if (usable.series.empty()) return "";
  ReportFigure figure{"sweep", usable.title, usable.y + " over " + usable.x + ".", "", kWide, kSweepHeight, "", {}};
  figure.subject = usable.subtitle;
  figure.body = SweepPicture(usable).body();
  return standalone_svg(figure);
}

}  // namespace kerlab::report
