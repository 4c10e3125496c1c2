#pragma once
// Stages and tiles that a launch takes in turn: rings of bulk copies, blocks of unlike work, clusters that find no
// room. Pure.

#include "model/time_model.h"

namespace kerlab::model {

/// Of a ring that bulk copies fill `bytes` at a time: as stages take turns, the bytes that all mbarriers expect over
/// those of the busiest one. Launches that do not tell: as many as there is room for.
double ring_stages(const CountedWork& work, double bytes);
/// Stages that are used up but not free: those of products that a wait leaves unfinished, or of who reads them
/// otherwise one.
double held_stages(const CountedWork& work);

/// How evenly blocks share the products of tensor cores out, the average block's being 1.
struct WorkShares {
  double most = 1, least = 1;  ///< of one block
  double with_most = 0;        ///< blocks, if all others have least, as where tiles are handed out in turn
};
/// All blocks alike where no products of wgmma were counted.
WorkShares work_shares(const CountedWork& work);

/// How much longer a launch takes than its average block. Blocks that begin all at once are done when the one with most
/// to do is. Of clusters of more than two GPCs leave some SMs idle: those that find no room begin when others have
/// ended, and they are the last, which have least to do.
double longest_turns(const DeviceInfo& device, const CountedWork& work, const TimeConstants& constants);

}  // namespace kerlab::model
