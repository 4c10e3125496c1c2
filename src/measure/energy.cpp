#include "measure/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kerlab::measure {
namespace {

constexpr double kWarmUpSeconds = 0.5;
constexpr double kBatchUs = 20000;    // of work between two readings; the gap between batches is a thousandth of it
constexpr double kGraphBelowUs = 50;  // a launch costs the host some microseconds: faster ones go as a graph of many
constexpr double kGraphUs = 2000;     // of work in one graph
constexpr int kMostInBatch = 20000;

/// A candidate's runs as batches of about 20 ms.
class Batches {
 public:
  Batches(Device& device, const Timeable& candidate) : device_(device), candidate_(candidate) {
    const EventId begin = device.create_event(), end = device.create_event();
    run_one();
    device.record(begin);
    for (int i = 0; i < 4; ++i) run_one();
    device.record(end);
    device.synchronize();
    const double us = std::max(0.5, device.elapsed_us(begin, end) / 4);
    device.release_event(begin);
    device.release_event(end);
    if (us < kGraphBelowUs) capture(us);
    const double unit_us = us * (graph_ ? graph_runs_ : 1);
    repeats_ = std::clamp(static_cast<int>(std::lround(kBatchUs / unit_us)), 1, kMostInBatch);
  }

  void queue() {
    for (int i = 0; i < repeats_; ++i) {
      if (graph_) {
        graph_->launch();
      } else {
        run_one();
      }
    }
    runs_ += static_cast<std::int64_t>(repeats_) * (graph_ ? graph_runs_ : 1);
  }
  [[nodiscard]] std::int64_t runs() const { return runs_; }

 private:
  void run_one() {
    const std::size_t set = next_++ % candidate_.sets.size();
    if (candidate_.call) candidate_.call(set);
    for (const BoundLaunch& launch : candidate_.sets[set]) device_.launch(launch);
  }

  void capture(double us) {
    const std::size_t sets = candidate_.sets.size();
    const int repeats = std::max(1, static_cast<int>(kGraphUs / (us * static_cast<double>(sets))));
    std::vector<BoundLaunch> launches;
    for (const auto& set : candidate_.sets) launches.insert(launches.end(), set.begin(), set.end());
    const std::optional<GraphId> captured =
        candidate_.call ? candidate_.capture(sets, repeats) : device_.capture(launches, repeats);
    if (captured) graph_.emplace(device_, *captured);
    graph_runs_ = repeats * static_cast<int>(sets);
  }

  Device& device_;
  const Timeable& candidate_;
  std::optional<Graph> graph_;
  int graph_runs_ = 0, repeats_ = 1;
  std::int64_t runs_ = 0;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<double> mean_watts(const std::vector<EnergyReading>& readings, double from) {
  const EnergyReading* first = nullptr;
  const EnergyReading* last = nullptr;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i].seconds < from || readings[i].joules == readings[i - 1].joules) continue;
    if (first == nullptr) first = &readings[i];
    last = &readings[i];
  }
  if (first == last || last->seconds <= first->seconds) return std::nullopt;
  return (last->joules - first->joules) / (last->seconds - first->seconds);
}

std::vector<EnergyReading> sustain(const EnergyMeter& meter, double seconds, const std::function<void()>& queue,
                                   const std::function<void()>& wait) {
  std::vector<EnergyReading> readings;
  const double begin = meter.seconds();
  do {
    queue();
    const double joules = meter.joules();
    readings.push_back({meter.seconds(), joules});
    wait();
  } while (meter.seconds() - begin < seconds);
  return readings;
}

EnergySample measure_energy(Lab& lab, const Timeable& candidate, double seconds, const EnergyMeter& meter) {
  Device& device = lab.device();
  ClockProbe probe(lab);
  probe.reset(2);
  Batches batches(device, candidate);
  const auto queue = [&] { batches.queue(); };
  const auto wait = [&] { device.synchronize(); };
  sustain(meter, kWarmUpSeconds, queue, wait);
  const EventId begin = device.create_event(), end = device.create_event();
  const std::int64_t warmed = batches.runs();
  probe.read();
  device.record(begin);
  const std::vector<EnergyReading> readings = sustain(meter, seconds, queue, wait);
  device.record(end);
  probe.read();
  probe.fetch();
  EnergySample sample;
  sample.id = candidate.id;
  sample.runs = batches.runs() - warmed;
  sample.run_us = device.elapsed_us(begin, end) / static_cast<double>(sample.runs);
  sample.sm_clock_mhz = probe.mhz(0, 1);
  device.release_event(begin);
  device.release_event(end);
  const auto watts = mean_watts(readings, 0);
  if (!watts) throw Error(fmt::format("the GPU's energy counter did not move twice in {:.1f} s", seconds));
  sample.watts = *watts;
  return sample;
}

}  // namespace kerlab::measure
