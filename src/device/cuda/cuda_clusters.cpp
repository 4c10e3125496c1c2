#include "device/cuda/cuda_clusters.h"

#include "device/cuda/cuda_handle.h"
#include "device/cuda/launch_config.h"

namespace kerlab::device {
namespace {

/// PTX 7.8 is the first that knows sm_90.
constexpr const char* kEmptyKernel = R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry kerlab_clusters() { ret; }
)";

/// The empty kernel, allowed all shared memory and clusters of 16; null where the driver does not take it.
CUfunction empty_kernel(const DriverApi& api, CUmodule module, int shared) {
  CUfunction kernel = nullptr;
  if (api.module_function(&kernel, module, "kerlab_clusters") != CUDA_SUCCESS) return nullptr;
  if (api.function_set_attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared) != CUDA_SUCCESS ||
      api.function_set_attribute(kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) != CUDA_SUCCESS)
    return nullptr;
  return kernel;
}

}  // namespace

ActiveClusters cuda_active_clusters(const DriverApi& api, const DeviceInfo& info) {
  ActiveClusters clusters{};
  if (info.cc_major < 9) return clusters;
  CUmodule loaded = nullptr;
  if (api.module_load(&loaded, kEmptyKernel, 0, nullptr, nullptr) != CUDA_SUCCESS) return clusters;
  const CudaHandle<CUmodule> module{loaded, api.module_unload};
  const CUfunction kernel = empty_kernel(api, module.get(), info.shared_per_block);
  if (kernel == nullptr) return clusters;
  clusters[0] = info.sms;  // without a cluster any SM will do
  for (std::size_t i = 1; i < kClusterSizes.size(); ++i) {
    const Dim3 size{static_cast<std::uint32_t>(kClusterSizes[i]), 1, 1};
    const LaunchConfig config(size, {32, 1, 1}, size, static_cast<std::uint32_t>(info.shared_per_block), nullptr);
    int count = 0;
    if (api.occupancy_clusters(&count, kernel, config.get()) == CUDA_SUCCESS) clusters[i] = count;
  }
  return clusters;
}

}  // namespace kerlab::device
