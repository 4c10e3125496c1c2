#pragma once
// Declarations of variables in memory, with their initial values.

#include <cstddef>
#include <string_view>
#include <vector>

#include "device/emu/ptx/token_stream.h"

namespace kerlab::ptx {

struct Variable {
  std::string_view name;
  Type type = Type::none;
  std::int64_t align = 1;
  std::int64_t bytes = 0;  ///< 0: an array without size
  std::int32_t line = 0;

  struct Address {
    std::int64_t at = 0;
    std::string_view symbol;
    std::int64_t addend = 0;
    bool generic = false;
    std::int32_t line = 0;
  };
  std::vector<std::byte> image;  ///< as far as written
  std::vector<Address> addresses;
};

/// ".align 8 .b8 name[4][2] = { ... }", from after the state space to before "," or ";". Throws Error, Unsupported.
Variable parse_variable(TokenStream& tokens);

}  // namespace kerlab::ptx
