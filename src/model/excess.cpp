#include "model/excess.h"

#include <algorithm>
#include <functional>
#include <map>

namespace kerlab::model {
namespace {

/// Copies out of shared memory are named by where they go: "cp.async.bulk.tensor.2d.global.shared::cta".
bool copies_out(std::string_view text) {
  return text.starts_with("cp.") && text.find(".global.shared") != std::string_view::npos;
}

bool is_atomic(std::string_view text) {
  return text.starts_with("atom") || text.starts_with("red");
}

bool loads_global(std::string_view text) {
  return text.starts_with("ld") || is_atomic(text) || (text.starts_with("cp.") && !copies_out(text));
}
bool stores_global(std::string_view text) {
  return text.starts_with("st") || is_atomic(text) || copies_out(text);
}
bool loads_shared(std::string_view text) {
  return text.starts_with("ld") || text.starts_with("wmma.load") || is_atomic(text) || copies_out(text);
}
bool stores_shared(std::string_view text) {
  return text.starts_with("st") || text.starts_with("wmma.store") || is_atomic(text) ||
         (text.starts_with("cp.") && !copies_out(text));
}

using Number = std::int64_t (*)(const LineCounts&);

/// What of a counter one instruction did, in any unit that is the same for all.
Number number_of(std::string_view counter) {
  static const std::map<std::string_view, Number> kNumbers = {
      {"global_load_bytes",
       [](const LineCounts& c) { return c.global_requests > 0 && loads_global(c.text) ? c.bytes : 0; }},
      {"global_store_bytes",
       [](const LineCounts& c) { return c.global_requests > 0 && stores_global(c.text) ? c.bytes : 0; }},
      {"shared_load_bytes",
       [](const LineCounts& c) { return c.shared_requests > 0 && loads_shared(c.text) ? c.bytes : 0; }},
      {"shared_store_bytes",
       [](const LineCounts& c) { return c.shared_requests > 0 && stores_shared(c.text) ? c.bytes : 0; }},
      {"global_requests", [](const LineCounts& c) { return c.global_requests; }},
      {"global_sectors", [](const LineCounts& c) { return c.sectors; }},
      {"shared_requests", [](const LineCounts& c) { return c.shared_requests; }},
      {"shared_wavefronts", [](const LineCounts& c) { return c.wavefronts; }},
      {"local_bytes", [](const LineCounts& c) { return c.pipe == Pipe::local ? c.bytes : 0; }},
      {"tensor_flops", [](const LineCounts& c) { return c.pipe == Pipe::tensor ? c.warp_instructions : 0; }},
      {"atomics", [](const LineCounts& c) { return c.pipe == Pipe::atomic ? c.lane_instructions : 0; }},
      {"barriers", [](const LineCounts& c) { return c.pipe == Pipe::barrier ? c.warp_instructions : 0; }},
      {"barrier_waits", [](const LineCounts& c) { return c.waits; }},
      {"divergent_branches", [](const LineCounts& c) { return c.divergences; }},
  };
  const auto at = kNumbers.find(counter);
  return at == kNumbers.end() ? nullptr : at->second;
}

/// Of all blocks and repetitions of a launch.
double scale_of(const LaunchInspection& launch) {
  if (launch.work.blocks_run <= 0) return 0;
  return launch.times * static_cast<double>(launch.work.blocks) / static_cast<double>(launch.work.blocks_run);
}

std::string source_of(const LaunchInspection& launch, const CodeLine& line) {
  const auto same = [&](const SourceLine& known) { return place_text(known.line) == place_text(line); };
  const auto at = std::ranges::find_if(launch.lines, same);
  return at == launch.lines.end() ? "" : at->source;
}

}  // namespace

std::vector<CounterPlace> places_of(std::string_view counter, const std::vector<LaunchInspection>& launches,
                                    std::size_t most) {
  const Number number = number_of(counter);
  if (number == nullptr) return {};
  std::map<std::string, CounterPlace> places;
  double all = 0;
  for (const LaunchInspection& launch : launches) {
    for (const LineCounts& counts : launch.instructions) {
      const double part = static_cast<double>(number(counts)) * scale_of(launch);
      if (part <= 0) continue;
      CounterPlace& place = places[place_text(counts.line)];
      if (place.counter.empty()) place = {std::string(counter), counts.line, source_of(launch, counts.line), 0};
      place.share += part;
      all += part;
    }
  }
  std::vector<CounterPlace> sorted;
  for (auto& [text, place] : places) sorted.push_back(std::move(place));
  for (CounterPlace& place : sorted) place.share /= all;
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &CounterPlace::share);
  if (sorted.size() > most) sorted.resize(most);
  return sorted;
}

}  // namespace kerlab::model
