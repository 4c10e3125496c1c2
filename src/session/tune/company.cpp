#include "session/tune/company.h"

#include <algorithm>

#include "base/elapsed.h"
#include "base/format.h"

namespace kerlab::session {

namespace {

constexpr std::chrono::milliseconds kAskEvery{500};

std::string with_memory(const ForeignProcess& process) {
  const std::string name = name_all({process});
  return process.memory_bytes ? fmt::format("{} with {}", name, format_bytes(*process.memory_bytes)) : name;
}

}  // namespace

Company::Company(Rig& rig, CompanyOptions options) : rig_(rig), options_(options), places_(rig.devices().size()) {
  look();
}

void Company::look() {
  for (std::size_t device = 0; device < places_.size(); ++device) ask(device);
}

void Company::ask(std::size_t device) {
  const RigDevice& asked = rig_.devices()[device];
  if (!asked.lost.empty() || !asked.runner->idle() || !asked.info.has_clock) return;
  places_[device].looked = Clock::now();
  see(device, asked.runner->neighbours());
}

void Company::see(std::size_t device, const std::vector<ForeignProcess>& processes) {
  Place& place = places_[device];
  for (const ForeignProcess& process : processes) {
    const bool known =
        std::ranges::any_of(place.ever, [&](const ForeignProcess& one) { return one.pid == process.pid; });
    if (known) continue;
    place.ever.push_back(process);
    notes_.push_back(
        fmt::format("{} is shared with {}: {}", id(device), with_memory(process),
                    options_.exclusive ? "nothing is timed until it is free" : "times taken meanwhile are marked"));
  }
  place.now = processes;
}

bool Company::spoils(std::size_t device, const std::vector<ForeignProcess>& processes) {
  see(device, processes);
  if (processes.empty()) return false;
  ++places_[device].spoilt;
  return options_.exclusive;
}

bool Company::may_time(std::size_t device) {
  Place& place = places_[device];
  if (!options_.exclusive || place.now.empty()) return true;
  if (!place.waiting_since) place.waiting_since = Clock::now();
  if (Clock::now() - place.looked < kAskEvery) return false;
  ask(device);
  const double waited = seconds_since(*place.waiting_since);
  if (place.now.empty()) {
    notes_.push_back(fmt::format("{} is free again after {}", id(device), format_seconds(waited)));
    place.waiting_since.reset();
    return true;
  }
  if (options_.patience_s > 0 && waited > options_.patience_s)
    throw Error(fmt::format("{} is still shared with {} after {}: end it, or wait longer with --exclusive=SECONDS",
                            id(device), name_all(place.now), format_seconds(waited)),
                ExitCode::inconclusive);
  return false;
}

bool Company::stands(const Measurement& measurement) const {
  if (measurement.shared_with.empty()) return true;
  const bool here = std::ranges::any_of(places_, [](const Place& place) { return !place.now.empty(); });
  return here && !options_.exclusive;
}

std::string Company::waiting() const {
  for (std::size_t device = 0; device < places_.size(); ++device) {
    const Place& place = places_[device];
    if (place.waiting_since)
      return fmt::format("{} on {}, {}", name_all(place.now), id(device),
                         format_seconds(seconds_since(*place.waiting_since)));
  }
  return {};
}

std::vector<std::string> Company::warnings() const {
  std::vector<std::string> warnings;
  for (std::size_t device = 0; device < places_.size(); ++device) {
    const Place& place = places_[device];
    if (place.spoilt == 0) continue;
    warnings.push_back(fmt::format(
        "{} was shared with {} during {} timings; {}", id(device), name_all(place.ever), place.spoilt,
        options_.exclusive ? "they were taken again" : "their times are marked (kerlab show), --exclusive waits"));
  }
  return warnings;
}

}  // namespace kerlab::session
