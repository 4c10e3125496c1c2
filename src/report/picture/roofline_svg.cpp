#include "report/picture/roofline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "report/form/label_layout.h"
#include "report/form/table.h"
#include "report/form/xml_text.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

// In pixels.
constexpr double kTop = 36, kMargin = 214, kHeight = 430;
constexpr double kLeast = 620;           // narrower: a smaller plot, names of roofs within it
constexpr double kBelow = 78;            // axis numbers, axis title, legend
constexpr double kLineHeight = 16;       // of labels that must not overlap
constexpr double kRoomForLabels = 0.46;  // of the plot, right of the points
constexpr double kLetter = 6.4;          // width of one at 12 px, on the safe side

double best_known(const SvgCeiling& ceiling) {
  return ceiling.measured > 0 ? ceiling.measured : ceiling.theoretical;
}

double largest(const SvgCeiling& ceiling) {
  return std::max(ceiling.measured, ceiling.theoretical);
}

class RooflinePicture {
 public:
  RooflinePicture(const RooflineDrawing& what, double width)
      : what_(what),
        narrow_(width < kLeast),
        left_(narrow_ ? 58 : 76),
        right_(width - (narrow_ ? 14 : kMargin)),
        bottom_(kTop + (narrow_ ? 0.7 : 1) * kHeight) {
    set_axes();
    named_ = std::any_of(what_.points.begin(), what_.points.end(), [&](const SvgPoint& point) {
      return std::abs(std::log10(point.intensity / what_.points.front().intensity)) > 0.02;
    });
    above_caption_ = bottom_ + kBelow + (named_ ? 18 + kLineHeight * static_cast<double>(what_.points.size()) : 0);
    for (const std::string& paragraph : what_.caption)
      for (std::string& line : wrapped(paragraph, static_cast<int>((width - 2 * left_) / kLetter)))
        caption_.push_back(std::move(line));
  }

  [[nodiscard]] double height() const {
    return above_caption_ + kLineHeight * static_cast<double>(caption_.size()) + (caption_.empty() ? 0 : 14);
  }

  std::string body() {
    out_ = vertical_axis(y_, left_, right_, "FLOP/s") +
           horizontal_axis(x_, kTop, bottom_, "arithmetic intensity, FLOP per byte");
    for (const SvgCeiling& memory : what_.memories) slope(memory);
    flats();
    ridge();
    clouds();
    for (const auto& [label, place] : slope_labels_) text(0, 0, label, "ink halo", "middle", place);
    flat_labels();
    if (named_)
      numbered_points();
    else
      labelled_points();
    legend();
    for (std::size_t i = 0; i < caption_.size(); ++i)
      text(left_, above_caption_ + 12 + kLineHeight * static_cast<double>(i), caption_[i], "ink");
    return std::move(out_);
  }

 private:
  void set_axes() {
    double top = 0, low_flops = 1e300, least = 1e300, most = 0, right_most = 0;
    for (const SvgCeiling& pipe : what_.pipes) top = std::max(top, largest(pipe));
    for (const SvgPoint& point : what_.points) {
      least = std::min(least, point.intensity);
      most = std::max(most, point.intensity);
      low_flops = std::min(low_flops, point.flops_per_s);
    }
    for (const SvgCloud& cloud : what_.clouds)
      for (const SvgCloud::Dot& dot : cloud.dots) {
        least = std::min(least, dot.intensity);
        right_most = std::max(right_most, dot.intensity);
        low_flops = std::min(low_flops, dot.flops_per_s);
      }
    const double ridge = std::log10(largest(what_.pipes.front()) / largest(what_.memories.front()));
    const double left = std::min(ridge - 1.8, std::log10(least) - 0.4);
    double right = ridge + 1.3;
    // Labels stand right of their points: a part of the plot is theirs.
    if (most > 0) right = std::max(right, (std::log10(most) - kRoomForLabels * left) / (1 - kRoomForLabels));
    if (right_most > 0) right = std::max(right, std::log10(right_most) + 0.3);
    x_ = {std::pow(10, left), std::pow(10, right), left_, right_, true};
    y_ = {std::min(top / 400, low_flops / 3), top * 1.6, bottom_, kTop, true};
  }

