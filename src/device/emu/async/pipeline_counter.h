#pragma once
// What a block does with its mbarriers and with the groups of wgmma: see plan::Pipeline.

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/pipeline.h"

namespace kerlab::emu {

class PipelineCounter {
 public:
  void begin_block();
  /// The mbarrier at this offset of shared memory is told of bytes to expect.
  void expect(std::uint32_t mbarrier, std::int64_t bytes);
  /// A warp waits for groups of wgmma, and leaves so many on their way.
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
