#include "search/known_values.h"

#include <algorithm>

namespace kerlab::search {
namespace {

/// A repetition's number is no name that a configuration has.
bool is_known_before(const Expression& expression) {
  return !expression.empty() && !expression.uses("i");
}

}  // namespace

KnownValues::KnownValues(const Variant& variant, const Problem& problem, const DeviceInfo& device)
    : variant_(&variant), program_([&] {
        std::vector<Expression> expressions = conditions_of(variant);
        collect(expressions);
        return ConstraintProgram(variant, std::move(expressions), problem, device);
      }()) {}

void KnownValues::add(std::vector<Expression>& expressions, const std::string& name,
                      const std::vector<Expression>& factors) {
  if (factors.empty() || !std::all_of(factors.begin(), factors.end(), is_known_before)) return;
  Quantity quantity{name, {}};
  for (const Expression& factor : factors) {
    quantity.factors.push_back(expressions.size());
    expressions.push_back(factor);
  }
  quantities_.push_back(std::move(quantity));
}

void KnownValues::collect(std::vector<Expression>& expressions) {
  for (const Derived& derived : variant_->derived) add(expressions, derived.name, {derived.value});
  for (std::size_t l = 0; l < variant_->launches.size(); ++l) {
    const LaunchDecl& launch = variant_->launches[l];
    const std::string number = l == 0 ? "" : std::to_string(l + 1);
    add(expressions, "blocks" + number, launch.grid);
    add(expressions, "threads" + number, launch.block);
    add(expressions, "shared" + number, {launch.shared});
  }
  for (const Prediction& prediction : variant_->predicted) add(expressions, prediction.counter, {prediction.value});
}

std::vector<std::string> KnownValues::names() const {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities_) names.push_back(quantity.name);
  return names;
}

std::vector<double> KnownValues::values() const {
  std::vector<double> values;
  for (const Quantity& quantity : quantities_) {
    double product = 1;
    for (const std::size_t factor : quantity.factors) {
      const auto value = program_.value(factor);
      product = value && product >= 0 ? product * static_cast<double>(*value) : -1;
    }
    values.push_back(product);
  }
  return values;
}

std::vector<double> KnownValues::of(const Configuration& configuration) {
  program_.compute(configuration);
  return values();
}

std::optional<std::vector<double>> KnownValues::of_valid(const Configuration& configuration) {
  for (std::size_t p = 0; p < variant_->parameters.size(); ++p) {
    const auto& listed = variant_->parameters[p].values;
    if (std::find(listed.begin(), listed.end(), configuration.values[p]) == listed.end()) return std::nullopt;
  }
  program_.compute(configuration);
  for (std::size_t c = 0; c < variant_->constraints.size(); ++c)
    if (program_.holds(c) != ConstraintProgram::Answer::yes) return std::nullopt;
  return values();
}

std::vector<SearchSpace::Feature> known_values(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                               const std::vector<Configuration>& configurations) {
  KnownValues known(variant, problem, device);
  std::vector<SearchSpace::Feature> features;
  for (std::string& name : known.names()) features.push_back({std::move(name), {}});
  for (SearchSpace::Feature& feature : features) feature.values.reserve(configurations.size());
  for (const Configuration& configuration : configurations) {
    const std::vector<double> values = known.of(configuration);
    for (std::size_t f = 0; f < features.size(); ++f) features[f].values.push_back(values[f]);
  }
  return features;
}

}  // namespace kerlab::search