  void text(double x, double y, const std::string& content, const char* style, const char* anchor = "start",
            const std::string& more = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, style,
                        anchor, more, xml_text(content));
  }
  void line(double x1, double y1, double x2, double y2, const char* style) { out_ += svg_line(x1, y1, x2, y2, style); }

  [[nodiscard]] double top_pipe() const {
    double top = 0;
    for (const SvgCeiling& pipe : what_.pipes) top = std::max(top, largest(pipe));
    return top;
  }

  /// A memory's roof, up to the fastest pipe; published above, measured below.
  void slope(const SvgCeiling& memory) {
    const auto draw = [&](double bytes_per_s, const char* style, const std::string& label, double offset) {
      if (bytes_per_s <= 0) return;
      const double flat = style == std::string("roof") ? top_measured() : top_pipe();
      const double begin = std::max(x_.low, y_.low / bytes_per_s), end = std::min(x_.high, flat / bytes_per_s);
      if (end <= begin) return;
      const double x1 = x_.pixel(begin), y1 = y_.pixel(begin * bytes_per_s);
      const double x2 = x_.pixel(end), y2 = y_.pixel(end * bytes_per_s);
      line(x1, y1, x2, y2, style);
      const double length = std::hypot(x2 - x1, y2 - y1), along = 0.5;
      if (length < kLetter * static_cast<double>(display_width(label))) return;
      const double angle = std::atan2(y2 - y1, x2 - x1);
      const double x = x1 + along * (x2 - x1) - offset * std::sin(angle);
      const double y = y1 + along * (y2 - y1) + offset * std::cos(angle);
      // Written when the flats are drawn, which may cross them.
      slope_labels_.push_back(
          {label, fmt::format(" transform=\"translate({:.1f} {:.1f}) rotate({:.1f})\"", x, y, angle * 180 / M_PI)});
    };
    draw(memory.theoretical, "dash", fmt::format("{} {}", memory.label, format_si(memory.theoretical, "B/s")), -6);
    draw(memory.measured, "roof",
         fmt::format("{} {} {}", memory.measured_label.empty() ? memory.label : memory.measured_label,
                     format_si(memory.measured, "B/s"), what_.measured),
         15);
  }

  [[nodiscard]] double top_measured() const {
    double top = 0;
    for (const SvgCeiling& pipe : what_.pipes) top = std::max(top, best_known(pipe));
    return top;
  }

  /// The pipes' roofs, from where a memory can feed them to the right edge.
  void flats() {
    double fastest = 0;
    for (const SvgCeiling& memory : what_.memories) fastest = std::max(fastest, largest(memory));
    for (const SvgCeiling& pipe : what_.pipes) {
      for (const bool measured : {false, true}) {
        const double value = measured ? pipe.measured : pipe.theoretical;
        if (value <= 0) continue;
        line(x_.pixel(value / fastest), y_.pixel(value), right_, y_.pixel(value), measured ? "roof" : "dash");
        flats_.push_back({y_.pixel(value), fmt::format("{} {}", pipe.label, format_si(value, "FLOP/s"))});
      }
    }
  }

  /// In the margin; where there is none above the lines.
  void flat_labels() {
    std::stable_sort(flats_.begin(), flats_.end(), [](const Flat& a, const Flat& b) { return a.y < b.y; });
    std::vector<double> wanted;
    for (const Flat& flat : flats_) wanted.push_back(narrow_ ? flat.y - 10 : flat.y);
    const auto places = spread_labels(wanted, kLineHeight, kTop, bottom_);
    for (std::size_t i = 0; i < flats_.size(); ++i) {
      if (!narrow_) line(right_, flats_[i].y, right_ + 10, places[i], "lead");
      text(narrow_ ? right_ - 4 : right_ + 14, places[i] + 4, flats_[i].label, narrow_ ? "ink halo" : "ink",
           narrow_ ? "end" : "start");
    }
  }

  /// A dotted line down to the axis, with what it is, left or right of it.
  void drop(double intensity, double flops_per_s, const std::string& label, double above_axis, bool left) {
    const double x = x_.pixel(intensity);
    line(x, y_.pixel(flops_per_s), x, bottom_, "thin");
    left = left || x + 5 + kLetter * static_cast<double>(label.size()) > right_;
    text(left ? x - 5 : x + 5, bottom_ - above_axis, label, "dim halo", left ? "end" : "start");
  }

  void ridge() {
    const double bytes_per_s = best_known(what_.memories.front()), flops_per_s = best_known(what_.pipes.front());
    const double ridge = flops_per_s / bytes_per_s;
    const bool alone = named_ || what_.points.empty();
    const double intensity = alone ? 0 : what_.points.front().intensity;
    drop(ridge, flops_per_s, fmt::format("ridge {:.3g} FLOP/byte", ridge), 8, !alone && intensity > ridge);
    if (alone) return;
    drop(intensity, std::min(flops_per_s, intensity * bytes_per_s),
         fmt::format("this problem {:.4g} FLOP/byte", intensity), 24, false);
  }

  /// Every trial: a path for all of a kind.
  void clouds() {
    for (const SvgCloud& cloud : what_.clouds) {
      std::vector<Dot> marks;
      for (const SvgCloud::Dot& dot : cloud.dots)
        marks.push_back(
            {dot.index, x_.pixel(dot.intensity) + cloud.spread * jitter(dot.index), y_.pixel(dot.flops_per_s)});
      out_ += dots(cloud.style, marks);
    }
  }

  void mark(const SvgPoint& point, double x, double y) {
    const std::string tip = fmt::format("<title>{}</title>", xml_text(point.label + ": " + point.value));
    if (point.kind == SvgPoint::Kind::library) {
      out_ += fmt::format("<path d=\"M{:.1f} {:.1f}l6 6l-6 6l-6 -6z\" class=\"library\">{}</path>\n", x, y - 6, tip);
    } else {
      const bool winner = point.kind == SvgPoint::Kind::winner;
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"{}\">{}</circle>\n", x, y,
                          winner ? 5.5 : 4.5, winner ? "winner" : "other", tip);
    }
  }

  [[nodiscard]] std::vector<SvgPoint> from_the_top() const {
    std::vector<SvgPoint> points = what_.points;
    std::stable_sort(points.begin(), points.end(),
                     [](const SvgPoint& a, const SvgPoint& b) { return a.flops_per_s > b.flops_per_s; });
    return points;
  }

  /// All of one intensity: labels in a column right of them.
  void labelled_points() {
    const std::vector<SvgPoint> points = from_the_top();
    std::vector<double> wanted;
    for (const SvgPoint& point : points) wanted.push_back(y_.pixel(point.flops_per_s));
    const auto places = spread_labels(wanted, kLineHeight, kTop + 12, bottom_ - 44);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = x_.pixel(points[i].intensity);
      out_ += fmt::format("<polyline points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" class=\"lead\"/>\n", x,
                          wanted[i], x + 26, places[i], x + 32, places[i]);
      const bool winner = points[i].kind == SvgPoint::Kind::winner;
      text(x + 36, places[i] + 4, fmt::format("{}  {}", points[i].label, points[i].value), "ink halo", "start",
           winner ? " font-weight=\"600\"" : "");
    }
    for (auto point = points.rbegin(); point != points.rend(); ++point)  // the fastest over the others
      mark(*point, x_.pixel(point->intensity), y_.pixel(point->flops_per_s));
  }

  /// Of several intensities: numbers beside the points, their names below the plot.
  void numbered_points() {
    double y = bottom_ + kBelow + 10;
    for (std::size_t i = 0; i < what_.points.size(); ++i, y += kLineHeight) {
      const SvgPoint& point = what_.points[i];
      const double px = x_.pixel(point.intensity), py = y_.pixel(point.flops_per_s);
      mark(point, px, py);
      text(px + 8, py + 4, fmt::format("{}", i + 1), "ink halo");
      text(left_, y, fmt::format("{}", i + 1), "ink", "end");
      text(left_ + 10, y, fmt::format("{}  {}", point.label, point.value), "ink");
    }
  }

  void legend() {
    const double y = bottom_ + 60;
    double x = left_;
    const auto entry = [&](const std::string& label) {
      text(x + 32, y + 4, label, "dim");
      x += 32 + kLetter * display_width(label) + 22;
    };
    const auto any = [&](SvgPoint::Kind kind) {
      return std::any_of(what_.points.begin(), what_.points.end(), [&](const SvgPoint& p) { return p.kind == kind; });
    };
    line(x, y, x + 26, y, "dash");
    entry("data sheet");
    const auto is_measured = [](const SvgCeiling& ceiling) { return ceiling.measured > 0; };
    if (std::any_of(what_.memories.begin(), what_.memories.end(), is_measured) ||
        std::any_of(what_.pipes.begin(), what_.pipes.end(), is_measured)) {
      line(x, y, x + 26, y, "roof");
      entry(what_.measured);
    }
    const std::pair<SvgPoint::Kind, const char*> kinds[] = {{SvgPoint::Kind::winner, "winner"},
                                                            {SvgPoint::Kind::other, "best of a variant"},
                                                            {SvgPoint::Kind::library, "library"}};
    for (const auto& [kind, label] : kinds) {
      if (!any(kind)) continue;
      mark({kind, label, "", 1, 1}, x + 20, y);
      entry(label);
    }
  }

  struct Flat {
    double y;
    std::string label;
  };

  const RooflineDrawing& what_;
  bool narrow_;
  double left_, right_, bottom_;  ///< of the plot
  Scale x_, y_;
  bool named_ = false;  ///< points are numbered, and named below the plot
  double above_caption_ = 0;
  std::vector<std::string> caption_;                               ///< its lines
  std::vector<std::pair<std::string, std::string>> slope_labels_;  ///< with their transform
  std::vector<Flat> flats_;
  std::string out_;
};

