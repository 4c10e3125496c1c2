#pragma once
// One of the blocks that wait for each other is held up for a while, as a GPU may do to any: who gives up looking for
// what it tells, after some thousand looks, is wrong.

#include <cstdint>
#include <vector>

#include "device/emu/machine/cluster_runner.h"

namespace kerlab::emu {

/// Holds up one of the clusters, which have all begun: which one, and behind how many of its writes, `draw` tells. The
/// others run until they wait; then two of them look thousands of times. All go on from there.
void hold_back(const std::vector<ClusterRunner*>& running, std::uint32_t draw);

}  // namespace kerlab::emu
