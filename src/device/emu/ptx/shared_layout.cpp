#include "device/emu/ptx/shared_layout.h"

#include <fmt/core.h>

#include <algorithm>

#include "device/emu/ptx/function.h"

namespace kerlab::ptx {

void lay_out_shared(Kernel& kernel) {
  bool has_extern = false;
  for (Symbol& symbol : kernel.symbols) {
    if (symbol.space != Space::shared) continue;
    if (symbol.bytes == 0) {
      has_extern = true;
      kernel.extern_shared_align = std::max(kernel.extern_shared_align, symbol.align);
      continue;
    }
    symbol.offset = round_up(kernel.shared_bytes, symbol.align);
    kernel.shared_bytes = symbol.offset + symbol.bytes;
    if (kernel.shared_bytes > kMostSharedBytes) {
      throw Unsupported(fmt::format("ptx: kernel '{}' has {} bytes of shared variables: the limit is {}", kernel.name,
                                    kernel.shared_bytes, kMostSharedBytes));
    }
  }
  if (!has_extern) return;
  kernel.shared_bytes = round_up(kernel.shared_bytes, kernel.extern_shared_align);
  for (Symbol& symbol : kernel.symbols) {
    if (symbol.space == Space::shared && symbol.bytes == 0) symbol.offset = kernel.shared_bytes;
  }
}

}  // namespace kerlab::ptx
