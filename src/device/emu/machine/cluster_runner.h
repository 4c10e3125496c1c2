#pragma once
// Executes clusters, one at a time: the unit of work of a launch. The blocks of a cluster run together on one thread,
// warps in turn; a launch without clusters has clusters of one block.

#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "device/emu/async/cluster.h"
#include "device/emu/machine/block_runner.h"

namespace kerlab::emu {

/// Blocks of a cluster on Hopper, beyond the 8 that every kernel may ask for (CUDA C++ Programming Guide,
/// cudaFuncAttributeNonPortableClusterSizeAllowed, which kerlab always sets).
inline constexpr std::int64_t kMostClusterBlocks = 16;

class ClusterRunner {
 public:
  explicit ClusterRunner(const BlockSetting& setting);
  ClusterRunner(const ClusterRunner&) = delete;
  ClusterRunner& operator=(const ClusterRunner&) = delete;

  /// `index`: of the cluster in the grid of clusters, x fastest.
  void begin(std::int64_t index);
  /// Each warp of each block has a turn; where that helps nobody, copies under way are done. `stuck`: deadlock, unless
  /// another cluster can help.
  Round pass();
  [[nodiscard]] bool finished() const;
  /// In small steps, until it has done so many that may change memory; false: it has ended, or waits before.
  bool run_to_effect(std::int64_t effects);
  /// BlockRunner::looks of its blocks.
  [[nodiscard]] std::int64_t looks() const;
  /// Until all blocks have ended, or until `failed` is the index of an earlier cluster.
  void run(const std::atomic<std::int64_t>& failed);
  /// Of each block that has not ended: who waits where.
  [[nodiscard]] std::string waiting() const;
  [[nodiscard]] const ptx::Instruction* waiting_at() const;
  void tell_stuck() const;
  void tell_spinning() const;
  /// Grows with all that changes more than BlockRunner::hash_state of its blocks.
  [[nodiscard]] std::int64_t effects() const;
  [[nodiscard]] std::uint64_t hash_state() const;
  /// The first of its blocks, of the grid.
  [[nodiscard]] const Dim3& first_block() const { return cluster_.blocks.front()->index; }
  [[nodiscard]] std::deque<BlockRunner>& blocks() { return blocks_; }

 private:
  bool help(Round round);
  bool perform_awaited();
  bool perform_oldest();

  BlockSetting setting_;
  Cluster cluster_;
  std::deque<BlockRunner> blocks_;  ///< by rank
  std::int64_t index_ = 0;
  std::vector<SharedPlace> awaited_;
  std::uint64_t changes_ = 0;  ///< Cluster::changes when waits were last given up
  int given_up_ = 0;           ///< how often since then
};

}  // namespace kerlab::emu
