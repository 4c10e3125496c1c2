#pragma once
// What tests of the integer family (arithmetic, logic, shifts, moves) begin with.

#include "device/emu/handler_check.h"
#include "modules.h"

namespace kerlab::emu {

namespace portable {
Handler select_integer(const ptx::Instruction& instruction);
}
namespace v3 {
Handler select_integer(const ptx::Instruction& instruction);
}

using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline void check(const std::string& text, const Expression& expression) {
  check_handler(portable::select_integer, v3::select_integer, text, expression);
}

}  // namespace kerlab::emu
