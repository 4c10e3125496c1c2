#pragma once
// Counts expected bytes of mbarriers and wgmma groups in flight of each block: see plan::Pipeline.

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/pipeline.h"

namespace kerlab::emu {

class PipelineCounter {
 public:
  void begin_block();
  /// expect_tx of the mbarrier at this offset of shared memory.
  void expect(std::uint32_t mbarrier, std::int64_t bytes);
  /// wgmma.wait_group of a warp that leaves so many groups in flight.
  void wait(std::int64_t unfinished);
  /// A warp issues its share of a wgmma.
  void product(std::int64_t flops) { products_ += flops; }
  /// Of all blocks so far, the one that runs included.
  [[nodiscard]] Pipeline pipeline() const;

 private:
  [[nodiscard]] Pipeline of_block() const;

  Pipeline ended_;                                                ///< blocks
  bool begun_ = false;                                            ///< a block
  std::vector<std::pair<std::uint32_t, std::int64_t>> expected_;  ///< bytes of this block, by mbarrier
  std::int64_t waits_ = 0, unfinished_ = 0, products_ = 0;        ///< of this block
};

}  // namespace kerlab::emu
