#include <fmt/format.h>

#include <algorithm>

#include "spec/spec.h"

namespace kerlab {
namespace {

constexpr std::size_t kMaximumValid = 2'000'000;
constexpr std::uint64_t kMaximumVisited = 500'000'000;

/// An expression with its names resolved to places in an environment, which must outlive it and keep its entries.
class BoundExpression {
 public:
  BoundExpression(const Expression& expression, const Environment& environment) : expression_(&expression) {
    for (const std::string& name : expression.names()) values_.push_back(&environment.at(name));
  }
  [[nodiscard]] std::int64_t evaluate() const { return expression_->evaluate(values_); }

 private:
  const Expression* expression_;
  std::vector<const std::int64_t*> values_;
};

/// A constraint ready to be evaluated as soon as the first `depth` parameters have values. Constraints keep their
/// order: none is evaluated before an earlier one, so that an earlier one may guard a later one (Z != 0, then M / Z <
/// 5). Those without any parameter come first: they say whether the problem is supported at all.
struct Step {
  std::size_t constraint;
  std::size_t depth;
  std::vector<std::pair<std::int64_t*, BoundExpression>> derived;  ///< that no earlier step has computed
  BoundExpression condition;
};

class ConstraintProgram {
 public:
  ConstraintProgram(const Variant& variant, const Problem& problem, const DeviceInfo& device)
      : variant_(variant), values_(problem.environment), computed_(variant.derived.size()) {
    add_device(values_, device);
    for (const Parameter& parameter : variant.parameters) parameters_.push_back(&values_[parameter.name]);
    for (const Derived& derived : variant.derived) values_[derived.name] = 0;
    add_steps(true);
    add_steps(false);
  }

  void set(std::size_t parameter, std::int64_t value) { *parameters_[parameter] = value; }
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

  [[nodiscard]] bool holds(const Step& step) const {
    for (const auto& [target, value] : step.derived) *target = value.evaluate();
    return step.condition.evaluate() != 0;
  }

 private:
  void add_steps(bool without_parameters) {
    std::size_t depth = 0;
    for (std::size_t c = 0; c < variant_.constraints.size(); ++c) {
      std::vector<bool> needed(variant_.derived.size());
      const Expression& condition = variant_.constraints[c].condition;
      const std::size_t own_depth = require(condition, needed);
      if ((own_depth == 0) != without_parameters) continue;
      depth = std::max(depth, own_depth);
      Step step{c, depth, {}, BoundExpression(condition, values_)};
      for (std::size_t d = 0; d < needed.size(); ++d) {
        if (!needed[d] || computed_[d]) continue;
        computed_[d] = true;
        const Derived& derived = variant_.derived[d];
        step.derived.emplace_back(&values_[derived.name], BoundExpression(derived.value, values_));
      }
      steps_.push_back(std::move(step));
    }
  }

  /// Marks the derived values that the expression needs; returns how many parameters must have values first.
  std::size_t require(const Expression& expression, std::vector<bool>& needed) const {
    std::size_t depth = 0;
    for (std::size_t p = 0; p < variant_.parameters.size(); ++p)
      if (expression.uses(variant_.parameters[p].name)) depth = p + 1;
    for (std::size_t d = 0; d < variant_.derived.size(); ++d) {
      if (!expression.uses(variant_.derived[d].name)) continue;
      needed[d] = true;
      depth = std::max(depth, require(variant_.derived[d].value, needed));
    }
    return depth;
  }

  const Variant& variant_;
  Environment values_;
  std::vector<std::int64_t*> parameters_;
  std::vector<bool> computed_;  ///< derived values that some step computes
  std::vector<Step> steps_;
};

class Enumeration {
 public:
  Enumeration(const Variant& variant, const Problem& problem, const DeviceInfo& device)
      : variant_(variant),
        program_(variant, problem, device),
        below_(variant.parameters.size() + 1, 1),
        rejected_(variant.constraints.size()) {
    for (std::size_t p = variant.parameters.size(); p-- > 0;)
      below_[p] = below_[p + 1] * variant.parameters[p].values.size();
    current_.values.resize(variant.parameters.size());
  }

  Space run() {
    walk(0, 0);
    space_.raw = below_[0];
    std::uint64_t remaining = space_.raw;
    for (std::size_t c = 0; c < variant_.constraints.size(); ++c) {
      const Constraint& constraint = variant_.constraints[c];
      if (rejected_[c] == remaining)
        throw SpecError(constraint.where, fmt::format("constraint '{}' rejects all {} configurations that reach it",
                                                      constraint.name, remaining));
      remaining -= rejected_[c];
      space_.cuts.push_back({constraint.name, remaining});
    }
    return std::move(space_);
  }

 private:
  void walk(std::size_t depth, std::size_t step) {
    const auto& steps = program_.steps();
    for (; step < steps.size() && steps[step].depth == depth; ++step) {
      if (program_.holds(steps[step])) continue;
      rejected_[steps[step].constraint] += below_[depth];
      return;
    }
    if (depth == variant_.parameters.size()) return keep();
    for (const std::int64_t value : variant_.parameters[depth].values) {
      program_.set(depth, value);
      current_.values[depth] = value;
      if (++visited_ > kMaximumVisited) fail("too many combinations; put constraints over the first parameters first");
      walk(depth + 1, step);
    }
  }

