#pragma once
// Words for places in messages.

#include <cstdint>
#include <string>
#include <vector>

#include "device/emu/machine/program.h"
#include "plan/finding.h"
#include "plan/launch_plan.h"

namespace kerlab::emu {

/// "(3,0,0)"
std::string triple(const Dim3& index);
/// "block (3,0,0)"
std::string block_name(const Dim3& index);
/// "lanes 0-3,7"
std::string lane_list(std::uint32_t lanes);
/// A variable's own name: "_ZZ4tileILi3EEvPKfE5stage" is stage.
std::string plain_name(const std::string& symbol);
/// "warp 3", "warps 0-3,7"; ascending.
std::string warp_list(const std::vector<std::uint32_t>& warps);
/// "at bar.sync (ptx line 120, gemm.cu:88)"
std::string place(const ptx::Instruction* instruction, const std::vector<std::string>* files);
/// Without a file when the image has no line information.
CodeLine code_line(const ptx::Instruction& instruction, const std::vector<std::string>* files);
/// The instruction that ends a block, or the last before that.
const ptx::Instruction* instruction_of(const Block& block);
/// Where in a grid the linear index lies: x fastest.
Dim3 unlinear(std::int64_t linear, const Dim3& extent);

}  // namespace kerlab::emu
