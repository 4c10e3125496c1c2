#pragma once
// Loops over big buffers on several threads.

#include <cstdint>
#include <functional>

#include "base/modules.h"

namespace kerlab::emu {

/// Elements of a chunk: the same whatever the number of threads, so that results per chunk are, too.
inline constexpr std::int64_t kChunk = std::int64_t{1} << 16;
constexpr std::int64_t chunks_of(std::int64_t count) {
  return (count + kChunk - 1) / kChunk;
}

/// body(chunk, begin, end) for every chunk of [0, count), in any order, on at most `threads` threads. The body must not
/// throw.
void for_chunks(std::int64_t count, int threads,
                const std::function<void(std::int64_t chunk, std::int64_t begin, std::int64_t end)>& body);

}  // namespace kerlab::emu
