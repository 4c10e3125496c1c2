#pragma once
// How blocks fill a device: waves, the last of them, and what its empty places cost. Pure.

#include <cstdint>

#include "model/inspection.h"
#include "model/time_model.h"

namespace kerlab::model {

/// Equal work tiles handed out to places that take one each at a time: blocks to the places that SMs have for them,
/// or the tiles of persistent blocks to these.
struct WaveFill {
  std::int64_t items = 0, places = 0;
  std::int64_t waves = 0;  ///< begun
  std::int64_t last = 0;   ///< items of the last wave, 1 to `places`
  double efficiency = 0;   ///< items over the places of all waves
};
/// All 0 where there are no items or no places.
WaveFill wave_fill(std::int64_t items, std::int64_t places);

/// How many blocks SMs have when they are handed out evenly.
struct SmShare {
  std::int64_t most = 0, least = 0;
  std::int64_t with_most = 0;  ///< SMs that have `most`
  std::int64_t idle = 0;       ///< SMs that have none
};
SmShare share_of_sms(std::int64_t blocks, std::int64_t sms);

/// What the last wave's empty places cost, by the time model: the launch's time less what its blocks take in full
/// waves. 0 with one wave or less: there is no tail, only a device that is not full. Where one SM has more than four
/// waves the model lets waves run into each other, and there is none either.
double modelled_tail_us(const DeviceInfo& device, const Ceilings& ceilings, const CountedWork& work);

/// The same of tiles that persistent blocks take: their share of `us`, a launch less its constant part.
double tail_us(const WaveFill& tiles, double us);

/// A launch on a device.
struct LaunchWaves {
  WaveFill blocks;     ///< over the places that all SMs have for them
  SmShare sms;         ///< blocks of an SM
  bool stays = false;  ///< persistent: as many blocks as the device holds, which take one tile after another
  WaveFill tiles;      ///< tiles over blocks, where these are persistent and their number is known; else empty
  double tail_us = 0;  ///< modelled

  /// Of what decides: the tiles' where blocks are persistent, else the blocks'.
  [[nodiscard]] const WaveFill& fill() const { return stays && tiles.items > 0 ? tiles : blocks; }
};

/// `tiles`: of a persistent launch; 0: it is not persistent, -1: it is, and how many there are is
/// not known. `ceilings`: as for the time model.
LaunchWaves launch_waves(const LaunchInspection& launch, const DeviceInfo& device, const Ceilings& ceilings,
                         std::int64_t tiles);

}  // namespace kerlab::model
