#include "model/sweep.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "base/error.h"

namespace kerlab {
namespace {

constexpr const char* kTitle = "kerlab sweep 1";
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

/// "BM=64 BN=64 = 351.04".
bool read_point(Sweep& sweep, const std::string& line) {
  const std::size_t at = line.rfind(" = ");
  if (at == std::string::npos) return false;
  SweepPoint point{line.substr(0, at), 0};
  const char* const last = line.data() + line.size();
  const auto [end, error] = std::from_chars(line.data() + at + 3, last, point.us);
  if (error != std::errc{} || end != last || point.us <= 0) return false;
  sweep.points.push_back(std::move(point));
  return true;
}

}  // namespace

Sweep parse_sweep(const std::string& text, const std::string& file) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kTitle)
    throw Error(fmt::format("{}:1: '{}' is not the first line of a sweep, '{}'", file, line.substr(0, 40), kTitle));
  Sweep sweep;
  bool head = true;
  for (int number = 2; std::getline(lines, line); ++number) {
    if (line.empty()) {
      head = false;
      continue;
    }
    const std::size_t space = line.find(' ');
    const bool read = head ? space != std::string::npos &&
                                 read_column(sweep, std::string_view(line).substr(0, space), line.substr(space + 1))
                           : read_point(sweep, line);
    if (!read)
      throw Error(fmt::format("{}:{}: '{}' is {}", file, number, line,
                              head ? "no line of a sweep's head" : "not CONFIGURATION = MICROSECONDS"));
  }
  if (sweep.points.empty()) throw Error(fmt::format("{}: no configuration in this sweep", file));
  sweep.name = sweep_name(sweep);
  return sweep;
}

std::string sweep_text(const Sweep& sweep) {
  std::string text = fmt::format("{}\n", kTitle);
  columns(sweep,
          [&](std::string_view column, const std::string& field) { text += fmt::format("{} {}\n", column, field); });
  text += fmt::format("role {}\n\n", sweep.fitted ? kFitted : kHeldOut);
  for (const SweepPoint& point : sweep.points) text += fmt::format("{} = {:.5g}\n", point.configuration, point.us);
  return text;
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
  const std::size_t count = sweep.points.size();
  if (most == 0 || count <= most) return sweep.points;
  std::vector<SweepPoint> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(sweep.points[i * count / most]);
  return some;
}

}  // namespace kerlab
