#pragma once
// Whether a variant takes part, and why not: in full, and in two or three words for a line that names many.

#include "spec/spec.h"

namespace kerlab::spec {

struct Unsupported {
  std::string reason;  ///< of the variant: "needs M <= 16 (constraint 'few_rows')"; empty: it is supported
  std::string brief;   ///< "M > 16", "no fp32", "needs few tiles"
};

/// What unsupported_reason says with the name of the variant. To be asked before enumerate().
Unsupported unsupported(const Variant& variant, const Problem& problem, const DeviceInfo& device);

/// The configuration is valid there: its variant supports the problem, and it violates no constraint. Asked a thousand
/// times by whoever looks for a problem: it says no reason, and translates nothing. Throws the SpecError of a
/// constraint that cannot be evaluated, where none says no.
bool is_valid_on(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                 const Configuration& configuration);

}  // namespace kerlab::spec
