#pragma once
// A second opinion on PTX: a scalar interpreter over the typed instructions, one lane at a time, written from the PTX
// ISA document without looking at the handlers. Slow and plain on purpose: what it computes is what tests compare with.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/emu/ptx/ir.h"
#include "plan/launch_plan.h"

namespace kerlab::oracle {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;

/// Global memory: buffers at addresses of the caller's choice.
struct Buffer {
  u64 base = 0;
  std::vector<std::byte> bytes;
};

struct Launch {
  const ptx::Kernel* kernel = nullptr;
  Dim3 grid, block;
  u32 dynamic_shared = 0;
  std::vector<std::byte> parameters;
  u64 global_base = 0, constant_base = 0;  ///< of the module's variables, which lie in a buffer too
  i64 budget = 1 << 26;                    ///< instructions of all lanes
};

/// Executes the launch block after block. Throws Error for an illegal access, a deadlock, a budget used up, or an
/// instruction that the oracle does not know.
void run(const Launch& launch, std::vector<Buffer>& memory);

}  // namespace kerlab::oracle
