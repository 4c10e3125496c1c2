#include "device/emu/handlers/wgmma_cache.h"

#include <memory>

namespace kerlab::emu {

RecentMatrices& recent_matrices() {
  static thread_local const auto kRecent = std::make_unique<RecentMatrices>();
  return *kRecent;
}

}  // namespace kerlab::emu
