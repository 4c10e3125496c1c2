#pragma once
// Samples of loaded candidates: blocker, event, plan, event; cold by rotation or flush, with hot inputs touched after
// it; interleaved in shuffled rounds;
// fast ones as a graph of many, and then those that are compared with them too. Never prints.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "measure/blocker.h"
#include "measure/clock_probe.h"
#include "measure/conditions.h"
#include "measure/timing.h"

namespace kerlab::measure {

/// A candidate as the timer sees it; must have run once before. Spans outlive the call.
struct Timeable {
  std::uint32_t id = 0;
  Start start = Start::held;
  std::vector<std::span<const BoundLaunch>> sets;  ///< one run on each rotation set
  std::function<void(std::size_t set)> call;       ///< a library that launches by itself; `sets` then only counts
  /// A graph of `repeats` times `call` on the first `sets` sets; nothing when that cannot be captured.
  std::function<std::optional<GraphId>(std::size_t sets, int repeats)> capture;
  std::vector<std::vector<BoundLaunch>> restores;  ///< what must run before it, untimed (inout tensors); or empty
  std::vector<BoundLaunch> touches = {};  ///< read the inputs that are hot where the rest is cold, untimed; or empty
  /// Called once, behind one of its samples, nobody knows which, with the set of that: time to look at results. What it
  /// queues is not timed. May be empty.
  std::function<void(std::size_t set)> look;
};

class Timer {
 public:
  explicit Timer(Lab& lab);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// `flush`: the sets do not cover twice the L2, so cold samples need a flush.
  std::vector<SampleSet> time(std::span<const Timeable> candidates, const TimingSchedule& schedule, bool flush);

 private:
  struct Candidate;
  void settle(const TimingSchedule& schedule, std::vector<SampleSet>& samples);
  /// As many rounds as the schedule wants, and those again in which the clocks were held down.
  void take_rounds(std::span<Candidate> candidates, const TimingSchedule& schedule);
  void measure_floor();
  void take_sample(Candidate& candidate);
  void look(Candidate& candidate, std::size_t set);
  void batch_alike(std::span<Candidate> candidates);
  double sample_events(const Candidate& candidate, std::size_t set);
  double sample_graph(const Candidate& candidate);
  double sample_started(Candidate& candidate, std::size_t set);
  void begin_started(Candidate& candidate);
  void start_run(const Candidate& candidate, std::size_t set);
  double sample_modelled(const Candidate& candidate, std::size_t set);
  double between_events();
  bool begin_graph(Candidate& candidate, double estimate_us);
  void allocate_flush();
  void flush_cache();
  void bring_about_cache(const Candidate& candidate);
  void finish(std::span<Candidate> candidates);

  Lab& lab_;
  Device& device_;
  Blocker blocker_;
  ClockProbe probe_;
  EventId begin_, end_;
  std::optional<Allocation> flush_memory_;
  double floor_us_ = 0;  ///< an empty kernel between two events
  std::size_t next_set_ = 0;
  std::size_t readings_ = 0;
  std::optional<std::chrono::steady_clock::time_point> last_busy_;
  std::string settle_warning_;
};

/// The order of one round: a permutation of 0 .. count - 1, the same for the same seed and round everywhere.
std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed, int round);

/// The order of a round as the schedule wants it: mirrored, every odd round is the one before it backwards.
std::vector<std::size_t> round_order(std::size_t count, const TimingSchedule& schedule, int round);

/// How often a graph of `sets` runs must be repeated so that one sample takes long enough for the events' resolution.
int graph_repeats(double run_us, std::size_t sets);

}  // namespace kerlab::measure
