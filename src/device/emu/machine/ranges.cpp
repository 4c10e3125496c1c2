#include "device/emu/machine/ranges.h"

#include <algorithm>

#include "device/emu/machine/cta.h"

namespace kerlab::emu {

void merge(std::vector<AddressRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const AddressRange& a, const AddressRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin <= ranges[last].end) {
      ranges[last].end = std::max(ranges[last].end, ranges[i].end);
    } else {
      ranges[++last] = ranges[i];
    }
  }
  if (!ranges.empty()) ranges.resize(last + 1);
}

void note_write(Cta& cta, std::uint64_t begin, std::uint64_t end) {
  std::vector<AddressRange>& written = cta.written;
  // Rows of a tile come one after the other, and warps write next to what they wrote last.
  if (!written.empty() && written.back().begin <= begin && begin <= written.back().end) {
    written.back().end = std::max(written.back().end, end);
    return;
  }
  constexpr std::size_t kMany = 1 << 12;
  // Doubles as needed, so that ranges that do not merge cost n log n altogether.
  if (written.size() >= kMany && written.size() == written.capacity()) {
    merge(written);
    written.reserve(2 * std::max(written.size(), kMany));
  }
  written.push_back({begin, end});
}

}  // namespace kerlab::emu
