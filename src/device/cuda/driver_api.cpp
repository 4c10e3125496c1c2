#include "device/cuda/driver_api.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

namespace kerlab::device {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

template <typename Function>
void bind(void* library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr)
    throw Error(
        fmt::format("the NVIDIA driver is too old: its {} has no {}. Install driver 525 or newer.", kLibrary, symbol),
        ExitCode::inconclusive);
}

void bind_device(void* lib, DriverApi& api) {
  bind(lib, api.init, "cuInit");
  bind(lib, api.driver_version, "cuDriverGetVersion");
  bind(lib, api.error_name, "cuGetErrorName");
  bind(lib, api.error_string, "cuGetErrorString");
  bind(lib, api.device_count, "cuDeviceGetCount");
  bind(lib, api.device_get, "cuDeviceGet");
  bind(lib, api.device_name, "cuDeviceGetName");
  bind(lib, api.device_uuid, "cuDeviceGetUuid_v2");
  bind(lib, api.device_memory, "cuDeviceTotalMem_v2");
  bind(lib, api.device_attribute, "cuDeviceGetAttribute");
  bind(lib, api.context_retain, "cuDevicePrimaryCtxRetain");
  bind(lib, api.context_release, "cuDevicePrimaryCtxRelease_v2");
  bind(lib, api.context_set, "cuCtxSetCurrent");
}

void bind_memory(void* lib, DriverApi& api) {
  bind(lib, api.memory_info, "cuMemGetInfo_v2");
  bind(lib, api.allocate, "cuMemAlloc_v2");
  bind(lib, api.release, "cuMemFree_v2");
  bind(lib, api.host_allocate, "cuMemHostAlloc");
  bind(lib, api.host_release, "cuMemFreeHost");
  bind(lib, api.host_device_pointer, "cuMemHostGetDevicePointer_v2");
  bind(lib, api.copy_in, "cuMemcpyHtoDAsync_v2");
  bind(lib, api.copy_out, "cuMemcpyDtoHAsync_v2");
  bind(lib, api.fill, "cuMemsetD32Async");
}

