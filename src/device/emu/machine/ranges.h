#pragma once
// Which global memory a launch has written.

#include <vector>

#include "plan/counts.h"

namespace kerlab::emu {

/// Sorts the ranges and joins those that touch.
void merge(std::vector<AddressRange>& ranges);

}  // namespace kerlab::emu
