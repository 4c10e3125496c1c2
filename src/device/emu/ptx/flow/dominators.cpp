#include "device/emu/ptx/flow/dominators.h"

#include <algorithm>

namespace kerlab::ptx {
namespace {

/// Nodes in post-order from the root.
std::vector<std::int32_t> post_order(const Graph& graph, std::int32_t root) {
  struct Visit {
    std::int32_t node;
    std::size_t next;
  };
  std::vector<std::int32_t> order;
  std::vector<bool> seen(graph.size(), false);
  std::vector<Visit> visits{{root, 0}};
  seen[root] = true;
  while (!visits.empty()) {
    Visit& visit = visits.back();
    if (visit.next == graph[visit.node].size()) {
      order.push_back(visit.node);
      visits.pop_back();
      continue;
    }
    const std::int32_t next = graph[visit.node][visit.next++];
    if (seen[next]) continue;
    seen[next] = true;
    visits.push_back({next, 0});
  }
  return order;
}

}  // namespace

std::vector<std::int32_t> immediate_dominators(const Graph& graph, std::int32_t root) {
  const std::vector<std::int32_t> order = post_order(graph, root);
  std::vector<std::int32_t> number(graph.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<std::int32_t>(i);
  Graph predecessors(graph.size());
  for (const std::int32_t node : order) {
    for (const std::int32_t next : graph[node]) predecessors[next].push_back(node);
  }
  std::vector<std::int32_t> dominator(graph.size(), -1);
  dominator[root] = root;
  const auto common = [&](std::int32_t a, std::int32_t b) {
    while (a != b) {
      while (number[a] < number[b]) a = dominator[a];
      while (number[b] < number[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      if (*node == root) continue;
      std::int32_t best = -1;
      for (const std::int32_t before : predecessors[*node]) {
        if (dominator[before] < 0) continue;
        best = best < 0 ? before : common(best, before);
      }
      changed = changed || dominator[*node] != best;
      dominator[*node] = best;
    }
  }
  dominator[root] = -1;
  return dominator;
}

}  // namespace kerlab::ptx
