#include "measure/timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "measure/cross_check.h"
#include "measure/settle.h"

namespace kerlab::measure {
namespace {

constexpr double kShortestSampleUs = 200;   // 400 steps of the events' clock
constexpr double kAlike = 4;                // times what is batched: slower ones lose nothing by events of their own
constexpr std::size_t kLaunchesHeld = 256;  // more would fill the launch queue behind the blocker
constexpr double kLaunchBound = 3;          // times an empty kernel
constexpr auto kStaysSettled = std::chrono::seconds(1);

/// Rounds that may be taken again, at most: more, and the device cannot be measured now.
int rounds_to_spare(int rounds) {
  return (rounds + 4) / 5;
}

}  // namespace

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed, int round) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed + 0x9E3779B97F4A7C15u * (static_cast<std::uint64_t>(round) + 1));
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

std::vector<std::size_t> round_order(std::size_t count, const TimingSchedule& schedule, int round) {
  if (!schedule.mirrored || round % 2 == 0) return shuffled_order(count, schedule.seed, round);
  std::vector<std::size_t> order = shuffled_order(count, schedule.seed, round - 1);
  std::reverse(order.begin(), order.end());
  return order;
}

int graph_repeats(double run_us, std::size_t sets) {
  const double cycle = std::max(run_us, 0.5) * static_cast<double>(std::max<std::size_t>(sets, 1));
  return std::max(1, static_cast<int>(std::ceil(kShortestSampleUs / cycle)));
}

/// One candidate while it is being timed.
struct Timer::Candidate {
  const Timeable* what = nullptr;
  const TimingSchedule* schedule = nullptr;
  SampleSet* samples = nullptr;
  std::size_t sets = 1;  ///< of the rotation: 1 when hot
  bool flush = false;
  bool restored = false;  ///< before each run: in a graph of many the data would drift
  bool touched = false;   ///< before each run: in a graph of many, others would have evicted what shall be hot
  std::optional<Graph> graph;
  int graph_runs = 0;  ///< of the plan in one graph launch
  bool uncapturable = false;
  std::vector<std::pair<std::size_t, std::size_t>> clock;  ///< readings around each sample
  std::size_t look_behind = 0;                             ///< so many samples its results are looked at
  bool looked = false;
  std::vector<Graph> runs = {};  ///< of a plan that starts as a graph: one for each set
  std::size_t together = 0;      ///< runs of one sample, of a plan that the host starts; 0: not known yet

  /// The last of `count` samples does not count, nor does it make the candidate give up. Who gave up before has fewer.
  void forget_last(std::size_t count) {
    if (samples->samples_us.size() != count) return;
    samples->samples_us.pop_back();
    samples->abandoned = false;
    if (!clock.empty()) clock.pop_back();
  }
  void warn(const std::string& text) {
    if (!samples->warning.empty()) samples->warning += "; ";
    samples->warning += text;
  }
};

Timer::Timer(Lab& lab)
    : lab_(lab),
      device_(lab.device()),
      blocker_(lab),
      probe_(lab),
      begin_(device_.create_event()),
      end_(device_.create_event()) {}

Timer::~Timer() {
  device_.release_event(begin_);
  device_.release_event(end_);
}

std::vector<SampleSet> Timer::time(std::span<const Timeable> candidates, const TimingSchedule& schedule, bool flush) {
  std::vector<SampleSet> samples(candidates.size());
  std::vector<Candidate> running(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool changes_inputs = !candidates[i].restores.empty() && !candidates[i].restores[0].empty();
    samples[i].id = candidates[i].id;
    samples[i].cache = schedule.cold ? CacheState::cold : CacheState::hot;
    samples[i].clock = device_.info().clock();
    samples[i].protocol = "events-1";
    // Restoring an inout tensor brings it into the cache.
    running[i] = {&candidates[i],
                  &schedule,
                  &samples[i],
                  schedule.cold ? candidates[i].sets.size() : 1,
                  schedule.cold && (flush || changes_inputs),
                  changes_inputs,
                  schedule.cold && !candidates[i].touches.empty(),
                  {},
                  0,
                  false,
                  {}};
    running[i].look_behind = std::random_device{}() % static_cast<std::size_t>(std::max(schedule.rounds, 1));
  }
  for (const Candidate& c : running)
    if (c.flush) allocate_flush();  // now: allocating may wait for the stream, which a blocker would hold
  settle(schedule, samples);
  if (floor_us_ == 0) measure_floor();
  take_rounds(running, schedule);
  finish(running);
  last_busy_ = std::chrono::steady_clock::now();
  return samples;
}

