#include "model/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

namespace kerlab::model {
namespace {

using Place = std::tuple<std::string, std::int32_t, std::string, std::int32_t>;

/// Lines of the PTX stand for themselves where the source is not known.
Place place_of(const CodeLine& line) {
  return line.file.empty() ? Place{"", line.ptx_line, "", 0}
                           : Place{line.file, line.line, line.caller_file, line.caller_line};
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

void add(LineCounts& sum, const LineCounts& more) {
  sum.warp_instructions += more.warp_instructions;
  sum.lane_instructions += more.lane_instructions;
  sum.global_requests += more.global_requests;
  sum.shared_requests += more.shared_requests;
  sum.bytes += more.bytes;
  sum.sectors += more.sectors;
  sum.least_sectors += more.least_sectors;
  sum.wavefronts += more.wavefronts;
  sum.least_wavefronts += more.least_wavefronts;
  sum.waits += more.waits;
  sum.divergences += more.divergences;
}

}  // namespace

Waves waves_of(std::int64_t blocks, std::int64_t places) {
  Waves waves;
  if (blocks <= 0 || places <= 0) return waves;
  waves.waves = static_cast<double>(blocks) / static_cast<double>(places);
  const double begun = std::ceil(waves.waves);
  waves.last = waves.waves - (begun - 1);
  waves.idle = 1 - waves.waves / begun;
  return waves;
}

std::vector<SourceLine> by_source_line(const std::vector<LineCounts>& lines) {
  std::map<Place, SourceLine> places;
  std::map<Place, std::int64_t> most;
  double all = 0;
  for (const LineCounts& counts : lines) {
    const Place place = place_of(counts.line);
    SourceLine& line = places[place];
    if (line.line.ptx_line == 0) line.line = line.sum.line = counts.line;
    add(line.sum, counts);
    if (counts.warp_instructions > most[place]) {
      most[place] = counts.warp_instructions;
      line.sum.text = counts.text;
      line.sum.pipe = counts.pipe;
    }
    all += static_cast<double>(counts.warp_instructions);
  }
  std::vector<SourceLine> sorted;
  for (auto& [place, line] : places) {
    line.share = static_cast<double>(line.sum.warp_instructions) / std::max(all, 1.0);
    sorted.push_back(std::move(line));
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const SourceLine& line) { return line.sum.warp_instructions; });
  return sorted;
}

std::string place_text(const CodeLine& line) {
  if (line.file.empty()) return fmt::format("ptx line {}", line.ptx_line);
  std::string text = last_part(line.file);
  if (line.line > 0) text += fmt::format(":{}", line.line);
  if (line.caller_line > 0) text += fmt::format(" (from {}:{})", last_part(line.caller_file), line.caller_line);
  return text;
}

}  // namespace kerlab::model
