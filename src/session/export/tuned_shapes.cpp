#include "session/export/tuned_shapes.h"

#include <algorithm>
#include <sstream>

#include "base/format.h"
#include "base/split.h"
#include "session/find/shipped.h"
#include "session/run/space.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {

namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// Throws UsageError when the family has no such dimension, flag, scalar or dtype.
void check_filter(const Family& family, const ShapeFilter& filter) {
  (void)make_requests(family, filter.arguments, filter.dtypes);
}

bool agrees(const Problem& problem, const ProblemArgument& argument) {
  for (const auto& [name, value] : problem.dimensions)
    if (name == argument.name) {
      const std::vector<std::int64_t> sizes = parse_sizes("--" + name, argument.value);
      return std::find(sizes.begin(), sizes.end(), value) != sizes.end();
    }
  for (const auto& [name, value] : problem.flags)
    if (name == argument.name) return contains(split(argument.value, ','), value);
  for (const auto& [name, value] : problem.scalars)
    if (name == argument.name)
      for (const std::string& wanted : split(argument.value, ','))
        if (std::stod(wanted) == value) return true;
  return false;
}

bool agrees(const Problem& problem, const ShapeFilter& filter) {
  if (!filter.dtypes.empty() && !contains(split(filter.dtypes, ','), std::string(name(problem.dtype)))) return false;
  if (!filter.problems.empty() && !contains(filter.problems, problem.key())) return false;
  return std::all_of(filter.arguments.begin(), filter.arguments.end(),
                     [&](const ProblemArgument& argument) { return agrees(problem, argument); });
}

class ShapeCollection {
 public:
  ShapeCollection(const KernelFolder& folder, const DeviceInfo& device, const Database& database,
                  const ShapeFilter& filter)
      : folder_(folder), device_(device), database_(database), filter_(filter) {}

  void decided() {
    for (const Decision& decision : database_.winners()) {
      if (decision.family != folder_.family.name || decision.device_class != device_.device_class()) continue;
      const auto trial = database_.trial(decision.trial);
      if (trial) attempt(decision.problem, [&](TunedShape& shape) { fill(shape, decision, *trial); });
    }
  }

  void shipped(const std::filesystem::path& shipped) {
    for (const ShippedWinner& winner : read_shipped(shipped, shipped_device(device_), folder_.family.name).winners)
      attempt(winner.problem, [&](TunedShape& shape) {
        shape.winner = kernel(winner.variant, winner.configuration);
        shape.decided = winner.date;
      });
  }

  TunedShapes take() {
    std::sort(found_.shapes.begin(), found_.shapes.end(), [](const TunedShape& a, const TunedShape& b) {
      return std::tie(a.problem.dtype, a.problem.flags, a.problem.dimensions, a.problem.scalars) <
             std::tie(b.problem.dtype, b.problem.flags, b.problem.dimensions, b.problem.scalars);
    });
    return std::move(found_);
  }

 private:
  template <typename Fill>
  void attempt(const std::string& key, const Fill& fill) {
    try {
      TunedShape shape;
      shape.problem = make_problem(folder_.family, request_of_key(folder_.family, key));
      const bool known = std::any_of(found_.shapes.begin(), found_.shapes.end(), [&](const TunedShape& other) {
        return other.problem.key() == shape.problem.key();
      });
      if (known || !agrees(shape.problem, filter_)) return;
      fill(shape);
      if (const std::string why = not_valid(shape); !why.empty())
        throw Error(fmt::format("its winner {} is no longer valid: {}", shape.winner.label(), why));
      std::erase(shape.ties, shape.winner);
      found_.shapes.push_back(std::move(shape));
    } catch (const Error& error) {
      found_.left_out.push_back(fmt::format("{}: {}", key, error.what()));
    }
  }

  [[nodiscard]] PortfolioKernel kernel(const std::string& variant, const std::string& configuration) const {
    const Variant& found = find_variant(folder_, variant);
    return {&found, parse_configuration(found, configuration)};
  }

  [[nodiscard]] std::string not_valid(const TunedShape& shape) const {
    const PortfolioKernel& winner = shape.winner;
    const std::string reason = unsupported_reason(*winner.variant, shape.problem, device_);
    return reason.empty() ? violated_constraint(*winner.variant, shape.problem, device_, winner.configuration) : reason;
  }

  void fill(TunedShape& shape, const Decision& decision, const Trial& trial) const {
    shape.winner = kernel(trial.variant, trial.configuration);
    shape.trial = trial.id;
    shape.trial_key = trial.key;
    shape.decided = decision.created;
    for (Measurement& measurement : database_.measurements(decision.trial))
      if (measurement.id == decision.measurement) shape.measurement = std::move(measurement);
    for (const std::string& id : split(decision.tie_set, ','))
      if (const auto tied = database_.trial(std::atoll(id.c_str())))
        shape.ties.push_back(kernel(tied->variant, tied->configuration));
  }

  const KernelFolder& folder_;
  const DeviceInfo& device_;
  const Database& database_;
  const ShapeFilter& filter_;
  TunedShapes found_;
};

}  // namespace

std::string PortfolioKernel::label() const {
  Trial named;
  named.variant = variant->name;
  named.configuration = configuration_text(*variant, configuration);
  named.accuracy = accuracy_text(variant->accuracy);
  return label_text(named);
}

TunedShapes tuned_shapes(const KernelFolder& folder, const DeviceInfo& device, const Database& database,
                         const ShapeFilter& filter, const std::filesystem::path& shipped) {
  check_filter(folder.family, filter);
  ShapeCollection collection(folder, device, database, filter);
  collection.decided();
  if (!shipped.empty()) collection.shipped(shipped);
  return collection.take();
}

}  // namespace kerlab::session
