#pragma once
// From a problem back to what asks for it.

#include "spec/spec.h"

namespace kerlab::spec {

/// What asks for exactly that problem, its leading dimensions and hot inputs included: the same problem with one thing
/// changed is made of it.
ProblemRequest request_of(const Problem& problem);

}  // namespace kerlab::spec