void bind_modules(void* lib, DriverApi& api) {
  bind(lib, api.module_load, "cuModuleLoadDataEx");
  bind(lib, api.module_unload, "cuModuleUnload");
  bind(lib, api.module_function, "cuModuleGetFunction");
  bind(lib, api.module_variable, "cuModuleGetGlobal_v2");
  bind(lib, api.function_attribute, "cuFuncGetAttribute");
  bind(lib, api.function_set_attribute, "cuFuncSetAttribute");
  api.function_parameter = reinterpret_cast<decltype(api.function_parameter)>(dlsym(lib, "cuFuncGetParamInfo"));
  api.function_count = reinterpret_cast<decltype(api.function_count)>(dlsym(lib, "cuModuleGetFunctionCount"));
  api.functions = reinterpret_cast<decltype(api.functions)>(dlsym(lib, "cuModuleEnumerateFunctions"));
  api.function_name = reinterpret_cast<decltype(api.function_name)>(dlsym(lib, "cuFuncGetName"));
  bind(lib, api.occupancy_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  bind(lib, api.occupancy_clusters, "cuOccupancyMaxActiveClusters");
  bind(lib, api.encode_tiled, "cuTensorMapEncodeTiled");
}

/// Lazily, where the driver can load a function on demand (12.4): cuBLASLt's start loads all its kernels otherwise, 1.2
/// to 3 s on an H200 instead of 2 to 7 ms. A module's upload must not wait for its first launch, which may stand behind
/// a blocker kernel: of ours all kernels are loaded with the module (CudaDevice::load_functions), those of the library
/// at their first run, with nothing under way. KERLAB_MODULE_LOADING=EAGER: everything at once.
void choose_loading(void* lib, DriverApi& api) {
  const char* asked = std::getenv("KERLAB_MODULE_LOADING");
  const bool eager = asked != nullptr && std::string_view(asked) == "EAGER";
  if (!eager && dlsym(lib, "cuFuncLoad") != nullptr) bind(lib, api.load_function, "cuFuncLoad");
  setenv("CUDA_MODULE_LOADING", api.lazy() ? "LAZY" : "EAGER", 1);
}

void bind_stream(void* lib, DriverApi& api) {
  bind(lib, api.stream_create, "cuStreamCreate");
  bind(lib, api.stream_destroy, "cuStreamDestroy_v2");
  bind(lib, api.stream_synchronize, "cuStreamSynchronize");
  bind(lib, api.context_synchronize, "cuCtxSynchronize");
  bind(lib, api.capture_begin, "cuStreamBeginCapture_v2");
  bind(lib, api.capture_end, "cuStreamEndCapture");
  bind(lib, api.graph_instantiate, "cuGraphInstantiateWithFlags");
  bind(lib, api.graph_upload, "cuGraphUpload");
  bind(lib, api.graph_launch, "cuGraphLaunch");
  bind(lib, api.graph_destroy, "cuGraphDestroy");
  bind(lib, api.graph_exec_destroy, "cuGraphExecDestroy");
  bind(lib, api.launch, "cuLaunchKernelEx");
  bind(lib, api.event_create, "cuEventCreate");
  bind(lib, api.event_destroy, "cuEventDestroy_v2");
  bind(lib, api.event_record, "cuEventRecord");
  bind(lib, api.event_elapsed, "cuEventElapsedTime");
}

[[noreturn]] void throw_no_library() {
  const char* reason = dlerror();
  const std::string cause = reason != nullptr ? reason : "unknown reason";
  if (has_driver_library())
    throw Error(
        fmt::format("the NVIDIA driver is broken: its library is there but cannot be loaded: {}. Install the driver "
                    "again, or look at what LD_LIBRARY_PATH puts before it.",
                    cause));
  if (has_gpu_nodes())
    throw Error(
        fmt::format("/dev has GPU nodes, but the driver's library cannot be loaded: {}. In a container, start it "
                    "with --gpus all and NVIDIA_DRIVER_CAPABILITIES=compute,utility.",
                    cause));
  throw Error(
      fmt::format("no GPU here: no NVIDIA driver ({}) and no /dev/nvidia*. Run on a machine with one, or emulate "
                  "one with --device emu:h200.",
                  cause));
}

[[noreturn]] void throw_init_failed(const DriverApi& api, CUresult result) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::string cause = api.describe(result);
  if (visible != nullptr) cause += fmt::format("; CUDA_VISIBLE_DEVICES is '{}'", visible);
  if (result == CUDA_ERROR_NO_DEVICE && !has_gpu_nodes())
    throw Error(
        fmt::format("no GPU here: the driver is installed, but there is no /dev/nvidia* ({}). Run on a machine "
                    "with one, or emulate one with --device emu:h200.",
                    cause));
  if (result == CUDA_ERROR_NO_DEVICE && visible != nullptr)
    throw Error(
        fmt::format("every GPU is hidden: cuInit says {}. Unset CUDA_VISIBLE_DEVICES or name a GPU there, or emulate "
                    "one with --device emu:h200.",
                    cause));
  throw Error(
      fmt::format("the NVIDIA driver is broken: cuInit says {}. See whether nvidia-smi works; a driver update "
                  "without a reboot, or a container whose libcuda is newer than the host's driver, does this.",
                  cause));
}

}  // namespace

DriverApi DriverApi::open() {
  // Never closed: the driver starts threads that outlive any object of ours.
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw_no_library();
  DriverApi api;
  bind_device(library, api);
  bind_memory(library, api);
  bind_modules(library, api);
  bind_stream(library, api);
  choose_loading(library, api);
  if (const CUresult result = api.init(0); result != CUDA_SUCCESS) throw_init_failed(api, result);
  return api;
}

std::string DriverApi::describe(CUresult result) const {
  const char* error = nullptr;
  const char* text = nullptr;
  if (error_name(result, &error) != CUDA_SUCCESS || error == nullptr) error = "unknown error";
  if (error_string(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  return fmt::format("{} ({}): {}", error, static_cast<int>(result), text);
}

bool has_gpu_nodes(const std::filesystem::path& device_folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(device_folder, ignored)) {
    const std::string node = entry.path().filename().string();
    if (node == "dxg") return true;  // Windows Subsystem for Linux
    if (node.starts_with("nvidia") && node.size() > 6 && std::isdigit(static_cast<unsigned char>(node[6])) != 0)
      return true;
  }
  return false;
}

bool has_driver_library() {
  if (dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL) != nullptr) return true;  // never closed, as above
  // The loader looked everywhere and has one message for "nowhere"; any other is about a file that is there.
  const char* reason = dlerror();
  return reason != nullptr && std::string_view(reason).find("No such file or directory") == std::string_view::npos;
}

}  // namespace kerlab::device
