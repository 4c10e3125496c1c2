#pragma once
// Memory that repeats a pattern and costs nothing until somebody writes to it: what lies in a tensor of gigabytes.

#include <cstdint>

namespace kerlab::emu {

/// [begin, begin + bytes) shall hold what [begin, begin + kRepeatedBytes) holds, again and again. Pages that were
/// written before are given back. Throws DeviceFault(out_of_memory) where the host refuses.
void repeat_pattern(std::uint64_t begin, std::uint64_t bytes);

}  // namespace kerlab::emu
