#include "device/emu/ptx/flow/control_flow.h"

#include <algorithm>
#include <set>
#include <string>

#include "catch.h"
#include "device/emu/ptx_graph.h"

using namespace kerlab::ptx;
using namespace kerlab::ptx::test;

namespace {

using Edges = std::vector<std::vector<std::int32_t>>;

/// The flow of a graph whose blocks do no work: block i of the text is one instruction per successor.
ControlFlow flow_of(const Edges& edges, Kernel* out = nullptr) {
  std::mt19937 random(1);
  Kernel kernel = kernel_of(edges, random, 0, 0);
  ControlFlow flow = control_flow(kernel);
  if (out != nullptr) *out = std::move(kernel);
  return flow;
}

/// Order as numbers of the text's blocks; those of kernel_of's second branches are left out.
std::string order_of(const Edges& edges) {
  Kernel kernel;
  const ControlFlow flow = flow_of(edges, &kernel);
  std::vector<std::int32_t> begin(1, 0);
  for (const auto& targets : edges)
    begin.push_back(begin.back() + std::max<std::int32_t>(1, static_cast<std::int32_t>(targets.size())));
  std::string text;
  for (const Block& block : flow.blocks) {
    const auto at = std::find(begin.begin(), begin.end(), block.begin);
    if (at != begin.end()) text += static_cast<char>('0' + (at - begin.begin()));
  }
  return text;
}

std::set<std::int32_t> reached(const ControlFlow& flow, std::int32_t from, std::int32_t without) {
  std::set<std::int32_t> seen;
  std::vector<std::int32_t> open;
  if (from != without) open.push_back(from);
  while (!open.empty()) {
    const std::int32_t block = open.back();
    open.pop_back();
    if (!seen.insert(block).second) continue;
    for (const std::int32_t next : flow.blocks[block].successors) {
      if (next != without) open.push_back(next);
    }
  }
  return seen;
}

bool reaches_exit(const ControlFlow& flow, std::int32_t from, std::int32_t without) {
  const std::set<std::int32_t> seen = reached(flow, from, without);
  return std::any_of(seen.begin(), seen.end(), [&](std::int32_t b) { return flow.blocks[b].successors.empty(); });
}

/// The chain of immediate dominators (or post-dominators) above a block.
std::set<std::int32_t> chain(const ControlFlow& flow, std::int32_t block, std::int32_t Block::*up) {
  std::set<std::int32_t> result;
  for (block = flow.blocks[block].*up; block >= 0; block = flow.blocks[block].*up) result.insert(block);
  return result;
}

}  // namespace

TEST_CASE("control flow: an if and an else come before their join", "[ptx][flow]") {
  CHECK(order_of({{2, 1}, {3}, {3}, {}}) == "0123");
  // The rare side stands at the end of the text.
  CHECK(order_of({{3, 1}, {2}, {}, {1}}) == "0312");
}

TEST_CASE("control flow: a loop is contiguous, its exit comes behind it though the text has it inside", "[ptx][flow]") {
  // 0 -> 1 (header) -> 2 (exit) or 3 -> 1
  CHECK(order_of({{1}, {2, 3}, {}, {1}}) == "0132");
  const ControlFlow flow = flow_of({{1}, {2, 3}, {}, {1}});
  CHECK(flow.blocks[1].loop_depth == 1);
  CHECK(flow.blocks[1].loop_header == 1);
  CHECK(flow.blocks.back().loop_depth == 0);
  CHECK(flow.blocks.back().loop_header == -1);
}

TEST_CASE("control flow: nested loops with several exits", "[ptx][flow]") {
  // 1 outer header, 2 inner header; 3 leaves both (to 6) or goes on to 4; 4 -> 2 or 5; 5 -> 1 or 6.
  const Edges edges = {{1}, {2}, {3}, {6, 4}, {2, 5}, {1, 6}, {}};
  CHECK(order_of(edges) == "0123456");
  const ControlFlow flow = flow_of(edges);
  const auto depth = [&](std::int32_t begin) {
    for (const Block& block : flow.blocks) {
      if (block.begin == begin) return block.loop_depth;
    }
    return -1;
  };
  CHECK(depth(0) == 0);
  CHECK(depth(1) == 1);
  CHECK(depth(2) == 2);
  CHECK(depth(3) == 2);
  CHECK(flow.blocks.back().loop_depth == 0);
}