RooflineDrawing without_unknown(RooflineDrawing drawing) {
  std::erase_if(drawing.memories, [](const SvgCeiling& ceiling) { return best_known(ceiling) <= 0; });
  std::erase_if(drawing.pipes, [](const SvgCeiling& ceiling) { return best_known(ceiling) <= 0; });
  std::erase_if(drawing.points, [](const SvgPoint& point) { return point.intensity <= 0 || point.flops_per_s <= 0; });
  for (SvgCloud& cloud : drawing.clouds)
    std::erase_if(cloud.dots, [](const SvgCloud::Dot& dot) { return dot.intensity <= 0 || dot.flops_per_s <= 0; });
  return drawing;
}

}  // namespace

ReportFigure with_roofline(ReportFigure figure, const RooflineDrawing& drawing, double width) {
  const RooflineDrawing usable = without_unknown(drawing);
  if (usable.memories.empty() || usable.pipes.empty()) return figure;
  RooflinePicture picture(usable, width);
  figure.width = width;
  figure.height = picture.height();
  figure.body = picture.body();
  return figure;
}

std::string roofline_svg(const RooflineDrawing& drawing) {
  ReportFigure figure{"roofline", drawing.title, "What the device allows, and what was reached.", "", 0, 0, "", {}};
  figure.subject = drawing.subtitle;
  figure = with_roofline(std::move(figure), drawing);
  return figure.body.empty() ? "" : standalone_svg(figure);
}

}  // namespace kerlab::report
