#include "device/cuda/cuda_fault.h"

namespace kerlab::device {

FaultClass classify(CUresult result, FaultKind otherwise) {
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return {FaultKind::out_of_memory, false, "use a smaller problem, or free the GPU's memory"};
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_SHARED_OBJECT_INIT_FAILED:
      return {FaultKind::load_failed, false, "the image is damaged: clear the cache"};
    case CUDA_ERROR_NOT_FOUND:
      return {FaultKind::load_failed, false,
              "declare the kernel extern \"C\" __global__ with the name that the spec gives"};
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
      return {FaultKind::load_failed, false,
              "the image was compiled for another GPU, or the driver is older than NVRTC: "
              "update the driver or use an older CUDA Toolkit"};
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
      return {FaultKind::load_failed, false,
              "the driver is older than NVRTC: update the driver or use an older CUDA Toolkit"};
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
      return {FaultKind::load_failed, false, "load a cubin instead of PTX"};
    case CUDA_ERROR_NOT_SUPPORTED:
      return {FaultKind::unsupported, false, {}};
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return {FaultKind::launch_failed, false,
              "too many registers or threads a block: lower the block size or add "
              "__launch_bounds__"};
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return {FaultKind::launch_failed, false, "use a smaller cluster"};
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return {FaultKind::illegal_address, true, "run compute-sanitizer on the reproduction command"};
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return {FaultKind::misaligned_address, true, "a vector access needs an address that is a multiple of its size"};
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_INVALID_PC:
      return {FaultKind::trap, true, {}};
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return {FaultKind::timeout, true, "a display's watchdog stopped the kernel"};
    case CUDA_ERROR_LAUNCH_FAILED:
      return {FaultKind::launch_failed, true, "a trap, or a fault in shared memory, a barrier or an asynchronous copy"};
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
      return {FaultKind::other, true, "the GPU itself is ill: see nvidia-smi -q and dmesg"};
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return {FaultKind::other, true,
              "another process holds the GPU exclusively: see nvidia-smi, or set nvidia-smi -c 0"};
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_UNKNOWN:
      return {FaultKind::other, true, {}};
    default:
      return {otherwise, false, {}};
  }
}

}  // namespace kerlab::device