void Timer::take_rounds(std::span<Candidate> candidates, const TimingSchedule& schedule) {
  const int rounds = std::max(schedule.rounds, 0), spare = rounds_to_spare(rounds);
  // Two readings per sample, and four for the first ones that others replace.
  probe_.reset(candidates.size() * 2 * static_cast<std::size_t>(rounds + spare + 2));
  readings_ = 0;
  ConditionsWatch watch(device_);
  int slowed = 0, discarded = 0;
  for (int round = 0; round < rounds + discarded; ++round) {
    for (const std::size_t i : round_order(candidates.size(), schedule, round))
      if (!candidates[i].samples->abandoned) take_sample(candidates[i]);
    if (round == 0) batch_alike(candidates);
    if (!watch.slowed()) continue;
    ++slowed;
    if (discarded == spare) continue;  // kept, and told: no result would be worse than this one
    for (Candidate& c : candidates) c.forget_last(static_cast<std::size_t>(round + 1 - discarded));
    ++discarded;
  }
  for (Candidate& c : candidates) {
    c.samples->conditions = watch.seen();
    c.samples->discarded = discarded;
    if (slowed > discarded)
      c.warn(fmt::format("unstable: clocks held down ({}) in {} of {} rounds; let the device cool down",
                         clock_reasons(watch.seen().reasons & kClocksSlowed), slowed, rounds + discarded));
  }
}

void Timer::settle(const TimingSchedule& schedule, std::vector<SampleSet>& samples) {
  const bool recent = last_busy_ && std::chrono::steady_clock::now() - *last_busy_ < kStaysSettled;
  if (schedule.settle && device_.info().is_hardware && !recent)
    settle_warning_ = settle_clocks(lab_, probe_) ? "" : "clocks did not settle within 5 s";
  for (SampleSet& set : samples) set.warning = settle_warning_;
}

void Timer::measure_floor() {
  const BoundLaunch empty = lab_.bind("lab_flush", lab::FlushArguments{0, 0}, 1, 32);
  // Once without the blocker: nothing behind it may be used for the first time.
  probe_.reset(1);
  probe_.read();
  device_.launch(empty);
  device_.synchronize();
  std::vector<double> times;
  for (int i = 0; i < 6; ++i) {
    blocker_.hold();
    device_.record(begin_);
    device_.launch(empty);
    device_.record(end_);
    times.push_back(between_events());
  }
  std::sort(times.begin(), times.end());
  floor_us_ = times[times.size() / 2];
}

double Timer::between_events() {
  blocker_.release();
  device_.synchronize();
  return device_.elapsed_us(begin_, end_);
}

void Timer::take_sample(Candidate& c) {
  const std::size_t set = c.sets > 1 ? next_set_++ % c.sets : 0;
  if (!device_.info().has_clock) {
    c.samples->samples_us.push_back(sample_modelled(c, set));
    return;
  }
  const bool held = c.what->start == Start::held;
  double us = c.graph ? sample_graph(c) : held ? sample_events(c, set) : sample_started(c, set);
  const bool first = c.samples->samples_us.empty() && !c.graph;
  if (held && first && us < c.schedule->batch_below_us && begin_graph(c, us)) {
    c.clock = {{readings_, readings_ + 1}};
    us = sample_graph(c);
  } else {
    c.clock.emplace_back(readings_ - 2, readings_ - 1);
  }
  c.samples->samples_us.push_back(us);
  c.samples->abandoned = c.schedule->abandon_us > 0 && c.samples->samples_us[0] > c.schedule->abandon_us;
  if (c.samples->samples_us.size() > c.look_behind) look(c, set);
}

/// Once. In a cache that shall be hot nothing else may be left behind.
void Timer::look(Candidate& c, std::size_t set) {
  if (c.looked || !c.what->look) return;
  c.looked = true;
  c.what->look(set);
  if (c.schedule->cold) return;
  for (const BoundLaunch& launch : c.what->sets.at(0)) device_.launch(launch);
}

/// A run between two events of its own takes about a microsecond more than one of a graph: whatever is compared with a
/// batched candidate, and is not much slower, is batched too.
void Timer::batch_alike(std::span<Candidate> candidates) {
  if (std::none_of(candidates.begin(), candidates.end(), [](const Candidate& c) { return c.graph.has_value(); }))
    return;
  for (Candidate& c : candidates) {
    if (c.graph || c.what->start != Start::held || c.samples->abandoned || c.samples->samples_us.empty()) continue;
    const double us = c.samples->samples_us.front();
    if (us > kAlike * c.schedule->batch_below_us || !begin_graph(c, us)) continue;
    c.clock = {{readings_, readings_ + 1}};
    c.samples->samples_us.front() = sample_graph(c);
  }
}

double Timer::sample_events(const Candidate& c, std::size_t set) {
  const std::span<const BoundLaunch> launches = c.what->sets.at(set);
  if (launches.size() <= kLaunchesHeld) blocker_.hold();
  if (set < c.what->restores.size())
    for (const BoundLaunch& launch : c.what->restores[set]) device_.launch(launch);
  bring_about_cache(c);
  probe_.read();
  device_.record(begin_);
  if (c.what->call) c.what->call(set);
  for (const BoundLaunch& launch : launches) device_.launch(launch);
  device_.record(end_);
  probe_.read();
  readings_ += 2;
  return between_events();
}

double Timer::sample_graph(const Candidate& c) {
  blocker_.hold();
  probe_.read();
  device_.record(begin_);
  c.graph->launch();
  device_.record(end_);
  probe_.read();
  readings_ += 2;
  return between_events() / c.graph_runs;
}

