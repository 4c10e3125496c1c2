#pragma once
// setmaxnreg: nothing changes for an emulated warp, but what would hang or break a GPU is a fault.

#include <vector>

#include "device/emu/machine/warp_state.h"

namespace kerlab::emu {

/// 32-bit registers of a multiprocessor, which one block can have at most (Hopper tuning guide). What a launch is given
/// of them is a multiple of 8 for every thread; setmaxnreg moves these between warpgroups, and waits for ever where a
/// block asks for more (seen on an H200: 384 threads have 168 each, 504 for three warpgroups, not 512).
inline constexpr std::int64_t kRegisterFile = 65536;
inline constexpr std::uint32_t kWarpgroup = 4;  ///< warps

/// A warp asks for `limit` registers a thread. Raises when that is no possible number, when it is the wrong direction,
/// when the block has no whole warpgroups, or when all warps of the block together ask for more than there are.
void set_register_limit(std::vector<WarpState>& warps, WarpState& warp, const Op& op);
/// When the block has ended: all warps of a warpgroup must have executed the same setmaxnreg. Raises.
void check_register_limits(const std::vector<WarpState>& warps);

}  // namespace kerlab::emu
