#pragma once
// How many registers straight-line code wants at once.

#include "device/emu/machine/chain.h"
#include "device/emu/ptx/flow/control_flow.h"

namespace kerlab::emu {

class RegisterPressure {
 public:
  explicit RegisterPressure(const ptx::Kernel& kernel);
  /// Sets `held` and `fetched`: at the place in `code` (without branches inside) where most registers live.
  void measure(Code code, Stretch& stretch) const;

 private:
  const ptx::Kernel& kernel_;
  ptx::ControlFlow flow_;
  ptx::Liveness liveness_;
};

}  // namespace kerlab::emu