  void keep() {
    if (space_.valid.size() == kMaximumValid) fail(fmt::format("more than {} valid configurations", kMaximumValid));
    space_.valid.push_back(current_);
  }

  [[noreturn]] void fail(const std::string& what) const { throw SpecError(variant_.parameters.front().where, what); }

  const Variant& variant_;
  ConstraintProgram program_;
  std::vector<std::uint64_t> below_;  ///< configurations that share values of the first [i] parameters
  std::vector<std::uint64_t> rejected_;
  Configuration current_;
  std::uint64_t visited_ = 0;
  Space space_;
};

std::string joined(const std::vector<std::int64_t>& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

void add_device(Environment& environment, const DeviceInfo& device) {
  environment["device.cc"] = device.compute_capability();
  environment["device.sms"] = device.sms;
  environment["device.memory_bytes"] = device.memory_bytes;
  environment["device.l2_bytes"] = device.l2_bytes;
  environment["device.shared_per_block"] = device.shared_per_block;
  environment["device.shared_per_sm"] = device.shared_per_sm;
  environment["device.shared_reserved"] = device.shared_reserved;
  environment["device.registers_per_block"] = device.registers_per_block;
  environment["device.registers_per_sm"] = device.registers_per_sm;
  environment["device.threads_per_block"] = device.threads_per_block;
  environment["device.threads_per_sm"] = device.threads_per_sm;
  environment["device.blocks_per_sm"] = device.blocks_per_sm;
  environment["device.warp_size"] = device.warp_size;
}

Space enumerate(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  return Enumeration(variant, problem, device).run();
}

std::vector<Configuration> quick_part(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                      const Space& space) {
  if (variant.quick.empty()) return space.valid;
  Environment environment = problem.environment;
  add_device(environment, device);
  std::vector<Configuration> quick;
  for (const Configuration& configuration : space.valid) {
    for (std::size_t p = 0; p < variant.parameters.size(); ++p)
      environment[variant.parameters[p].name] = configuration.values[p];
    for (const Derived& derived : variant.derived) environment[derived.name] = derived.value.evaluate(environment);
    if (std::all_of(variant.quick.begin(), variant.quick.end(),
                    [&](const Expression& condition) { return condition.evaluate(environment) != 0; }))
      quick.push_back(configuration);
  }
  return quick.empty() ? space.valid : quick;
}

std::string violated_constraint(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                const Configuration& configuration) {
  ConstraintProgram program(variant, problem, device);
  for (std::size_t p = 0; p < variant.parameters.size(); ++p) {
    const Parameter& parameter = variant.parameters[p];
    const std::int64_t value = configuration.values.at(p);
    if (std::find(parameter.values.begin(), parameter.values.end(), value) == parameter.values.end())
      return fmt::format("parameter '{}': {} is not one of {}", parameter.name, value, joined(parameter.values));
    program.set(p, value);
  }
  for (const Step& step : program.steps()) {
    if (program.holds(step)) continue;
    const Constraint& constraint = variant.constraints[step.constraint];
    return fmt::format("constraint '{}': {} does not hold", constraint.name, constraint.condition.text());
  }
  return {};
}

std::string unsupported_reason(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  if (!variant.dtypes.empty() &&
      std::find(variant.dtypes.begin(), variant.dtypes.end(), problem.dtype) == variant.dtypes.end()) {
    std::vector<std::string_view> offered;
    for (const DType dtype : variant.dtypes) offered.push_back(name(dtype));
    return fmt::format("variant '{}' has no {} (it has {})", variant.name, name(problem.dtype),
                       fmt::join(offered, ", "));
  }
  const int cc = device.compute_capability();
  if (cc < variant.minimum_cc || cc > variant.maximum_cc)
    return fmt::format("variant '{}' needs sm_{}{}, the device is sm_{}", variant.name,
                       cc < variant.minimum_cc ? variant.minimum_cc : variant.maximum_cc,
                       cc < variant.minimum_cc ? " or newer" : " or older", cc);
  for (const auto& [flag, chosen] : problem.flags) {
    const auto concerns = [&, &name = flag](const std::string& text) { return text.starts_with(name + "="); };
    const bool restricted = std::any_of(variant.required_flags.begin(), variant.required_flags.end(), concerns);
    const std::string wanted = flag + "=" + chosen;
    if (restricted &&
        std::find(variant.required_flags.begin(), variant.required_flags.end(), wanted) == variant.required_flags.end())
      return fmt::format("variant '{}' does not support {} (it supports {})", variant.name, wanted,
                         fmt::join(variant.required_flags, ", "));
  }
  const ConstraintProgram program(variant, problem, device);
  for (const Step& step : program.steps()) {
    if (step.depth != 0) break;
    const Constraint& constraint = variant.constraints[step.constraint];
    if (!program.holds(step))
      return fmt::format("variant '{}' needs {} (constraint '{}')", variant.name, constraint.condition.text(),
                         constraint.name);
  }
  return {};
}

}  // namespace kerlab
