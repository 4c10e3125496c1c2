// Until the families land: null for every instruction. The linker prefers the real ones.
#include "device/emu/machine/op.h"
namespace kerlab::ptx {
struct Instruction;
}
namespace kerlab::emu {
namespace portable {
[[gnu::weak]] Handler select_approximate(const ptx::Instruction&);
[[gnu::weak]] Handler select_approximate(const ptx::Instruction&) {
  return nullptr;
}
}  // namespace portable
namespace v3 {
[[gnu::weak]] Handler select_approximate(const ptx::Instruction&);
[[gnu::weak]] Handler select_approximate(const ptx::Instruction&) {
  return nullptr;
}
}  // namespace v3
}  // namespace kerlab::emu
