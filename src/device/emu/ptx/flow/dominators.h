#pragma once
// Immediate dominators of a graph.

#include <cstdint>
#include <vector>

#include "device/emu/ptx/flow/loop_nest.h"

namespace kerlab::ptx {

/// By node; -1 for the root and for what it does not reach. Cooper, Harvey, Kennedy: A simple, fast dominance algorithm
/// (2001).
std::vector<std::int32_t> immediate_dominators(const Graph& graph, std::int32_t root);

}  // namespace kerlab::ptx
