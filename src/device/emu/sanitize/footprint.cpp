#include "device/emu/sanitize/footprint.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace kerlab::emu {
namespace {

/// Finds the touch of a line, or adds one. Lanes mostly go through the lines in order: what lies beyond all so far is
/// new.
class Touches {
 public:
  explicit Touches(std::vector<Touch>& touches) : touches_(touches) { touches_.clear(); }

  Touch& of(std::int64_t line) {
    if (line <= highest_ && line >= lowest_) {
      for (std::size_t i = touches_.size(); i-- > 0;) {
        if (touches_[i].line == line) return touches_[i];
      }
    }
    lowest_ = std::min(lowest_, line);
    highest_ = std::max(highest_, line);
    Touch& touch = touches_.emplace_back();
    touch.line = line;
    touch.lane.fill(kNoLane);
    return touch;
  }

 private:
  std::vector<Touch>& touches_;
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest_ = std::numeric_limits<std::int64_t>::min();
};

/// A lane touches `bytes` of the line, from byte `at` on.
void add(Touch& touch, std::uint32_t at, std::uint32_t bytes, int lane) {
  std::uint8_t* const lanes = touch.lane.data() + at;
  const std::uint64_t these = ((std::uint64_t{1} << bytes) - 1) << at;
  if ((touch.bytes & these) == 0) {
    std::memset(lanes, lane, bytes);
  } else {
    for (std::uint32_t i = 0; i < bytes; ++i)
      lanes[i] = lanes[i] == kNoLane ? static_cast<std::uint8_t>(lane) : kSeveralLanes;
  }
  touch.bytes |= these;
}

}  // namespace

void find_footprint(const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes, Footprint& footprint) {
  Touches touches(footprint.touches);
  footprint.overlap = false;
  const std::int64_t first = offset[std::countr_zero(mask)] / kLineBytes;
  const std::uint64_t low = (std::uint64_t{1} << bytes) - 1;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Touch& touch = touches.of(std::int64_t{offset[lane] / kLineBytes} - first);
    const std::uint32_t at = offset[lane] % kLineBytes;
    footprint.overlap |= (touch.bytes >> at & low) != 0;
    add(touch, at, bytes, lane);
  }
}

const Footprint& FootprintCache::find(const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes) {
  if (entries_.empty()) entries_.resize(kLineBytes / std::min(bytes, 16u));  // one for each place in a line
  const std::uint32_t first = offset[std::countr_zero(mask)];
  const std::uint32_t phase = first % kLineBytes;
  Entry& entry = entries_[phase * entries_.size() / kLineBytes];
  if (mask == ~0u && entry.mask == mask && entry.bytes == bytes && entry.phase == phase) {
    std::uint32_t differ = 0;
    for (int lane = 0; lane < kLanes; ++lane) differ |= (offset[lane] - first) ^ entry.relative[lane];
    if (differ == 0) return entry.footprint;
  }
  entry.mask = mask;
  entry.bytes = bytes;
  entry.phase = phase;
  for (int lane = 0; lane < kLanes; ++lane) entry.relative[lane] = offset[lane] - first;
  find_footprint(offset, mask, bytes, entry.footprint);
  return entry.footprint;
}

}  // namespace kerlab::emu
