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
// Accesses are aligned, so what a lane asks for fills a group of neighbouring banks: banks are counted by such groups.

#include <algorithm>
#include <bit>

#include "device/emu/handlers/access.h"

namespace kerlab::emu {

namespace {

constexpr int kBanks = 32, kBankBytes = 4, kSectorBytes = 32;

/// The most distinct units of `1 << shift` bytes that one group of banks holds, of lanes in conflict.
template <class Offset>
int most_of_a_bank(const Offset* offset, std::uint32_t lanes, int shift, std::uint32_t banks) {
  std::uint32_t units[kBanks][kLanes];
  int held[kBanks] = {}, most = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto unit = static_cast<std::uint32_t>(offset[std::countr_zero(lanes)] >> shift);
    const std::uint32_t bank = unit & (banks - 1);
    std::uint32_t* const end = units[bank] + held[bank];
    if (std::find(units[bank], end, unit) != end) continue;
    units[bank][held[bank]++] = unit;
    most = std::max(most, held[bank]);
  }
  return most;
}

/// Wavefronts of one phase.
template <class Offset>
int phase_wavefronts(const Offset* offset, std::uint32_t lanes, int shift) {
  const std::uint32_t banks = kBanks * kBankBytes >> shift;
  std::uint32_t used = 0, first[kBanks];
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto unit = static_cast<std::uint32_t>(offset[std::countr_zero(rest)] >> shift);
    const std::uint32_t bank = unit & (banks - 1);
    if ((used >> bank & 1) == 0) {
      used |= 1u << bank;
      first[bank] = unit;
    } else if (first[bank] != unit) {
      return most_of_a_bank(offset, lanes, shift, banks);
    }
  }
  return 1;
}

/// Whether each of the lanes that is active asks for the same as its neighbour i ^ `other`.
template <class Offset>
bool pairs_share(const Offset* offset, std::uint32_t lanes, int other) {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest), neighbour = lane ^ other;
    if ((lanes >> neighbour & 1) != 0 && offset[lane] != offset[neighbour]) return false;
  }
  return true;
}

/// Lanes [begin, begin + count) of the warp.
std::uint32_t lanes_of(int begin, int count) {
  return (count == kLanes ? ~0u : (1u << count) - 1) << begin;
}

/// How many lanes from `begin` on are served in one phase.
template <class Offset>
int phase_lanes(const Offset* offset, std::uint32_t mask, int begin, int bytes) {
  if (bytes <= kBankBytes) return kLanes;
  const int lanes = kLanes / (bytes / kBankBytes);
  if (bytes > 16 || begin % (2 * lanes) != 0) return lanes;
  const std::uint32_t both = lanes_of(begin, 2 * lanes) & mask;
  return pairs_share(offset, both, 1) || pairs_share(offset, both, 2) ? 2 * lanes : lanes;
}

/// All lanes, each as far from the one before: what most accesses are.
template <class Offset>
bool is_ramp(const Offset* offset) {
  const Offset step = offset[1] - offset[0];
  Offset different = 0;
  for (int lane = 1; lane < kLanes; ++lane) different |= (offset[lane] - offset[lane - 1]) ^ step;
  return different == 0 && offset[kLanes - 1] >= offset[0];
}

template <class Offset>
AccessCost ramp_sectors(const Offset* offset, std::int64_t bytes) {
  const Offset step = offset[1] - offset[0];
  if (step == 0) return {1, 1};
  const int filled = std::max(1, static_cast<int>((bytes + kSectorBytes - 1) / kSectorBytes));
  const auto reached = static_cast<int>(offset[kLanes - 1] / kSectorBytes - offset[0] / kSectorBytes) + 1;
  const int touched = step > kSectorBytes ? kLanes : reached;
  return {touched, std::min(touched, filled)};
}

}  // namespace

template <class Offset>
AccessCost shared_wavefronts(const Offset* offset, std::uint32_t mask, int bytes) {
  const int shift = std::max(2, std::countr_zero(static_cast<unsigned>(bytes)));
  AccessCost cost;
  for (int begin = 0, lanes = 0; begin < kLanes; begin += lanes) {
    lanes = phase_lanes(offset, mask, begin, bytes);
    const std::uint32_t active = lanes_of(begin, lanes) & mask;
    if (active == 0) continue;
    cost.taken += phase_wavefronts(offset, active, shift);
    ++cost.least;
  }
  return cost;
}

template <class Offset>
AccessCost global_sectors(const Offset* offset, std::uint32_t mask, std::int64_t bytes) {
  if (mask == ~0u && is_ramp(offset)) return ramp_sectors(offset, bytes);
  // Aligned accesses of up to 32 bytes lie in one sector. Sectors mostly ascend with the lanes: those need no search.
  Offset sectors[kLanes];
  Offset highest = 0, before = ~Offset{0};
  int count = 0, lanes = 0, distinct = 0;
  for (; mask != 0; mask &= mask - 1) {
    const Offset at = offset[std::countr_zero(mask)];
    ++lanes;
    if (at == before) continue;
    before = at;
    ++distinct;
    const Offset sector = at / kSectorBytes;
    bool seen = false;
    if (count != 0 && sector <= highest)
      for (int i = count - 1; i >= 0 && !seen; --i) seen = sectors[i] == sector;
    if (seen) continue;
    sectors[count++] = sector;
    if (sector > highest) highest = sector;
  }
  if (distinct < lanes) bytes = bytes * distinct / lanes;
  const auto filled = static_cast<int>((bytes + kSectorBytes - 1) / kSectorBytes);
  return {count, std::min(count, std::max(filled, 1))};
}

template AccessCost shared_wavefronts(const std::uint32_t*, std::uint32_t, int);
template AccessCost shared_wavefronts(const std::uint64_t*, std::uint32_t, int);
template AccessCost global_sectors(const std::uint32_t*, std::uint32_t, std::int64_t);
template AccessCost global_sectors(const std::uint64_t*, std::uint32_t, std::int64_t);

}  // namespace kerlab::emu
