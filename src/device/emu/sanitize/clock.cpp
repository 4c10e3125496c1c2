#include "device/emu/sanitize/clock.h"

#include <algorithm>

namespace kerlab::emu {

void Clock::raise(std::uint32_t place, std::uint32_t time) {
  if (place >= own_.size()) own_.resize(place + 1);
  own_[place] = std::max(own_[place], time);
}

bool Clock::knows_foreign(ActorId actor, std::uint32_t time) const {
  const auto at = std::lower_bound(foreign_->begin(), foreign_->end(), Entry(actor, 0));
  return at != foreign_->end() && at->first == actor && at->second >= time;
}

std::uint32_t Clock::time_of(ActorId actor) const {
  if (actor >> kActorBits == cluster_) return own(actor & kActorMask);
  if (foreign_ == nullptr) return 0;
  const auto at = std::lower_bound(foreign_->begin(), foreign_->end(), Entry(actor, 0));
  return at != foreign_->end() && at->first == actor ? at->second : 0;
}

/// Both are by actor: a merge, in which the later time counts. Nothing is copied where there is nothing new.
void Clock::join_foreign(const Foreign& other) {
  static const Foreign kNone;
  const Foreign& mine = foreign_ != nullptr ? *foreign_ : kNone;
  Foreign all;
  all.reserve(mine.size() + other.size());
  bool news = false;
  auto next = mine.begin();
  for (const Entry& entry : other) {
    if (entry.first >> kActorBits == cluster_) {
      raise(entry.first & kActorMask, entry.second);
      continue;
    }
    while (next != mine.end() && next->first < entry.first) all.push_back(*next++);
    const bool known = next != mine.end() && next->first == entry.first;
    news = news || !known || next->second < entry.second;
    all.emplace_back(entry.first, known ? std::max(next->second, entry.second) : entry.second);
    if (known) ++next;
  }
  if (!news) return;
  all.insert(all.end(), next, mine.end());
  foreign_ = std::make_shared<const Foreign>(std::move(all));
}

void Clock::join(const Clock& other) {
  if (other.cluster_ == cluster_) {
    if (own_.size() < other.own_.size()) own_.resize(other.own_.size());
    for (std::size_t i = 0; i < other.own_.size(); ++i) own_[i] = std::max(own_[i], other.own_[i]);
    if (other.foreign_ == nullptr || other.foreign_ == foreign_) return;
    if (foreign_ == nullptr) {
      foreign_ = other.foreign_;
    } else {
      join_foreign(*other.foreign_);
    }
    return;
  }
  Foreign own;
  for (std::size_t i = 0; i < other.own_.size(); ++i)
    if (other.own_[i] != 0) own.emplace_back(other.cluster_ << kActorBits | static_cast<ActorId>(i), other.own_[i]);
  if (!own.empty()) join_foreign(own);
  if (other.foreign_ != nullptr && other.foreign_ != foreign_) join_foreign(*other.foreign_);
}

}  // namespace kerlab::emu
