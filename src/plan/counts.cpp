#include "plan/counts.h"

namespace kerlab {

std::string_view name(Pipe pipe) {
  static constexpr std::array<std::string_view, kPipes> kNames = {
      "fp32",    "fp64",   "half",   "integer", "conversion", "special", "compare", "move",   "control",
      "shuffle", "global", "shared", "local",   "atomic",     "tensor",  "async",   "barrier"};
  return kNames[static_cast<std::size_t>(pipe)];
}

Counts& Counts::operator+=(const Counts& other) {
  for (std::size_t i = 0; i < kPipes; ++i) {
    warp_instructions[i] += other.warp_instructions[i];
    lane_instructions[i] += other.lane_instructions[i];
  }
  flops += other.flops;
  tensor_flops += other.tensor_flops;
  global_load_bytes += other.global_load_bytes;
  global_store_bytes += other.global_store_bytes;
  global_requests += other.global_requests;
  global_sectors += other.global_sectors;
  shared_load_bytes += other.shared_load_bytes;
  shared_store_bytes += other.shared_store_bytes;
  shared_requests += other.shared_requests;
  shared_wavefronts += other.shared_wavefronts;
  local_bytes += other.local_bytes;
  atomics += other.atomics;
  divergent_branches += other.divergent_branches;
  barriers += other.barriers;
  return *this;
}

}  // namespace kerlab
