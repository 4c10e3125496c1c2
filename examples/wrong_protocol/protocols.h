#pragma once
// Ways to time a kernel, right and wrong, each as people write them. Over any `Machine`, so that they can be tested
// with a clock that is set by hand:
//   void fill(Data)          inputs become random numbers or zeros
//   void flush()             whatever the L2 cache held of the inputs is gone (queued, returns at once)
//   void launch()            queues the kernel, returns at once
//   void synchronize()       returns when all that was queued is done
//   double now_us()          the host's clock
//   double event_us()        queues a kernel between two events and synchronises: the time between them

#include <algorithm>
#include <string>
#include <vector>

namespace wrong_protocol {

enum class Data { random, zeros };

inline double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

template <typename Machine>
void warm_up(Machine& machine, double least_us) {
  const double begun = machine.now_us();
  do {
    machine.launch();
    machine.synchronize();
  } while (machine.now_us() - begun < least_us);
}

/// Samples of single launches, between events; each finds a cold cache when `flush`.
template <typename Machine>
std::vector<double> event_samples(Machine& machine, int count, bool flush) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) {
    if (flush) machine.flush();
    samples.push_back(machine.event_us());
  }
  return samples;
}

constexpr int kSamples = 100;
constexpr double kWarmUp = 300e3;  // 0.3 s: clocks have risen, power has settled

/// The protocol that kerlab's is a longer form of: warm, cold L2, random data, events, the median of many.
template <typename Machine>
double right(Machine& machine) {
  machine.fill(Data::random);
  warm_up(machine, kWarmUp);
  return median(event_samples(machine, kSamples, true));
}

/// A launch returns before the kernel has begun: this times the launch.
template <typename Machine>
double no_synchronisation(Machine& machine) {
  machine.synchronize();
  const double begun = machine.now_us();
  machine.launch();
  const double ended = machine.now_us();
  machine.synchronize();
  return ended - begun;
}

/// The first launch of the process: it loads the module and meets low clocks. Must come before any other protocol.
template <typename Machine>
double no_warm_up(Machine& machine) {
  machine.synchronize();
  const double begun = machine.now_us();
  machine.launch();
  machine.synchronize();
  return machine.now_us() - begun;
}

/// The launch and the way back are part of it.
template <typename Machine>
double host_clock(Machine& machine) {
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) {
    machine.flush();
    machine.synchronize();
    const double begun = machine.now_us();
    machine.launch();
    machine.synchronize();
    samples.push_back(machine.now_us() - begun);
  }
  return median(samples);
}

/// A loop over the same inputs: they stay in L2, where the real program will not find them.
template <typename Machine>
double hot_l2(Machine& machine) {
  return median(event_samples(machine, kSamples, false));
}

/// One of a distribution, whichever it was.
template <typename Machine>
double one_sample(Machine& machine) {
  return event_samples(machine, 1, true).front();
}

/// The luckiest launch: the more samples, the smaller.
template <typename Machine>
double minimum(Machine& machine) {
  const std::vector<double> samples = event_samples(machine, kSamples, true);
  return *std::min_element(samples.begin(), samples.end());
}

/// Zeros flip no bits: less power, higher clocks.
template <typename Machine>
double zeros(Machine& machine) {
  machine.fill(Data::zeros);
  warm_up(machine, kWarmUp);
  const double us = median(event_samples(machine, kSamples, true));
  machine.fill(Data::random);
  return us;
}

struct Result {
  std::string protocol, mistake;
  double us = 0;
};

/// All of them, the right one first; run in the order that each of them needs.
template <typename Machine>
std::vector<Result> compare(Machine& machine) {
  machine.fill(Data::random);
  const double first = no_warm_up(machine);
  const double truth = right(machine);
  return {
      {"right", "warm, cold L2, random data, events, median of 100", truth},
      {"no synchronisation", "times the launch", no_synchronisation(machine)},
      {"no warm-up", "the first launch, with loading", first},
      {"host clock", "launch and return are in it", host_clock(machine)},
      {"hot L2", "inputs are in the cache", hot_l2(machine)},
      {"one sample", "one of a distribution", one_sample(machine)},
      {"minimum of 100", "the luckiest", minimum(machine)},
      {"zeros as data", "less power, higher clocks", zeros(machine)},
  };
}

}  // namespace wrong_protocol
