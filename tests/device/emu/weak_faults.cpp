// Stand-ins until the machine brings its own: the linker prefers those.
#include <fmt/format.h>

#include "device/emu/machine/cta.h"

namespace kerlab::emu {

__attribute__((weak)) void raise(FaultKind kind, const Warp& warp, const Op&, int lane, const char* what,
                                 std::uint64_t address, int bytes) {
  throw MachineFault(kind,
                     fmt::format("{}: {} bytes at {:#x}; lane {} of warp {}", what, bytes, address, lane, warp.index));
}
__attribute__((weak)) void note_write(Cta& cta, std::uint64_t begin, std::uint64_t end) {
  cta.written.push_back({begin, end});
}

}  // namespace kerlab::emu
