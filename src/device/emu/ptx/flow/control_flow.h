#pragma once
// Blocks of a kernel, in an order in which loops are contiguous and joins come after what joins: executing the lowest
// block first brings diverged lanes together again. Dominators, post-dominators, loops, liveness. Pure.

#include <cstdint>
#include <vector>

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

struct Block {
  std::int32_t begin = 0, end = 0;       ///< instructions
  std::vector<std::int32_t> successors;  ///< block indices: taken first, then fall-through
  std::vector<std::int32_t> predecessors;
  std::int32_t immediate_dominator = -1;       ///< -1: entry, or unreachable
  std::int32_t immediate_post_dominator = -1;  ///< -1: the exit
  std::int32_t loop_depth = 0;
  std::int32_t loop_header = -1;  ///< of the innermost loop, itself for a header
};

/// Blocks are indexed in execution order (see above); unreachable code is dropped. `block_of` an instruction is -1
/// there.
struct ControlFlow {
  std::vector<Block> blocks;
  std::vector<std::int32_t> block_of;
};
ControlFlow control_flow(const Kernel& kernel);

/// Registers that are read later, by bit (register r: word r / 64, bit r % 64), at the begin and end of each block.
struct Liveness {
  std::vector<std::vector<std::uint64_t>> in, out;
};
Liveness liveness(const Kernel& kernel, const ControlFlow& flow);

/// Which registers an instruction reads and writes; a guarded write reads its old value too.
void registers_read(const Kernel& kernel, const Instruction& instruction, std::vector<std::int32_t>& out);
void registers_written(const Kernel& kernel, const Instruction& instruction, std::vector<std::int32_t>& out);

/// Registers (by bit, as in Liveness) that a wgmma.mma_async under way may read or write at the begin of each block.
/// Empty for a kernel without any.
std::vector<std::vector<std::uint64_t>> in_flight(const Kernel& kernel, const ControlFlow& flow);
/// The same after `instruction`, from what it is before it.
void follow_flight(const Kernel& kernel, const Instruction& instruction, std::vector<std::uint64_t>& flying);

/// A place for each register in a file of 128-byte slots (32 lanes of 32 bits; 64-bit registers take two) and a file of
/// predicates. Registers whose lives do not overlap share a place.
struct RegisterPlaces {
  std::vector<std::int32_t> place;  ///< slot, or predicate index, by register; -1: never used
  std::int32_t slots = 0, predicates = 0;
};
RegisterPlaces place_registers(const Kernel& kernel, const ControlFlow& flow, const Liveness& liveness);

/// How blocks of a grid depend on each other, from the instructions alone. The blocks of a cluster run together anyway:
/// what they do in each other's shared memory does not count.
enum class Communication : std::uint8_t {
  none,          ///< blocks are independent: any order, any thread, any subset
  ordered,       ///< atomics whose results are not used: one fixed order, one thread
  communicating  ///< atomics with results used, acquire or volatile global loads: all resident, round-robin
};
Communication communication(const Kernel& kernel);

}  // namespace kerlab::ptx
