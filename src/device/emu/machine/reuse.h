#pragma once
// Which sectors of global memory a block has touched before: what an L1 cache of its own would spare it.

#include <array>
#include <cstdint>
#include <vector>

#include "plan/traffic.h"

namespace kerlab::emu {

class SectorReuse {
 public:
  void begin_block();
  /// One access of a warp. `address`: in global memory, by lane of `mask`; aligned accesses of up to 32 bytes.
  void see(int warp, bool write, const std::uint64_t* address, std::uint32_t mask);
  /// Of all blocks so far.
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  static constexpr int kMostWarps = 64;
  /// Four sectors in a row.
  struct Line {
    std::uint64_t number = 0;
    std::uint32_t block = 0;  ///< that touched it; another one's: free
    std::uint32_t when = 0;   ///< accesses of the warp that touched it last, until then
    std::uint32_t sectors = 0;
  };
  Line& find(std::uint64_t number);
  void grow();
  void touch(std::uint64_t number, std::uint32_t sectors, std::uint32_t now);

  std::vector<Line> lines_;  ///< open addressing, a power of two
  std::size_t used_ = 0;
  std::uint32_t block_ = 0;
  std::array<std::uint32_t, kMostWarps> accesses_{};  ///< of each warp of this block
  Traffic traffic_;
};

}  // namespace kerlab::emu
