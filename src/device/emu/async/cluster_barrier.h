#pragma once
// barrier.cluster: every thread of the cluster arrives and then waits, in turn; a phase ends when all that have not
// exited have arrived (PTX ISA, "barrier.cluster").

#include <cstdint>

#include "device/emu/machine/warp_state.h"

namespace kerlab::emu {

/// The handler of barrier.cluster.arrive.
void arrive_at_cluster_barrier(Warp& warp, const Op& op, std::uint32_t lanes);
/// Of lanes that wait at `op`: those whose phase has ended. Raises when one has not arrived.
std::uint32_t past_cluster_barrier(const WarpState& warp, const Op& op, std::uint32_t lanes);
/// They have waited: their next arrival is in the next phase.
void leave_cluster_barrier(WarpState& warp, std::uint32_t lanes);
/// Threads that exit are waited for no longer.
void exit_cluster(WarpState& warp, std::uint32_t lanes);

/// mapa, getctarank, barrier.cluster.arrive; null for anything else.
Handler select_cluster(const ptx::Instruction& instruction);

}  // namespace kerlab::emu
