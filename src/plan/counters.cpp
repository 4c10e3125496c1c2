#include "plan/counters.h"

#include <algorithm>

namespace kerlab::plan {

std::span<const Counter> counters() {
  static constexpr Counter kCounters[] = {
      {"global_load_bytes", "global loads", "B", &Counts::global_load_bytes},
      {"global_store_bytes", "global stores", "B", &Counts::global_store_bytes},
      {"global_requests", "global requests", "", &Counts::global_requests},
      {"global_sectors", "global sectors", "", &Counts::global_sectors},
      {"shared_load_bytes", "shared loads", "B", &Counts::shared_load_bytes},
      {"shared_store_bytes", "shared stores", "B", &Counts::shared_store_bytes},
      {"shared_requests", "shared requests", "", &Counts::shared_requests},
      {"shared_wavefronts", "shared wavefronts", "", &Counts::shared_wavefronts},
      {"local_bytes", "local memory", "B", &Counts::local_bytes},
      {"flops", "FLOPs", "", &Counts::flops},
      {"tensor_flops", "tensor-core FLOPs", "", &Counts::tensor_flops},
      {"atomics", "atomics", "", &Counts::atomics},
      {"barriers", "barriers, by warp", "", &Counts::barriers},
      {"barrier_waits", "barrier waits, by warp", "", &Counts::barrier_waits},
      {"divergent_branches", "divergent branches", "", &Counts::divergent_branches},
  };
  return kCounters;
}

const Counter* find_counter(std::string_view name) {
  const auto at = std::ranges::find(counters(), name, &Counter::name);
  return at == counters().end() ? nullptr : &*at;
}

Counts scaled(const Counts& counts, std::int64_t blocks, std::int64_t blocks_run) {
  Counts result;
  if (blocks_run <= 0) return result;
  const auto scale = [&](std::int64_t count) {
    return count / blocks_run * blocks + (count % blocks_run * blocks + blocks_run / 2) / blocks_run;
  };
  for (std::size_t i = 0; i < kPipes; ++i) {
    result.warp_instructions[i] = scale(counts.warp_instructions[i]);
    result.lane_instructions[i] = scale(counts.lane_instructions[i]);
  }
  for (const Counter& counter : counters()) result.*counter.value = scale(counts.*counter.value);
  return result;
}

}  // namespace kerlab::plan
