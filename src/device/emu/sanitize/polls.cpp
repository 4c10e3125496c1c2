#include "device/emu/sanitize/polls.h"

#include <algorithm>

#include "device/emu/ptx/flow/control_flow.h"

namespace kerlab::emu {
namespace {

using ptx::Instruction;
using ptx::Opcode;

bool goes_to(const ptx::ControlFlow& flow, std::int32_t from, std::int32_t to) {
  const std::vector<std::int32_t>& successors = flow.blocks[static_cast<std::size_t>(from)].successors;
  return std::find(successors.begin(), successors.end(), to) != successors.end();
}

/// By way of one other block at most: what sleeps between two looks.
bool comes_back(const ptx::ControlFlow& flow, std::int32_t block) {
  const std::vector<std::int32_t>& successors = flow.blocks[static_cast<std::size_t>(block)].successors;
  return goes_to(flow, block, block) || std::any_of(successors.begin(), successors.end(), [&](std::int32_t next) {
           return flow.blocks[static_cast<std::size_t>(next)].successors.size() == 1 && goes_to(flow, next, block);
         });
}

/// Whether the branch that ends the load's block depends on what was loaded.
bool decides(const ptx::Kernel& kernel, const ptx::Block& block, std::int32_t load) {
  const auto at = [&](std::int32_t i) -> const Instruction& {
    return kernel.instructions[static_cast<std::size_t>(i)];
  };
  std::vector<std::int32_t> tainted, used;
  ptx::registers_written(kernel, at(load), tainted);
  for (std::int32_t i = load + 1; i < block.end - 1; ++i) {
    ptx::registers_read(kernel, at(i), used);
    const bool depends = std::find_first_of(used.begin(), used.end(), tainted.begin(), tainted.end()) != used.end();
    if (!depends) continue;
    ptx::registers_written(kernel, at(i), used);
    tainted.insert(tainted.end(), used.begin(), used.end());
  }
  const Instruction& last = at(block.end - 1);
  return last.opcode == Opcode::bra && std::find(tainted.begin(), tainted.end(), last.guard) != tainted.end();
}

}  // namespace

std::vector<const Instruction*> polling_loads(const ptx::Kernel& kernel) {
  std::vector<const Instruction*> found;
  const ptx::ControlFlow flow = ptx::control_flow(kernel);
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    if (!comes_back(flow, static_cast<std::int32_t>(b))) continue;
    for (std::int32_t i = flow.blocks[b].begin; i < flow.blocks[b].end; ++i) {
      const Instruction& instruction = kernel.instructions[static_cast<std::size_t>(i)];
      const bool load = instruction.opcode == Opcode::ld && instruction.modifiers.order == ptx::Order::volatile_;
      if (load && decides(kernel, flow.blocks[b], i)) found.push_back(&instruction);
    }
  }
  return found;
}

}  // namespace kerlab::emu
