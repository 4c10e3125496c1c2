#include "model/forecast.h"

#include <algorithm>
#include <cmath>

#include "model/time_model.h"

namespace kerlab::model {

namespace {

constexpr double kSharedBytesPerCycle = 128;  // of an SM: a word of each bank
constexpr double kOverlap = 4;                // exponent of units side by side: what is not the bottleneck still shows

/// Above 1: what the device could do while the last pieces run on some of its SMs. Blocks that share an SM share its
/// units, so that it is SMs that stand idle.
double last_wave(std::int64_t pieces, int sms) {
  if (pieces <= 0 || sms <= 0) return 1;
  const double waves = std::ceil(static_cast<double>(pieces) / sms);
  return waves * sms / static_cast<double>(pieces);
}

double arithmetic_seconds(Arithmetic arithmetic, double flops, const Ceilings& ceilings, double plain_flops_per_s) {
  const TimeConstants known;
  double peak = plain_flops_per_s;
  if (arithmetic == Arithmetic::mma_sync) peak = std::max(peak, known.mma_sync * ceilings.flops_per_s);
  if (arithmetic == Arithmetic::wgmma) peak = std::max(peak, known.wgmma * ceilings.flops_per_s);
  return peak > 0 ? flops / peak : 0;
}

}  // namespace

Arithmetic arithmetic_of(std::string_view source) {
  if (source.find("wgmma") != std::string_view::npos) return Arithmetic::wgmma;
  return source.find("mma") != std::string_view::npos ? Arithmetic::mma_sync : Arithmetic::plain;
}

double forecast_us(const DeviceInfo& device, const Ceilings& ceilings, double plain_flops_per_s,
                   const ForeseenWork& work) {
  const TimeConstants known;
  const double arithmetic_s = arithmetic_seconds(work.arithmetic, work.flops, ceilings, plain_flops_per_s);
  const double dram_s = ceilings.bytes_per_s > 0 ? work.bytes / ceilings.bytes_per_s : 0;
  // Of a square tile of a product: every operand that it needs once. Of what is no product next to nothing.
  const double tile = std::max(1.0, work.outputs / static_cast<double>(std::max<std::int64_t>(1, work.pieces)));
  const double moved = std::max(work.bytes, work.flops * work.element_bytes / std::sqrt(tile));
  const double l2 = known.l2_bytes_per_cycle * device.sms * device.clock_mhz * 1e6;
  const double l2_s = l2 > 0 ? moved / l2 : 0;
  const double idle = last_wave(work.pieces, device.sms);
  const double sm_s = idle * std::pow(std::pow(arithmetic_s, kOverlap) + std::pow(l2_s, kOverlap), 1 / kOverlap);
  return 1e6 * std::pow(std::pow(sm_s, kOverlap) + std::pow(dram_s, kOverlap), 1 / kOverlap) + known.launch_us;
}

double busiest_unit_us(const DeviceInfo& device, const Ceilings& ceilings, double plain_flops_per_s,
                       const PredictedWork& work) {
  const double cycles_per_s = device.sms * device.clock_mhz * 1e6;
  double seconds = arithmetic_seconds(work.arithmetic, work.flops, ceilings, plain_flops_per_s);
  if (cycles_per_s > 0)
    seconds = std::max({seconds, work.global_bytes / (TimeConstants{}.l2_bytes_per_cycle * cycles_per_s),
                        work.shared_bytes / (kSharedBytesPerCycle * cycles_per_s)});
  return 1e6 * seconds;
}

}  // namespace kerlab::model
