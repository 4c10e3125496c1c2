// Context, memory, events. Modules are in cuda_module.cpp, launches in cuda_launch.cpp.
#include "device/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/cuda/cuda_clusters.h"
#include "device/cuda/cuda_info.h"

namespace kerlab::device {
namespace {

std::string gib(std::size_t bytes) {
  return fmt::format("{:.3f} GiB", static_cast<double>(bytes) / (1u << 30));
}

}  // namespace

CudaDevice::CudaDevice(int ordinal)
    : api_(DriverApi::open()), info_(cuda_device_info(api_, ordinal)), neighbours_(nvml_, info_.uuid) {
  info_.driver = nvml_.driver_version();
  CUdevice device = 0;
  check(api_.device_get(&device, ordinal), FaultKind::other, "cuDeviceGet");
  CUcontext context = nullptr;
  check(api_.context_retain(&context, device), FaultKind::other, fmt::format("making a context on cuda:{}", ordinal));
  context_ = {device, api_.context_release};
  check(api_.context_set(context), FaultKind::other, "cuCtxSetCurrent");
  CUstream stream = nullptr;
  check(api_.stream_create(&stream, CU_STREAM_NON_BLOCKING), FaultKind::other, "cuStreamCreate");
  stream_ = {stream, api_.stream_destroy};
  info_.max_active_clusters = cuda_active_clusters(api_, info_);
}

void CudaDevice::check(CUresult result, FaultKind otherwise, std::string_view doing) const {
  if (result == CUDA_SUCCESS) return;
  const FaultClass fault = classify(result, otherwise);
  std::string message = fmt::format("{}: {}", doing, api_.describe(result));
  if (fault.sticky && !last_kernel_.empty()) message += fmt::format(" (last kernel launched: '{}')", last_kernel_);
  if (!fault.remedy.empty()) message += fmt::format("; {}", fault.remedy);
  throw DeviceFault(fault.kind, message, fault.sticky);
}

std::int64_t CudaDevice::free_memory() {
  std::size_t free = 0, total = 0;
  check(api_.memory_info(&free, &total), FaultKind::other, "cuMemGetInfo");
  return static_cast<std::int64_t>(free);
}

DevicePtr CudaDevice::allocate(std::size_t bytes) {
  CUdeviceptr pointer = 0;
  const CUresult result = api_.allocate(&pointer, std::max<std::size_t>(bytes, 1));
  if (result == CUDA_SUCCESS) return pointer;
  std::size_t free = 0, total = 0;
  api_.memory_info(&free, &total);
  check(result, FaultKind::other, fmt::format("allocating {} ({} of {} free)", gib(bytes), gib(free), gib(total)));
  return 0;
}

void CudaDevice::release(DevicePtr pointer) noexcept {
  if (pointer != 0) api_.release(pointer);
}

MappedMemory CudaDevice::allocate_mapped(std::size_t bytes) {
  MappedMemory memory;
  check(api_.host_allocate(&memory.host, std::max<std::size_t>(bytes, 1), CU_MEMHOSTALLOC_DEVICEMAP), FaultKind::other,
        fmt::format("allocating {} bytes of mapped host memory", bytes));
  CUdeviceptr pointer = 0;
  const CUresult result = api_.host_device_pointer(&pointer, memory.host, 0);
  if (result != CUDA_SUCCESS) api_.host_release(memory.host);
  check(result, FaultKind::other, "mapping host memory");
  memory.device = pointer;
  return memory;
}

void CudaDevice::release_mapped(const MappedMemory& memory) noexcept {
  if (memory.host != nullptr) api_.host_release(memory.host);
}

void CudaDevice::copy_in(DevicePtr target, std::span<const std::byte> source) {
  if (source.empty()) return;
  check(api_.copy_in(target, source.data(), source.size(), stream_.get()), FaultKind::other, "copying to the GPU");
  synchronize();
}

void CudaDevice::copy_out(std::span<std::byte> target, DevicePtr source) {
  if (target.empty()) return;
  check(api_.copy_out(target.data(), source, target.size(), stream_.get()), FaultKind::other, "copying from the GPU");
  synchronize();
}

void CudaDevice::fill(DevicePtr target, std::uint32_t pattern, std::size_t words) {
  if (words == 0) return;
  check(api_.fill(target, pattern, words, stream_.get()), FaultKind::other, "filling memory");
}

EventId CudaDevice::create_event() {
  CUevent event = nullptr;
  check(api_.event_create(&event, CU_EVENT_DEFAULT), FaultKind::other, "cuEventCreate");
  events_[next_id_] = {event, api_.event_destroy};
  return next_id_++;
}

void CudaDevice::release_event(EventId event) noexcept {
  events_.erase(event);
}

void CudaDevice::record(EventId event) {
  check(api_.event_record(events_.at(event).get(), stream_.get()), FaultKind::other, "cuEventRecord");
}

double CudaDevice::elapsed_us(EventId from, EventId to) {
  float milliseconds = 0;
  check(api_.event_elapsed(&milliseconds, events_.at(from).get(), events_.at(to).get()), FaultKind::other,
        "reading a time between events");
  return 1e3 * static_cast<double>(milliseconds);
}

void CudaDevice::synchronize() {
  check(api_.stream_synchronize(stream_.get()), FaultKind::launch_failed, "waiting for the GPU");
}

void CudaDevice::synchronize_all() {
  check(api_.context_synchronize(), FaultKind::launch_failed, "waiting for the GPU");
}

std::string CudaDevice::health_text() {
  return nvml_.health_text(info_.uuid);
}

}  // namespace kerlab::device
