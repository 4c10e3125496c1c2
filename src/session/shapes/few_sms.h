#pragma once
// Persistent kernels on small problems: with 132 multiprocessors each block has one tile or none, and what goes wrong
// between tiles is never executed. Checks therefore make plans of small problems for a device of a few.

#include <optional>

#include "spec/spec.h"

namespace kerlab::session {

/// `device`, or it with a few multiprocessors, as long as the configuration is valid there; none: on neither.
std::optional<DeviceInfo> device_of_any(const Variant& variant, const Problem& problem,
                                        const Configuration& configuration, const DeviceInfo& device);

/// The device for which a check makes a small problem's plan: `device` with so few multiprocessors that every block
/// (or cluster) that is persistent has three work tiles or more, and there are up to three of these; `device` itself
/// where its plan does not depend on them, or where on fewer the configuration is not valid or leaves out a launch.
/// None: it is valid on neither.
std::optional<DeviceInfo> device_of_few(const Family& family, const Variant& variant, const Problem& problem,
                                        const Configuration& configuration, const DeviceInfo& device);

}  // namespace kerlab::session
