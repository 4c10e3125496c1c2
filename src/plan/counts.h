#pragma once
// What an emulated launch executed, and which part of it: plain structs that travel from worker to parent. Exact for a
// given PTX, the same on every machine and with any number of threads.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/finding.h"
#include "plan/pipeline.h"
#include "plan/stretch.h"
#include "plan/traffic.h"

namespace kerlab::plan {

/// Pipes of an SM as far as PTX tells: one lane-instruction of a class occupies its pipe once.
enum class Pipe : std::uint8_t {
  fp32,
  fp64,
  half,
  integer,
  conversion,
  special,
  compare,
  move,
  control,
  shuffle,
  global,
  shared,
  local,
  atomic,
  tensor,
  async,
  barrier
};
inline constexpr std::size_t kPipes = static_cast<std::size_t>(Pipe::barrier) + 1;
std::string_view name(Pipe pipe);

/// Sums over the blocks executed.
struct Counts {
  std::array<std::int64_t, kPipes> warp_instructions{};  ///< issued, by pipe
  std::array<std::int64_t, kPipes> lane_instructions{};  ///< with the lane active and the guard true
  std::int64_t flops = 0;         ///< add, mul 1; fma 2, by lane (half2: doubled), tensor cores not included
  std::int64_t tensor_flops = 0;  ///< 2 m n k per mma
  std::int64_t global_load_bytes = 0, global_store_bytes = 0;  ///< asked for by lanes, atomics and cp.async included
  std::int64_t global_requests = 0, global_sectors = 0;        ///< warp accesses, and 32-byte sectors they touch
  std::int64_t shared_load_bytes = 0, shared_store_bytes = 0;
  std::int64_t shared_requests = 0, shared_wavefronts = 0;  ///< warp accesses, and passes over the 32 banks
  std::int64_t local_bytes = 0;
  std::int64_t atomics = 0;  ///< by lane
  std::int64_t divergent_branches = 0;
  std::int64_t barriers = 0;       ///< arrivals, by warp
  std::int64_t barrier_waits = 0;  ///< those that had to wait for others
  bool operator==(const Counts&) const = default;
  Counts& operator+=(const Counts& other);
};

/// [begin, end) in device memory.
struct AddressRange {
  std::uint64_t begin = 0, end = 0;
  bool operator==(const AddressRange&) const = default;
};

/// What one PTX instruction did in a launch: where the counts come from.
struct LineCounts {
  CodeLine line;
  std::string text;  ///< the opcode: "ld.global.nc.v4.f32"
  Pipe pipe = Pipe::move;
  std::int64_t warp_instructions = 0, lane_instructions = 0;
  std::int64_t global_requests = 0, shared_requests = 0;  ///< warp accesses
  std::int64_t bytes = 0;                                 ///< asked for by lanes, of any memory
  std::int64_t sectors = 0, least_sectors = 0;            ///< of 32 bytes touched; as many as the bytes would fill
  std::int64_t wavefronts = 0, least_wavefronts = 0;      ///< of shared memory; without bank conflicts
  std::int64_t waits = 0;                                 ///< barriers: warps that had to wait there
  std::int64_t divergences = 0;                           ///< branches: warps that went both ways
  bool operator==(const LineCounts&) const = default;
};

/// What a launch on an emulated device did; empty on a GPU.
struct LaunchReport {
  bool emulated = false;
  std::int64_t blocks = 0, blocks_run = 0;  ///< of the grid; executed
  Counts counts;                            ///< of the blocks executed
  std::vector<Stretch> stretches;           ///< of the kernel, those executed; only in count mode
  Traffic traffic;                          ///< of the blocks executed; only in count mode
  Pipeline pipeline;                        ///< of the blocks executed; only in count mode
  std::vector<LineCounts> lines;            ///< of the instructions executed, in PTX order; only in count mode
  std::vector<Finding> findings;            ///< only in sanitize mode
  bool faulted = false;                     ///< only in sanitize mode: it ended early, with a finding that says why
  std::vector<AddressRange> written;        ///< global memory written, sorted, merged; only in check mode
};

}  // namespace kerlab::plan
