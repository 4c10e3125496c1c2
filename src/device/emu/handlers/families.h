#pragma once
// The families of arithmetic handlers and the parts that they are made of, for both builds.

#include "device/emu/machine/handlers.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu::KERLAB_ISA {

Handler select_integer(const ptx::Instruction& instruction);
Handler select_bits(const ptx::Instruction& instruction);             ///< logic, shifts, bit fields
Handler select_moves(const ptx::Instruction& instruction);            ///< mov, selp, slct, prmt
Handler select_integer_compare(const ptx::Instruction& instruction);  ///< setp, set; logic of predicates

Handler select_floating(const ptx::Instruction& instruction);
Handler select_halves(const ptx::Instruction& instruction);            ///< f16, bf16 and pairs of them
Handler select_floating_compare(const ptx::Instruction& instruction);  ///< setp, set, testp

Handler select_approximate(const ptx::Instruction& instruction);

}  // namespace kerlab::emu::KERLAB_ISA
