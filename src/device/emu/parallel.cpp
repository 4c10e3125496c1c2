#include "device/emu/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace kerlab::emu {

void for_chunks(std::int64_t count, int threads,
                const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& body) {
  const std::int64_t chunks = chunks_of(count);
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++)
      body(chunk, chunk * kChunk, std::min(count, (chunk + 1) * kChunk));
  };
  std::vector<std::jthread> helpers;
  for (std::int64_t i = 1; i < std::min<std::int64_t>(threads, chunks); ++i) helpers.emplace_back(work);
  work();
}

}  // namespace kerlab::emu
