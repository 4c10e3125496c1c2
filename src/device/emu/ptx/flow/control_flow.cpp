#include "device/emu/ptx/flow/control_flow.h"

#include <algorithm>

#include "device/emu/ptx/flow/dominators.h"
#include "device/emu/ptx/flow/loop_nest.h"

namespace kerlab::ptx {
namespace {

bool leaves(const Instruction& instruction) {
  return instruction.opcode == Opcode::exit || instruction.opcode == Opcode::ret || instruction.opcode == Opcode::trap;
}

bool ends_block(const Instruction& instruction) {
  return leaves(instruction) || instruction.opcode == Opcode::bra || instruction.opcode == Opcode::brx;
}

/// Blocks in the order of the text.
struct TextBlocks {
  std::vector<std::int32_t> begin;     ///< by block, and the end of the last one
  std::vector<std::int32_t> block_of;  ///< by instruction
};

TextBlocks text_blocks(const Kernel& kernel) {
  const auto count = static_cast<std::int32_t>(kernel.instructions.size());
  std::vector<bool> leader(kernel.instructions.size() + 1, false);
  leader[0] = true;
  for (std::int32_t i = 0; i < count; ++i) {
    const Instruction& instruction = kernel.instructions[i];
    if (ends_block(instruction)) leader[i + 1] = true;
    if (instruction.opcode == Opcode::bra) leader[instruction.operands[0].value] = true;
    if (instruction.opcode != Opcode::brx) continue;
    for (const std::int32_t target : kernel.branch_tables[instruction.operands[1].value]) leader[target] = true;
  }
  TextBlocks blocks;
  blocks.block_of.resize(kernel.instructions.size());
  for (std::int32_t i = 0; i < count; ++i) {
    if (leader[i]) blocks.begin.push_back(i);
    blocks.block_of[i] = static_cast<std::int32_t>(blocks.begin.size()) - 1;
  }
  blocks.begin.push_back(count);
  return blocks;
}

/// Where control goes from the end of each block: taken targets first, then what follows.
Graph text_graph(const Kernel& kernel, const TextBlocks& blocks) {
  Graph graph(blocks.begin.size() - 1);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Instruction& last = kernel.instructions[blocks.begin[i + 1] - 1];
    const auto to = [&](std::int32_t block) {
      if (std::find(graph[i].begin(), graph[i].end(), block) == graph[i].end()) graph[i].push_back(block);
    };
    if (last.opcode == Opcode::bra) to(blocks.block_of[last.operands[0].value]);
    if (last.opcode == Opcode::brx) {
      for (const std::int32_t target : kernel.branch_tables[last.operands[1].value]) to(blocks.block_of[target]);
    }
    const bool goes_on = !ends_block(last) || last.guard >= 0;
    if (goes_on && i + 1 < graph.size()) to(static_cast<std::int32_t>(i + 1));
  }
  return graph;
}

/// Post-dominators: dominators of the reversed graph, from one exit added behind all blocks that leave.
void add_post_dominators(const Kernel& kernel, ControlFlow& flow) {
  const auto count = static_cast<std::int32_t>(flow.blocks.size());
  Graph reversed(flow.blocks.size() + 1);
  for (std::int32_t i = 0; i < count; ++i) {
    const Block& block = flow.blocks[i];
    for (const std::int32_t next : block.successors) reversed[next].push_back(i);
    if (leaves(kernel.instructions[block.end - 1]) || block.successors.empty()) reversed[count].push_back(i);
  }
  const std::vector<std::int32_t> dominators = immediate_dominators(reversed, count);
  for (std::int32_t i = 0; i < count; ++i) {
    flow.blocks[i].immediate_post_dominator = dominators[i] == count ? -1 : dominators[i];
  }
}

}  // namespace

ControlFlow control_flow(const Kernel& kernel) {
  ControlFlow flow;
  if (kernel.instructions.empty()) return flow;
  const TextBlocks text = text_blocks(kernel);
  const Graph graph = text_graph(kernel, text);
  const LoopNest nest = loop_nest(graph);
  std::vector<std::int32_t> place(graph.size(), -1);
  for (std::size_t i = 0; i < nest.order.size(); ++i) place[nest.order[i]] = static_cast<std::int32_t>(i);
  flow.blocks.resize(nest.order.size());
  Graph ordered(nest.order.size());
  for (std::size_t i = 0; i < nest.order.size(); ++i) {
    const std::int32_t from = nest.order[i];
    Block& block = flow.blocks[i];
    block.begin = text.begin[from];
    block.end = text.begin[from + 1];
    block.loop_depth = nest.depth[from];
    block.loop_header = nest.header[from] < 0 ? -1 : place[nest.header[from]];
    for (const std::int32_t next : graph[from]) {
      block.successors.push_back(place[next]);
      flow.blocks[place[next]].predecessors.push_back(static_cast<std::int32_t>(i));
    }
    ordered[i] = block.successors;
  }
  const std::vector<std::int32_t> dominators = immediate_dominators(ordered, 0);
  for (std::size_t i = 0; i < flow.blocks.size(); ++i) flow.blocks[i].immediate_dominator = dominators[i];
  add_post_dominators(kernel, flow);
  flow.block_of.resize(kernel.instructions.size());
  for (std::size_t i = 0; i < flow.block_of.size(); ++i) flow.block_of[i] = place[text.block_of[i]];
  return flow;
}

}  // namespace kerlab::ptx
