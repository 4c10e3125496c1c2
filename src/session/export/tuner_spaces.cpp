#include "session/export/tuner_spaces.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

#include "base/split.h"
#include "model/sweep.h"
#include "session/find/shipped.h"
#include "session/run/device_class.h"

namespace kerlab::session {
namespace {

/// "M=64": none for words that are no NAME=NUMBER.
std::optional<std::pair<std::string, std::int64_t>> named_number(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return {};
  std::int64_t value = 0;
  const char* end = word.data() + word.size();
  const auto read = std::from_chars(word.data() + equals + 1, end, value);
  if (read.ec != std::errc{} || read.ptr != end) return {};
  return std::pair(word.substr(0, equals), value);
}

std::vector<std::pair<std::string, std::int64_t>> named_numbers(const std::string& text) {
  std::vector<std::pair<std::string, std::int64_t>> numbers;
  for (const std::string& word : words_of(text))
    if (auto number = named_number(word)) numbers.push_back(std::move(*number));
  return numbers;
}

/// "BM=64 LAYOUT=row"
std::vector<std::pair<std::string, TunerValue>> named_values_of(const std::string& text) {
  std::vector<std::pair<std::string, TunerValue>> values;
  for (const std::string& word : words_of(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    if (const auto number = named_number(word))
      values.push_back({number->first, {number->second, ""}});
    else
      values.push_back({word.substr(0, equals), {0, word.substr(equals + 1)}});
  }
  return values;
}

/// Of one source of a kernel.
struct Found {
  TunerSpace space;
  std::string newest;
};

}  // namespace

std::optional<TunerPoint> tuner_point(const Trial& trial, const Database& database, TunerTimes times) {
  if (!is_final(trial.status)) return {};
  TunerPoint point;
  point.status = trial.status;
  point.compile_ms = trial.compile_ms;
  point.created = trial.created;
  for (auto& [name, value] : named_values_of(trial.configuration)) point.values.push_back(std::move(value));
  if (trial.status != TrialStatus::passed) return point;
  std::optional<Measurement> measurement;  // times of one stage can be compared: most have been screened
  for (const TimingStage stage : {TimingStage::screen, TimingStage::bench, TimingStage::final})
    if (!measurement) measurement = database.latest_measurement(trial.id, stage);
  if (!measurement || (times == TunerTimes::measured && measurement->clock != ClockKind::measured)) return {};
  point.median_us = measurement->median_us;
  point.samples_us = measurement->samples_us;
  point.created = measurement->created;
  return point;
}

TunerSpace empty_tuner_space(const Trial& trial) {
  TunerSpace space;
  Sweep named;
  named.family = trial.family;
  named.variant = trial.variant;
  named.problem = trial.problem;
  space.name = sweep_name(named);
  space.folder = shipped_device(device_of_class(trial.device_class));
  space.kernel = trial.family + "/" + trial.variant;
  space.device = trial.device_class;
  space.problem = named_numbers(trial.problem);
  for (const auto& [name, value] : named_values_of(trial.configuration)) space.parameters.push_back(name);
  return space;
}

std::vector<TunerSpace> tuner_spaces(const Database& database, const std::string& family) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;  // device, family, variant, problem
  std::map<Key, std::map<std::string, Found>> found;                           // by source
  for (const Trial& trial : database.trials_of(family)) {
    if (!stored_capabilities(trial.device_kind).is_hardware) continue;
    auto point = tuner_point(trial, database, TunerTimes::measured);
    if (!point) continue;
    Found& one = found[{trial.device_class, trial.family, trial.variant, trial.problem}][trial.source_hash];
    if (one.space.points.empty()) one.space = empty_tuner_space(trial);
    if (point->values.size() != one.space.parameters.size()) continue;
    one.newest = std::max(one.newest, point->created);
    one.space.points.push_back(std::move(*point));
  }
  std::vector<TunerSpace> spaces;
  for (auto& [key, sources] : found) {
    Found& last = std::ranges::max_element(sources, {}, [](const auto& one) { return one.second.newest; })->second;
    std::ranges::stable_sort(last.space.points, {}, &TunerPoint::values);
    spaces.push_back(std::move(last.space));
  }
  return spaces;
}

}  // namespace kerlab::session
