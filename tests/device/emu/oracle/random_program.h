#pragma once
// Random PTX programs for the fuzzer: a pure function of a seed, built of items so that a failing one can be made small
// by leaving items out.

#include <cstdint>
#include <string>
#include <vector>

namespace kerlab::oracle {

/// One or more lines of PTX. A branch names the item it goes to; where that one is left out, it goes to the next.
struct Item {
  std::string text;  ///< "$0", "$1": labels of `targets`
  std::vector<int> targets;
};

struct Program {
  std::uint64_t seed = 0;
  std::uint32_t grid = 1, block_x = 32, block_y = 1;
  bool accumulates = false;  ///< adds to global memory of all blocks
  std::vector<Item> items;
};

Program random_program(std::uint64_t seed);

/// Registers of each kind that the items name, and bytes of shared memory.
inline constexpr int kRegisters32 = 10, kRegisters64 = 6, kRegisters16 = 6, kPredicates = 5;
inline constexpr int kSharedPerThread = 32;

inline constexpr int kInputWords = 24;           ///< 64-bit words of input per thread
inline constexpr int kOutputBytes = 512;         ///< of one thread
inline constexpr int kAccumulators = 16;         ///< 32-bit words behind all outputs
inline constexpr const char* kEntry = "fuzzed";  ///< .entry fuzzed(in, out, accumulators)

/// The PTX of a program, of those items that `keep` (by index) names; empty: all.
std::string to_ptx(const Program& program, const std::vector<bool>& keep = {});

}  // namespace kerlab::oracle
