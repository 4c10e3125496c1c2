#pragma once
// Absorbs the difference between Catch2 v2 (Debian 12) and v3: tests write Catch::Contains and Approx.
#include "modules.h"

#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
namespace Catch {
inline auto Contains(const std::string& part) {
  return Matchers::ContainsSubstring(part);
}
}  // namespace Catch
#endif
