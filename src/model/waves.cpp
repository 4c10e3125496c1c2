#include "model/waves.h"

#include <algorithm>

namespace kerlab::model {

WaveFill wave_fill(std::int64_t items, std::int64_t places) {
  WaveFill fill;
  if (items <= 0 || places <= 0) return fill;
  fill.items = items;
  fill.places = places;
  fill.waves = (items + places - 1) / places;
  fill.last = items - (fill.waves - 1) * places;
  fill.efficiency = static_cast<double>(items) / static_cast<double>(fill.waves * places);
  return fill;
}

SmShare share_of_sms(std::int64_t blocks, std::int64_t sms) {
  SmShare share;
  if (blocks <= 0 || sms <= 0) return share;
  share.least = blocks / sms;
  const std::int64_t rest = blocks % sms;
  share.most = share.least + (rest > 0 ? 1 : 0);
  share.with_most = rest > 0 ? rest : sms;
  share.idle = share.least == 0 ? sms - share.with_most : 0;
  return share;
}

double modelled_tail_us(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work) {
  const std::int64_t places = std::int64_t{std::max(work.blocks_per_sm, 1)} * device.sms;
  if (places <= 0 || work.blocks <= places) return 0;
  const double launch_us = TimeConstants{}.launch_us;
  const double share = static_cast<double>(places) / static_cast<double>(work.blocks);
  CountedWork one_wave = work;
  one_wave.blocks = places;
  one_wave.dram_bytes = work.dram_bytes * share;
  const double full_us = model_launch(device, ceilings, one_wave).us - launch_us;
  const double us = model_launch(device, ceilings, work).us - launch_us;
  return std::max(0.0, us - full_us / share);
}

double tail_us(const WaveFill& tiles, double us) {
  return tiles.waves > 1 ? us * (1 - tiles.efficiency) : 0;
}

LaunchWaves launch_waves(const LaunchInspection& launch, const DeviceInfo& device, const Ceilings& ceilings,
                         std::int64_t tiles) {
  LaunchWaves waves;
  waves.blocks = wave_fill(launch.work.blocks, std::int64_t{launch.occupancy.blocks} * device.sms);
  waves.sms = share_of_sms(launch.work.blocks, device.sms);
  waves.stays = tiles != 0 && waves.blocks.waves == 1;
  if (waves.stays && tiles > 0) waves.tiles = wave_fill(tiles, launch.work.blocks);
  waves.tail_us = waves.stays ? tail_us(waves.tiles, launch.time.us - TimeConstants{}.launch_us)
                              : modelled_tail_us(device, ceilings, launch.work);
  return waves;
}

}  // namespace kerlab::model
