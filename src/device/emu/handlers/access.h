#pragma once
// What memory handlers call out of line, built once for every processor: the checks of an access lane by lane, what it
// counts, and what it remembers. Handlers take short cuts only where nothing is counted or remembered.

#include <cstddef>
#include <cstdint>

#include "device/emu/machine/cta.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

enum class AccessKind : std::uint8_t { load, store, atomic, reduction };

/// `bytes` by each lane, a power of two up to 32; an address must be a multiple of it.
struct Access {
  ptx::Space space = ptx::Space::generic;
  AccessKind kind = AccessKind::load;
  int bytes = 4;
};

/// One access of a warp: pointer[lane] becomes host memory of `access.bytes` bytes for each lane of the mask, others
/// are left alone. Raises the fault of the lowest lane that is misaligned or out of bounds: of the allocation, the
/// block's shared memory, the thread's local memory or the parameters. Addresses are those of the space (generic: by
/// window; constant: of global memory). Counts into Cta::counts and calls note_write as the launch wants, before
/// anything is read or written, so call it once per access of the warp:
///   - bytes asked for by the lanes; an atomic operation loads and stores, a reduction stores;
///   - per space touched one request; global: distinct 32-byte sectors; shared: wavefronts (see count.cpp);
///   - parameters and constants count nothing.
/// `lane_bytes`: what each lane asks for when some ask for less (cp.async), at least 1; alignment stays access.bytes.
/// For handlers that access memory by rows (wmma.load): one call per row or chunk that the lanes access together.
void resolve(Warp& warp, const Op& op, std::uint32_t mask, const Access& access, const std::uint64_t* address,
             std::byte** pointer, const std::uint8_t* lane_bytes = nullptr);

/// Tells the sanitizer of an access that passed all checks: the lanes of the mask, `bytes` each, at base +
/// offset[lane].
void watch(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes, std::byte* base,
           const std::uint32_t* offset);

/// The allocation that the instruction accessed last: instructions of a loop mostly stay in theirs.
__attribute__((always_inline)) inline AddressRange& last_allocation(Cta& cta, const Op& op) {
  return cta.allocations[(reinterpret_cast<std::uintptr_t>(&op) / sizeof(Op)) % 16];
}
/// Makes the allocation that holds the address the instruction's last one; false when there is none.
bool find_allocation(Cta& cta, const Op& op, std::uint64_t address);

/// Whether host memory is the shared memory of a block of the cluster.
bool is_shared(const Cta& cta, const std::byte* host);

/// The offset of operand [base + offset] as written; Op::immediate holds one only.
std::int64_t operand_offset(const Op& op, int operand);

/// What an access took of a resource, and the least it could have: distinct 32-byte sectors touched, and as many as the
/// distinct bytes would fill; wavefronts of shared memory, and the phases that they were split into (without conflicts
/// each is one).
struct AccessCost {
  int taken = 0, least = 0;
};

/// Of a shared access of `bytes` per lane, and of a global one (aligned, up to 32 bytes per lane, `bytes` by all lanes
/// together). `Offset`: 32 or 64 bits; only those of the mask are looked at.
template <class Offset>
AccessCost shared_wavefronts(const Offset* offset, std::uint32_t mask, int bytes);
template <class Offset>
AccessCost global_sectors(const Offset* offset, std::uint32_t mask, std::int64_t bytes);

/// Counts an access that needs no resolve(): all lanes are within bounds and aligned. `access.space` is the one that
/// the lanes are in, `offset` into the window or from any multiple of 256 in global memory.
void count_access(Warp& warp, const Op& op, std::uint32_t mask, const Access& access, const std::uint32_t* offset);

}  // namespace kerlab::emu
