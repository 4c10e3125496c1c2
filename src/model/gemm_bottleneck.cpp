#include "model/gemm_bottleneck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/problem_bottleneck.h"

namespace kerlab::model {

namespace {

constexpr double kPowerUs = 1000;
constexpr double kTail = 0.1;
constexpr std::int64_t kSkinny = 128, kSkinnyShape = 8;
constexpr std::int64_t kRowUnit = 16;                        // bytes: of TMA's strides and of wide copies
constexpr std::int64_t kStepBytes = 128, kStepsOfSplit = 8;  // a step of K is one swizzled row of shared memory

/// Everything that the questions below are asked of.
struct Case {
  const GemmShape& shape;
  const DeviceInfo& device;
  const Ceilings& ceilings;
  double compute_us = 0, memory_us = 0;
  double operand_bytes = 0, result_bytes = 0;  ///< A and B; D, and C where it is read
  TileWaves largest, small;                    ///< of the largest tile, and of 128 x 128
  std::int64_t splits = 1;                     ///< of K, so that 128 x 128 tiles fill the device

  [[nodiscard]] bool memory_bound() const { return memory_us > compute_us; }
  [[nodiscard]] bool aligned() const { return shape.row_bytes_a % kRowUnit == 0 && shape.row_bytes_b % kRowUnit == 0; }
  [[nodiscard]] bool skinny() const {
    const auto [low, high] = std::minmax(shape.m, shape.n);
    return low <= kSkinny && high >= kSkinnyShape * low;
  }
};

bool has_wgmma(const DeviceInfo& device) {
  return device.compute_capability() == 90;
}

Case examine(const GemmShape& shape, const DeviceInfo& device, const Ceilings& ceilings) {
  Case c{shape, device, ceilings, 0, 0, 0, 0, {}, {}, 1};
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  const auto batch = static_cast<double>(shape.batch);
  c.operand_bytes = batch * (m * k + k * n) * shape.input_bytes;
  c.result_bytes = batch * m * n * shape.output_bytes * (shape.reads_c ? 2 : 1);
  if (ceilings.flops_per_s > 0) c.compute_us = 2 * batch * m * n * k / ceilings.flops_per_s * 1e6;
  if (ceilings.bytes_per_s > 0) c.memory_us = (c.operand_bytes + c.result_bytes) / ceilings.bytes_per_s * 1e6;
  c.largest = waves_of(shape, 128, has_wgmma(device) ? 256 : 128, device.sms);
  c.small = waves_of(shape, 128, 128, device.sms);
  const std::int64_t most = shape.k * shape.input_bytes / (kStepBytes * kStepsOfSplit);
  if (c.small.tiles > 0)
    c.splits = std::clamp<std::int64_t>(device.sms / c.small.tiles, 1, std::max<std::int64_t>(most, 1));
  return c;
}

GemmLimit decide(const Case& c) {
  if (std::max(c.compute_us, c.memory_us) < kLaunchBoundUs) return GemmLimit::launch;
  if (!c.memory_bound() && !c.aligned()) return GemmLimit::unaligned;
  if (c.splits >= 2 && !(c.memory_bound() && c.skinny())) return GemmLimit::few_tiles;
  if (c.memory_bound() && c.skinny()) return GemmLimit::skinny;
  if (c.result_bytes > c.operand_bytes && c.memory_us > c.compute_us / 2) return GemmLimit::store;
  if (c.memory_bound()) return GemmLimit::memory;
  if (c.largest.lost > kTail) return GemmLimit::wave_tail;
  if (c.compute_us >= kPowerUs && c.ceilings.unit == "tensor pipe") return GemmLimit::power;
  return GemmLimit::compute;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string tile_text(const TileWaves& waves) {
  return fmt::format("{}x{}", waves.tile_m, waves.tile_n);
}

std::string bytes_in_flight(const Case& c) {
  return fmt::format("about {:.0f} kB in flight on every SM", covering_bytes(c.device, c.ceilings) / 1000);
}

/// The tile of at least 128 x 128 whose waves lose least; larger ones first, which read less from shared memory.
TileWaves best_tile(const Case& c) {
  TileWaves best = c.largest;
  const std::int64_t widest = has_wgmma(c.device) ? 256 : 128;
  for (const std::int64_t tile_m : {256, 128})
    for (std::int64_t tile_n = widest; tile_n >= 128; tile_n -= 32) {
      if (tile_m * tile_n > 128 * widest && tile_m * tile_n > 256 * 128)
        continue;  // more accumulators than there are registers
      const TileWaves waves = waves_of(c.shape, tile_m, tile_n, c.device.sms);
      if (waves.lost < best.lost - 0.005) best = waves;
    }
  return best;
}

void explain_unaligned(const Case& c, GemmBottleneck& r) {
  const bool a = c.shape.row_bytes_a % kRowUnit != 0, b = c.shape.row_bytes_b % kRowUnit != 0;
  r.reason = fmt::format("rows of {} are not of whole {} bytes, so that neither TMA nor 16-byte copies can read them",
                         a && b ? "A and B"
                         : a    ? "A"
                                : "B",
                         kRowUnit);
  const double bytes = static_cast<double>(c.shape.batch) * static_cast<double>(c.shape.k) * c.shape.input_bytes *
                       static_cast<double>((a ? c.shape.m : 0) + (b ? c.shape.n : 0));
  const double us = 2 * bytes / c.ceilings.bytes_per_s * 1e6;
  r.suggestion = fmt::format("repack to aligned rows first: at least {} us, {} of the arithmetic's {} us",
                             format_us(us), percent(us / c.compute_us), format_us(c.compute_us));
}

void explain_few_tiles(const Case& c, GemmBottleneck& r) {
  r.splits = c.splits;
  r.reason = fmt::format("{}, with {} of K each", tiles_text(c.small, c.device.sms), c.shape.k);
  r.suggestion = fmt::format(
      "split K in about {}, or stream-K; partial sums meet in a workspace, or in a cluster's shared memory", c.splits);
}

void explain_skinny(const Case& c, GemmBottleneck& r) {
  const bool few_rows = c.shape.m <= c.shape.n;
  const std::int64_t few = std::min(c.shape.m, c.shape.n);
  r.reason = fmt::format(
      "{} {}{}: {} is {} of the traffic", few, few_rows ? "row" : "column", few == 1 ? "" : "s", few_rows ? "B" : "A",
      percent(static_cast<double>(std::max(c.shape.m, c.shape.n)) / static_cast<double>(c.shape.m + c.shape.n)));
  r.suggestion = fmt::format("{} as a stream: {}", few_rows ? "B" : "A", bytes_in_flight(c));
  // Of wgmma's fixed 64 rows the long side must be it.
  if (has_wgmma(c.device) && c.ceilings.unit == "tensor pipe" && few_rows)
    r.suggestion += few < 8 ? "; gemv, or swap A and B so that N fills wgmma's 64 rows"
                            : "; swap A and B, so that N fills wgmma's 64 rows";
  if (c.splits >= 2) {
    r.splits = c.splits;
    r.suggestion += fmt::format("; split K in about {} ({})", c.splits, tiles_text(c.small, c.device.sms));
  }
}

void explain_wave_tail(const Case& c, GemmBottleneck& r) {
  r.reason = fmt::format("{}: {} of their time is lost in the last wave and over the edges",
                         tiles_text(c.largest, c.device.sms), percent(c.largest.lost));
  const TileWaves best = best_tile(c);
  r.suggestion = best.lost < c.largest.lost - 0.02
                     ? fmt::format("tiles of {} lose {}; or stream-K", tile_text(best), percent(best.lost))
                     : "stream-K: no tile of that area fills the waves better";
}

void explain(const Case& c, GemmBottleneck& r) {
  switch (r.limit) {
    case GemmLimit::unaligned:
      return explain_unaligned(c, r);
    case GemmLimit::few_tiles:
      return explain_few_tiles(c, r);
    case GemmLimit::skinny:
      return explain_skinny(c, r);
    case GemmLimit::wave_tail:
      return explain_wave_tail(c, r);
    case GemmLimit::launch:
      r.reason = fmt::format("{} us of work at best, about what starting a kernel takes",
                             format_us(std::max(c.compute_us, c.memory_us)));
      r.suggestion = "one wave of small tiles; a CUDA graph, a batch, or fusing it with its neighbours";
      return;
    case GemmLimit::store:
      r.reason = fmt::format("K = {}: D is {} of the traffic, and a tile's main loop is {} step{} of 128 bytes",
                             c.shape.k, percent(c.result_bytes / (c.result_bytes + c.operand_bytes)),
                             (c.shape.k * c.shape.input_bytes + kStepBytes - 1) / kStepBytes,
                             c.shape.k * c.shape.input_bytes > kStepBytes ? "s" : "");
      r.suggestion = "persistent blocks that store a tile by TMA while they load the next";
      return;
    case GemmLimit::memory:
      r.reason = "every operand is read and written at most once, and that takes longer than the arithmetic";
      r.suggestion = fmt::format("{}, whole lines, a raster that reads A and B once", bytes_in_flight(c));
      return;
    case GemmLimit::power:
      r.reason = fmt::format("{} ms of tensor cores at their peak: the power limit sets the clock",
                             format_us(c.compute_us / 1000));
      r.suggestion =
          "fewer joules per FLOP: the largest tiles, cluster multicast, a raster that hits L2; kerlab bench --energy";
      return;
    case GemmLimit::compute:
      r.reason = fmt::format("{}, {} lost", tiles_text(c.largest, c.device.sms), percent(c.largest.lost));
      r.suggestion = "large tiles, more stages, the epilogue of a tile under the main loop of the next";
      return;
  }
}

std::string name_of(GemmLimit limit, const Ceilings& ceilings) {
  switch (limit) {
    case GemmLimit::unaligned:
      return "unaligned rows";
    case GemmLimit::launch:
      return kLaunchOverhead;
    case GemmLimit::few_tiles:
      return "too few tiles";
    case GemmLimit::skinny:
    case GemmLimit::store:
    case GemmLimit::memory:
      return kDram;
    case GemmLimit::wave_tail:
      return kWaveTail;
    case GemmLimit::power:
      return "power limit";
    case GemmLimit::compute:
      return ceilings.unit;
  }
  return "";
}

}  // namespace

std::string tiles_text(const TileWaves& waves, int sms) {
  return fmt::format("{} of {} {} {:.2g} waves of {} SMs", format_count(waves.tiles, "tile"), tile_text(waves),
                     waves.tiles == 1 ? "is" : "are", waves.waves, sms);
}

TileWaves waves_of(const GemmShape& shape, std::int64_t tile_m, std::int64_t tile_n, int sms) {
  TileWaves waves{tile_m, tile_n, 0, 0, 0};
  const auto pieces = [](std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; };
  waves.tiles = shape.batch * pieces(shape.m, tile_m) * pieces(shape.n, tile_n);
  if (waves.tiles == 0 || sms <= 0) return waves;
  waves.waves = static_cast<double>(waves.tiles) / sms;
  const double area = std::ceil(waves.waves) * sms * static_cast<double>(tile_m) * static_cast<double>(tile_n);
  waves.lost =
      1 - static_cast<double>(shape.batch) * static_cast<double>(shape.m) * static_cast<double>(shape.n) / area;
  return waves;
}

GemmBottleneck gemm_bottleneck(const GemmShape& shape, const DeviceInfo& device, const Ceilings& ceilings) {
  const Case c = examine(shape, device, ceilings);
  GemmBottleneck result;
  result.limit = decide(c);
  result.name = name_of(result.limit, ceilings);
  result.waves = c.largest;
  explain(c, result);
  if (!c.aligned() && result.limit != GemmLimit::unaligned && result.limit != GemmLimit::launch)
    result.suggestion += "; rows are not of whole 16 bytes: load them directly, repacking would double the traffic";
  return result;
}

}  // namespace kerlab::model