TEST_CASE("control flow: an irreducible graph has an order all the same", "[ptx][flow]") {
  CHECK(order_of({{1, 2}, {2, 3}, {1, 3}, {}}) == "0123");
}

TEST_CASE("control flow: unreachable code is dropped", "[ptx][flow]") {
  const ControlFlow flow = flow_of({{2}, {2}, {}});
  CHECK(flow.blocks.size() == 2);
  CHECK(flow.block_of == std::vector<std::int32_t>{0, -1, 1});
}

TEST_CASE("control flow: a guarded exit ends a block and falls through", "[ptx][flow]") {
  const ParseResult result = parse(
      ".version 8.0\n.target sm_80\n.visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<2>; @%p1 exit; add.s32 %r1, "
      "%r1, 1; ret; }");
  const ControlFlow flow = control_flow(result.module.kernels.at(0));
  REQUIRE(flow.blocks.size() == 2);
  CHECK(flow.blocks[0].successors == std::vector<std::int32_t>{1});
  CHECK(flow.blocks[0].immediate_post_dominator == -1);
  CHECK(flow.blocks[1].immediate_dominator == 0);
}

TEST_CASE("control flow: brx goes to each of its targets once", "[ptx][flow]") {
  const ParseResult result = parse(R"(.version 8.0
.target sm_80
.visible .entry k() { .reg .b32 %r<2>;
  brx.idx %r1, T;
T: .branchtargets A, B, A;
B: bra C;
A: add.s32 %r1, %r1, 1;
C: ret; })");
  REQUIRE(result.failures.empty());
  const ControlFlow flow = control_flow(result.module.kernels.at(0));
  REQUIRE(flow.blocks.size() == 4);
  CHECK(flow.blocks[0].successors == std::vector<std::int32_t>{2, 1});
  CHECK(flow.blocks[0].immediate_post_dominator == 3);
}

TEST_CASE("control flow: order, loops and dominators of random graphs", "[ptx][flow]") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(round);
    const Edges edges = random_edges(random, 2 + static_cast<int>(random() % 12));
    const ControlFlow flow = flow_of(edges);
    const auto count = static_cast<std::int32_t>(flow.blocks.size());
    for (std::int32_t b = 0; b < count; ++b) {
      const Block& block = flow.blocks[b];
      // Within the loops around a block, by their headers.
      const auto headers = [&](std::int32_t of) {
        std::set<std::int32_t> result;
        for (std::int32_t h = flow.blocks[of].loop_header; h >= 0;) {
          result.insert(h);
          // The loop around that of header h: of the nearest block before h whose depth is smaller and that is a
          // header.
          const std::int32_t depth = flow.blocks[h].loop_depth;
          std::int32_t outer = h;
          while (outer >= 0 && !(flow.blocks[outer].loop_header == outer && flow.blocks[outer].loop_depth == depth - 1))
            --outer;
          h = depth > 1 ? outer : -1;
        }
        return result;
      };
      for (const std::int32_t next : block.successors) {
        if (next <= b) REQUIRE(headers(b).count(next) == 1);
      }
      CHECK(static_cast<std::int32_t>(headers(b).size()) == block.loop_depth);
      // Every member of a loop lies between its header and its end without foreign blocks.
      if (block.loop_header >= 0) {
        for (std::int32_t i = block.loop_header; i <= b; ++i) REQUIRE(headers(i).count(block.loop_header) == 1);
        REQUIRE(reached(flow, b, -1).count(block.loop_header) == 1);
      }
      std::set<std::int32_t> dominators, post_dominators;
      for (std::int32_t other = 0; other < count; ++other) {
        if (other == b) continue;
        if (reached(flow, 0, other).count(b) == 0) dominators.insert(other);
        if (reaches_exit(flow, b, -1) && !reaches_exit(flow, b, other)) post_dominators.insert(other);
      }
      REQUIRE(chain(flow, b, &Block::immediate_dominator) == dominators);
      REQUIRE(chain(flow, b, &Block::immediate_post_dominator) == post_dominators);
    }
  }
}
