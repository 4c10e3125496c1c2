#include "measure/blocker.h"

#include <atomic>

namespace kerlab::measure {
namespace {

constexpr std::uint64_t kTimeoutNs = 2'000'000'000;

void set(const MappedMemory& flag, std::uint32_t value) {
  std::atomic_ref<std::uint32_t>(*static_cast<std::uint32_t*>(flag.host)).store(value, std::memory_order_seq_cst);
}

}  // namespace

Blocker::Blocker(Lab& lab) : lab_(lab), works_(lab.device().info().is_hardware) {
  if (works_) flag_ = lab.device().allocate_mapped(sizeof(std::uint32_t));
}

Blocker::~Blocker() {
  if (!works_) return;
  release();
  lab_.device().release_mapped(flag_);
}

void Blocker::hold() {
  if (!works_) return;
  set(flag_, 0);
  lab_.device().launch(lab_.bind("lab_blocker", lab::BlockerArguments{flag_.device, kTimeoutNs}, 1, 1));
}

void Blocker::release() {
  if (works_) set(flag_, 1);
}

}  // namespace kerlab::measure
