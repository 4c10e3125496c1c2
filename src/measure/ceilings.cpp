#include "measure/ceilings.h"

#include <algorithm>
#include <cmath>

#include "measure/stopwatch.h"

namespace kerlab::measure {
namespace {

constexpr int kAttempts = 5;
constexpr double kPeakUs = 5000;  // of one sample of a peak kernel
constexpr std::int64_t kLargestBuffer = std::int64_t{1} << 30;

/// The fastest of several, after one that is not counted.
double best_us(Stopwatch& watch, const BoundLaunch& launch, int attempts) {
  watch.time_us(launch);
  double best = watch.time_us(launch);
  for (int i = 1; i < attempts; ++i) best = std::min(best, watch.time_us(launch));
  return best;
}

struct Peak {
  const char* kernel;
  const char* name;
  double per_thread;  ///< operations of one iteration, per thread
  int minimum_cc;
};
constexpr double kFma = 2.0 * lab::kFmaChains * lab::kFmaSteps;
constexpr double kMma = 2.0 * 16 * 8 * lab::kMmaChains / 32;  // per unit of k
constexpr Peak kPeaks[] = {{"lab_fma_fp32", "fp32_fma", kFma, 0},       {"lab_fma_fp64", "fp64_fma", kFma, 0},
                           {"lab_fma_fp16", "fp16_fma", 2 * kFma, 53},  {"lab_mma_bf16", "bf16_mma", 16 * kMma, 80},
                           {"lab_mma_fp16", "fp16_mma", 16 * kMma, 80}, {"lab_mma_tf32", "tf32_mma", 8 * kMma, 80},
                           {"lab_mma_int8", "int8_mma", 32 * kMma, 80}};

void bandwidths(Lab& lab, Stopwatch& watch, std::vector<Ceiling>& ceilings) {
  const std::int64_t bytes = std::min(kLargestBuffer, lab.device().free_memory() / 4) / 4096 * 4096;
  if (bytes <= 0) return;
  const Allocation target(lab.device(), static_cast<std::size_t>(bytes)),
      source(lab.device(), static_cast<std::size_t>(bytes));
  lab.device().fill(source.pointer(), 0, static_cast<std::size_t>(bytes / 4));
  const lab::BandwidthArguments arguments{target.pointer(), source.pointer(), bytes};
  const struct {
    const char* kernel;
    const char* name;
    double moved;
  } kinds[] = {{"lab_copy", "copy", 2.0}, {"lab_read", "read", 1.0}, {"lab_write", "write", 1.0}};
  for (const auto& kind : kinds) {
    const double us = best_us(watch, lab.bind(kind.kernel, arguments, lab.full_grid()), kAttempts);
    if (us > 0) ceilings.push_back({kind.name, "B/s", 1e6 * kind.moved * static_cast<double>(bytes) / us});
  }
}

double peak_rate(Lab& lab, Stopwatch& watch, const Peak& peak, DevicePtr sink) {
  const double threads = static_cast<double>(lab.full_grid()) * Lab::kThreads;
  lab::PeakArguments arguments{sink, 16};
  const double probe_us = best_us(watch, lab.bind(peak.kernel, arguments, lab.full_grid()), 1);
  if (probe_us <= 0) return 0;
  arguments.iterations = std::clamp<lab::i64>(std::llround(16 * kPeakUs / probe_us), 16, 1 << 24);
  const double us = best_us(watch, lab.bind(peak.kernel, arguments, lab.full_grid()), kAttempts);
  return us > 0 ? 1e6 * peak.per_thread * threads * static_cast<double>(arguments.iterations) / us : 0;
}

}  // namespace

std::vector<Ceiling> measure_ceilings(Lab& lab) {
  std::vector<Ceiling> ceilings;
  Stopwatch watch(lab.device());
  bandwidths(lab, watch, ceilings);
  const Allocation sink(lab.device(), 256);
  for (const Peak& peak : kPeaks) {
    if (lab.device().info().compute_capability() < peak.minimum_cc) continue;
    const double rate = peak_rate(lab, watch, peak, sink.pointer());
    if (rate > 0) ceilings.push_back({peak.name, "FLOP/s", rate});
  }
  return ceilings;
}

}  // namespace kerlab::measure
