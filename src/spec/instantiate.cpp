#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "spec/launch_plan_builder.h"
#include "spec/spec.h"

namespace kerlab {
namespace {

std::string define(std::string_view name, std::int64_t value) {
  return fmt::format("-D{}={}", name, value);
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
    defines.push_back(define(derived.name, problem.environment.at(derived.name)));
  return defines;
}

Instance instantiate(const Family& family, const Variant& variant, const Problem& problem,
                     const Configuration& configuration, const DeviceInfo& device) {
  Instance instance;
  instance.defines = problem_defines(family, problem);
  Environment environment = problem.environment;
  add_device(environment, device);
  for (std::size_t p = 0; p < variant.parameters.size(); ++p) {
    const std::string& name = variant.parameters[p].name;
    environment[name] = configuration.values.at(p);
    instance.defines.push_back(define(name, configuration.values[p]));
  }
  for (const Derived& derived : variant.derived) {
    const std::int64_t value = derived.value.evaluate(environment);
    environment[derived.name] = value;
    instance.defines.push_back(define(derived.name, value));
  }
  LaunchPlanBuilder builder(family, problem, &variant, std::move(environment));
  builder.add_workspaces();
  builder.add_all(variant.launches);
  instance.plan = builder.plan();
  return instance;
}

}  // namespace kerlab
