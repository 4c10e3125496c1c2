#include "model/tile_schedule.h"

#include <algorithm>
#include <cmath>

namespace kerlab::model {

double pipeline_stages(const CountedWork& work, double bytes) {
  if (work.pipeline.most_expected > 0)
    return static_cast<double>(work.pipeline.expected) / static_cast<double>(work.pipeline.most_expected);
  return std::max(2.0, std::floor(static_cast<double>(work.shared_bytes) / bytes + 0.1));
}

double stages_in_use(const CountedWork& work) {
  if (work.pipeline.waits == 0) return 1;
  return static_cast<double>(work.pipeline.unfinished) / static_cast<double>(work.pipeline.waits);
}

LoadBalance load_balance(const CountedWork& work) {
  LoadBalance shares;
  shares.with_most = static_cast<double>(work.blocks);
  const double mean = work.blocks_run <= 0 ? 0
                                           : work.weight * static_cast<double>(work.counts.tensor_flops) /
                                                 static_cast<double>(work.blocks_run);
  if (work.pipeline.most_products <= 0 || mean <= 0) return shares;
  shares.most = std::max(1.0, static_cast<double>(work.pipeline.most_products) / mean);
  shares.least = std::min(1.0, static_cast<double>(work.pipeline.least_products) / mean);
  if (shares.most > shares.least) shares.with_most *= (1 - shares.least) / (shares.most - shares.least);
  return shares;
}

namespace {

/// SMs on which clusters of so many blocks are resident: what the device says, else as the constant has it.
double resident_sms(const DeviceInfo& device, std::int64_t cluster, const TimeConstants& constants) {
  const auto blocks = static_cast<double>(cluster);
  if (const int clusters = device.clusters_at_once(cluster); clusters > 0) return clusters * blocks;
  return std::floor(constants.cluster_sms * device.sms / blocks) * blocks;
}

}  // namespace

double tail_effect(const DeviceInfo& device, const CountedWork& work, const TimeConstants& constants) {
  const double per_sm = std::max(1, work.blocks_per_sm);
  const auto blocks = static_cast<double>(work.blocks), cluster = static_cast<double>(work.cluster);
  const bool strands = cluster > 2;
  if (blocks > per_sm * device.sms) return strands ? 1 / constants.cluster_sms : 1;
  const double sms = strands ? resident_sms(device, work.cluster, constants) : device.sms;
  const double places = per_sm * sms;
  const LoadBalance shares = load_balance(work);
  if (blocks <= places) return shares.most;
  const double first = shares.with_most >= places ? shares.most : shares.least;  // that makes room
  const double last = shares.with_most > places ? shares.most : shares.least;    // that had none
  return std::max(shares.most, first + last);
}

}  // namespace kerlab::model
