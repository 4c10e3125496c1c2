#pragma once
// Loads in loops that wait: while (flag == 0) {}.

#include <vector>

#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

/// The volatile loads whose value decides at the end of their block whether they are done again soon.
std::vector<const ptx::Instruction*> polling_loads(const ptx::Kernel& kernel);

}  // namespace kerlab::emu
