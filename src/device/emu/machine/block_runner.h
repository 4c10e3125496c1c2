#pragma once
// Executes thread blocks, one at a time: its warps, their registers, shared and local memory, and the named barriers.
// All memory is kept from block to block. The blocks of a cluster, each in its own runner, are run by ClusterRunner.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/emu/async/cluster.h"
#include "device/emu/async/mbarrier.h"
#include "device/emu/async/shared_place.h"
#include "device/emu/handlers/async_copies.h"
#include "device/emu/kept_shared.h"
#include "device/emu/machine/cta.h"
#include "device/emu/machine/machine.h"
#include "device/emu/machine/program.h"
#include "device/emu/machine/warp_state.h"

namespace kerlab::emu {

inline constexpr int kBarriers = 16;

/// A named barrier. Threads arrive one by one (sm_70 and later): PTX ISA, "bar, barrier".
struct Barrier {
  bool active = false;
  int expected = 0;                    ///< threads; 0: all that have not exited
  std::vector<std::uint32_t> arrived;  ///< lanes, by warp
  int trues = 0, voters = 0;           ///< of a reduction
};

/// How often a block of the program was entered, and by how many lanes altogether.
struct Executions {
  std::int64_t warps = 0, lanes = 0;
};

/// What all blocks of a launch have in common.
struct BlockSetting {
  const Program* program = nullptr;
  const LaunchState* launch = nullptr;
  Dim3 cluster;  ///< blocks in each direction
  std::uint32_t dynamic_shared = 0;
  std::int64_t instruction_budget = 0;
  const std::function<void(std::string_view)>* print = nullptr;
  std::int64_t multiprocessors = 1;   ///< that blocks are spread over
  KeptShared* kept_shared = nullptr;  ///< what earlier launches left; null: blocks find poison
  bool impatient = false;             ///< mbarrier.try_wait gives up once before it waits
  bool last_warp_first = false;       ///< see MachineLaunch
};

struct FreeBytes {
  void operator()(std::byte* bytes) const noexcept;
};
/// 64-byte aligned, not initialised.
using AlignedBytes = std::unique_ptr<std::byte[], FreeBytes>;
AlignedBytes allocate_aligned(std::size_t bytes);

/// What a round of turns came to, the least hopeful first.
enum class Round : std::uint8_t {
  stuck,     ///< no warp could go on
  polling,   ///< those that could looked at mbarriers whose phase had not ended
  spinning,  ///< those that could may only be waiting for others: they would go on
  moved
};

class BlockRunner {
 public:
  /// `cluster` must outlive the runner, which is its block `rank`.
  BlockRunner(const BlockSetting& setting, Cluster& cluster, std::uint32_t rank);
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  void begin(std::int64_t linear_block);
  /// Each warp has a turn.
  Round pass();
  /// The same; a turn is one block of the program.
  Round step();
  [[nodiscard]] bool finished() const { return warps_left_ == 0; }
  /// The mbarriers that lanes wait for.
  void awaited(std::vector<SharedPlace>& places) const;
  /// mbarrier.try_wait may give up: those that wait see `false`. False: none waits.
  bool give_up_waits();
  /// "block (0,0,0): warp 0 lanes 0-31 at bar.sync (ptx line 120)...".
  [[nodiscard]] std::string waiting() const;
  /// Where the first warp that has not ended is; null: all have.
  [[nodiscard]] const ptx::Instruction* waiting_at() const;
  /// To the sanitizer: lanes that wait in vain for others of their warp.
  void tell_stuck() const;
  /// To the sanitizer: the loops in which lanes wait for a word of memory.
  void tell_spinning() const;
  /// Of all that decides what the block does next, but global memory and what Cta::effects counts.
  [[nodiscard]] std::uint64_t hash_state() const;

  /// How often warps have gone back to the begin of a loop that waits for what others write.
  [[nodiscard]] std::int64_t looks() const;

  [[nodiscard]] const std::vector<Executions>& executions() const { return executions_; }
  [[nodiscard]] const std::vector<Executions>& counted() const { return counted_; }
  [[nodiscard]] Cta& cta() { return cta_; }

