#include "model/problem_bottleneck.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"

namespace kerlab::model {
namespace {

constexpr double kNearRidge = 0.8;
constexpr std::int64_t kDecodeRows = 8, kSkinnyRatio = 8, kLongRatio = 8, kSquareRatio = 2;

/// The two times that the roofline is the larger of.
struct Times {
  double compute_us = 0, memory_us = 0;
};

Times times_of(double flops, double bytes, const Ceilings& ceilings) {
  Times times;
  if (ceilings.flops_per_s > 0) times.compute_us = flops / ceilings.flops_per_s * 1e6;
  if (ceilings.bytes_per_s > 0) times.memory_us = bytes / ceilings.bytes_per_s * 1e6;
  return times;
}

std::string both_times(double flops, double bytes, const Times& times, const Ceilings& ceilings) {
  return fmt::format("{} at {} take {} us, {} at {} ({}) {} us", format_si(bytes, "B"),
                     format_si(ceilings.bytes_per_s, "B/s"), format_us(times.memory_us), format_si(flops, "FLOP"),
                     format_si(ceilings.flops_per_s, "FLOP/s"), ceilings.unit, format_us(times.compute_us));
}

}  // namespace

ProblemBottleneck general_bottleneck(double flops, double bytes, const DeviceInfo& device, const Ceilings& ceilings) {
  const Times times = times_of(flops, bytes, ceilings);
  const double most = std::max(times.compute_us, times.memory_us);
  const double least = std::min(times.compute_us, times.memory_us);
  const std::string both = both_times(flops, bytes, times, ceilings);
  if (flops <= 0 && bytes <= 0) return {{"nothing to do", "neither FLOPs nor bytes", "do not launch it"}};
  if (most < kLaunchBoundUs)
    return {{kLaunchOverhead,
             fmt::format("{} us of work at best, about what starting a kernel takes ({})", format_us(most), both),
             "more work in one launch: a batch, fusing it with its neighbours, or a CUDA graph"}};
  if (least >= kNearRidge * most)
    return {{"DRAM and arithmetic", both, "load the next part while this one is worked on, so that both overlap"}};
  if (times.memory_us > times.compute_us && bytes <= static_cast<double>(device.l2_bytes))
    return {
        {kDram, fmt::format("{}; all of it fits into L2 ({})", both, format_bytes(device.l2_bytes)),
         "right after the kernel that wrote its input, L2's bandwidth counts (kerlab bench --hot): run them back to "
         "back, or fuse them"}};
  if (times.memory_us > times.compute_us)
    return {{kDram, both,
             "every byte once: 16 bytes a thread at once, enough loads in flight on every SM, fused with its "
             "neighbours"}};
  return {{ceilings.unit, both, "keep the arithmetic fed: data used again from registers and shared memory"}};
}

ProblemBottleneck problem_bottleneck(const GemmShape& shape, const GemmBottleneck& gemm) {
  return {gemm, shape_name(shape), gemm.waves, gemm.splits};
}

std::string shape_name(const GemmShape& shape) {
  const auto [low, high] = std::minmax(shape.m, shape.n);
  if (low <= kDecodeRows && high >= kSkinnyRatio * low) return "decode";
  if (high >= kSkinnyRatio * low) return "tall-skinny";
  if (shape.k >= kLongRatio * high) return "long-K";
  if (shape.k * kLongRatio <= low) return "short-K";
  const std::int64_t most = std::max(high, shape.k), least = std::min(low, shape.k);
  return most <= kSquareRatio * least ? "square" : "oblong";
}

}  // namespace kerlab::model
