#include "model/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "base/gunzip.h"
#include "base/json_reader.h"
#include "base/split.h"

namespace kerlab::model {
namespace {

constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;

/// One configuration, before its values are numbers.
struct RawPoint {
  std::vector<JsonNode> values;
  double us = 0;
  std::string failed;
};

struct RawSpace {
  std::vector<std::string> parameters;
  std::vector<RawPoint> points;
};

/// What old versions of Kernel Tuner wrote for a configuration that failed.
constexpr double kFailedTime = 1e20;

/// "CompilationFailedConfig" -> "compilation failed".
std::string failure_text(std::string word) {
  if (word.ends_with("Config")) word.resize(word.size() - 6);
  std::string text;
  for (const char c : word) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !text.empty()) text += ' ';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text.empty() ? "failed" : text.substr(0, 60);
}

/// A time in milliseconds, or the word that stands for a failure.
void take_time(RawPoint& point, const JsonNode& time, double us_each) {
  if (time.is_text()) {
    point.failed = failure_text(time.text());
    return;
  }
  const double value = time.number();
  if (value >= kFailedTime) {
    point.failed = "failed";
    return;
  }
  if (value <= 0) time.fail(fmt::format("{} is no time: it must be above 0", value));
  point.us = value * us_each;
}

void check_names(const std::vector<std::string>& names, const JsonNode& where) {
  if (names.empty()) where.fail("no parameter: there is nothing to search");
  for (const std::string& name : names)
    if (name.empty() || name.find_first_of("= \t\n") != std::string::npos)
      where.fail(fmt::format("'{}' is no name of a parameter: it has a space or '='", name));
}

RawSpace kernel_tuner_space(const JsonNode& root) {
  RawSpace space;
  const JsonNode keys = root.at("tune_params_keys");
  for (const JsonNode& key : keys.elements()) space.parameters.push_back(key.text());
  check_names(space.parameters, keys);
  for (const auto& [name, entry] : root.at("cache").members()) {
    RawPoint point;
    for (const std::string& parameter : space.parameters) point.values.push_back(entry.at(parameter));
    const auto time = entry.find("time");
    if (!time) {
      const auto objective = root.find("objective");
      entry.fail(fmt::format("has no \"time\"{}",
                             objective ? fmt::format(": what is recorded is '{}'", objective->shown()) : ""));
    }
    take_time(point, *time, 1000);
    space.points.push_back(std::move(point));
  }
  return space;
}

/// Microseconds that one of it has; without a unit Kernel Tuner's milliseconds.
double us_of_unit(const JsonNode& measurement) {
  static const std::map<std::string, double> kUnits = {
      {"", 1e3},       {"ms", 1e3},          {"milliseconds", 1e3}, {"s", 1e6},  {"seconds", 1e6}, {"us", 1.},
      {"\u00b5s", 1.}, {"microseconds", 1.}, {"nanoseconds", 1e-3}, {"ns", 1e-3}};
  const auto unit = measurement.find("unit");
  const auto found = kUnits.find(unit ? unit->text() : "");
  if (found == kUnits.end()) unit->fail(fmt::format("'{}' is no unit of time: s, ms, us, ns", unit->text()));
  return found->second;
}

void take_t4_time(RawPoint& point, const JsonNode& result) {
  const auto objectives = result.find("objectives");
  const std::string name =
      objectives && !objectives->elements().empty() ? objectives->elements().front().text() : "time";
  for (const JsonNode& one : result.at("measurements").elements()) {
    if (one.at("name").text() != name) continue;
    const bool unitless = !one.find("unit") || one.at("unit").text().empty();
    if (unitless && name.find("time") == std::string::npos)
      one.fail(fmt::format("the objective '{}' has no unit of time: kerlab searches for the shortest", name));
    take_time(point, one.at("value"), us_of_unit(one));
    return;
  }
  result.fail(fmt::format("its objective '{}' is not among the measurements", name));
}

RawSpace t4_space(const JsonNode& root) {
  RawSpace space;
  for (const JsonNode& result : root.at("results").elements()) {
    const JsonNode configuration = result.at("configuration");
    RawPoint point;
    std::vector<std::string> names;
    for (const auto& [name, value] : configuration.members()) {
      names.push_back(name);
      point.values.push_back(value);
    }
    if (space.parameters.empty()) check_names(space.parameters = names, configuration);
    if (names != space.parameters)
      configuration.fail(fmt::format("has other parameters than the first: {}", fmt::join(space.parameters, ", ")));
    const auto invalidity = result.find("invalidity");
    const auto correct = result.find("correctness");
    if (invalidity && invalidity->text() != "correct") {
      point.failed = failure_text(invalidity->text());
    } else if (correct && correct->whole() == 0) {
      point.failed = "wrong";
    } else {
      take_t4_time(point, result);
    }
    space.points.push_back(std::move(point));
  }
  return space;
}

/// For each point the number that stands for its value of one parameter.
std::vector<std::int64_t> numbers_of(const RawSpace& space, std::size_t parameter) {
  std::vector<std::int64_t> numbers;
  for (const RawPoint& point : space.points)
    if (const auto whole = point.values[parameter].whole()) numbers.push_back(*whole);
  if (numbers.size() == space.points.size()) return numbers;
  numbers.clear();
  const bool sizes =
      std::ranges::all_of(space.points, [&](const RawPoint& point) { return point.values[parameter].is_number(); });
  std::map<std::pair<double, std::string>, std::int64_t> ranks;
  const auto key = [&](const RawPoint& point) {
    const JsonNode& value = point.values[parameter];
    return std::pair(sizes ? value.number() : 0.0, sizes ? "" : value.shown());
  };
  for (const RawPoint& point : space.points) ranks[key(point)] = 0;
  std::int64_t next = 0;
  for (auto& [value, rank] : ranks) rank = next++;
  for (const RawPoint& point : space.points) numbers.push_back(ranks[key(point)]);
  return numbers;
}

/// Of a configuration that stands there twice the first counts.
void add_points(Sweep& sweep, const RawSpace& space) {
  std::vector<std::vector<std::int64_t>> columns;
  for (std::size_t p = 0; p < space.parameters.size(); ++p) columns.push_back(numbers_of(space, p));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < space.points.size(); ++i) {
    SweepPoint point;
    for (std::size_t p = 0; p < columns.size(); ++p)
      point.configuration += fmt::format("{}{}={}", p == 0 ? "" : " ", space.parameters[p], columns[p][i]);
    if (!seen.insert(point.configuration).second) continue;
    point.us = space.points[i].us;
    point.failed = space.points[i].failed;
    sweep.points.push_back(std::move(point));
  }
}

