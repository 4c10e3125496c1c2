// The vendor's library as rows that are timed like candidates.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "base/elapsed.h"
#include "stats/samples.h"
#include "worker/workbench.h"

namespace kerlab::worker {
namespace {

constexpr int kRoundsToChoose = 7, kRoundsOfFinalists = 15;
constexpr std::size_t kFinalists = 3;  // besides the library's own pick

/// The chosen ones of `timeables`, measured side by side: their indices, the fastest first.
std::vector<std::size_t> by_median(Timer& timer, const std::vector<Timeable>& timeables,
                                   const std::vector<std::size_t>& chosen, int rounds, bool flush) {
  std::vector<Timeable> timed;
  for (const std::size_t i : chosen) timed.push_back(timeables[i]);
  TimingSchedule schedule;
  schedule.rounds = rounds;
  const std::vector<SampleSet> samples = timer.time(timed, schedule, flush);
  std::vector<std::pair<double, std::size_t>> ranking;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    ranking.emplace_back(median(samples[i].samples_us).value_or(HUGE_VAL), chosen[i]);
  std::sort(ranking.begin(), ranking.end());
  std::vector<std::size_t> order;
  for (const auto& [us, index] : ranking) order.push_back(index);
  return order;
}

/// Test hook: a library that takes the worker with it, or its time. KERLAB_LIBRARY_FAULT=kill, hang or slow.
void sabotage() {
  const char* hook = std::getenv("KERLAB_LIBRARY_FAULT");
  if (hook == nullptr) return;
  if (std::string_view(hook) == "kill") std::raise(SIGKILL);
  while (std::string_view(hook) == "hang") pause();
  if (std::string_view(hook) == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(1500));
}

}  // namespace

std::vector<Timeable> Workbench::library_timeables(std::span<const std::size_t> algorithms) {
  Problem& p = problem();
  std::vector<Timeable> timeables;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    const std::size_t algorithm = algorithms[i];
    Timeable timeable;
    timeable.id = kLibraryIds + static_cast<std::uint32_t>(i);
    timeable.sets.resize(static_cast<std::size_t>(p.data.rotation_sets()));
    timeable.call = [&library = *p.library, algorithm](std::size_t set) { library.run(algorithm, set); };
    timeable.capture = [&library = *p.library, algorithm](std::size_t sets, int repeats) {
      return library.capture(algorithm, sets, repeats);
    };
    timeable.touches = p.data.touch_launches();
    timeable.call(0);  // the first run of an algorithm loads it
    timeables.push_back(std::move(timeable));
  }
  return timeables;
}

/// All that is timed beside candidates: the vendor's two rows, if any, then those of plug-ins.
std::vector<Timeable> Workbench::library_row_timeables() {
  Problem& p = problem();
  std::vector<Timeable> timeables;
  if (p.library) timeables = library_timeables(p.library_rows);
  if (p.plugin_rows)
    for (Timeable& timeable : p.plugin_rows->timeables(kLibraryIds + static_cast<std::uint32_t>(timeables.size()))) {
      timeable.call(0);  // what is loaded lazily is loaded now
      timeables.push_back(std::move(timeable));
    }
  return timeables;
}

/// Each by itself: one that cannot be loaded leaves the others their rows.
void Workbench::prepare_plugins(reply::LibraryReady& ready) {
  Problem& p = problem();
  const auto say = [&](const std::string& why) { ready.message += (ready.message.empty() ? "" : "; ") + why; };
  for (const std::string& file : std::exchange(plugin_files_, {})) {
    try {
      plugins_.push_back(std::make_unique<Plugin>(file));
    } catch (const Error& error) {
      plugin_trouble_ += (plugin_trouble_.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (!plugin_trouble_.empty()) say(plugin_trouble_);
  if (plugins_.empty() || !p.data.has_reference()) return;
  p.plugin_rows = std::make_unique<PluginRows>(plugins_, p.data);
  if (!p.plugin_rows->message().empty()) say(p.plugin_rows->message());
  for (std::string& label : p.plugin_rows->labels()) ready.rows.push_back(std::move(label));
  p.data.distrust_all();
}

reply::LibraryReady Workbench::prepare_library() {
  Problem& p = problem();
  if (p.library_asked) return p.library_ready;
  reply::LibraryReady ready;
  const bool vendors = dynamic_cast<CudaDevice*>(&device_) != nullptr && !p.data.plan().library_gemm.empty();
  const bool plugins = !plugin_files_.empty() || !plugins_.empty() || !plugin_trouble_.empty();
  if (!vendors && !plugins) {
    ready.message = "there is no library for this problem on this device";
    return ready;
  }
  if (vendors) {
    try {
      ready = prepare_vendor();
    } catch (const Error& error) {
      const auto* fault = dynamic_cast<const DeviceFault*>(&error);
      if (!plugins || (fault != nullptr && fault->sticky())) throw;
      p.library.reset();
      ready = {};
      ready.message = error.what();
    }
  }
  if (plugins) prepare_plugins(ready);
  p.library_asked = true;
  p.library_ready = ready;
  return ready;
}

/// Measures every algorithm on offer, side by side, and keeps the library's own pick and the fastest.
reply::LibraryReady Workbench::prepare_vendor() {
  Problem& p = problem();
  reply::LibraryReady ready;
  auto* gpu = dynamic_cast<CudaDevice*>(&device_);
  const GemmCall& call = p.data.plan().library_gemm.front();
  const auto begin = std::chrono::steady_clock::now();
  std::vector<GemmPointers> sets;
  for (int set = 0; set < p.data.rotation_sets(); ++set) {
    const Addresses at = p.data.timed_addresses(set);
    sets.push_back({at.at(call.a), at.at(call.b), at.at(call.c), at.at(call.d)});
  }
  const DType dtype = p.data.plan().tensors.front().dtype;
  if (!library_) {
    library_.emplace();
    ready.read_ms = library_->read_ms();
    ready.start_ms = library_->start_ms();
  }
  p.library = std::make_unique<LibraryGemm>(*library_, *gpu, call, dtype, std::move(sets));
  ready.load_ms = milliseconds_since(begin);
  p.data.prepare_timing();
  std::vector<std::size_t> all(p.library->algorithms());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto timeables = library_timeables(all);
  device_.synchronize();
  // Twice: seven samples of each tell the slow ones apart, not the fast ones.
  std::vector<std::size_t> finalists = by_median(p.timer, timeables, all, kRoundsToChoose, p.data.needs_flush());
  finalists.resize(std::min(finalists.size(), kFinalists));
  if (std::find(finalists.begin(), finalists.end(), std::size_t{0}) == finalists.end()) finalists.push_back(0);
  const std::size_t best = by_median(p.timer, timeables, finalists, kRoundsOfFinalists, p.data.needs_flush()).front();
  p.library_rows = {best, 0};
  // Counted from 1, which is its own pick.
  ready.rows = {fmt::format("{}, best of {} algorithms (no. {})", p.library->version(), all.size(), best + 1),
                fmt::format("{}, its own pick", p.library->version())};
  ready.choose_ms = milliseconds_since(begin) - ready.load_ms;
  p.data.distrust_all();
  return ready;
}

Reply Workbench::serve(const request::Library&) {
  if (device_.info().is_scripted) sabotage();
  try {
    return prepare_library();
  } catch (const DeviceFault& fault) {
    if (fault.sticky()) throw;
    return reply::LibraryReady{{}, fault.what(), 0, 0};
  } catch (const Error& error) {
    return reply::LibraryReady{{}, error.what(), 0, 0};
  }
}

}  // namespace kerlab::worker
