#pragma once
// How long ago something was.

#include <chrono>

namespace kerlab {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return 1e3 * seconds_since(begin);
}

}  // namespace kerlab
