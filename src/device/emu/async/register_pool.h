#pragma once
// setmaxnreg: nothing changes for an emulated warp, but what would hang or break a GPU is a fault.

#include <vector>

#include "device/emu/machine/warp_state.h"

namespace kerlab::emu {

/// 32-bit registers of a multiprocessor, which one block can have at most (Hopper tuning guide).
inline constexpr std::int64_t kRegisterFile = 65536;
inline constexpr std::uint32_t kWarpgroup = 4;  ///< warps

/// A warp asks for `limit` registers a thread. Raises when that is no possible number, when it is the wrong direction,
/// when the block has no whole warpgroups, or when all warps of the block together ask for more than there are.
void set_register_limit(std::vector<WarpState>& warps, WarpState& warp, const Op& op);
/// When the block has ended: all warps of a warpgroup must have executed the same setmaxnreg. Raises.
void check_register_limits(const std::vector<WarpState>& warps);

}  // namespace kerlab::emu
