#include "device/emu/sanitize/byte_ranges.h"

#include <algorithm>
#include <bit>

namespace kerlab::emu {

void ByteRanges::add(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
  while (at != ranges_.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = ranges_.erase(at);
  }
  ranges_[begin] = end;
}

void ByteRanges::add(const ByteRanges& others) {
  for (const auto& [begin, end] : others.ranges_) add(begin, end);
}

void ByteRanges::add_bits(std::uint64_t address, std::uint64_t bits) {
  while (bits != 0) {
    const int first = std::countr_zero(bits);
    const int length = std::countr_one(bits >> first);
    add(address + static_cast<std::uint64_t>(first), address + static_cast<std::uint64_t>(first + length));
    bits = first + length >= 64 ? 0 : bits >> (first + length) << (first + length);
  }
}

void ByteRanges::remove(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second > begin) --at;
  while (at != ranges_.end() && at->first < end) {
    const auto [first, last] = *at;
    at = ranges_.erase(at);
    if (first < begin) ranges_[first] = begin;
    if (last > end) ranges_[end] = last;
  }
}

std::uint64_t ByteRanges::mask(std::uint64_t address) const {
  std::uint64_t bits = 0;
  const std::uint64_t limit = address + 64;
  auto at = ranges_.upper_bound(address);
  if (at != ranges_.begin() && std::prev(at)->second > address) --at;
  for (; at != ranges_.end() && at->first < limit; ++at) {
    const std::uint64_t first = std::max(at->first, address) - address, last = std::min(at->second, limit) - address;
    bits |= (last - first == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (last - first)) - 1) << first;
  }
  return bits;
}

}  // namespace kerlab::emu
