#pragma once
// The bottleneck of a GEMM on a device before any kernel is looked at: by formulas from its extents and the device.
// T and B below are the roofline's times of arithmetic and traffic at the theoretical ceilings (model/roofline.h).
//
//   unaligned rows   T > B, rows of A or B not of whole 16 bytes: TMA and 16-byte copies cannot read them (PTX ISA,
//                    tensor maps; CUDA C++ Programming Guide, asynchronous copies)
//   launch overhead  max(T, B) < 3 us: an H200 takes 2 to 3 us for an empty kernel and the first and last trip to
//                    memory
//   too few tiles    128 x 128 tiles for at most half of the SMs, and at least 2 splits of K with 8 steps of 128 bytes
//                    each: without splitting K most SMs have nothing to do, whatever the roofline says
//   DRAM, skinny     B > T, min(m, n) <= 128 and max(m, n) >= 8 min(m, n): one operand is nearly all of the traffic
//   DRAM, store of D D (and C) are more than half of the bytes and B > T / 2: short K
//   DRAM             B > T, none of these
//   wave tail        with the largest tile, more than a tenth of the SMs' time is spent outside of D: idle in the last
//                    wave, or on what hangs over the edges: 1 - m n / (waves x SMs x tile)
//   power limit      tensor cores for 1 ms and more: on an H200 8192^3 in bf16 (1.1 ms at the peak) ran at 769 to 798
//                    TFLOP/s on N(0,1) data and at 894 on zeros: power, not issue slots, sets the clock
//   tensor pipe, FMA else
//
// The largest tile is 128 x 256 where wgmma is (sm_90: 64 x 256 sums are 128 registers of each thread of a warpgroup),
// else 128 x 128.

#include <cstdint>
#include <string>

#include "model/bottleneck.h"
#include "model/roofline.h"
#include "plan/device_info.h"

namespace kerlab::model {

/// D (m x n) = A (m x k) B (k x n), `batch` times.
struct GemmShape {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  int input_bytes = 2, output_bytes = 2;          ///< of an element
  std::int64_t row_bytes_a = 0, row_bytes_b = 0;  ///< as stored
  bool reads_c = false;
};

enum class GemmLimit : std::uint8_t { unaligned, launch, few_tiles, skinny, store, memory, wave_tail, power, compute };

/// How tiles of one size fill the device.
struct TileWaves {
  std::int64_t tile_m = 0, tile_n = 0;
  std::int64_t tiles = 0;
  double waves = 0;  ///< tiles per SM
  double lost = 0;   ///< share of the SMs' time spent outside of D
};
TileWaves waves_of(const GemmShape& shape, std::int64_t tile_m, std::int64_t tile_n, int sms);

/// "512 tiles of 128x256 are 3.9 waves of 132 SMs"
std::string tiles_text(const TileWaves& waves, int sms);

struct GemmBottleneck : Bottleneck {
  GemmLimit limit = GemmLimit::compute;
  TileWaves waves;          ///< of the largest tile
  std::int64_t splits = 1;  ///< of K that the suggestion asks for; 1: none
};
/// `ceilings`: theoretical ones, of the dtype's fastest unit.
GemmBottleneck gemm_bottleneck(const GemmShape& shape, const DeviceInfo& device, const Ceilings& ceilings);

}  // namespace kerlab::model
