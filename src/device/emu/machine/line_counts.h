#pragma once
// What a launch executed, by PTX instruction.

#include <span>
#include <vector>

#include "device/emu/machine/block_runner.h"

namespace kerlab::emu {

/// Sums over the threads of a launch: by block of the program, by Program::counted_ops, by PTX instruction.
struct ExecutionSums {
  std::vector<Executions> blocks, counted;
  std::vector<InstructionCosts> costs;
  void add(const BlockRunner& runner, const Cta& cta);
};

/// The instructions that were executed, in PTX order.
std::vector<LineCounts> line_counts(const Program& program, const ExecutionSums& sums);

}  // namespace kerlab::emu
