#include "model/gemm_regime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/regime.h"

namespace kerlab {

namespace {

constexpr double kPowerUs = 1000;
constexpr double kTail = 0.1;
constexpr std::int64_t kSkinny = 128, kSkinnyShape = 8;
constexpr std::int64_t kRowUnit = 16;                        // bytes: of TMA's strides and of wide copies
constexpr std::int64_t kStepBytes = 128, kStepsOfSplit = 8;  // a step of K is one swizzled row of shared memory
constexpr double kMemoryLatencyUs = 0.8;  // of a busy HBM; bytes in flight = latency x bandwidth (Little)

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

Regime decide(const Case& c) {
  if (std::max(c.compute_us, c.memory_us) < kLaunchBoundUs) return Regime::launch_bound;
  if (!c.memory_bound() && !c.aligned()) return Regime::unaligned;
  if (c.splits >= 2 && !(c.memory_bound() && c.skinny())) return Regime::few_tiles;
  if (c.memory_bound() && c.skinny()) return Regime::skinny;
  if (c.result_bytes > c.operand_bytes && c.memory_us > c.compute_us / 2) return Regime::store_bound;
  if (c.memory_bound()) return Regime::memory_bound;
  if (c.largest.lost > kTail) return Regime::wave_tail;
  if (c.compute_us >= kPowerUs && c.ceilings.unit == "tensor pipe") return Regime::power_limited;
  return Regime::compute_bound;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string tile_text(const TileWaves& waves) {
  return fmt::format("{}x{}", waves.tile_m, waves.tile_n);
}

/// "512 tiles of 128x256 are 3.9 waves of 132 SMs"
std::string waves_text(const TileWaves& waves, int sms) {
  return fmt::format("{} tile{} of {} {} {:.2g} waves of {} SMs", waves.tiles, waves.tiles == 1 ? "" : "s",
                     tile_text(waves), waves.tiles == 1 ? "is" : "are", waves.waves, sms);
}

std::string bytes_in_flight(const Case& c) {
  const double bytes = c.ceilings.bytes_per_s * kMemoryLatencyUs * 1e-6 / c.device.sms;
  return fmt::format("about {:.0f} KiB in flight on every SM", bytes / 1024);
}

/// The tile of at least 128 x 128 whose waves lose least; larger ones first, which read less from shared memory.
TileWaves best_tile(const Case& c) {
  TileWaves best = c.largest;
  const std::int64_t widest = has_wgmma(c.device) ? 256 : 128;
  for (const std::int64_t tile_m : {256, 128})
    for (std::int64_t tile_n = widest; tile_n >= 128; tile_n -= 32) {
      if (tile_m * tile_n > 128 * widest && tile_m * tile_n > 256 * 128)
        continue;  // more sums than there are registers
      const TileWaves waves = waves_of(c.shape, tile_m, tile_n, c.device.sms);
      if (waves.lost < best.lost - 0.005) best = waves;
    }
  return best;
}

void explain_unaligned(const Case& c, GemmRegime& r) {
  const bool a = c.shape.row_bytes_a % kRowUnit != 0, b = c.shape.row_bytes_b % kRowUnit != 0;
  r.cause = fmt::format("rows of {} are not of whole {} bytes, so that neither TMA nor 16-byte copies can read them",
                        a && b ? "A and B"
                        : a    ? "A"
                               : "B",
                        kRowUnit);
  const double bytes = static_cast<double>(c.shape.batch) * static_cast<double>(c.shape.k) * c.shape.input_bytes *
                       static_cast<double>((a ? c.shape.m : 0) + (b ? c.shape.n : 0));
  const double us = 2 * bytes / c.ceilings.bytes_per_s * 1e6;
  r.lever = fmt::format("repack to aligned rows first: at least {} us, {} of the arithmetic's {} us", format_us(us),
                        percent(us / c.compute_us), format_us(c.compute_us));
}

void explain_few_tiles(const Case& c, GemmRegime& r) {
  r.splits = c.splits;
  r.cause = fmt::format("{}, with {} of K each", waves_text(c.small, c.device.sms), c.shape.k);
  r.lever = fmt::format("split K in about {}, or stream-K; sums meet in a workspace, or in a cluster's shared memory",
                        c.splits);
}

void explain_skinny(const Case& c, GemmRegime& r) {
  const bool few_rows = c.shape.m <= c.shape.n;
  const std::int64_t few = std::min(c.shape.m, c.shape.n);
  r.cause = fmt::format(
      "{} {}{}: {} is {} of the traffic", few, few_rows ? "row" : "column", few == 1 ? "" : "s", few_rows ? "B" : "A",
      percent(static_cast<double>(std::max(c.shape.m, c.shape.n)) / static_cast<double>(c.shape.m + c.shape.n)));
  r.lever = fmt::format("{} as a stream: {}", few_rows ? "B" : "A", bytes_in_flight(c));
  // Of wgmma's fixed 64 rows the long side must be it.
  if (has_wgmma(c.device) && c.ceilings.unit == "tensor pipe" && few_rows)
    r.lever += few < 8 ? "; gemv, or swap A and B so that N fills wgmma's 64 rows"
                       : "; swap A and B, so that N fills wgmma's 64 rows";
  if (c.splits >= 2) {
    r.splits = c.splits;
    r.lever += fmt::format("; split K in about {} ({})", c.splits, waves_text(c.small, c.device.sms));
  }
}

void explain_wave_tail(const Case& c, GemmRegime& r) {
  r.cause = fmt::format("{}: {} of their time is lost in the last wave and over the edges",
                        waves_text(c.largest, c.device.sms), percent(c.largest.lost));
  const TileWaves best = best_tile(c);
  r.lever = best.lost < c.largest.lost - 0.02
                ? fmt::format("tiles of {} lose {}; or stream-K", tile_text(best), percent(best.lost))
                : "stream-K: no tile of that area fills the waves better";
}

void explain(const Case& c, GemmRegime& r) {
  switch (r.regime) {
    case Regime::unaligned:
      return explain_unaligned(c, r);
    case Regime::few_tiles:
      return explain_few_tiles(c, r);
    case Regime::skinny:
      return explain_skinny(c, r);
    case Regime::wave_tail:
      return explain_wave_tail(c, r);
    case Regime::launch_bound:
      r.cause = fmt::format("{} us of work at best, about what starting a kernel takes",
                            format_us(std::max(c.compute_us, c.memory_us)));
      r.lever = "one wave of small tiles; a CUDA graph, a batch, or fusing it with its neighbours";
      return;
    case Regime::store_bound:
      r.cause = fmt::format("K = {}: D is {} of the traffic, and a tile's main loop is {} step{} of 128 bytes",
                            c.shape.k, percent(c.result_bytes / (c.result_bytes + c.operand_bytes)),
                            (c.shape.k * c.shape.input_bytes + kStepBytes - 1) / kStepBytes,
                            c.shape.k * c.shape.input_bytes > kStepBytes ? "s" : "");
      r.lever = "persistent blocks that store a tile by TMA while they load the next";
      return;
    case Regime::memory_bound:
      r.cause = "every operand is read and written at most once, and that takes longer than the arithmetic";
      r.lever = fmt::format("{}, whole lines, a raster that reads A and B once", bytes_in_flight(c));
      return;
    case Regime::power_limited:
      r.cause = fmt::format("{} ms of tensor cores at their peak: the power limit sets the clock",
                            format_us(c.compute_us / 1000));
      r.lever =
          "fewer joules per FLOP: the largest tiles, cluster multicast, a raster that hits L2; kerlab bench --energy";
      return;
    case Regime::compute_bound:
      r.cause = fmt::format("{}, {} lost", waves_text(c.largest, c.device.sms), percent(c.largest.lost));
      r.lever =
          "keep the arithmetic fed: large tiles, a deep ring of stages, the epilogue under the next tile's main loop";
      return;
  }
}

}  // namespace

std::string_view name(Regime regime) {
  switch (regime) {
    case Regime::unaligned:
      return "unaligned rows";
    case Regime::launch_bound:
      return "launch-bound";
    case Regime::few_tiles:
      return "few tiles";
    case Regime::skinny:
      return "skinny";
    case Regime::store_bound:
      return "short K, store-bound";
    case Regime::memory_bound:
      return "memory-bound";
    case Regime::wave_tail:
      return "wave tail";
    case Regime::power_limited:
      return "power-limited";
    case Regime::compute_bound:
      return "compute-bound";
  }
  return "";
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

GemmRegime gemm_regime(const GemmShape& shape, const DeviceInfo& device, const Ceilings& ceilings) {
  const Case c = examine(shape, device, ceilings);
  GemmRegime regime;
  regime.regime = decide(c);
  regime.waves = c.largest;
  explain(c, regime);
  if (!c.aligned() && regime.regime != Regime::unaligned && regime.regime != Regime::launch_bound)
    regime.lever += "; rows are not of whole 16 bytes: load them directly, repacking would double the traffic";
  return regime;
}

}  // namespace kerlab
