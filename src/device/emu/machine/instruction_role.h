#pragma once
// What part an instruction has in the run loop: straight line, or the ending of a block.

#include <cstdint>
#include <optional>

#include "device/emu/machine/program.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

/// Waits for lanes of its warp.
bool is_collective(const ptx::Instruction& instruction);
/// The ending that an instruction is, if it is one.
std::optional<End> ending(const ptx::Instruction& instruction);
/// Counts as an instruction and does nothing. Launches run one after the other, so there is no grid to wait for; and
/// one warp runs after the other, so that fences leave no choice. The sanitizer looks at them.
bool does_nothing(ptx::Opcode opcode);
/// cp.async.bulk and its groups.
bool is_bulk_copy(ptx::Opcode opcode);
/// May change what others see, beyond registers, shared and local memory and named barriers. Not of atomics: their
/// handler tells whether it did (Cta::effects).
bool has_effects(const ptx::Instruction& instruction);
/// A read that a loop may repeat until others have written.
bool is_polling(const ptx::Instruction& instruction);
/// What one turn of a loop around the instruction costs of its warp's turn: it may be waiting for other warps. Atomics
/// that add are more often work than polling.
std::int32_t waiting_cost(const ptx::Instruction& instruction);

}  // namespace kerlab::emu