/// Starts a run as an application does.
void Timer::start_run(const Candidate& c, std::size_t set) {
  if (c.what->start == Start::graph) return c.runs.at(set).launch();
  for (const BoundLaunch& launch : c.what->sets.at(set)) device_.launch(launch);
}

/// Captures what is captured, and finds how many runs one after another take long enough for the events' resolution.
void Timer::begin_started(Candidate& c) {
  c.samples->protocol = "host-1";
  for (std::size_t set = 0; c.what->start == Start::graph && set < c.sets; ++set) {
    c.runs.emplace_back(device_, device_.capture(c.what->sets.at(set), 1));
    c.runs.back().launch();  // the first launch of a graph prepares it
  }
  c.together = 1;
  if (c.flush || c.restored || c.touched) return;
  sample_started(c, 0);
  c.together = static_cast<std::size_t>(graph_repeats(sample_started(c, 0), 1));
}

/// No blocker: the host starts the runs while the device works, and whichever takes longer is the time.
double Timer::sample_started(Candidate& c, std::size_t set) {
  if (c.together == 0) begin_started(c);
  if (set < c.what->restores.size())
    for (const BoundLaunch& launch : c.what->restores[set]) device_.launch(launch);
  bring_about_cache(c);
  device_.synchronize();
  probe_.read();
  device_.record(begin_);
  for (std::size_t run = 0; run < c.together; ++run) start_run(c, (set + run) % c.sets);
  device_.record(end_);
  probe_.read();
  readings_ += 2;
  device_.synchronize();
  return device_.elapsed_us(begin_, end_) / static_cast<double>(c.together);
}

double Timer::sample_modelled(const Candidate& c, std::size_t set) {
  for (const BoundLaunch& launch : c.what->sets.at(set)) device_.launch(launch, LaunchMode::count);
  return 0;  // modelled by the session, from the reports
}

/// False: it cannot be captured, or something must happen between its runs; it goes on being timed by events.
bool Timer::begin_graph(Candidate& c, double estimate_us) {
  if (c.uncapturable || c.flush || c.restored || c.touched) return false;
  std::vector<BoundLaunch> launches;
  for (std::size_t set = 0; set < c.sets; ++set)
    launches.insert(launches.end(), c.what->sets[set].begin(), c.what->sets[set].end());
  const int repeats = graph_repeats(estimate_us, c.sets);
  const std::optional<GraphId> captured =
      c.what->call ? c.what->capture(c.sets, repeats) : device_.capture(launches, repeats);
  c.uncapturable = !captured.has_value();
  if (c.uncapturable) {
    c.warn("timed one by one, which counts about a microsecond more: it cannot be captured in a graph");
    return false;
  }
  c.graph.emplace(device_, *captured);
  c.graph_runs = repeats * static_cast<int>(c.sets);
  c.samples->protocol = "graph-1";
  c.graph->launch();  // the first launch of a graph prepares it
  return true;
}

void Timer::allocate_flush() {
  if (flush_memory_) return;
  const std::int64_t bytes = std::max<std::int64_t>(2 * device_.info().l2_bytes, 64 << 20);
  flush_memory_.emplace(device_, static_cast<std::size_t>(bytes));
  device_.fill(flush_memory_->pointer(), 0, static_cast<std::size_t>(bytes / 4));
}

void Timer::flush_cache() {
  const auto words = static_cast<std::int64_t>(flush_memory_->bytes() / 4);
  lab_.run_over("lab_flush", lab::FlushArguments{flush_memory_->pointer(), words}, words);
}

/// What is cold first: it evicts what shall be hot.
void Timer::bring_about_cache(const Candidate& c) {
  if (c.flush) flush_cache();
  if (!c.touched) return;
  for (const BoundLaunch& launch : c.what->touches) device_.launch(launch);
}

void Timer::finish(std::span<Candidate> candidates) {
  probe_.fetch();
  for (Candidate& c : candidates) {
    for (const auto& [from, to] : c.clock) c.samples->sm_clock_mhz.push_back(probe_.mhz(from, to));
    if (std::count(c.samples->sm_clock_mhz.begin(), c.samples->sm_clock_mhz.end(), 0.0) != 0)
      c.samples->sm_clock_mhz.clear();  // unknown for some: unknown
    c.graph.reset();
    c.runs.clear();
    if (c.samples->samples_us.empty() || c.what->start != Start::held) continue;
    const double fastest = *std::min_element(c.samples->samples_us.begin(), c.samples->samples_us.end());
    if (c.schedule->cross_check && !c.what->call && device_.info().is_hardware)
      c.samples->host_ratio = host_over_events(device_, *c.what, fastest);
    if (fastest >= kLaunchBound * floor_us_ || !device_.info().has_clock) continue;
    c.warn(fmt::format("launch-bound: less than {} times an empty kernel's {:.2f} us", kLaunchBound, floor_us_));
  }
}

}  // namespace kerlab::measure
