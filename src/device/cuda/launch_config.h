#pragma once
// CUlaunchConfig with storage for its attributes. Points into itself, so it is neither copied nor moved.

#include <cuda.h>

#include "plan/launch_plan.h"

namespace kerlab::device {

class LaunchConfig {
 public:
  LaunchConfig(const Dim3& grid, const Dim3& block, const Dim3& cluster, std::uint32_t dynamic_shared,
               CUstream stream) {
    attributes_[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes_[0].value.clusterDim.x = cluster.x;
    attributes_[0].value.clusterDim.y = cluster.y;
    attributes_[0].value.clusterDim.z = cluster.z;
    config_.gridDimX = grid.x;
    config_.gridDimY = grid.y;
    config_.gridDimZ = grid.z;
    config_.blockDimX = block.x;
    config_.blockDimY = block.y;
    config_.blockDimZ = block.z;
    config_.sharedMemBytes = dynamic_shared;
    config_.hStream = stream;
    config_.attrs = attributes_;
    config_.numAttrs = cluster == Dim3{} ? 0 : 1;
  }
  /// All blocks run at once, or the driver refuses the launch.
  void make_cooperative() {
    CUlaunchAttribute& last = attributes_[config_.numAttrs++];
    last.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    last.value.cooperative = 1;
  }
  /// It need not wait for the launch before it: its kernel does.
  void make_programmatic() {
    CUlaunchAttribute& last = attributes_[config_.numAttrs++];
    last.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    last.value.programmaticStreamSerializationAllowed = 1;
  }
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;
  [[nodiscard]] const CUlaunchConfig* get() const { return &config_; }

 private:
  CUlaunchAttribute attributes_[3]{};
  CUlaunchConfig config_{};
};

}  // namespace kerlab::device
