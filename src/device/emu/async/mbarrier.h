#pragma once
// mbarriers (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"): objects of 8 bytes in
// shared memory. A phase ends when no arrival and no transaction is missing; then the next one begins.

#include <cstdint>
#include <optional>
#include <string>

#include "device/emu/async/shared_place.h"

namespace kerlab::emu {

/// What the 8 bytes hold. The layout is nobody's business (it is opaque in PTX), but that it has a mark: bytes that are
/// no mbarrier are found out.
struct MbarrierState {
  static constexpr std::uint32_t kMost = (1u << 20) - 1;  ///< of every count, and of bytes either way
  std::uint32_t pending = 0;                              ///< arrivals missing in this phase
  std::uint32_t expected = 0;                             ///< arrivals of the next one
  std::int32_t transactions = 0;                          ///< bytes missing
  bool phase = false;                                     ///< parity of the present phase
  [[nodiscard]] std::uint64_t pack() const;
  static std::optional<MbarrierState> unpack(std::uint64_t bits);
};

struct Arrival {
  std::uint32_t count = 1;
  bool drop = false;               ///< not expected in later phases either
  bool no_complete = false;        ///< must not end the phase
  std::uint64_t transactions = 0;  ///< bytes expected from now on
};

void init_mbarrier(const Issuer& who, const SharedPlace& at, std::uint64_t count);
void invalidate_mbarrier(const Issuer& who, const SharedPlace& at);
/// Returns what it was before: the state operand of waits.
std::uint64_t arrive(const Issuer& who, const SharedPlace& at, const Arrival& arrival);
/// Arrivals that are missing in the present phase.
std::uint32_t missing_arrivals(const Issuer& who, const SharedPlace& at);
/// One arrival more is missing in this phase: cp.async.mbarrier.arrive without .noinc.
void expect_arrivals(const Issuer& who, const SharedPlace& at, std::uint32_t count);
void expect_transactions(const Issuer& who, const SharedPlace& at, std::uint64_t bytes);
void complete_transactions(const Issuer& who, const SharedPlace& at, std::uint64_t bytes);

/// A wait of one lane: [b] is operand 1, state or parity operand 2.
struct MbarrierWait {
  SharedPlace at;
  bool phase = false;      ///< parity of the phase waited for
  bool completed = false;  ///< it has ended
};
MbarrierWait look_at(const Issuer& who);
/// "for phase 1 of mbarrier full+8 (0x48): 1 arrival and 4096 bytes are missing".
std::string describe(const MbarrierWait& wait, const ptx::Kernel& kernel);

/// Null for what is no mbarrier instruction, and for waits, which the run loop does.
Handler select_mbarrier(const ptx::Instruction& instruction);

}  // namespace kerlab::emu
