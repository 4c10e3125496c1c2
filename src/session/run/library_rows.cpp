#include "session/run/library_rows.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kerlab::session {
namespace {

/// Of the shipped plug-in plugins/cub.
constexpr std::array<std::string_view, 5> kFamiliesOfCub = {"histogram", "reduce", "scan", "select", "sort"};

}  // namespace

std::vector<LibraryRow> compare_library(const LibraryOutcome& library, const std::vector<double>& ours) {
  std::vector<LibraryRow> rows;
  for (std::size_t i = 0; i < std::min(library.rows.size(), library.samples.size()); ++i) {
    const std::vector<double>& samples = library.samples[i].samples_us;
    if (const auto summary = summarize(samples); summary && summary->median > 0)
      rows.push_back({library.rows[i], *summary, paired_ratio(samples, ours)});
  }
  return rows;
}

std::vector<LibraryTime> library_records(const std::vector<LibraryRow>& rows, std::int64_t measurement) {
  std::vector<LibraryTime> times;
  for (const LibraryRow& row : rows) {
    LibraryTime time;
    time.measurement = measurement;
    time.label = row.label;
    time.median_us = row.summary.median;
    time.low_us = row.summary.low;
    time.high_us = row.summary.high;
    if (row.ratio) {
      time.ratio = row.ratio->ratio;
      time.ratio_low = row.ratio->interval.low;
      time.ratio_high = row.ratio->interval.high;
    }
    times.push_back(std::move(time));
  }
  return times;
}

std::vector<LibraryRow> library_rows(const std::vector<LibraryTime>& times) {
  std::vector<LibraryRow> rows;
  for (const LibraryTime& time : times) {
    LibraryRow row;
    row.label = time.label;
    row.summary.median = time.median_us;
    row.summary.low = time.low_us;
    row.summary.high = time.high_us;
    if (time.ratio > 0) row.ratio = PairedRatio{time.ratio, {time.ratio_low, time.ratio_high}};
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string library_note(const LibraryOutcome& library) {
  if (!library.message.empty() || library.rows.empty()) return library.message;
  std::string parts;
  if (library.start_ms > 0)
    parts = fmt::format(" ({:.0f} its code, {:.0f} its start, {:.0f} its offer)", library.read_ms, library.start_ms,
                        library.load_ms - library.read_ms - library.start_ms);
  return fmt::format("opened in {:.0f} ms{}, its algorithms compared in {:.0f} ms", library.load_ms, parts,
                     library.choose_ms);
}

std::string library_note(const LibraryOutcome& library, const ProblemSetup& setup, const Rig& rig) {
  const std::string note = library_note(library);
  const DeviceInfo& device = rig.device();
  if (!note.empty() || !library.rows.empty()) return note;
  if (rig.has_plugins() && !device.has_library)
    return fmt::format("left out: what --library names runs on a GPU, and {} is none", device.id);
  const bool known = std::ranges::find(kFamiliesOfCub, setup.problem.family) != kFamiliesOfCub.end();
  if (!known || !device.has_library || rig.has_plugins()) return note;
  return "CUB is timed in the same rounds with --library kerlab_cub.so: docs/libraries.md has the line that builds it";
}

}  // namespace kerlab::session
