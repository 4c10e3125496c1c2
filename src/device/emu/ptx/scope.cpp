#include "device/emu/ptx/scope.h"

namespace kerlab::ptx {

void Scopes::open() {
  opened_.push_back(declared_.size());
}

void Scopes::close() {
  while (declared_.size() > opened_.back()) {
    const Hidden& last = declared_.back();
    if (last.before) {
      visible_[last.name] = {*last.before, last.depth_before};
    } else {
      visible_.erase(last.name);
    }
    declared_.pop_back();
  }
  opened_.pop_back();
}

bool Scopes::declare(std::string_view name, NameEntry entry) {
  const auto [place, is_new] = visible_.try_emplace(name, Visible{entry, opened_.size()});
  if (is_new) {
    declared_.push_back({name, std::nullopt, 0});
    return true;
  }
  if (place->second.depth == opened_.size()) return false;
  declared_.push_back({name, place->second.entry, place->second.depth});
  place->second = {entry, opened_.size()};
  return true;
}

const NameEntry* Scopes::find(std::string_view name) const {
  const auto place = visible_.find(name);
  return place == visible_.end() ? nullptr : &place->second.entry;
}

}  // namespace kerlab::ptx
