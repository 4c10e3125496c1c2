#include "search/known_values.h"

#include <algorithm>

#include "spec/constraint_program.h"

namespace kerlab {
namespace {

/// A product of expressions, under a name.
struct Quantity {
  std::string name;
  std::vector<Expression> factors;
};

/// A repetition's number is no name that a configuration has.
bool is_known_before(const Expression& expression) {
  return !expression.empty() && !expression.uses("i");
}

std::vector<Quantity> quantities_of(const Variant& variant) {
  std::vector<Quantity> quantities;
  for (const Derived& derived : variant.derived) quantities.push_back({derived.name, {derived.value}});
  for (std::size_t l = 0; l < variant.launches.size(); ++l) {
    const LaunchDecl& launch = variant.launches[l];
    const std::string number = l == 0 ? "" : std::to_string(l + 1);
    quantities.push_back({"blocks" + number, launch.grid});
    quantities.push_back({"threads" + number, launch.block});
    quantities.push_back({"shared" + number, {launch.shared}});
  }
  for (const Prediction& prediction : variant.predicted) quantities.push_back({prediction.counter, {prediction.value}});
  std::erase_if(quantities, [](const Quantity& quantity) {
    return quantity.factors.empty() || !std::all_of(quantity.factors.begin(), quantity.factors.end(), is_known_before);
  });
  return quantities;
}

}  // namespace

std::vector<SearchSpace::Feature> known_values(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                               const std::vector<Configuration>& configurations) {
  const std::vector<Quantity> quantities = quantities_of(variant);
  std::vector<Expression> factors;
  for (const Quantity& quantity : quantities)
    factors.insert(factors.end(), quantity.factors.begin(), quantity.factors.end());
  ConstraintProgram program(variant, factors, problem, device);
  std::vector<SearchSpace::Feature> features;
  for (const Quantity& quantity : quantities)
    features.push_back({quantity.name, std::vector<double>(configurations.size(), -1)});
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    program.compute(configurations[i]);
    std::size_t factor = 0;
    for (std::size_t q = 0; q < quantities.size(); ++q) {
      double product = 1;
      for (std::size_t f = 0; f < quantities[q].factors.size(); ++f) {
        const auto value = program.value(factor++);
        product = value && product >= 0 ? product * static_cast<double>(*value) : -1;
      }
      features[q].values[i] = product;
    }
  }
  return features;
}

}  // namespace kerlab
