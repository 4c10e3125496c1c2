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

void Clock::join_foreign(const Foreign& other) {
  Foreign all;
  if (foreign_ != nullptr) all = *foreign_;
  for (const auto& [actor, time] : other) {
    if (actor >> kActorBits == cluster_) {
      raise(actor & kActorMask, time);
    } else {
      all.emplace_back(actor, time);
    }
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  const auto same = [](const Entry& a, const Entry& b) { return a.first == b.first; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());  // the latest time comes first
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
  Foreign theirs;
  if (other.foreign_ != nullptr) theirs = *other.foreign_;
  for (std::size_t i = 0; i < other.own_.size(); ++i) {
    if (other.own_[i] == 0) continue;
    theirs.emplace_back(other.cluster_ << kActorBits | static_cast<ActorId>(i), other.own_[i]);
  }
  if (!theirs.empty()) join_foreign(theirs);
}

}  // namespace kerlab::emu
