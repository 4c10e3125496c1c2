#pragma once
// What the instructions that issue bulk copies have in common: operands checked, as ptx::Instruction orders them.

#include <cstdint>

#include "device/emu/async/bulk_copy.h"
#include "device/emu/async/shared_place.h"

namespace kerlab::emu {

/// A copy of the lane that executes the instruction; all else is to be filled in.
BulkCopy copy_of(const Issuer& who);
/// The bulk group that the next commit of the lane closes.
std::uint32_t group_of(const Issuer& who);
/// Where a copy of copy.bytes to shared memory goes (`to`, a multiple of `align`), and the mbarrier that it completes
/// on: of one block.
void set_target(const Issuer& who, BulkCopy& copy, int to, int mbarrier, std::uint32_t align);
/// Which blocks a multicast goes to, one bit each: all must be there.
std::uint32_t multicast_targets(const Issuer& who, std::uint64_t mask);

/// cp.async.bulk, cp.reduce.async.bulk, st.async, red.async, and their groups; null for what is none of them.
Handler select_bulk(const ptx::Instruction& instruction);
/// Tensor copies and tensormap instructions.
Handler select_tensor(const ptx::Instruction& instruction);

}  // namespace kerlab::emu
