#pragma once
// The bottleneck of a problem before any kernel is looked at; of a family that says that it is a GEMM ([library.gemm]
// with m, n and k) from its extents, of one that works along rows from these.

#include "model/row_bottleneck.h"
#include "spec/spec.h"

namespace kerlab::session {

/// The extents of the product; nothing for other families, and where there is nothing to multiply.
std::optional<GemmShape> gemm_shape(const Family& family, const Problem& problem);

/// The rows that a family of the group "rows" gives its results in, if its reference gives a row at a time
/// (`outputs_per_index`); what has as many rows is read row by row. Nothing for other families.
std::optional<RowShape> row_shape(const Family& family, const Problem& problem);

/// Of a GEMM what follows the product does not matter.
ProblemBottleneck bottleneck_of(const Family& family, const Problem& problem, const DeviceInfo& device);

}  // namespace kerlab::session
