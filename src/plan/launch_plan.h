#pragma once
// What to run, symbolically: no pointers. The worker binds it to buffers, once per rotation set.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/accuracy.h"
#include "plan/dtype.h"
#include "plan/tensor_map.h"

namespace kerlab::plan {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

/// By-value argument, already in the device's representation.
struct ScalarArgument {
  std::vector<std::byte> bytes;
  std::string text;  ///< for show: "alpha = 1.0f"
  bool operator==(const ScalarArgument&) const = default;
};
struct TensorArgument {
  std::string tensor;
  std::int64_t offset_bytes = 0;
  bool operator==(const TensorArgument&) const = default;
};
struct WorkspaceArgument {
  std::string workspace;
  std::int64_t offset_bytes = 0;
  bool operator==(const WorkspaceArgument&) const = default;
};
struct TensorMapArgument {
  TensorMapSpec map;  ///< its base is the tensor (or workspace) named in it
  bool operator==(const TensorMapArgument&) const = default;
};
/// Slots that only the kernels of a reference have (see ReferencePlan).
enum class ReferenceSlot : std::uint8_t { index, count, value, scale, error, code };
using Argument = std::variant<ScalarArgument, TensorArgument, WorkspaceArgument, TensorMapArgument, ReferenceSlot>;

/// zero, poison: done before every run of the plan, and timed. zero_once: when it is allocated; every run leaves zeros.
enum class WorkspaceInit : std::uint8_t { none, zero, poison, zero_once };

struct Workspace {
  std::string name;
  std::int64_t bytes = 0;
  WorkspaceInit init = WorkspaceInit::none;
  bool operator==(const Workspace&) const = default;
};

struct Launch {
  std::string kernel;  ///< extern "C" name in the image
  Dim3 grid, block;
  Dim3 cluster;                      ///< 1,1,1: no cluster attribute
  std::uint32_t dynamic_shared = 0;  ///< bytes
  std::vector<Argument> arguments;
  bool cooperative = false;  ///< all its blocks run at once, or it is refused
  bool in_order = false;     ///< it relies on blocks that begin in ascending order, or all at once
  /// It may begin before the launch before it has ended: its kernel waits by itself (griddepcontrol.wait).
  bool programmatic = false;
  std::optional<std::int32_t> carveout = {};  ///< percent of an SM's memory that is shared memory, a hint; none: any
  bool operator==(const Launch&) const = default;
};

/// How the launches of a timed run begin. held: while the device is held back, so that the device's time alone counts,
/// and short runs as a graph of many. host: each by itself, as fast as the host can. graph: the host starts one CUDA
/// graph of them. Of the last two the host's time counts, where it takes longer.
enum class Start : std::uint8_t { held, host, graph };

/// How much of a launch an emulated device executes to verify it. automatic: blocks where the PTX shows that they are
/// independent, else small. blocks: some blocks of the whole problem, and the small problem. small: the small problem,
/// whole. everything: all blocks of the whole problem. first_launch: some blocks of the plan's first launch, whatever
/// they leave for others, of which faults and writes beside the tensors are told and nothing is compared.
enum class Sampling : std::uint8_t { automatic, blocks, small, everything, first_launch };

/// What every kernel may assume of a tensor's first address, unless its variant says `alignment`.
inline constexpr std::int64_t kLeastAlignment = 16;

/// A tensor whose rows do not follow without gaps: so many elements lie between their beginnings.
struct Pitch {
  std::string tensor;
  std::int64_t elements = 0;
  bool operator==(const Pitch&) const = default;
};

/// A `__constant__` or `__device__` variable that holds what a tensor does, put there before each run, not timed.
struct SymbolCopy {
  std::string symbol, tensor;
  bool operator==(const SymbolCopy&) const = default;
};

/// Launches in order on one stream. Repetition and ping-pong are already expanded.
struct LaunchPlan {
  std::vector<Workspace> workspaces;
  std::vector<Launch> launches;
  std::int64_t alignment = kLeastAlignment;  ///< bytes: what the kernels assume of every tensor's first address
  std::vector<Pitch> pitches = {};           ///< all other tensors are dense; where there are any: checked, never timed
  Start start = Start::held;
  Accuracy accuracy = {};  ///< what its results are held to
  std::vector<SymbolCopy> symbols = {};
  std::vector<Launch> prepare = {};  ///< run before each run, whole, and not timed: from inputs into workspaces
  bool operator==(const LaunchPlan&) const = default;
};

}  // namespace kerlab::plan
