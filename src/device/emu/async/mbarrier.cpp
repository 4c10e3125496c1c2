#include "device/emu/async/mbarrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/emu/async/cluster.h"
#include "device/emu/machine/place.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

constexpr std::uint32_t kBytes = 8;
/// Bits 0-19 arrivals missing, 20-39 expected, 40-60 bytes missing, 61 parity, 62-63 the mark. Neither bytes of zero
/// nor memory that was never written (all ones) has it.
constexpr std::uint64_t kMark = 2;

[[noreturn]] void misuse(const Issuer& who, const SharedPlace& at, const std::string& what) {
  raise(FaultKind::launch_failed, *who.warp, *who.op, who.lane, what.c_str(), at.offset, kBytes);
}

std::uint64_t bits_at(const SharedPlace& at) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at.host(), sizeof bits);
  return bits;
}

bool was_initialised(const SharedPlace& at) {
  const std::vector<bool>& known = at.block->mbarriers;
  return !known.empty() && known[at.offset / kBytes];
}

void set_initialised(const SharedPlace& at, bool value) {
  std::vector<bool>& known = at.block->mbarriers;
  if (known.empty()) known.resize(at.block->shared_bytes / kBytes);
  known[at.offset / kBytes] = value;
}

MbarrierState load(const Issuer& who, const SharedPlace& at) {
  if (!was_initialised(at)) misuse(who, at, "uses an mbarrier that was never initialised");
  const std::optional<MbarrierState> state = MbarrierState::unpack(bits_at(at));
  if (!state) misuse(who, at, "uses an mbarrier whose bytes were overwritten");
  return *state;
}

void store(const SharedPlace& at, const MbarrierState& state) {
  const std::uint64_t bits = state.pack();
  std::memcpy(at.host(), &bits, sizeof bits);
  at.block->cluster->changes++;
}

Sanitizer* sanitizer_of(const SharedPlace& at) {
  return at.block->launch->sanitizer;
}

/// Ends the phase if nothing is missing.
void settle(const Issuer& who, const SharedPlace& at, MbarrierState state) {
  if (state.pending == 0 && state.transactions == 0) {
    if (Sanitizer* const sanitizer = sanitizer_of(at)) sanitizer->phase_ended(who, at);
    state.phase = !state.phase;
    state.pending = state.expected;
    at.block->cluster->phases_ended++;
  }
  store(at, state);
}

void add_transactions(const Issuer& who, const SharedPlace& at, MbarrierState& state, std::int64_t bytes) {
  constexpr std::int64_t kMost = MbarrierState::kMost;
  const std::int64_t sum = state.transactions + bytes;
  if (bytes > kMost || bytes < -kMost || sum > kMost || sum < -kMost) {
    misuse(who, at, fmt::format("takes the transaction count of an mbarrier to {} bytes, beyond {}", sum, kMost));
  }
  state.transactions = static_cast<std::int32_t>(sum);
}

/// "full+8", empty when no variable is there.
std::string variable_at(const ptx::Kernel& kernel, std::uint32_t offset) {
  for (const ptx::Symbol& symbol : kernel.symbols) {
    const std::int64_t into = std::int64_t{offset} - symbol.offset;
    if (symbol.space != ptx::Space::shared || into < 0 || (symbol.bytes > 0 && into >= symbol.bytes)) continue;
    const std::string name = plain_name(symbol.name);
    return into == 0 ? name : fmt::format("{}+{}", name, into);
  }
  return {};
}

std::string plural(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::uint64_t MbarrierState::pack() const {
  const std::uint64_t bytes = static_cast<std::uint32_t>(transactions) & ((1u << 21) - 1);
  return pending | std::uint64_t{expected} << 20 | bytes << 40 | std::uint64_t{phase} << 61 | kMark << 62;
}

std::optional<MbarrierState> MbarrierState::unpack(std::uint64_t bits) {
  if (bits >> 62 != kMark) return std::nullopt;
  MbarrierState state;
  state.pending = static_cast<std::uint32_t>(bits) & kMost;
  state.expected = static_cast<std::uint32_t>(bits >> 20) & kMost;
  // The sign is the highest of 21 bits.
  state.transactions = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 40) << 11) >> 11;
  state.phase = (bits >> 61 & 1) != 0;
  return state;
}

void init_mbarrier(const Issuer& who, const SharedPlace& at, std::uint64_t count) {
  if (count == 0 || count > MbarrierState::kMost) {
    misuse(who, at, fmt::format("expects {} arrivals; an mbarrier takes 1 to {}", count, MbarrierState::kMost));
  }
  if (Sanitizer* const sanitizer = sanitizer_of(at)) sanitizer->mbarrier_init(who, at);
  set_initialised(at, true);
  const auto arrivals = static_cast<std::uint32_t>(count);
  store(at, {arrivals, arrivals, 0, false});
}

