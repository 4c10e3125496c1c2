#include "plan/counts.h"

#include "plan/counters.h"

namespace kerlab::plan {

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
  for (const Counter& counter : counters()) this->*counter.value += other.*counter.value;
  return *this;
}

}  // namespace kerlab::plan
