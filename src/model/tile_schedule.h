#pragma once
// How a launch schedules its tiles: the stages of a TMA pipeline, tiles that persistent blocks share unevenly, clusters
// that are not all resident. Pure.

#include "model/time_model.h"

namespace kerlab::model {

/// Stages of a TMA pipeline with `bytes` a stage. All its mbarriers see the same traffic, so they are the bytes that
/// all mbarriers expect over those of one. Where no mbarrier was counted: the stages that fit in shared memory, 2 at
/// least.
double pipeline_stages(const CountedWork& work, double bytes);
/// Stages that consumers have not released yet: as many as wgmma groups are in flight after a wait; 1 without wgmma.
double stages_in_use(const CountedWork& work);

/// How evenly the FLOPs of wgmma are spread over blocks; the average block has 1.
struct LoadBalance {
  double most = 1, least = 1;  ///< of one block
  double with_most = 0;        ///< blocks that have `most`, where all others have `least`
};
/// All blocks alike where no wgmma was counted.
LoadBalance load_balance(const CountedWork& work);

/// Time of a launch over that of its average block, both in one wave. A persistent launch ends with its fullest block.
/// Clusters of more than two leave some SMs of a GPC idle: those that are not resident start when others have ended.
double tail_effect(const DeviceInfo& device, const CountedWork& work, const TimeConstants& constants);

}  // namespace kerlab::model
