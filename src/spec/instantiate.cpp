#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "plan/kernel_name.h"
#include "spec/kernel_name.h"
#include "spec/launch_plan_builder.h"
#include "spec/parameter_environment.h"
#include "spec/parameter_value.h"
#include "spec/spec.h"

namespace kerlab::spec {
namespace {

std::string define(std::string_view name, std::int64_t value) {
  return fmt::format("-D{}={}", name, value);
}

/// Bytes behind a row up to where its gap begins. `first`: of the variant's pitches.
std::int64_t to_whole(const Tensor& tensor, const Problem& problem, bool first) {
  const std::int64_t beyond = bytes_of(tensor.dtype, tensor.shape.back()) % kRowPaddingStep;
  return problem.row_padding.is_whole(first) && beyond != 0 ? kRowPaddingStep - beyond : 0;
}

/// pitch.NAME of the tensors that the variant takes at one; those whose rows are padded go into the plan. No two have
/// the same gaps: who takes one tensor's pitch for another's is wrong though both have the same width. Once, three,
/// five times the padding are unlike in elements of any size; of wide ones, for which memory ends, the beginnings
/// alone.
std::vector<Pitch> add_pitches(const Family& family, const Variant& variant, const Problem& problem,
                               Environment& environment) {
  std::vector<Pitch> padded;
  const std::int64_t more = 2 * std::min(problem.row_padding.bytes, kGuardedGap);
  std::int64_t gap = problem.row_padding.bytes - more;
  for (const Tensor& tensor : tensors_of(family, problem)) {
    if (std::find(variant.pitch.begin(), variant.pitch.end(), tensor.name) == variant.pitch.end()) continue;
    const bool first = gap < problem.row_padding.bytes;
    gap += more;
    const std::int64_t pitch = tensor.shape.back() + elements_in(tensor.dtype, gap + to_whole(tensor, problem, first));
    environment["pitch." + tensor.name] = tensor.complex ? pitch / 2 : pitch;
    if (problem.row_padding.bytes > 0 && tensor.elements() > 0) padded.push_back({tensor.name, pitch});
  }
  return padded;
}

/// What decides the program: defines and options, or the file that it is.
std::vector<std::string> program_of(const Family& family, const Variant& variant, const Problem& problem,
                                    const Environment& environment) {
  if (!variant.image.empty()) return {std::string(kImage) + image_name(variant.image, environment, problem.dtype)};
  std::vector<std::string> defines = problem_defines(family, problem);
  for (const Parameter& parameter : variant.parameters)
    if (parameter.define)
      for (std::string& one : value_defines(parameter, environment.at(parameter.name)))
        defines.push_back(std::move(one));
  for (const Derived& derived : variant.derived)
    if (is_macro(derived)) defines.push_back(define(derived.name, environment.at(derived.name)));
  for (const auto& option : variant.configured_options)
    defines.push_back(image_name(option, environment, problem.dtype));
  return defines;
}

}  // namespace

std::vector<std::string> problem_defines(const Family& family, const Problem& problem) {
  const DTypeInfo& dtype = info(problem.dtype);
  std::string upper(dtype.name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  std::vector<std::string> defines = {fmt::format("-DDTYPE={}", dtype.device_type), fmt::format("-DDTYPE_{}=1", upper),
                                      define("DTYPE_BYTES", dtype.bytes),
                                      define("KERLAB_DTYPE_ID", static_cast<std::int64_t>(dtype.dtype))};
  for (const Derived& derived : family.derived)
    if (is_macro(derived)) defines.push_back(define(derived.name, problem.environment.at(derived.name)));
  return defines;
}

Environment parameter_environment(const Variant& variant, const Problem& problem, const Configuration& configuration,
                                  const DeviceInfo& device) {
  Environment environment = problem.environment;
  add_device(environment, device);
  for (std::size_t p = 0; p < variant.parameters.size(); ++p)
    environment[variant.parameters[p].name] = configuration.values.at(p);
  return environment;
}

Environment configured_environment(const Variant& variant, const Problem& problem, const Configuration& configuration,
                                   const DeviceInfo& device) {
  Environment environment = parameter_environment(variant, problem, configuration, device);
  for (const Derived& derived : variant.derived) environment[derived.name] = derived.value.evaluate(environment);
  return environment;
}

Instance instantiate(const Family& family, const Variant& variant, const Problem& problem,
                     const Configuration& configuration, const DeviceInfo& device) {
  Instance instance;
  Environment environment = configured_environment(variant, problem, configuration, device);
  instance.defines = program_of(family, variant, problem, environment);
  std::vector<Pitch> pitches = add_pitches(family, variant, problem, environment);
  LaunchPlanBuilder builder(family, problem, &variant, std::move(environment));
  builder.add_workspaces();
  builder.add_all(variant.launches);
  builder.add_prepared();
  instance.plan = builder.plan();
  for (const auto* launches : {&instance.plan.launches, &instance.plan.prepare})
    for (const Launch& launch : *launches) {
      std::string asked = std::string(kInstantiate) + launch.kernel;
      if (is_instance(launch.kernel) && std::ranges::find(instance.defines, asked) == instance.defines.end())
        instance.defines.push_back(std::move(asked));
    }
  instance.plan.pitches = std::move(pitches);
  instance.plan.alignment = variant.alignment;
  instance.plan.start = variant.start;
  instance.plan.accuracy = variant.accuracy;
  return instance;
}

std::vector<std::pair<std::string, std::int64_t>> predicted_counts(const Variant& variant, const Problem& problem,
                                                                   const Configuration& configuration,
                                                                   const DeviceInfo& device) {
  const Environment environment = configured_environment(variant, problem, configuration, device);
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const Prediction& prediction : variant.predicted)
    counts.emplace_back(prediction.counter, prediction.value.evaluate(environment));
  return counts;
}

}  // namespace kerlab::spec
