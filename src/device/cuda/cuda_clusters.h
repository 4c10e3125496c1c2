#pragma once
// How many clusters a GPU holds at once.

#include "device/cuda/driver_api.h"
#include "plan/device_info.h"

namespace kerlab::device {

/// Clusters of kClusterSizes blocks with one block to an SM, as the driver says of an empty kernel that takes all of a
/// block's shared memory. It knows which SMs of this card share a GPC; no attribute tells. All 0 below compute
/// capability 9.0, and where the driver does not say. Wants a current context.
ActiveClusters cuda_active_clusters(const DriverApi& api, const DeviceInfo& info);

}  // namespace kerlab::device
