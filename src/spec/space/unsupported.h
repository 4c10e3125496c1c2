#pragma once
// Why a variant takes no part: in full, and in two or three words for a line that names many.

#include "spec/spec.h"

namespace kerlab::spec {

struct Unsupported {
  std::string reason;  ///< of the variant: "needs M <= 16 (constraint 'few_rows')"; empty: it is supported
  std::string brief;   ///< "M > 16", "no fp32", "needs few tiles"
};

/// What unsupported_reason says with the name of the variant. To be asked before enumerate().
Unsupported unsupported(const Variant& variant, const Problem& problem, const DeviceInfo& device);

}  // namespace kerlab::spec
