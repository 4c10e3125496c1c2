#pragma once
// Properties of the device that expressions of a variant may name, and what each is in a DeviceInfo.

#include <array>

#include "plan/device_info.h"

namespace kerlab::plan {

/// The function of expressions that says how many clusters of so many blocks are resident at once, and what it is made
/// of: one fact for each of kClusterSizes.
inline constexpr const char* kActiveClusters = "device.max_active_clusters";
inline constexpr std::array<const char*, kClusterSizes.size()> kActiveClusterFacts{
    "device.max_active_clusters.1", "device.max_active_clusters.2", "device.max_active_clusters.4",
    "device.max_active_clusters.8", "device.max_active_clusters.16"};

/// What is made of two members: 90 on 9.0.
inline constexpr const char* kComputeCapability = "device.cc";

/// Calls visit("device.sms", device.sms) for each of the others.
template <typename Device, typename Visitor>
void device_facts(Device& device, Visitor&& visit) {
  visit("device.sms", device.sms);
  visit("device.memory_bytes", device.memory_bytes);
  visit("device.l2_bytes", device.l2_bytes);
  visit("device.shared_per_block", device.shared_per_block);
  visit("device.shared_per_sm", device.shared_per_sm);
  visit("device.shared_reserved", device.shared_reserved);
  visit("device.registers_per_block", device.registers_per_block);
  visit("device.registers_per_sm", device.registers_per_sm);
  visit("device.threads_per_block", device.threads_per_block);
  visit("device.threads_per_sm", device.threads_per_sm);
  visit("device.blocks_per_sm", device.blocks_per_sm);
  visit("device.warp_size", device.warp_size);
  for (std::size_t i = 0; i < kActiveClusterFacts.size(); ++i)
    visit(kActiveClusterFacts[i], device.max_active_clusters[i]);
}

}  // namespace kerlab::plan