void invalidate_mbarrier(const Issuer& who, const SharedPlace& at) {
  load(who, at);
  if (Sanitizer* const sanitizer = sanitizer_of(at)) sanitizer->mbarrier_invalidate(at);
  set_initialised(at, false);
  std::memset(at.host(), 0xff, kBytes);
}

std::uint64_t arrive(const Issuer& who, const SharedPlace& at, const Arrival& arrival) {
  MbarrierState state = load(who, at);
  if (Sanitizer* const sanitizer = sanitizer_of(at)) sanitizer->mbarrier_arrive(who, at);
  const std::uint64_t before = state.pack();
  if (arrival.count == 0 || arrival.count > MbarrierState::kMost) {
    misuse(who, at, fmt::format("arrives {} times; from 1 to {} are possible", arrival.count, MbarrierState::kMost));
  }
  if (arrival.transactions != 0) add_transactions(who, at, state, static_cast<std::int64_t>(arrival.transactions));
  if (arrival.count > state.pending) {
    if (state.pending == 0) misuse(who, at, "arrives at an mbarrier whose phase has had all its arrivals");
    misuse(who, at,
           fmt::format("arrives at an mbarrier of whose phase only {} missing, not {}",
                       plural(state.pending, "arrival") + (state.pending == 1 ? " is" : " are"), arrival.count));
  }
  state.pending -= arrival.count;
  if (arrival.drop) state.expected -= std::min(state.expected, arrival.count);
  if (arrival.no_complete && state.pending == 0 && state.transactions == 0) {
    misuse(who, at, "ends the phase of an mbarrier, which .noComplete forbids");
  }
  settle(who, at, state);
  return before;
}

std::uint32_t missing_arrivals(const Issuer& who, const SharedPlace& at) {
  return load(who, at).pending;
}

void expect_arrivals(const Issuer& who, const SharedPlace& at, std::uint32_t count) {
  MbarrierState state = load(who, at);
  if (count > MbarrierState::kMost - state.pending)
    misuse(who, at, "takes the arrivals of an mbarrier beyond 2^20 - 1");
  state.pending += count;
  store(at, state);
}

void expect_transactions(const Issuer& who, const SharedPlace& at, std::uint64_t bytes) {
  MbarrierState state = load(who, at);
  if (Sanitizer* const sanitizer = sanitizer_of(at)) sanitizer->mbarrier_used(who, at);
  add_transactions(who, at, state, static_cast<std::int64_t>(bytes));
  settle(who, at, state);
}

void complete_transactions(const Issuer& who, const SharedPlace& at, std::uint64_t bytes) {
  MbarrierState state = load(who, at);
  add_transactions(who, at, state, -static_cast<std::int64_t>(bytes));
  settle(who, at, state);
}

MbarrierWait look_at(const Issuer& who) {
  MbarrierWait wait;
  wait.at = shared_place(who, 1, reach_of(*who.op->instruction), kBytes, kBytes);
  const std::uint64_t awaited = lane_value(who, 2);
  if (who.op->instruction->modifiers.parity) {
    wait.phase = (awaited & 1) != 0;
  } else {
    const std::optional<MbarrierState> state = MbarrierState::unpack(awaited);
    if (!state) misuse(who, wait.at, "waits with a value that is no state of an mbarrier");
    wait.phase = state->phase;
  }
  wait.completed = load(who, wait.at).phase != wait.phase;
  return wait;
}

std::string describe(const MbarrierWait& wait, const ptx::Kernel& kernel) {
  const MbarrierState state = MbarrierState::unpack(bits_at(wait.at)).value_or(MbarrierState{});
  const std::string name = variable_at(kernel, wait.at.offset);
  std::string missing;
  if (state.pending != 0) missing = plural(state.pending, "arrival") + " missing";
  if (state.transactions != 0) {
    if (!missing.empty()) missing += state.transactions < 0 ? ", " : " and ";
    missing += plural(std::abs(state.transactions), "byte") +
               (state.transactions < 0 ? " too few expected (expect_tx)" : " missing");
  }
  return fmt::format("for phase {} of mbarrier {}{}{:#x}{}: {}", wait.phase ? 1 : 0, name, name.empty() ? "" : " (",
                     wait.at.offset, name.empty() ? "" : ")", missing);
}

}  // namespace kerlab::emu
