#include "session/library_rows.h"

#include <algorithm>

namespace kerlab {

std::vector<LibraryRow> compare_library(const LibraryOutcome& library, const std::vector<double>& ours) {
  std::vector<LibraryRow> rows;
  for (std::size_t i = 0; i < std::min(library.rows.size(), library.samples.size()); ++i) {
    const std::vector<double>& samples = library.samples[i].samples_us;
    if (const auto summary = summarize(samples))
      rows.push_back({library.rows[i], *summary, paired_ratio(samples, ours)});
  }
  return rows;
}

std::string library_note(const LibraryOutcome& library) {
  if (!library.message.empty() || library.rows.empty()) return library.message;
  return fmt::format("opened in {:.0f} ms, its algorithms compared in {:.0f} ms", library.load_ms, library.choose_ms);
}

}  // namespace kerlab
