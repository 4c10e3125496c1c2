#include "report/text/tuner_text.h"

#include <fmt/format.h>

#include <set>

namespace kerlab::report {
namespace {

/// Where a configuration ended, in the words of T4.
const char* invalidity(TrialStatus status) {
  switch (status) {
    case TrialStatus::passed:
      return "correct";
    case TrialStatus::compile_error:
    case TrialStatus::compile_timeout:
    case TrialStatus::compiler_crash:
      return "compile";
    case TrialStatus::rejected:
      return "constraints";
    case TrialStatus::wrong:
    case TrialStatus::guard_violation:
    case TrialStatus::input_modified:
      return "correctness";
    case TrialStatus::timeout:
      return "timeout";
    default:
      return "runtime";
  }
}

/// The same in the words of Kernel Tuner.
const char* failed_config(TrialStatus status) {
  const std::string_view word = invalidity(status);
  return word == "compile"       ? "CompilationFailedConfig"
         : word == "constraints" ? "InvalidConfig"
                                 : "RuntimeFailedConfig";
}

JsonValue milliseconds(const std::vector<double>& samples_us) {
  JsonValue::Array times;
  for (const double us : samples_us) times.emplace_back(us / 1000);
  return times;
}

JsonValue value_of(const TunerValue& value) {
  if (value.word.empty()) return value.number;
  return value.word == "true" || value.word == "false" ? JsonValue(value.word == "true") : JsonValue(value.word);
}

/// "64,row,True", as Kernel Tuner names a configuration: by Python's words.
std::string key_of(const TunerPoint& point) {
  std::string key;
  for (const TunerValue& value : point.values)
    key += (key.empty() ? "" : ",") + (value.word.empty()      ? std::to_string(value.number)
                                       : value.word == "true"  ? "True"
                                       : value.word == "false" ? "False"
                                                               : value.word);
  return key;
}

JsonValue::Object configuration_of(const TunerSpace& space, const TunerPoint& point) {
  JsonValue::Object object;
  for (std::size_t p = 0; p < space.parameters.size(); ++p)
    object.emplace_back(space.parameters[p], value_of(point.values[p]));
  return object;
}

JsonValue values_of(const TunerSpace& space, std::size_t parameter) {
  std::set<TunerValue> values;
  for (const TunerPoint& point : space.points) values.insert(point.values[parameter]);
  JsonValue::Array array;
  for (const TunerValue& value : values) array.push_back(value_of(value));
  return array;
}

}  // namespace

std::pair<std::string, JsonValue> kernel_tuner_entry(const TunerSpace& space, const TunerPoint& point) {
  const bool passed = point.status == TrialStatus::passed;
  JsonValue::Object entry = configuration_of(space, point);
  entry.emplace_back("time", passed ? JsonValue(point.median_us / 1000) : JsonValue(failed_config(point.status)));
  if (passed) entry.emplace_back("times", milliseconds(point.samples_us));
  entry.emplace_back("compile_time", point.compile_ms);
  for (const char* unknown : {"verification_time", "benchmark_time", "strategy_time", "framework_time"})
    entry.emplace_back(unknown, 0);
  entry.emplace_back("timestamp", point.created);
  return {key_of(point), std::move(entry)};
}

JsonValue::Object kernel_tuner_head(const TunerSpace& space, const std::vector<std::vector<TunerValue>>& listed) {
  JsonValue::Array problem;
  for (const auto& [name, value] : space.problem) problem.emplace_back(value);
  JsonValue::Object parameters;
  for (std::size_t p = 0; p < space.parameters.size(); ++p) {
    JsonValue::Array values;
    if (p < listed.size())
      for (const TunerValue& value : listed[p]) values.push_back(value_of(value));
    parameters.emplace_back(space.parameters[p], listed.empty() ? values_of(space, p) : JsonValue(std::move(values)));
  }
  return {{"schema_version", "1.1.0"},
          {"device_name", space.device},
          {"kernel_name", space.kernel},
          {"problem_size", std::move(problem)},
          {"tune_params_keys", space.parameters},
          {"tune_params", std::move(parameters)},
          {"objective", "time"}};
}

JsonValue kernel_tuner_cache(const TunerSpace& space) {
  JsonValue::Object cache;
  for (const TunerPoint& point : space.points) cache.push_back(kernel_tuner_entry(space, point));
  JsonValue::Object file = kernel_tuner_head(space, {});
  file.emplace_back("cache", std::move(cache));
  return file;
}

JsonValue t4_results(const TunerSpace& space) {
  JsonValue::Array results;
  for (const TunerPoint& point : space.points) {
    const bool passed = point.status == TrialStatus::passed;
    JsonValue::Array measurements;
    if (passed)
      measurements.emplace_back(JsonValue::Object{{"name", "time"}, {"value", point.median_us / 1000}, {"unit", "ms"}});
    const std::string_view why = invalidity(point.status);
    results.emplace_back(JsonValue::Object{{"timestamp", point.created},
                                           {"configuration", configuration_of(space, point)},
                                           {"times", JsonValue::Object{{"compilation_time", point.compile_ms},
                                                                       {"framework", 0},
                                                                       {"search_algorithm", 0},
                                                                       {"validation", 0},
                                                                       {"runtimes", milliseconds(point.samples_us)}}},
                                           {"invalidity", why},
                                           {"correctness", why == "correctness" ? 0 : 1},
                                           {"measurements", std::move(measurements)},
                                           {"objectives", JsonValue::Array{"time"}}});
  }
  return JsonValue::Object{{"results", std::move(results)}, {"schema_version", "1.0.0"}};
}

}  // namespace kerlab::report
