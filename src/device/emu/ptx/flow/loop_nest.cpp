#include "device/emu/ptx/flow/loop_nest.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace kerlab::ptx {
namespace {

using Nodes = std::vector<std::int32_t>;

class Arranger {
 public:
  explicit Arranger(const Graph& graph) : graph_(graph), region_(graph.size(), -1), index_(graph.size(), -1) {
    nest_.depth.assign(graph.size(), 0);
    nest_.header.assign(graph.size(), -1);
    low_.assign(graph.size(), 0);
    component_.assign(graph.size(), -1);
  }

  LoopNest run() {
    std::vector<Part> parts;
    parts.push_back({reachable(), -1, 0});
    while (!parts.empty()) {
      Part part = std::move(parts.back());
      parts.pop_back();
      if (part.single) {
        nest_.order.push_back(part.nodes[0]);
        nest_.depth[part.nodes[0]] = part.depth;
        nest_.header[part.nodes[0]] = part.header;
        continue;
      }
      std::vector<Part> inner = split(part);
      std::move(inner.rbegin(), inner.rend(), std::back_inserter(parts));
    }
    return std::move(nest_);
  }

 private:
  /// A single node, or a loop still to be arranged (the whole graph, at first).
  struct Part {
    Nodes nodes;
    std::int32_t header = -1;
    std::int32_t depth = 0;
    bool single = false;
  };

  Nodes reachable() {
    Nodes found;
    if (graph_.empty()) return found;
    std::vector<bool> seen(graph_.size(), false);
    seen[0] = true;
    found.push_back(0);
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const std::int32_t next : graph_[found[i]]) {
        if (!seen[next]) found.push_back(next);
        seen[next] = true;
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  /// The components of a part without the edges to its header, in topological order; where that leaves a choice, in the
  /// order of the text.
  std::vector<Part> split(const Part& part) {
    ++regions_;
    for (const std::int32_t node : part.nodes) {
      region_[node] = regions_;
      index_[node] = -1;
    }
    header_ = part.header;
    components_.clear();
    counter_ = 0;
    for (const std::int32_t node : part.nodes) {
      if (index_[node] < 0) find_components(node);
    }
    std::vector<Part> result;
    for (const std::int32_t component : topological(part.header)) result.push_back(as_part(component, part));
    return result;
  }

  [[nodiscard]] bool inside(std::int32_t node) const { return region_[node] == regions_ && node != header_; }

  // Tarjan's algorithm with its own stack.
  void find_components(std::int32_t root) {
    struct Visit {
      std::int32_t node;
      std::size_t next;
    };
    std::vector<Visit> visits;
    const auto enter = [&](std::int32_t node) {
      index_[node] = low_[node] = counter_++;
      component_[node] = -1;
      open_.push_back(node);
      visits.push_back({node, 0});
    };
    enter(root);
    while (!visits.empty()) {
      const std::int32_t node = visits.back().node;
      if (visits.back().next < graph_[node].size()) {
        const std::int32_t next = graph_[node][visits.back().next++];
        if (!inside(next)) continue;
        if (index_[next] < 0) {
          enter(next);
        } else if (component_[next] < 0) {
          low_[node] = std::min(low_[node], index_[next]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) low_[visits.back().node] = std::min(low_[visits.back().node], low_[node]);
      if (low_[node] == index_[node]) take_component(node);
    }
  }

  void take_component(std::int32_t root) {
    Nodes& nodes = components_.emplace_back();
    for (;;) {
      const std::int32_t node = open_.back();
      open_.pop_back();
      component_[node] = static_cast<std::int32_t>(components_.size()) - 1;
      nodes.push_back(node);
      if (node == root) break;
    }
    std::sort(nodes.begin(), nodes.end());
  }

  std::vector<std::int32_t> topological(std::int32_t header) {
    std::vector<std::int32_t> waits(components_.size(), 0);
    const auto each_edge = [&](std::size_t component, auto&& visit) {
      for (const std::int32_t node : components_[component]) {
        for (const std::int32_t next : graph_[node]) {
          if (inside(next) && component_[next] != static_cast<std::int32_t>(component)) visit(component_[next]);
        }
      }
    };
    for (std::size_t i = 0; i < components_.size(); ++i) each_edge(i, [&](std::int32_t to) { ++waits[to]; });
    using Ready = std::pair<std::int32_t, std::int32_t>;  // first node, component
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto put = [&](std::int32_t component) {
      const std::int32_t first = components_[component][0];
      ready.emplace(header >= 0 && component == component_[header] ? -1 : first, component);
    };
    for (std::size_t i = 0; i < components_.size(); ++i) {
      if (waits[i] == 0) put(static_cast<std::int32_t>(i));
    }
    std::vector<std::int32_t> order;
    while (!ready.empty()) {
      const std::int32_t component = ready.top().second;
      ready.pop();
      order.push_back(component);
      each_edge(static_cast<std::size_t>(component), [&](std::int32_t to) {
        if (--waits[to] == 0) put(to);
      });
    }
    return order;
  }

  Part as_part(std::int32_t component, const Part& around) {
    const Nodes& nodes = components_[component];
    const std::int32_t first = nodes[0];
    if (nodes.size() > 1) return {nodes, entered(nodes), around.depth + 1, false};
    const bool own_loop = first != around.header && std::count(graph_[first].begin(), graph_[first].end(), first) > 0;
    if (own_loop) return {nodes, first, around.depth + 1, true};
    return {nodes, around.header, around.depth, true};
  }

  /// The first node that is entered from outside its component.
  std::int32_t entered(const Nodes& nodes) {
    if (nodes[0] == 0) return 0;
    const std::int32_t component = component_[nodes[0]];
    const auto from_outside = [&](std::int32_t node) {
      return std::any_of(predecessors(node).begin(), predecessors(node).end(), [&](std::int32_t before) {
        return region_[before] != regions_ || component_[before] != component;
      });
    };
    const auto found = std::find_if(nodes.begin(), nodes.end(), from_outside);
    return found == nodes.end() ? nodes[0] : *found;
  }

  const Nodes& predecessors(std::int32_t node) {
    if (predecessors_.empty()) {
      predecessors_.resize(graph_.size());
      for (std::size_t i = 0; i < graph_.size(); ++i) {
        if (region_[i] < 0) continue;  // unreachable
        for (const std::int32_t next : graph_[i]) predecessors_[next].push_back(static_cast<std::int32_t>(i));
      }
    }
    return predecessors_[node];
  }

  const Graph& graph_;
  LoopNest nest_;
  std::vector<std::int32_t> region_, index_, low_, component_;  ///< by node
  std::int32_t regions_ = 0, header_ = -1, counter_ = 0;
  std::vector<Nodes> components_;
  Nodes open_;
  Graph predecessors_;
};

}  // namespace

LoopNest loop_nest(const Graph& graph) {
  return Arranger(graph).run();
}

}  // namespace kerlab::ptx
