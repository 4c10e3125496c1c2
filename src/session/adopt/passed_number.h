#pragma once
// The number that the host passes to a kernel for a scalar.

#include <optional>

#include "session/adopt/host_code.h"

namespace kerlab::session {

/// Of a literal (1e-5f, -1.0), or of a variable whose first value is one; none of anything else.
std::optional<double> passed_number(const CudaTokens& argument, const HostValues& host);

}  // namespace kerlab::session
