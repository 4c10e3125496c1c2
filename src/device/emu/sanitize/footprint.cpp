#include "device/emu/sanitize/footprint.h"

#include <bit>
#include <cstring>

namespace kerlab::emu {
namespace {

Touch& touch_of(std::vector<Touch>& touches, std::int64_t line) {
  for (std::size_t i = touches.size(); i-- > 0;) {
    if (touches[i].line == line) return touches[i];
  }
  Touch& touch = touches.emplace_back();
  touch.line = line;
  touch.lane = LaneBytes{} + kNoLane;
  return touch;
}

std::uint8_t met(std::uint8_t before, int lane, bool whole) {
  if (!whole) return kUnknownLane;
  if (before == kNoLane) return static_cast<std::uint8_t>(lane);
  return kSeveralLanes;
}

}  // namespace

void find_footprint(const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes, Footprint& footprint) {
  footprint.touches.clear();
  footprint.overlap = false;
  const std::int64_t first = offset[std::countr_zero(mask)] / kLineBytes;
  const std::uint64_t low = (std::uint64_t{1} << bytes) - 1;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Touch& touch = touch_of(footprint.touches, std::int64_t{offset[lane] / kLineBytes} - first);
    const std::uint32_t at = offset[lane] % kLineBytes;
    const std::uint64_t these = low << at;
    footprint.overlap |= (touch.bytes & these) != 0;
    touch.bytes |= these;
    for (std::uint32_t word = at / 4; word <= (at + bytes - 1) / 4; ++word)
      touch.lane[word] = met(touch.lane[word], lane, bytes >= 4);
  }
}

const Footprint& FootprintCache::find(const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes) {
  if (entries_.empty()) entries_.resize(4);
  const std::uint32_t first = offset[std::countr_zero(mask)];
  const std::uint32_t phase = first % kLineBytes;
  Entry& entry = entries_[phase / 16];
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
