#pragma once
// A kernel made executable, and its launch.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/emu/machine/cta.h"
#include "device/emu/ptx/flow/control_flow.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

class KeptShared;  // kept_shared.h

/// What launches leave behind that the next one may overlap (sanitize/in_flight.h).
struct InFlight;

/// Decoded once per load; read by any number of threads.
class Program;
struct ProgramDeleter {
  void operator()(const Program* program) const noexcept;
};
using ProgramPtr = std::unique_ptr<const Program, ProgramDeleter>;

/// `global_base`, `constant_base`: where the module's variables were put. Throws ptx::Unsupported for an instruction
/// without a handler. The kernel (and `files`, Module::files, for messages) must outlive the program.
ProgramPtr lower(const ptx::Kernel& kernel, std::uint64_t global_base, std::uint64_t constant_base,
                 const std::vector<std::string>* files = nullptr);
ptx::Communication communication(const Program& program);
/// The cluster that a launch of the program has: as the launch says (1,1,1: nothing) or the kernel demands. Throws
/// MachineFault(launch_failed) when they differ, when it is too large or when the grid is no multiple of it.
Dim3 cluster_extent(const Program& program, const Dim3& grid, const Dim3& cluster);

/// Which of the blocks that are resident and wait for each other goes on first, from pass to pass. A GPU promises none.
enum class Schedule : std::uint8_t { ascending, descending, shuffled };

struct MachineLaunch {
  const Program* program = nullptr;
  GlobalMemory* memory = nullptr;
  Dim3 grid, block, cluster;  ///< cluster 1,1,1: what the kernel demands, else none
  std::uint32_t dynamic_shared = 0;
  std::span<const std::byte> parameters;
  std::vector<std::int64_t> blocks;  ///< linear indices to execute, with the rest of their clusters; empty: all
  int threads = 1;
  std::int64_t instruction_budget = 0;      ///< warp instructions per block; 0: none. Beyond it: FaultKind::timeout
  std::int64_t multiprocessors = 1;         ///< %nsmid: %smid is below it
  std::int64_t resident_blocks = 0;         ///< of communicating kernels: at most that many at once
  Schedule schedule = Schedule::ascending;  ///< of these; they begin in ascending order all the same
  /// The first cluster begins last, and only when another one has ended: whoever waits for it waits in vain.
  bool first_begins_last = false;
  /// Of mode sanitize. Not null: the launch may begin before those that left this behind have ended. Where to put what
  /// it leaves behind itself.
  const InFlight* before = nullptr;
  InFlight* after = nullptr;
  KeptShared* kept_shared = nullptr;  ///< what blocks find in shared memory, and leave there; null: they find poison
  bool last_warp_first = false;       ///< the warps of a block are scheduled in descending order
  bool impatient = false;             ///< mbarrier.try_wait comes to its time limit once before it waits
  /// activemask tells lanes that have diverged, and came together again without a barrier, of some of the others alone.
  bool parts_active = false;
  /// Of communicating kernels: a cluster that this number tells stops for a while, at a place that it tells too
  /// (hold_back.h).
  std::optional<std::uint32_t> hold_back;
  std::uint64_t grid_workspace = 0;  ///< where cooperative_groups finds the barrier of a grid
  bool count = false, record_writes = false;
  bool sanitize = false;                        ///< report findings; faults are findings too
  std::function<void(std::string_view)> print;  ///< printf of the kernel; none: stderr
};

/// Executes the launch. Throws MachineFault: of the lowest cluster that failed. A deadlock is FaultKind::timeout with
/// who waits where.
LaunchReport run(const MachineLaunch& launch);

}  // namespace kerlab::emu
