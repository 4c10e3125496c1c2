#pragma once
// The regime of a problem whose family says that it is a GEMM ([library.gemm] with m, n and k).

#include "model/gemm_regime.h"
#include "spec/spec.h"

namespace kerlab {

/// The extents of the product; nothing for other families, and where there is nothing to multiply.
std::optional<GemmShape> gemm_shape(const Family& family, const Problem& problem);

/// Nothing for other families, and where there is nothing to multiply. What follows the product does not matter.
std::optional<GemmRegime> regime_of(const Family& family, const Problem& problem, const DeviceInfo& device);

/// "skinny: 1 row, B is 100 % of the traffic; lever: B as a stream: about 28 KiB in flight on every SM; ..."
std::string regime_text(const GemmRegime& regime);

}  // namespace kerlab
