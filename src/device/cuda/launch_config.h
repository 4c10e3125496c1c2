#pragma once
// CUlaunchConfig with storage for its cluster attribute. Points into itself, so it is neither copied nor moved.

#include <cuda.h>

#include "plan/launch_plan.h"

namespace kerlab::device {

class LaunchConfig {
 public:
  LaunchConfig(const Dim3& grid, const Dim3& block, const Dim3& cluster, std::uint32_t dynamic_shared,
               CUstream stream) {
    attribute_.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute_.value.clusterDim.x = cluster.x;
    attribute_.value.clusterDim.y = cluster.y;
    attribute_.value.clusterDim.z = cluster.z;
    config_.gridDimX = grid.x;
    config_.gridDimY = grid.y;
    config_.gridDimZ = grid.z;
    config_.blockDimX = block.x;
    config_.blockDimY = block.y;
    config_.blockDimZ = block.z;
    config_.sharedMemBytes = dynamic_shared;
    config_.hStream = stream;
    config_.attrs = &attribute_;
    config_.numAttrs = cluster == Dim3{} ? 0 : 1;
  }
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;
  [[nodiscard]] const CUlaunchConfig* get() const { return &config_; }

 private:
  CUlaunchAttribute attribute_{};
  CUlaunchConfig config_{};
};

}  // namespace kerlab::device
