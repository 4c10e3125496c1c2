#include "device/emu/machine/handlers.h"

namespace kerlab::emu {

Handler select_async(const ptx::Instruction&) {
  return nullptr;
}

}  // namespace kerlab::emu
