#pragma once
// Kernels for tests of control flow: from a graph drawn as a list, and random ones.

#include <cstdint>
#include <random>
#include <vector>

#include "device/emu/ptx/ir.h"
#include "modules.h"

namespace kerlab::ptx::test {

inline Operand register_operand(std::int32_t value) {
  Operand operand;
  operand.kind = OperandKind::reg;
  operand.value = value;
  return operand;
}

inline Operand label_operand(std::int32_t value) {
  Operand operand;
  operand.kind = OperandKind::label;
  operand.value = value;
  return operand;
}

inline Instruction add_instruction(std::int32_t d, std::int32_t a, std::int32_t b) {
  Instruction add;
  add.opcode = Opcode::add;
  add.types = {Type::s32};
  add.operands = {register_operand(d), register_operand(a), register_operand(b)};
  return add;
}

/// Block i goes to edges[i]: none: it ends; one: branch; two: a guarded branch and the next. Register 0 is the
/// predicate. Each block begins with `work[i]` adds of random registers. Blocks stand in the order of their numbers;
/// what a guarded branch does not take is reached by a second branch.
inline Kernel kernel_of(const std::vector<std::vector<std::int32_t>>& edges, std::mt19937& random, int registers,
                        int work) {
  Kernel kernel;
  kernel.name = "graph";
  kernel.registers.push_back({Type::pred, "%p"});
  for (int i = 0; i < registers; ++i) {
    kernel.registers.push_back({random() % 3 == 0 ? Type::b64 : Type::b32, "%r" + std::to_string(i)});
  }
  const auto any = [&] { return static_cast<std::int32_t>(1 + random() % static_cast<unsigned>(registers)); };
  std::vector<std::int32_t> begin;
  for (const std::vector<std::int32_t>& targets : edges) {
    begin.push_back(static_cast<std::int32_t>(kernel.instructions.size()));
    for (int i = 0; i < work && registers > 0; ++i) {
      kernel.instructions.push_back(add_instruction(any(), any(), any()));
      if (random() % 4 == 0) kernel.instructions.back().guard = 0;
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      Instruction branch;
      branch.opcode = Opcode::bra;
      branch.guard = i + 1 < targets.size() ? 0 : -1;
      branch.operands = {label_operand(targets[i])};
      kernel.instructions.push_back(branch);
    }
    if (targets.empty()) kernel.instructions.emplace_back().opcode = Opcode::exit;
  }
  for (Instruction& instruction : kernel.instructions) {
    if (instruction.opcode == Opcode::bra) instruction.operands[0].value = begin[instruction.operands[0].value];
  }
  return kernel;
}

inline std::vector<std::vector<std::int32_t>> random_edges(std::mt19937& random, int blocks) {
  std::vector<std::vector<std::int32_t>> edges(static_cast<std::size_t>(blocks));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const unsigned kind = random() % 8;
    const auto target = [&] { return static_cast<std::int32_t>(random() % static_cast<unsigned>(blocks)); };
    if (kind == 0) continue;
    edges[i].push_back(kind < 4 ? static_cast<std::int32_t>((i + 1) % edges.size()) : target());
    if (kind % 2 == 1) edges[i].push_back(target());
  }
  return edges;
}

}  // namespace kerlab::ptx::test