std::string text_of(const JsonNode& root, const char* name) {
  const auto found = root.find(name);
  return found ? found->shown() : "";
}

/// "convolution_milo/A100": kernels have many files of devices' names.
std::string name_of_file(const std::string& file) {
  const std::filesystem::path path = file;
  const std::string folder = path.parent_path().filename().string();
  return folder.empty() || folder == "." || folder == ".." ? path.stem().string() : folder + "/" + path.stem().string();
}

/// A cache of a run that was stopped, or still goes on, ends behind an entry: the braces are written at last.
JsonNode parse_open_ended(std::string text, const std::string& file) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (text.find("\"cache\"") == std::string::npos || last == std::string::npos) return JsonNode::parse(text, file);
  if (text[last] != '}' && text[last] != ',') return JsonNode::parse(text, file);
  try {
    return JsonNode::parse(text, file);
  } catch (const Error&) {
    const std::string whole = text.substr(0, text[last] == ',' ? last : last + 1);
    try {
      return JsonNode::parse(whole + "}}", file);
    } catch (const Error&) {
      return JsonNode::parse(text, file);  // what is wrong with it as it is
    }
  }
}

Sweep parse_json(const std::string& text, const std::string& file) {
  const JsonNode root = parse_open_ended(text, file);
  const bool cache = root.find("cache").has_value();
  if (!cache && !root.find("results"))
    root.fail("no recorded space: Kernel Tuner's cache files have \"cache\", T4 files \"results\"");
  const RawSpace space = cache ? kernel_tuner_space(root) : t4_space(root);
  if (space.points.empty()) root.fail("no configuration is recorded in it");
  if (std::ranges::all_of(space.points, [](const RawPoint& point) { return !point.failed.empty(); }))
    root.fail("every configuration in it failed: there is nothing to find");
  Sweep sweep;
  sweep.variant = cache ? text_of(root, "kernel_name") : "";
  sweep.device = text_of(root, "device_name");
  sweep.problem = file;
  add_points(sweep, space);
  sort_points(sweep);
  sweep.name = name_of_file(file);
  return sweep;
}

std::string unpacked(const std::string& text, const std::string& file) {
  try {
    std::string plain = gunzip(text, kMostUnpacked);
    if (!is_gzip(plain)) return plain;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file, error.what()));
  }
  throw Error(fmt::format("{}: is compressed twice", file));
}

}  // namespace

Sweep parse_recording(const std::string& text, const std::string& file) {
  if (is_gzip(text)) {
    const std::string name = file.ends_with(".gz") ? file.substr(0, file.size() - 3) : file;
    return parse_recording(unpacked(text, file), name);
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' ? parse_json(text, file) : parse_sweep(text, file);
}

}  // namespace kerlab::model
