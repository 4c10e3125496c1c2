#include "device/emu/kept_shared.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace kerlab::emu {

void KeptShared::begin_launch(std::int64_t places) {
  places_ = std::max<std::int64_t>(places, 1);
  now_.clear();
}

void KeptShared::end_launch() {
  for (auto& [place, left] : now_) before_[place] = std::move(left.bytes);
  now_.clear();
}

void KeptShared::begin_block(std::int64_t block, std::span<std::byte> shared) const {
  const auto left = before_.find(block % places_);
  if (left == before_.end() || shared.empty()) return;
  std::copy_n(left->second.begin(), std::min(left->second.size(), shared.size()), shared.begin());
}

void KeptShared::end_block(std::int64_t block, std::span<const std::byte> shared) {
  const std::lock_guard lock(mutex_);
  const auto [left, first] = now_.try_emplace(block % places_);
  if (!first && left->second.block > block) return;
  left->second.block = block;
  left->second.bytes.assign(shared.begin(), shared.end());
}

std::string KeptShared::digest() const {
  std::vector<std::byte> all;
  for (const auto& [place, bytes] : before_) {
    const std::size_t at = all.size();
    all.resize(at + sizeof place + bytes.size());
    std::memcpy(all.data() + at, &place, sizeof place);
    std::ranges::copy(bytes, all.begin() + static_cast<std::ptrdiff_t>(at + sizeof place));
  }
  return kerlab::digest(all);
}

}  // namespace kerlab::emu
