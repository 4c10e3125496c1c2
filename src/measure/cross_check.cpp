#include "measure/cross_check.h"

#include <algorithm>
#include <chrono>

namespace kerlab::measure {

namespace {

constexpr double kLoopUs = 10000;  // launching and waiting cost some 20 us of it
constexpr double kFewest = 3, kMost = 2000;
constexpr int kCrossAttempts = 4;

double compare_once(Device& device, const Timeable& candidate, std::size_t runs) {
  const EventId begin = device.create_event(), end = device.create_event();
  device.synchronize_all();
  const auto started = std::chrono::steady_clock::now();
  device.record(begin);
  for (std::size_t run = 0; run < runs; ++run)
    for (const BoundLaunch& launch : candidate.sets[run % candidate.sets.size()]) device.launch(launch);
  device.record(end);
  device.synchronize_all();
  const std::chrono::duration<double, std::micro> host = std::chrono::steady_clock::now() - started;
  const double events = device.elapsed_us(begin, end);
  device.release_event(begin);
  device.release_event(end);
  return events > 0 ? host.count() / events : 0;
}

}  // namespace

double host_over_events(Device& device, const Timeable& candidate, double run_us) {
  const auto runs = static_cast<std::size_t>(std::clamp(kLoopUs / std::max(run_us, 0.1), kFewest, kMost));
  double least = compare_once(device, candidate, runs);
  for (int attempt = 1; attempt < kCrossAttempts && least >= kHostDisagrees; ++attempt)
    least = std::min(least, compare_once(device, candidate, runs));
  return least;
}

}  // namespace kerlab::measure
