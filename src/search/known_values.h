#pragma once
// What is known of configurations without compiling them: derived values, and of each launch blocks, threads, shared
// memory.

#include "search/search_space.h"
#include "spec/space/constraint_program.h"

namespace kerlab::search {

/// The quantities of a variant for a problem on a device; `variant` must outlive it.
class KnownValues {
 public:
  KnownValues(const Variant& variant, const Problem& problem, const DeviceInfo& device);

  [[nodiscard]] std::vector<std::string> names() const;
  /// One for each name; -1: it cannot be computed.
  std::vector<double> of(const Configuration& configuration);
  /// None: the configuration is not valid.
  std::optional<std::vector<double>> of_valid(const Configuration& configuration);

 private:
  struct Quantity {
    std::string name;
    std::vector<std::size_t> factors;  ///< of a product: expressions of the program
  };
  void collect(std::vector<Expression>& expressions);
  void add(std::vector<Expression>& expressions, const std::string& name, const std::vector<Expression>& factors);
  [[nodiscard]] std::vector<double> values() const;

  const Variant* variant_;
  std::vector<Quantity> quantities_;
  ConstraintProgram program_;
};

/// Values of all configurations, by name.
std::vector<SearchSpace::Feature> known_values(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                               const std::vector<Configuration>& configurations);

}  // namespace kerlab::search
