// What an access of a warp costs in sectors and wavefronts: a model of the hardware, exact and the same everywhere.
//
// Global: a request touches the distinct 32-byte sectors that hold a byte of an active lane.
// Shared: 32 banks of 4 bytes. A request is split into phases in which the lanes ask for at most 32 words: the whole
// warp for up to 4 bytes per lane, halves for 8, quarters for 16, eighths for 32. A phase takes as many wavefronts as
// the busiest bank has distinct words; the same word for several lanes is one (broadcast). Phases without an active
// lane take none. (CUDA C++ Programming Guide, "Shared memory", compute capability 5.x and later.) Two phases are one
// where neighbours share: for 8 bytes a lane the halves, for 16 the first two quarters and the last two, if every lane
// asks for the same as lane i ^ 1, or every lane for the same as lane i ^ 2. (Not documented; the register tiles of
// gemm are built on it, and only so counted do modelled times order them as an H200 does.)

#include <bit>

#include "device/emu/handlers/access.h"

namespace kerlab::emu {

namespace {

/// Wavefronts of one phase: 4-byte words at word indices.
class Banks {
 public:
  void add(std::uint32_t word) {
    const std::uint32_t bank = word & 31;
    for (int i = 0; i < held_[bank]; ++i)
      if (words_[bank][i] == word) return;
    words_[bank][held_[bank]++] = word;
    if (held_[bank] > most_) most_ = held_[bank];
  }
  [[nodiscard]] int most() const { return most_; }

 private:
  std::uint32_t words_[32][32];
  std::uint8_t held_[32] = {};
  int most_ = 0;
};

/// Whether each of the lanes [begin, end) that is active asks for the same address as its neighbour i ^ `other`.
bool pairs_share(const std::uint64_t* address, std::uint32_t mask, int begin, int end, int other) {
  for (int lane = begin; lane < end; ++lane) {
    const int neighbour = lane ^ other;
    if ((mask >> lane & mask >> neighbour & 1) != 0 && address[lane] != address[neighbour]) return false;
  }
  return true;
}

/// Lanes that are served in one phase.
int phase_lanes(const std::uint64_t* address, std::uint32_t mask, int begin, int bytes) {
  if (bytes <= 4) return kLanes;
  const int lanes = kLanes / (bytes / 4);
  if (bytes > 16 || begin % (2 * lanes) != 0) return lanes;
  const int end = begin + 2 * lanes;
  const bool merged = pairs_share(address, mask, begin, end, 1) || pairs_share(address, mask, begin, end, 2);
  return merged ? 2 * lanes : lanes;
}

}  // namespace

int shared_wavefronts(const std::uint64_t* address, std::uint32_t mask, int bytes) {
  const int words = bytes <= 4 ? 1 : bytes / 4;
  int wavefronts = 0;
  for (int begin = 0, lanes = 0; begin < kLanes; begin += lanes) {
    Banks banks;
    lanes = phase_lanes(address, mask, begin, bytes);
    for (int lane = begin; lane < begin + lanes; ++lane)
      if ((mask >> lane & 1) != 0)
        for (int i = 0; i < words; ++i)
          banks.add(static_cast<std::uint32_t>(address[lane] / 4) + static_cast<std::uint32_t>(i));
    wavefronts += banks.most();
  }
  return wavefronts;
}

int global_sectors(const std::uint64_t* address, std::uint32_t mask) {
  // Aligned accesses of up to 32 bytes lie in one sector. Sectors mostly ascend with the lanes: those need no search.
  std::uint64_t sectors[kLanes];
  std::uint64_t highest = 0;
  int count = 0;
  for (; mask != 0; mask &= mask - 1) {
    const std::uint64_t sector = address[std::countr_zero(mask)] / 32;
    bool seen = false;
    if (count != 0 && sector <= highest)
      for (int i = count - 1; i >= 0 && !seen; --i) seen = sectors[i] == sector;
    if (seen) continue;
    sectors[count++] = sector;
    if (sector > highest) highest = sector;
  }
  return count;
}

}  // namespace kerlab::emu
