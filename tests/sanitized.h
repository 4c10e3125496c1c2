#pragma once
// Whether this program is built with a sanitizer that takes over signals and address space (presets asan and tsan).

#include "catch.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// For tests of how a process dies or runs out of memory, which is then the sanitizer's business.
inline bool left_to_sanitizer() {
  if (kSanitized) WARN("skipped: the sanitizer takes over signals and address space");
  return kSanitized;
}