 private:
  [[nodiscard]] const ptx::Instruction* waiting_at(const WarpState& warp, const Fragment& fragment) const;
  [[nodiscard]] const ptx::Instruction* polling_at(const Fragment& fragment) const;
  [[nodiscard]] std::string waited_phase(const WarpState& warp, const Fragment& fragment) const;
  [[nodiscard]] std::optional<MbarrierWait> awaited_by(const WarpState& warp, const Fragment& fragment) const;
  [[nodiscard]] std::uint32_t waits_elsewhere(const WarpState& warp) const;
  // run_warp.cpp
  void run_turn(WarpState& warp);
  void run_fragments(WarpState& warp);
  void run_straight(WarpState& warp, const Block& block, std::uint32_t lanes);
  void run_watched(WarpState& warp, const Block& block, std::uint32_t lanes);
  void run_guarded(WarpState& warp, const Block& block, std::uint32_t lanes);
  [[nodiscard]] static std::uint32_t guarded(const WarpState& warp, const Block& block, std::uint32_t lanes);
  void split(WarpState& warp, const Block& block, std::uint32_t taken, std::uint32_t& lanes, std::int32_t& next,
             std::int32_t& limit);

  // endings.cpp; the lanes that go on at `next` at once
  std::uint32_t end_block(WarpState& warp, std::int32_t at, std::uint32_t lanes);
  std::uint32_t converge(WarpState& warp, std::int32_t at, std::uint32_t lanes);
  std::uint32_t collective(WarpState& warp, std::int32_t at, std::uint32_t lanes);
  std::uint32_t warp_barrier(WarpState& warp, std::int32_t at, std::uint32_t lanes);
  void release_warp_barrier(WarpState& warp);
  void jump_table(WarpState& warp, const Block& block, std::uint32_t lanes);
  void exit_lanes(WarpState& warp, std::uint32_t lanes);
  void end_of_block();
  [[noreturn]] void fail_assertion(WarpState& warp, const Op& op, int lane);
  void print(WarpState& warp, const Op& op, std::uint32_t lanes);

  // barriers.cpp
  std::uint32_t barrier(WarpState& warp, std::int32_t at, std::uint32_t lanes);
  void arrive(WarpState& warp, const Op& op, std::uint32_t lanes, int id, int expected);
  [[nodiscard]] bool complete(const Barrier& barrier) const;
  void release(int id);
  void check_barriers();

  // waits.cpp
  std::uint32_t mbarrier_wait(WarpState& warp, std::int32_t at, std::uint32_t lanes);
  std::uint32_t cluster_wait(WarpState& warp, std::int32_t at, std::uint32_t lanes);
  std::uint32_t wgmma_wait(WarpState& warp, std::int32_t at, std::uint32_t lanes);
  [[nodiscard]] bool warpgroup_has_issued(const WarpState& warp, const Op& op) const;
  bool gives_up(WarpState& warp) const;
  static void remember_poll(WarpState& warp, const Op& op, std::uint32_t lanes);
  void tell_past(WarpState& warp, const Op& op, std::uint32_t lanes, State state);
  void suspend(WarpState& warp, std::int32_t at, std::uint32_t lanes, State state);
  void wake(WarpState& warp);
  void resume(WarpState& warp, int fragment, std::uint32_t lanes);
  [[nodiscard]] static std::uint32_t completed(const WarpState& warp, const Op& op, std::uint32_t lanes);
  static void set_completed(const WarpState& warp, const Op& op, std::uint32_t lanes, bool value);

  // constants.cpp
  void fill_constants();
  void fill_block_constants();
  [[nodiscard]] std::uint64_t special(ptx::Special special, const WarpState& warp, int lane) const;

  const Program& program_;
  BlockSetting setting_;
  Cta cta_;
  std::vector<WarpState> warps_;
  std::vector<AsyncCopies> async_;
  AlignedBytes registers_, shared_, local_;
  std::vector<std::uint32_t> predicates_;
  std::vector<std::uint32_t> bulk_groups_;  ///< by thread
  std::size_t local_bytes_ = 0;
  std::int64_t linear_ = 0;
  std::int64_t spent_ = 0;  ///< instructions of this block
  std::int64_t turn_ = kTurn;
  int warps_left_ = 0;
  Barrier barriers_[kBarriers];
  int active_barriers_ = 0;
  std::vector<Executions> executions_;  ///< by block of the program
  std::vector<Executions> counted_;     ///< by Program::counted_ops
};

}  // namespace kerlab::emu
