#include "device/emu/handlers/async_copies.h"

#include <bit>
#include <cstring>

namespace kerlab::emu {

namespace {

void perform(AsyncCopies::Copy& copy, std::uint32_t lanes) {
  if (lanes == ~0u && copy.bytes == 16 && copy.whole) {
    for (int lane = 0; lane < kLanes; ++lane) std::memcpy(copy.target[lane], copy.source[lane], 16);
    copy.lanes = 0;
    return;
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (copy.bytes == 16 && copy.source_bytes[lane] == 16) {
      std::memcpy(copy.target[lane], copy.source[lane], 16);
      continue;
    }
    const std::size_t given = copy.source_bytes[lane];
    if (given != 0) std::memcpy(copy.target[lane], copy.source[lane], given);
    std::memset(copy.target[lane] + given, 0, static_cast<std::size_t>(copy.bytes) - given);
  }
  copy.lanes &= ~lanes;
}

}  // namespace

std::uint32_t AsyncCopies::same_groups(std::uint32_t lanes) const {
  if (alike) return lanes;
  const std::uint32_t groups = committed[std::countr_zero(lanes)];
  std::uint32_t same = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    if (const int lane = std::countr_zero(rest); committed[lane] == groups) same |= 1u << lane;
  return same;
}

void AsyncCopies::reset() {
  pending.clear();
  first = 0;
  issued = 0;
  alike = true;
  for (std::uint32_t& groups : committed) groups = 0;
}

AsyncCopies::Copy& AsyncCopies::next() {
  return pending.emplace_back();
}

void AsyncCopies::issue() {
  Copy& copy = pending.back();
  copy.sequence = issued++;
  // The copies come late; their sources need not.
  for (std::uint32_t rest = copy.lanes; rest != 0; rest &= rest - 1)
    __builtin_prefetch(copy.source[std::countr_zero(rest)]);
  std::uint32_t others = copy.lanes;
  for (std::size_t i = pending.size() - 1; others != 0; ++i) {
    if (i == pending.size()) pending.push_back(pending.back());
    pending[i].lanes = same_groups(others);
    pending[i].group = committed[std::countr_zero(others)];
    others &= ~pending[i].lanes;
  }
}

void AsyncCopies::commit_group(std::uint32_t lanes) {
  alike = alike && lanes == ~0u;
  for (; lanes != 0; lanes &= lanes - 1) ++committed[std::countr_zero(lanes)];
}

void AsyncCopies::wait_group(std::uint32_t lanes, std::uint32_t allowed) {
  while (lanes != 0) {
    const std::uint32_t same = same_groups(lanes), groups = committed[std::countr_zero(lanes)];
    lanes &= ~same;
    if (groups <= allowed) continue;
    for (std::size_t i = first; i < pending.size(); ++i)
      if (Copy& copy = pending[i]; copy.group < groups - allowed && (copy.lanes & same) != 0)
        perform(copy, copy.lanes & same);
  }
  forget_done();
}

void AsyncCopies::complete(std::uint32_t lanes, std::uint64_t sequence) {
  for (std::size_t i = first; i < pending.size(); ++i)
    if (Copy& copy = pending[i]; copy.sequence < sequence && (copy.lanes & lanes) != 0)
      perform(copy, copy.lanes & lanes);
  forget_done();
}

void AsyncCopies::forget_done() {
  while (first < pending.size() && pending[first].lanes == 0) ++first;
  if (first > pending.size() / 2) {  // seldom enough that each copy moves about once
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(first));
    first = 0;
  }
}

}  // namespace kerlab::emu
