#include "device/cuda/cuda_info.h"

#include <fmt/format.h>

#include "base/error.h"
#include "device/cuda/nvml.h"

namespace kerlab::device {
namespace {

void check(const DriverApi& api, CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) throw Error(fmt::format("{}: {}", what, api.describe(result)));
}

int attribute(const DriverApi& api, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(api, api.device_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

int device_count(const DriverApi& api) {
  int count = 0;
  check(api, api.device_count(&count), "cuDeviceGetCount");
  return count;
}

std::string device_name(const DriverApi& api, CUdevice device) {
  char text[256] = {};
  check(api, api.device_name(text, sizeof text - 1, device), "cuDeviceGetName");
  return text;
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// fp64 rate over fp32 rate, where an old driver does not tell.
double usual_fp64_ratio(int major, int minor) {
  const int cc = 10 * major + minor;
  if (cc == 60 || cc == 70 || cc == 80 || cc == 90 || cc == 100) return 0.5;
  return cc < 80 ? 1.0 / 32 : 1.0 / 64;
}

void read_limits(const DriverApi& api, CUdevice device, DeviceInfo& info) {
  const auto get = [&](CUdevice_attribute which) { return attribute(api, device, which); };
  info.sms = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.l2_bytes = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.shared_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.shared_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.shared_reserved = get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  info.registers_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  info.registers_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info.threads_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.threads_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info.blocks_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  info.warp_size = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  info.clock_mhz = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
  info.memory_clock_mhz = get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1000;
  info.memory_bus_bits = get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  const int ratio = get(CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
  info.has_library = true;
  info.fp64_ratio = ratio > 0 ? 1.0 / ratio : usual_fp64_ratio(info.cc_major, info.cc_minor);
}

std::string existing_devices(const DriverApi& api, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    check(api, api.device_get(&device, i), "cuDeviceGet");
    text += fmt::format("{}cuda:{} ({})", i == 0 ? "" : ", ", i, device_name(api, device));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

DeviceInfo cuda_device_info(const DriverApi& api, int ordinal) {
  const int count = device_count(api);
  if (ordinal < 0 || ordinal >= count)
    throw UsageError(fmt::format("--device cuda:{}: no such GPU; there is {}", ordinal, existing_devices(api, count)));
  CUdevice device = 0;
  check(api, api.device_get(&device, ordinal), "cuDeviceGet");
  DeviceInfo info;
  info.id = fmt::format("cuda:{}", ordinal);
  info.set_kind(DeviceKind::cuda);
  info.name = device_name(api, device);
  CUuuid uuid{};
  check(api, api.device_uuid(&uuid, device), "cuDeviceGetUuid");
  info.uuid = uuid_text(uuid);
  info.cc_major = attribute(api, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.cc_minor = attribute(api, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  check(api, api.driver_version(&info.driver_version), "cuDriverGetVersion");
  std::size_t memory = 0;
  check(api, api.device_memory(&memory, device), "cuDeviceTotalMem");
  info.memory_bytes = static_cast<std::int64_t>(memory);
  read_limits(api, device, info);
  return info;
}

std::vector<DeviceInfo> list_cuda_devices() {
  const DriverApi api = DriverApi::open();
  const Nvml nvml;
  std::vector<DeviceInfo> devices;
  const int count = device_count(api);
  for (int i = 0; i < count; ++i) {
    devices.push_back(cuda_device_info(api, i));
    devices.back().driver = nvml.driver_version();
  }
  return devices;
}

}  // namespace kerlab::device
