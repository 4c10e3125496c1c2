#include "model/sweep.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/split.h"

namespace kerlab::model {
namespace {

constexpr const char* kFirstTitle = "kerlab sweep 1";
constexpr const char* kTitle = "kerlab sweep 2";
constexpr std::string_view kFitted = "fitted", kHeldOut = "held out";

template <typename Record, typename Visitor>
void columns(Record& sweep, Visitor&& visit) {
  visit("family", sweep.family);
  visit("variant", sweep.variant);
  visit("problem", sweep.problem);
  visit("device", sweep.device);
  visit("driver", sweep.driver);
  visit("toolchain", sweep.toolchain);
  visit("date", sweep.date);
  visit("clock", sweep.clock);
  visit("source", sweep.source);
}

/// One line of the head; false: no column of that name.
bool read_column(Sweep& sweep, std::string_view name, const std::string& value) {
  bool known = false;
  columns(sweep, [&](std::string_view column, std::string& field) {
    if (column != name) return;
    field = value;
    known = true;
  });
  if (name != "role") return known;
  sweep.fitted = value == kFitted;
  return value == kFitted || value == kHeldOut;
}

/// All of the text, and above 0.
template <typename Number>
bool read_number(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number > 0;
}

/// "351.04", "351.04 spills 96 twin", "failed spills".
bool read_outcome(SweepPoint& point, const std::string& text) {
  constexpr std::string_view kFailed = "failed ";
  if (text.starts_with(kFailed)) {
    point.failed = text.substr(kFailed.size());
    return !point.failed.empty();
  }
  const std::vector<std::string> words = words_of(text);
  if (words.empty() || !read_number(words[0], point.us)) return false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "twin") {
      point.twin = true;
    } else if (words[i] != "spills" || ++i == words.size() || !read_number(words[i], point.spills)) {
      return false;
    }
  }
  return true;
}

/// The lines below the head.
class PointReader {
 public:
  /// `parameters`: none in a file of version 1.
  explicit PointReader(std::vector<std::string> parameters) : parameters_(std::move(parameters)) {}

  bool read(Sweep& sweep, const std::string& line) {
    const std::size_t at = line.rfind(" = ");
    if (at == std::string::npos) return false;
    SweepPoint point;
    point.configuration = line.substr(0, at);
    if (!parameters_.empty() && !complete(point.configuration)) return false;
    if (!read_outcome(point, line.substr(at + 3))) return false;
    sweep.points.push_back(std::move(point));
    return true;
  }

 private:
  /// The last values become a configuration: those before are the line's above.
  bool complete(std::string& text) {
    const std::vector<std::string> last = words_of(text);
    if (last.empty() || last.size() > parameters_.size()) return false;
    if (values_.empty() && last.size() < parameters_.size()) return false;
    values_.resize(parameters_.size());
    std::copy(last.begin(), last.end(), values_.end() - static_cast<std::ptrdiff_t>(last.size()));
    text.clear();
    for (std::size_t i = 0; i < values_.size(); ++i)
      text += fmt::format("{}{}={}", i == 0 ? "" : " ", parameters_[i], values_[i]);
    return true;
  }

  std::vector<std::string> parameters_;
  std::vector<std::string> values_;  ///< of the line above
};

/// A value: a number, or a word, which stands behind all numbers.
using Value = std::pair<std::int64_t, std::string>;

std::string written(const Value& value) {
  return value.second.empty() ? std::to_string(value.first) : value.second;
}

/// "BM=64 LAYOUT=row": its names, and its values, in order.
std::pair<std::vector<std::string>, std::vector<Value>> split(const std::string& configuration) {
  std::pair<std::vector<std::string>, std::vector<Value>> result;
  for (const std::string& word : words_of(configuration)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals + 1 == word.size())
      throw Error(fmt::format("'{}' of a sweep is not NAME=VALUE", word));
    const char *begin = word.data() + equals + 1, *end = word.data() + word.size();
    Value value;
    const auto [rest, error] = std::from_chars(begin, end, value.first);
    if (error != std::errc{} || rest != end)
      value = {std::numeric_limits<std::int64_t>::max(), std::string(begin, end)};
    result.first.push_back(word.substr(0, equals));
    result.second.push_back(std::move(value));
  }
  return result;
}

