#pragma once
// Loops of a graph, nested, and an order of its nodes made from them.

#include <cstdint>
#include <vector>

#include "base/modules.h"

namespace kerlab::ptx {

/// Successors by node.
using Graph = std::vector<std::vector<std::int32_t>>;

struct LoopNest {
  std::vector<std::int32_t> order;   ///< the nodes that node 0 reaches
  std::vector<std::int32_t> depth;   ///< by node
  std::vector<std::int32_t> header;  ///< by node: of the innermost loop, itself for a header; -1: none
};

/// The weak topological order of Bourdoncle (Efficient chaotic iteration strategies with widenings, 1993): strongly
/// connected components in topological order, each begun by its header and then arranged in the same way without the
/// edges to the header. So every loop is contiguous, and a node comes after all its predecessors save those of back
/// edges. That holds for irreducible graphs too, where the first node entered from outside is the header.
LoopNest loop_nest(const Graph& graph);

}  // namespace kerlab::ptx
