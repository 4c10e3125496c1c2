#pragma once
// The CUDA driver as a table of typed functions, found by dlopen: kerlab runs where there is no driver.

#include <cuda.h>

#include <filesystem>
#include <string>

#include "base/modules.h"

namespace kerlab::device {

/// Every function is typed from cuda.h; where the driver has several versions of a function, the symbol is spelled out
/// in driver_api.cpp, so that a newer toolkit header cannot silently ask for a newer driver.
struct DriverApi {
  decltype(&::cuInit) init = nullptr;
  decltype(&::cuDriverGetVersion) driver_version = nullptr;
  decltype(&::cuGetErrorName) error_name = nullptr;
  decltype(&::cuGetErrorString) error_string = nullptr;

  decltype(&::cuDeviceGetCount) device_count = nullptr;
  decltype(&::cuDeviceGet) device_get = nullptr;
  decltype(&::cuDeviceGetName) device_name = nullptr;
  decltype(&::cuDeviceGetUuid) device_uuid = nullptr;
  decltype(&::cuDeviceTotalMem) device_memory = nullptr;
  decltype(&::cuDeviceGetAttribute) device_attribute = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) context_retain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease) context_release = nullptr;
  decltype(&::cuCtxSetCurrent) context_set = nullptr;

  decltype(&::cuMemGetInfo) memory_info = nullptr;
  decltype(&::cuMemAlloc) allocate = nullptr;
  decltype(&::cuMemFree) release = nullptr;
  decltype(&::cuMemHostAlloc) host_allocate = nullptr;
  decltype(&::cuMemFreeHost) host_release = nullptr;
  decltype(&::cuMemHostGetDevicePointer) host_device_pointer = nullptr;
  decltype(&::cuMemcpyHtoDAsync) copy_in = nullptr;
  decltype(&::cuMemcpyDtoHAsync) copy_out = nullptr;
  decltype(&::cuMemsetD32Async) fill = nullptr;

  decltype(&::cuModuleLoadDataEx) module_load = nullptr;
  decltype(&::cuModuleUnload) module_unload = nullptr;
  decltype(&::cuModuleGetFunction) module_function = nullptr;
  decltype(&::cuModuleGetGlobal) module_variable = nullptr;
  decltype(&::cuFuncGetAttribute) function_attribute = nullptr;
  decltype(&::cuFuncSetAttribute) function_set_attribute = nullptr;
  decltype(&::cuFuncGetParamInfo) function_parameter = nullptr;  ///< null before driver 12.4
  // null before driver 12.4:
  decltype(&::cuModuleGetFunctionCount) function_count = nullptr;
  decltype(&::cuModuleEnumerateFunctions) functions = nullptr;
  decltype(&::cuFuncGetName) function_name = nullptr;
  decltype(&::cuFuncLoad) load_function = nullptr;  ///< and where modules are loaded whole
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy_blocks = nullptr;
  decltype(&::cuOccupancyMaxActiveClusters) occupancy_clusters = nullptr;
  decltype(&::cuTensorMapEncodeTiled) encode_tiled = nullptr;

  decltype(&::cuStreamCreate) stream_create = nullptr;
  decltype(&::cuStreamDestroy) stream_destroy = nullptr;
  decltype(&::cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&::cuCtxSynchronize) context_synchronize = nullptr;
  decltype(&::cuStreamBeginCapture) capture_begin = nullptr;
  decltype(&::cuStreamEndCapture) capture_end = nullptr;
  decltype(&::cuGraphInstantiateWithFlags) graph_instantiate = nullptr;
  decltype(&::cuGraphUpload) graph_upload = nullptr;
  decltype(&::cuGraphLaunch) graph_launch = nullptr;
  decltype(&::cuGraphDestroy) graph_destroy = nullptr;
  decltype(&::cuGraphExecDestroy) graph_exec_destroy = nullptr;
  decltype(&::cuLaunchKernelEx) launch = nullptr;

  decltype(&::cuEventCreate) event_create = nullptr;
  decltype(&::cuEventDestroy) event_destroy = nullptr;
  decltype(&::cuEventRecord) event_record = nullptr;
  decltype(&::cuEventElapsedTime) event_elapsed = nullptr;

  /// Opens libcuda.so.1 and initialises the driver. Throws Error that tells the cases apart:
  /// no driver, a driver without a GPU, a driver too old, a broken one.
  static DriverApi open();

  /// Modules are loaded lazily, unless somebody asks for their kernels one by one.
  [[nodiscard]] bool lazy() const { return load_function != nullptr; }
  /// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered"
  [[nodiscard]] std::string describe(CUresult result) const;
};

/// True when /dev holds a node of an NVIDIA GPU.
bool has_gpu_nodes(const std::filesystem::path& device_folder = "/dev");
/// True when the driver's library is installed, whether or not it can be loaded. Does not initialise it.
bool has_driver_library();

}  // namespace kerlab::device
