#pragma once
// Do the operands fit the opcode?

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

/// What ptxas would refuse and handlers rely on: kinds of operands, predicates where predicates belong, registers as
/// wide as the type says, vectors of the right length. Throws Unsupported with place and operand.
void check(const Kernel& kernel, const Instruction& instruction);

}  // namespace kerlab::ptx
