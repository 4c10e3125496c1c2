#pragma once
// What the names of a variant stand for before its derived values are known.

#include "spec/spec.h"

namespace kerlab::spec {

/// Names of the problem, the device and the variant's parameters.
Environment parameter_environment(const Variant& variant, const Problem& problem, const Configuration& configuration,
                                  const DeviceInfo& device);

}  // namespace kerlab::spec
