#pragma once
// What the memory, atomic and warp handlers see beyond their warp.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/emu/async/pipeline_counter.h"
#include "device/emu/async/wgmma_groups.h"
#include "device/emu/machine/op.h"
#include "device/emu/machine/reuse.h"
#include "plan/counts.h"

namespace kerlab::emu {

/// Generic addresses: shared, local and parameter memory are windows at addresses that no allocation has. In .shared
/// (.local) space the address is the offset from the window's base; constant variables lie in global memory. What such
/// an address of .shared means: kClusterShift.
inline constexpr std::uint64_t kSharedWindow = 1ull << 56, kLocalWindow = 2ull << 56, kParameterWindow = 3ull << 56,
                               kWindowBytes = 1ull << 32;

/// The device's memory. A device pointer is the host address in one reserved range.
class GlobalMemory;

/// A launch that failed: what, where. Not an error of the emulated device but of the kernel.
class MachineFault : public DeviceFault {
 public:
  MachineFault(FaultKind kind, const std::string& message, const ptx::Instruction* instruction = nullptr)
      : DeviceFault(kind, message, true), instruction_(instruction) {}
  /// Where; null when unknown.
  [[nodiscard]] const ptx::Instruction* instruction() const noexcept { return instruction_; }

 private:
  const ptx::Instruction* instruction_;
};
/// Throws MachineFault: "illegal address: ld.global.f32 reads 4 bytes at 0x... , 16 bytes after the end of ... ; lane
/// 3 of warp 2, block (1,0,0), ptx line 120, gemm.cu:88".
/// `what`: "reads outside every allocation"; `address` and `bytes` are told too when bytes > 0. Out of line, for
/// handlers.
[[noreturn]] void raise(FaultKind kind, const Warp& warp, const Op& op, int lane, const char* what,
                        std::uint64_t address = 0, int bytes = 0);
/// Remembers a write to global memory (out of line, for handlers).
void note_write(Cta& cta, std::uint64_t begin, std::uint64_t end);

/// Addresses in .shared, ::cta and ::cluster: the rank of the block in its cluster << 24 | the offset in its shared
/// memory, as on sm_90: what `mov` makes of a variable, cvta and mapa. The same within kSharedWindow. Without clusters,
/// and for rank 0, it is the offset alone.
inline constexpr int kClusterShift = 24;

struct Cluster;      // async/cluster.h
class Sanitizer;     // sanitize/sanitizer.h
struct BlockShadow;  // sanitize/sanitizer.h

/// One launch: shared by all its blocks on all threads; constant while they run.
struct LaunchState {
  GlobalMemory* memory = nullptr;
  const std::byte* parameters = nullptr;
  std::int64_t parameter_bytes = 0;
  Dim3 grid, block;
  bool parallel = false;           ///< blocks run on several threads: global atomics must be atomic on the host too
  bool count = false;              ///< memory handlers count sectors, wavefronts and bytes
  bool record_writes = false;      ///< memory and atomic handlers call note_write
  Sanitizer* sanitizer = nullptr;  ///< told of everything in mode sanitize (one thread then), else null
  const std::vector<std::string>* files = nullptr;  ///< Module::files, for messages
  std::uint64_t grid_workspace = 0;                 ///< %envreg1 and %envreg2; 0: none
  bool parts_active = false;                        ///< see MachineLaunch
};

/// What one PTX instruction cost, of those that a launch counts one by one (see LineCounts).
struct InstructionCosts {
  std::int64_t global_requests = 0, shared_requests = 0, bytes = 0;
  std::int64_t sectors = 0, least_sectors = 0;
  std::int64_t wavefronts = 0, least_wavefronts = 0;
  std::int64_t waits = 0, divergences = 0;
  InstructionCosts& operator+=(const InstructionCosts& other);
};

/// One block on one thread.
struct Cta {
  const LaunchState* launch = nullptr;
  std::byte* shared = nullptr;
  std::uint32_t shared_bytes = 0;  ///< static and dynamic
  Dim3 index;
  std::uint32_t rank = 0;                ///< in its cluster
  Cluster* cluster = nullptr;            ///< its blocks, and the copies that are under way
  bool ended = false;                    ///< all its threads have exited
  std::int64_t effects = 0;              ///< grows with all that may change more than registers and shared memory
  std::uint32_t* bulk_groups = nullptr;  ///< groups of bulk copies that each thread has committed
  std::vector<bool> mbarriers;           ///< by offset / 8: initialised and not invalidated; empty: none yet
  BlockShadow* shadow = nullptr;         ///< of the sanitizer
  Counts counts;                         ///< of this thread's blocks so far
  SectorReuse reuse;                     ///< in count mode
  PipelineCounter pipeline;              ///< in count mode
  std::vector<InstructionCosts> costs;   ///< the same by index in Kernel::instructions; empty unless the launch counts
  const ptx::Instruction* first_instruction = nullptr;  ///< of the kernel
  std::vector<AddressRange> written;                    ///< of this thread's blocks so far, merged now and then
  AddressRange allocations[16];                         ///< found last, by instruction (access.h)
  std::vector<WgmmaGroups> wgmma;                       ///< by warp, as far as they have issued any

  /// The address in .shared of its first byte.
  [[nodiscard]] std::uint32_t shared_begin() const { return rank << kClusterShift; }
};

/// The costs of an instruction; null in a launch that does not count.
InstructionCosts* costs_of(Cta& cta, const Op& op);
/// What an instruction has added to the counts since `before`, of accesses as cheap as their bytes allow.
void add_costs(Cta& cta, const Op& op, const Counts& before);
/// A warp must wait there for others; the lanes of a warp go different ways.
void count_wait(Cta& cta, const Op& op);
void count_divergence(Cta& cta, const Op& op);

}  // namespace kerlab::emu
