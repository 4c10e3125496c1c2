#include "session/run/library_rows.h"

#include <algorithm>

namespace kerlab::session {

std::vector<LibraryRow> compare_library(const LibraryOutcome& library, const std::vector<double>& ours) {
  std::vector<LibraryRow> rows;
  for (std::size_t i = 0; i < std::min(library.rows.size(), library.samples.size()); ++i) {
    const std::vector<double>& samples = library.samples[i].samples_us;
    if (const auto summary = summarize(samples))
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

}  // namespace kerlab::session
