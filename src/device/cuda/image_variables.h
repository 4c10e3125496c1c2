#pragma once
// Which variables a cubin holds. The driver finds a variable by its name and does not list the names.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kerlab::device {

struct ImageVariable {
  std::string name;  ///< mangled
  std::uint64_t bytes = 0;
  bool constant = false;
};

/// Those in global memory (sections .nv.global and .nv.global.init) and `__constant__` ones (.nv.constant3). None of
/// what is no ELF file, or a damaged one.
std::vector<ImageVariable> image_variables(std::span<const std::byte> image);

}  // namespace kerlab::device