std::string outcome_text(const SweepPoint& point) {
  if (!point.failed.empty()) return "failed " + point.failed;
  std::string text = fmt::format("{:.5g}", point.us);
  if (point.spills > 0) text += fmt::format(" spills {}", point.spills);
  return point.twin ? text + " twin" : text;
}

}  // namespace

Sweep parse_sweep(const std::string& text, const std::string& file) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || (line != kTitle && line != kFirstTitle))
    throw Error(fmt::format("{}:1: '{}' is not the first line of a sweep, '{}'", file, line.substr(0, 40), kTitle));
  Sweep sweep;
  std::optional<PointReader> points;  // once the head has ended
  std::vector<std::string> parameters;
  const auto read_head = [&](const std::string& of_head) {
    const std::size_t space = of_head.find(' ');
    if (space == std::string::npos) return false;
    const std::string_view name = std::string_view(of_head).substr(0, space);
    if (name == "parameters") parameters = words_of(of_head.substr(space));
    return name == "parameters" || read_column(sweep, name, of_head.substr(space + 1));
  };
  for (int number = 2; std::getline(lines, line); ++number) {
    if (line.empty()) {
      if (!points) points.emplace(parameters);
      continue;
    }
    const bool head = !points;
    if (head ? read_head(line) : points->read(sweep, line)) continue;
    throw Error(
        fmt::format("{}:{}: '{}' is {}", file, number, line,
                    head ? "no line of a sweep's head" : "not CONFIGURATION = MICROSECONDS or = failed REASON"));
  }
  if (sweep.points.empty()) throw Error(fmt::format("{}: no configuration in this sweep", file));
  sweep.name = sweep_name(sweep);
  return sweep;
}

std::string sweep_text(const Sweep& sweep) {
  std::string text = fmt::format("{}\n", kTitle);
  columns(sweep,
          [&](std::string_view column, const std::string& field) { text += fmt::format("{} {}\n", column, field); });
  text += fmt::format("role {}\n", sweep.fitted ? kFitted : kHeldOut);
  std::vector<Value> above;
  std::vector<std::string> parameters;
  for (const SweepPoint& point : sweep.points) {
    const auto [names, values] = split(point.configuration);
    if (above.empty()) text += fmt::format("parameters {}\n\n", fmt::join(parameters = names, " "));
    if (names != parameters)
      throw Error(fmt::format("sweep {}: '{}' has other parameters", sweep.name, point.configuration));
    std::size_t same = 0;
    while (same + 1 < values.size() && !above.empty() && values[same] == above[same]) ++same;
    for (std::size_t i = same; i < values.size(); ++i) text += written(values[i]) + " ";
    text += fmt::format("= {}\n", outcome_text(point));
    above = values;
  }
  return text;
}

void sort_points(Sweep& sweep) {
  std::vector<std::pair<std::vector<Value>, SweepPoint>> keyed;
  for (SweepPoint& point : sweep.points) keyed.emplace_back(split(point.configuration).second, std::move(point));
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  sweep.points.clear();
  for (auto& [values, point] : keyed) sweep.points.push_back(std::move(point));
}

/// "gemm M=2048 N=2048 K=2048 fp32 layout=nn alpha=1 beta=0": extents joined, defaults of gemm left out.
std::string sweep_name(const Sweep& sweep) {
  std::istringstream words(sweep.problem);
  std::string word, extents, rest;
  words >> word;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    const bool extent = equals == 1 && word[0] >= 'A' && word[0] <= 'Z';
    if (extent) {
      extents += (extents.empty() ? "-" : "x") + word.substr(2);
    } else if (word != "layout=nn" && word != "alpha=1" && word != "beta=0") {
      rest += "-" + word;
    }
  }
  return fmt::format("{}-{}{}{}", sweep.family, sweep.variant, extents, rest);
}

std::vector<SweepPoint> some_points(const Sweep& sweep, std::size_t most) {
  std::vector<SweepPoint> measured;
  std::copy_if(sweep.points.begin(), sweep.points.end(), std::back_inserter(measured),
               [](const SweepPoint& point) { return point.failed.empty() && !point.twin; });
  const std::size_t count = measured.size();
  if (most == 0 || count <= most) return measured;
  std::vector<SweepPoint> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(measured[i * count / most]);
  return some;
}

}  // namespace kerlab::model
