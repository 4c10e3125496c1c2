#include "device/emu/machine/warp_state.h"

#include <algorithm>

namespace kerlab::emu {

void WarpState::add_ready(std::int32_t block, std::uint32_t lanes) {
  for (int i = 0; i < count; ++i) {
    Fragment& other = fragments[static_cast<std::size_t>(i)];
    if (other.block != block || other.state != State::ready) continue;
    other.lanes |= lanes;
    rejoined |= other.lanes;
    return;
  }
  fragments[static_cast<std::size_t>(count++)] = {block, lanes, State::ready, 0};
}

Fragment& WarpState::add_waiting(std::int32_t block, std::uint32_t lanes, State state, int barrier) {
  for (int i = 0; i < count; ++i) {
    Fragment& other = fragments[static_cast<std::size_t>(i)];
    if (other.block != block || other.state != state || other.barrier != barrier) continue;
    other.lanes |= lanes;
    return other;
  }
  Fragment& fragment = fragments[static_cast<std::size_t>(count++)];
  fragment = {block, lanes, state, static_cast<std::uint8_t>(barrier)};
  return fragment;
}

void WarpState::remove(int which) {
  fragments[static_cast<std::size_t>(which)] = fragments[static_cast<std::size_t>(--count)];
}

int WarpState::choose() {
  int lowest = -1;
  int above = -1;
  for (int i = 0; i < count; ++i) {
    const Fragment& f = fragments[static_cast<std::size_t>(i)];
    if (f.state != State::ready) continue;
    if (lowest < 0 || f.block < fragments[static_cast<std::size_t>(lowest)].block) lowest = i;
    if (f.block <= resume_above) continue;
    if (above < 0 || f.block < fragments[static_cast<std::size_t>(above)].block) above = i;
  }
  return resume_above >= 0 && above >= 0 ? above : lowest;
}

std::int32_t WarpState::lowest_ready() const {
  std::int32_t lowest = INT32_MAX;
  for (int i = 0; i < count; ++i) {
    const Fragment& f = fragments[static_cast<std::size_t>(i)];
    if (f.state == State::ready) lowest = std::min(lowest, f.block);
  }
  return lowest;
}

int WarpState::waiting_at(std::int32_t block) const {
  for (int i = 0; i < count; ++i) {
    const Fragment& f = fragments[static_cast<std::size_t>(i)];
    if (f.block == block && f.state != State::ready) return i;
  }
  return -1;
}

}  // namespace kerlab::emu
