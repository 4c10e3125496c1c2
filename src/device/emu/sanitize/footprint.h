#pragma once
// Which bytes of which lines a warp's access touches, and by which lane. Instructions mostly repeat their pattern, so
// it is kept.

#include <cstdint>
#include <span>
#include <vector>

#include "device/emu/machine/op.h"
#include "device/emu/sanitize/shadow.h"

namespace kerlab::emu {

/// Part of a line.
struct Touch {
  std::int64_t line = 0;  ///< counted from the line of the lowest lane's access
  std::uint64_t bytes = 0;
  LaneBytes lane{};  ///< by byte: kNoLane where untouched
};

struct Footprint {
  std::vector<Touch> touches;
  bool overlap = false;  ///< two lanes touch the same byte
};

/// `offset[lane]`: where the lanes of `mask` access `bytes` each, aligned, so that none crosses a line.
void find_footprint(const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes, Footprint& footprint);

/// The patterns that one instruction showed last, by where in a line they begin.
class FootprintCache {
 public:
  const Footprint& find(const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes);

 private:
  struct Entry {
    std::uint32_t mask = 0, bytes = 0, phase = 0;
    alignas(16) std::uint32_t relative[kLanes];
    Footprint footprint;
  };
  std::vector<Entry> entries_;
};

}  // namespace kerlab::emu
