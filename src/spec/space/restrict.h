#pragma once
// A part of the spaces: conditions typed beside those of the specs.

#include <string>
#include <vector>

#include "spec/spec.h"

namespace kerlab::spec {

/// Adds `conditions` ("STAGES == 4 && BM > 64", over all that a constraint may use) to the constraints of every variant
/// that has the names they use; of `folder`, the others are taken out. With `variants` (those asked for by name) each
/// of these must have them. Throws UsageError: what cannot be read, names that nobody has.
void restrict_spaces(KernelFolder& folder, const std::vector<std::string>& conditions,
                     const std::vector<std::string>& variants);

}  // namespace kerlab::spec
