#include "measure/settle.h"

#include <algorithm>
#include <chrono>

namespace kerlab::measure {
namespace {

constexpr int kWindows = 5;
constexpr double kSpread = 0.01;
constexpr auto kPatience = std::chrono::seconds(5);
constexpr double kWindowMs = 20;

/// Iterations of lab_fma_fp32 on a full grid that take about one window: each scheduler of an SM (four) issues one warp
/// a cycle.
lab::i64 window_iterations(const DeviceInfo& device) {
  constexpr double kWarpsPerScheduler = Lab::kBlocksPerSm * Lab::kThreads / 32.0 / 4;
  const double cycles = kWindowMs * 1e3 * std::max(device.clock_mhz, 1000);
  return static_cast<lab::i64>(cycles / (kWarpsPerScheduler * lab::kFmaChains * lab::kFmaSteps));
}

}  // namespace

bool settle_clocks(Lab& lab, ClockProbe& probe) {
  const auto begin = std::chrono::steady_clock::now();
  const Allocation sink(lab.device(), 256);
  const lab::PeakArguments work{sink.pointer(), window_iterations(lab.device().info())};
  std::vector<double> clocks;
  while (std::chrono::steady_clock::now() - begin < kPatience) {
    probe.reset(2);
    probe.read();
    lab.device().launch(lab.bind("lab_fma_fp32", work, lab.full_grid()));
    probe.read();
    probe.fetch();
    clocks.push_back(probe.mhz(0, 1));
    if (clocks.size() < kWindows) continue;
    const auto [low, high] = std::minmax_element(clocks.end() - kWindows, clocks.end());
    if (*low > 0 && (*high - *low) / *high < kSpread) return true;
    if (*high == 0) return true;  // no clock to be read here: the work itself was the warm-up
  }
  return false;
}

}  // namespace kerlab::measure
