#include "device/emu/machine/reuse.h"

#include <bit>
#include <utility>

namespace kerlab::emu {
namespace {

constexpr std::size_t kLeastLines = 4096;
constexpr std::uint64_t kSectorBytes = 32, kSectorsPerLine = 4;
// A moment, in accesses of a warp: what the loads of a vector's elements are apart. Warps advance side by side, so that
// each one's own count serves as everybody's clock.
constexpr std::uint32_t kMoment = 4;

std::size_t place(std::uint64_t number, std::size_t size) {
  return static_cast<std::size_t>(number * 0x9E3779B97F4A7C15u >> 20) & (size - 1);
}

}  // namespace

void SectorReuse::begin_block() {
  ++block_;
  used_ = 0;
  accesses_.fill(0);
}

SectorReuse::Line& SectorReuse::find(std::uint64_t number) {
  for (std::size_t at = place(number, lines_.size());; at = (at + 1) & (lines_.size() - 1)) {
    Line& line = lines_[at];
    if (line.block != block_) {
      ++used_;
      return line = {number, block_, 0, 0};
    }
    if (line.number == number) return line;
  }
}

void SectorReuse::grow() {
  const std::vector<Line> old =
      std::exchange(lines_, std::vector<Line>(lines_.empty() ? kLeastLines : 2 * lines_.size()));
  used_ = 0;
  for (const Line& line : old)
    if (line.block == block_ && block_ != 0) find(line.number) = line;
}

/// Sectors of one line, by bit.
void SectorReuse::touch(std::uint64_t number, std::uint32_t sectors, std::uint32_t now) {
  if (used_ * 2 >= lines_.size()) grow();
  Line& line = find(number);
  const std::uint32_t since = now > line.when ? now - line.when : line.when - now;
  traffic_.first += std::popcount(sectors & ~line.sectors);
  if (since > kMoment) traffic_.again += std::popcount(sectors & line.sectors);
  line.sectors |= sectors;
  line.when = now;
}

void SectorReuse::see(int warp, bool write, const std::uint64_t* address, std::uint32_t mask) {
  if (block_ == 0) ++block_;
  const std::uint32_t now = ++accesses_[static_cast<std::size_t>(warp) % kMostWarps];
  std::uint64_t number = 0;  // of the line that `sectors` are of: neighbouring lanes mostly share one
  std::uint32_t sectors = 0;
  const auto end_line = [&] {
    traffic_.touched += std::popcount(sectors);
    if (write) {
      traffic_.written += std::popcount(sectors);
    } else if (sectors != 0) {
      touch(number, sectors, now);
    }
    sectors = 0;
  };
  for (; mask != 0; mask &= mask - 1) {
    const std::uint64_t sector = address[std::countr_zero(mask)] / kSectorBytes;
    if (sector / kSectorsPerLine != number) end_line();
    number = sector / kSectorsPerLine;
    sectors |= 1u << sector % kSectorsPerLine;
  }
  end_line();
}

}  // namespace kerlab::emu
