#include "report/form/label_layout.h"

#include <algorithm>
#include <cstddef>
#include <sstream>

#include "report/form/table.h"

namespace kerlab::report {

std::vector<double> spread_labels(const std::vector<double>& wanted, double distance, double low, double high) {
  struct Run {
    double sum;  ///< of wanted places, each less its offset in the run
    std::size_t count;
    [[nodiscard]] double start() const { return sum / static_cast<double>(count); }
  };
  std::vector<Run> runs;
  for (const double place : wanted) {
    runs.push_back({place, 1});
    while (runs.size() > 1) {
      Run& before = runs[runs.size() - 2];
      const Run& last = runs.back();
      const double shift = distance * static_cast<double>(before.count);
      if (before.start() + shift <= last.start()) break;
      before.sum += last.sum - shift * static_cast<double>(last.count);
      before.count += last.count;
      runs.pop_back();
    }
  }
  std::vector<double> places;
  for (const Run& run : runs)
    for (std::size_t i = 0; i < run.count; ++i) places.push_back(run.start() + distance * static_cast<double>(i));
  double floor = low;
  for (double& place : places) {
    place = std::max(place, floor);
    floor = place + distance;
  }
  double ceiling = high;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    *place = std::min(*place, ceiling);
    ceiling = *place - distance;
  }
  return places;
}

std::vector<std::string> wrapped(const std::string& text, int width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width)
      lines.back() += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

}  // namespace kerlab::report
