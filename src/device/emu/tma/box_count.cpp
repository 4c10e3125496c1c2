#include "device/emu/tma/box.h"
#include "device/emu/tma/tensor_copy.h"

namespace kerlab::emu {
namespace {

constexpr std::uint32_t kSector = 32, kWavefront = 128;

struct Traffic {
  std::int64_t bytes = 0, sectors = 0;
};

/// Each sector once where rows follow each other.
Traffic global_traffic(const EncodedTensorMap& map, const std::int32_t* coordinate) {
  Traffic result;
  std::uint64_t last = ~0ull;
  each_row(map, coordinate, info(map.dtype).bytes, [&](const BoxRow& row) {
    if (row.first == row.last) return;
    const std::uint64_t begin = row.address / kSector;
    const std::uint64_t end = (row.address + (row.last - row.first) - 1) / kSector;
    result.bytes += row.last - row.first;
    result.sectors += static_cast<std::int64_t>(end - begin + (begin == last ? 0 : 1));
    last = end;
  });
  return result;
}

}  // namespace

std::uint32_t box_bytes(const EncodedTensorMap& map) {
  auto bytes = static_cast<std::uint32_t>(info(map.dtype).bytes);
  for (int d = 0; d < map.rank; ++d) bytes *= box_elements(map, d);
  return bytes;
}

std::uint32_t box_footprint(const EncodedTensorMap& map) {
  const std::uint32_t row = std::uint32_t{map.box[0]} * static_cast<std::uint32_t>(info(map.dtype).bytes);
  return box_bytes(map) / row * row_pitch(map, row);
}

void count_box(Counts& counts, const EncodedTensorMap& map, const std::int32_t* coordinate, int targets) {
  const Traffic global = global_traffic(map, coordinate);
  const std::int64_t bytes = box_bytes(map), wavefronts = (bytes + kWavefront - 1) / kWavefront;
  const bool load = targets > 0;
  (load ? counts.global_load_bytes : counts.global_store_bytes) += global.bytes;
  ++counts.global_requests;
  counts.global_sectors += global.sectors;
  const int times = load ? targets : 1;
  (load ? counts.shared_store_bytes : counts.shared_load_bytes) += times * bytes;
  counts.shared_requests += times;
  counts.shared_wavefronts += times * wavefronts;
}

}  // namespace kerlab::emu
