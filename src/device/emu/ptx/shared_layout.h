#pragma once

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

/// Shared variables one after the other; those without a size begin where all others end. Throws Unsupported when they
/// take more than any GPU has.
void lay_out_shared(Kernel& kernel);

}  // namespace kerlab::ptx
