// CudaDevice: loading images, resources of kernels, tensor maps.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "device/cuda/cuda_device.h"
#include "device/cuda/launch_config.h"
#include "device/launch_limits.h"
#include "plan/kernel_name.h"

namespace kerlab::device {
namespace {

std::uint32_t volume(const Dim3& d) {
  return d.x * d.y * d.z;
}

CUtensorMapDataType tensor_map_type(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case DType::fp32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DType::tf32:
      return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
    case DType::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DType::fp16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DType::int64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case DType::int32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case DType::uint32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case DType::uint64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case DType::int16:
    case DType::uint16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case DType::e4m3:
    case DType::e5m2:
    case DType::int8:
    case DType::uint8:
    case DType::boolean:
    case DType::int4:
    case DType::uint4:
    case DType::e2m1:
    case DType::e8m0:
    case DType::complex64:  // no map has it
      break;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

CUtensorMapSwizzle driver_swizzle(Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::b32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case Swizzle::b64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case Swizzle::b128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    case Swizzle::none:
      break;
  }
  return CU_TENSOR_MAP_SWIZZLE_NONE;
}

CUtensorMapL2promotion driver_promotion(L2Promotion promotion) {
  switch (promotion) {
    case L2Promotion::b64:
      return CU_TENSOR_MAP_L2_PROMOTION_L2_64B;
    case L2Promotion::b128:
      return CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
    case L2Promotion::b256:
      return CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    case L2Promotion::none:
      break;
  }
  return CU_TENSOR_MAP_L2_PROMOTION_NONE;
}

}  // namespace

ModuleId CudaDevice::load(std::span<const std::byte> image, std::string_view label) {
  std::vector<std::byte> terminated(image.begin(), image.end());
  terminated.push_back(std::byte{0});  // PTX is text
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CUmodule module = nullptr;
  const CUresult result = api_.module_load(&module, terminated.data(), 2, options.data(), values.data());
  check(result, FaultKind::load_failed, fmt::format("loading {}{}{}", label, log[0] != '\0' ? ": " : "", log.data()));
  modules_[next_id_].handle = {module, api_.module_unload};
  modules_[next_id_].variables = image_variables(image);
  load_functions(module, label);
  return next_id_++;
}

/// Where modules are loaded lazily: all of it now, as if they were not.
void CudaDevice::load_functions(CUmodule module, std::string_view label) const {
  if (!api_.lazy()) return;
  unsigned count = 0;
  check(api_.function_count(&count, module), FaultKind::load_failed, fmt::format("counting kernels of {}", label));
  std::vector<CUfunction> functions(count);
  check(api_.functions(functions.data(), count, module), FaultKind::load_failed, fmt::format("kernels of {}", label));
  for (CUfunction function : functions)
    check(api_.load_function(function), FaultKind::load_failed, fmt::format("loading kernels of {}", label));
}

void CudaDevice::unload(ModuleId module) noexcept {
  modules_.erase(module);
}

/// One that the driver does not find has been optimised away, or is no variable of ours.
std::vector<ModuleVariable> CudaDevice::variables(ModuleId id) const {
  const Module& module = modules_.at(id);
  std::vector<ModuleVariable> found;
  for (const ImageVariable& variable : module.variables) {
    CUdeviceptr pointer = 0;
    std::size_t bytes = 0;
    if (api_.module_variable(&pointer, &bytes, module.handle.get(), variable.name.c_str()) == CUDA_SUCCESS && bytes > 0)
      found.push_back({variable.name, pointer, bytes, variable.constant});
  }
  return found;
}

/// What the driver calls the kernels of a module; empty where it cannot tell.
std::vector<std::string> CudaDevice::kernel_names(CUmodule module) const {
  if (api_.function_count == nullptr || api_.functions == nullptr || api_.function_name == nullptr) return {};
  unsigned count = 0;
  if (api_.function_count(&count, module) != CUDA_SUCCESS) return {};
  std::vector<CUfunction> functions(count);
  if (api_.functions(functions.data(), count, module) != CUDA_SUCCESS) return {};
  std::vector<std::string> names;
  for (CUfunction function : functions) {
    const char* name = nullptr;
    if (api_.function_name(&name, function) == CUDA_SUCCESS && name != nullptr) names.emplace_back(name);
  }
  return names;
}

CudaDevice::Function& CudaDevice::function(ModuleId module, const std::string& kernel) {
  auto& functions = modules_.at(module).functions;
  if (const auto found = functions.find(kernel); found != functions.end()) return found->second;
  Function function;
  CUmodule handle = modules_.at(module).handle.get();
  CUresult result = api_.module_function(&function.handle, handle, kernel.c_str());
  std::string there;  // for the message
  if (result == CUDA_ERROR_NOT_FOUND) {
    const std::vector<std::string> names = kernel_names(handle);
    if (const auto found = plan::find_kernel(kernel, names))
      result = api_.module_function(&function.handle, handle, names[*found].c_str());
    else if (!names.empty())
      there = fmt::format("; it has {}", fmt::join(names, ", "));
  }
  check(result, FaultKind::load_failed, fmt::format("looking for kernel '{}' in the image{}", kernel, there));
  std::size_t offset = 0, bytes = 0;
  if (api_.function_parameter != nullptr) {
    function.parameters_known = true;
    for (std::size_t i = 0; api_.function_parameter(function.handle, i, &offset, &bytes) == CUDA_SUCCESS; ++i)
      function.parameter_bytes.push_back(bytes);
  }
  return functions.emplace(kernel, std::move(function)).first->second;
}

int CudaDevice::attribute(const Function& function, CUfunction_attribute which) const {
  int value = 0;
  check(api_.function_attribute(&value, which, function.handle), FaultKind::load_failed, "cuFuncGetAttribute");
  return value;
}

void CudaDevice::allow_shared(Function& function, std::uint32_t bytes) {
  if (bytes <= function.dynamic_shared) return;
  check(api_.function_set_attribute(function.handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(bytes)),
        FaultKind::load_failed, fmt::format("allowing {} bytes of dynamic shared memory", bytes));
  function.dynamic_shared = bytes;
}

void CudaDevice::prefer_shared(Function& function, std::optional<std::int32_t> percent) {
  if (function.carveout == percent) return;
  check(api_.function_set_attribute(function.handle, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                    percent ? *percent : static_cast<int>(CU_SHAREDMEM_CARVEOUT_DEFAULT)),
        FaultKind::load_failed, "setting the preferred shared-memory carve-out");
  function.carveout = percent;
}

KernelResources CudaDevice::prepare(ModuleId module, const Launch& launch) {
  Function& kernel = function(module, launch.kernel);
  KernelResources resources;
  resources.kernel = launch.kernel;
  resources.registers = attribute(kernel, CU_FUNC_ATTRIBUTE_NUM_REGS);
  resources.local_bytes = attribute(kernel, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  resources.static_shared = attribute(kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  resources.max_threads = attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (const std::string error = launch_limit_error(info_, launch, resources); !error.empty())
    throw DeviceFault(FaultKind::load_failed, error, false);
  allow_shared(kernel, launch.dynamic_shared);
  prefer_shared(kernel, launch.carveout);
  check(api_.occupancy_blocks(&resources.blocks_per_sm, kernel.handle, static_cast<int>(volume(launch.block)),
                              launch.dynamic_shared),
        FaultKind::load_failed, fmt::format("occupancy of kernel '{}'", launch.kernel));
  if (resources.blocks_per_sm == 0)
    throw DeviceFault(FaultKind::load_failed, fmt::format("kernel '{}': no block fits on an SM", launch.kernel), false);
  if (const std::string error = cooperative_error(info_, launch, resources.blocks_per_sm); !error.empty())
    throw DeviceFault(FaultKind::load_failed, error, false);
  if (volume(launch.cluster) > 1) require_cluster_fits(kernel, launch);
  return resources;
}

void CudaDevice::require_cluster_fits(const Function& function, const Launch& launch) {
  constexpr std::uint32_t kPortable = 8;
  if (volume(launch.cluster) > kPortable)
    check(api_.function_set_attribute(function.handle, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
          FaultKind::load_failed, "allowing a cluster of more than 8 blocks");
  const LaunchConfig config(launch.grid, launch.block, launch.cluster, launch.dynamic_shared, stream_.get());
  int clusters = 0;
  check(api_.occupancy_clusters(&clusters, function.handle, config.get()), FaultKind::load_failed,
        fmt::format("kernel '{}' in clusters of {} blocks", launch.kernel, volume(launch.cluster)));
  if (clusters == 0)
    throw DeviceFault(FaultKind::load_failed,
                      fmt::format("kernel '{}': no cluster of {} blocks fits; use a smaller one or less shared memory",
                                  launch.kernel, volume(launch.cluster)),
                      false);
}

TensorMap CudaDevice::encode(const TensorMapSpec& spec, DevicePtr base) {
  if (const std::string error = tensor_map_error(spec, base); !error.empty())
    throw DeviceFault(FaultKind::load_failed, fmt::format("tensor map of '{}': {}", spec.tensor, error), false);
  const std::array<cuuint32_t, 5> unit_strides{1, 1, 1, 1, 1};
  const std::vector<cuuint64_t> dims(spec.dims.begin(), spec.dims.end());
  const std::vector<cuuint64_t> strides(spec.stride_bytes.begin(), spec.stride_bytes.end());
  const std::vector<cuuint32_t> box(spec.box.begin(), spec.box.end());
  const auto address = base + static_cast<std::uint64_t>(spec.offset_bytes);
  CUtensorMap encoded{};
  check(api_.encode_tiled(
            &encoded, tensor_map_type(spec.dtype), static_cast<cuuint32_t>(dims.size()),
            reinterpret_cast<void*>(address), dims.data(), strides.data(), box.data(), unit_strides.data(),
            CU_TENSOR_MAP_INTERLEAVE_NONE, driver_swizzle(spec.swizzle), driver_promotion(spec.promotion),
            spec.nan_fill ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        FaultKind::load_failed, fmt::format("tensor map of '{}'", spec.tensor));
  static_assert(sizeof(TensorMap) == sizeof encoded);
  TensorMap map;
  std::memcpy(map.words, &encoded, sizeof encoded);
  return map;
}

}  // namespace kerlab::device
