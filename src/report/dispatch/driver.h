#pragma once
// The part of CUDA's driver API that a dispatcher needs, looked up by name: no cuda.h, nothing to link.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace kerlab_dispatch_2 {

using DevicePointer = std::uint64_t;  ///< CUdeviceptr

/// CUlaunchConfig and its attributes (cuda.h of CUDA 11.8 and later).
struct LaunchAttribute {
  /// CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION; 2: _COOPERATIVE; 6: _PROGRAMMATIC_STREAM_SERIALIZATION
  int id = 4;
  char pad[4] = {};
  union {
    char whole[64];
    int cooperative;
    int programmatic;
    std::uint32_t cluster[3];
  } value = {};
};
struct LaunchConfig {
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint32_t shared = 0;
  void* stream = nullptr;  ///< CUstream
  LaunchAttribute* attributes = nullptr;
  std::uint32_t attribute_count = 0;
};
struct alignas(64) EncodedMap {
  std::uint64_t words[16] = {};  ///< CUtensorMap
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(EncodedMap) == 128, "as in cuda.h");

/// Function pointers of libcuda. `missing` names the first that was not found; then nothing may be called.
struct Driver {
  int (*current_device)(int*) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*device_memory)(std::size_t*, int) = nullptr;
  int (*error_string)(int, const char**) = nullptr;
  int (*module_load)(void**, const void*) = nullptr;
  int (*module_unload)(void*) = nullptr;
  int (*module_function)(void**, void*, const char*) = nullptr;
  int (*module_global)(DevicePointer*, std::size_t*, void*, const char*) = nullptr;
  int (*set_attribute)(void*, int, int) = nullptr;
  int (*launch)(const LaunchConfig*, void*, void**, void**) = nullptr;
  int (*encode_tiled)(EncodedMap*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
                      const std::uint32_t*, const std::uint32_t*, int, int, int, int) = nullptr;
  int (*allocate)(DevicePointer*, std::size_t) = nullptr;
  int (*release)(DevicePointer) = nullptr;
  int (*fill)(DevicePointer, unsigned char, std::size_t, void*) = nullptr;
  int (*copy)(DevicePointer, DevicePointer, std::size_t, void*) = nullptr;  ///< to, from; within the device
  int (*synchronize)() = nullptr;
  const char* missing = "no driver was looked up";

  /// `look_up`: name -> address, or null; e.g. dlsym of libcuda.so.1.
  template <typename LookUp>
  static Driver from(LookUp&& look_up) {
    Driver driver;
    driver.missing = nullptr;
    const auto take = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(look_up(name));
      if (function == nullptr && driver.missing == nullptr) driver.missing = name;
    };
    take(driver.current_device, "cuCtxGetDevice");
    take(driver.device_attribute, "cuDeviceGetAttribute");
    take(driver.device_memory, "cuDeviceTotalMem_v2");
    take(driver.error_string, "cuGetErrorString");
    take(driver.module_load, "cuModuleLoadData");
    take(driver.module_unload, "cuModuleUnload");
    take(driver.module_function, "cuModuleGetFunction");
    take(driver.module_global, "cuModuleGetGlobal_v2");
    take(driver.set_attribute, "cuFuncSetAttribute");
    take(driver.launch, "cuLaunchKernelEx");
    take(driver.encode_tiled, "cuTensorMapEncodeTiled");
    take(driver.allocate, "cuMemAlloc_v2");
    take(driver.release, "cuMemFree_v2");
    take(driver.fill, "cuMemsetD8Async");
    take(driver.copy, "cuMemcpyDtoDAsync_v2");
    take(driver.synchronize, "cuCtxSynchronize");
    return driver;
  }

  std::string describe(int error) const {
    const char* text = nullptr;
    if (error_string(error, &text) != 0 || text == nullptr) text = "unknown error";
    return std::string(text) + " (CUDA driver error " + std::to_string(error) + ")";
  }
};

}  // namespace kerlab_dispatch_2
