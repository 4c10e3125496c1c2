#pragma once
// The conditions of a variant on slots: a slot for each parameter, then one for each derived value.

#include "spec/expression/slots.h"
#include "spec/spec.h"

namespace kerlab::spec {

/// What a condition or a derived value needs, through derived values as well.
struct Needs {
  std::vector<bool> parameters, derived;
  [[nodiscard]] bool no_parameter() const;
};

/// Of its constraints.
std::vector<Expression> conditions_of(const Variant& variant);

class ConstraintProgram {
 public:
  enum class Answer : std::uint8_t { no, yes, unknown };

  /// The conditions are those of the variant's constraints, or others over its names. `variant` must outlive it.
  ConstraintProgram(const Variant& variant, const Problem& problem, const DeviceInfo& device);
  ConstraintProgram(const Variant& variant, std::vector<Expression> conditions, const Problem& problem,
                    const DeviceInfo& device);

  void set(std::size_t parameter, std::int64_t value) { slots_.values[parameter] = value; }
  /// Of what it needs, everything must have a value (or have failed) before.
  void compute(std::size_t derived);
  /// Sets all parameters and computes all derived values.
  void compute(const Configuration& configuration);
  /// Of a condition, or of any other expression; none: it cannot be evaluated.
  [[nodiscard]] std::optional<std::int64_t> value(std::size_t condition) const;
  /// Unknown: it cannot be evaluated.
  [[nodiscard]] Answer holds(std::size_t condition) const;
  /// Throws the SpecError that says why it cannot be evaluated.
  [[noreturn]] void throw_failure(std::size_t condition) const;

  [[nodiscard]] std::size_t conditions() const { return conditions_.size(); }
  [[nodiscard]] const Needs& needs_of(std::size_t condition) const { return needs_[condition]; }
  [[nodiscard]] const Needs& needs_of_derived(std::size_t derived) const { return derived_needs_[derived]; }
  /// What an evaluation takes.
  [[nodiscard]] std::size_t steps_of(std::size_t condition) const { return programs_[condition].steps(); }
  [[nodiscard]] std::size_t steps_of_derived(std::size_t derived) const { return derived_[derived].steps(); }
  [[nodiscard]] const Variant& variant() const { return *variant_; }

 private:
  [[nodiscard]] Needs find_needs(const Expression& expression) const;

  const Variant* variant_;
  std::vector<Expression> conditions_;
  Environment environment_;  ///< of the problem and the device
  Slots slots_;
  std::vector<SlotExpression> derived_, programs_;
  std::vector<Needs> derived_needs_, needs_;
};

}  // namespace kerlab::spec
