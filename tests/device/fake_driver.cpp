// A libcuda.so.1 that is there and does not work: cuInit answers what KERLAB_FAKE_CUINIT says. Built twice; the old one
// lacks a function that kerlab needs.
#include <cstdlib>

extern "C" {

int cuInit(unsigned) {
  const char* code = std::getenv("KERLAB_FAKE_CUINIT");
  return code != nullptr ? std::atoi(code) : 0;
}
int cuGetErrorName(int, const char** text) {
  *text = "CUDA_ERROR_FAKE";
  return 0;
}
int cuGetErrorString(int, const char** text) {
  *text = "pretended";
  return 0;
}

#define ABSENT(name) \
  int name() {       \
    return 999;      \
  }
ABSENT(cuDriverGetVersion)
ABSENT(cuDeviceGetCount)
ABSENT(cuDeviceGet)
ABSENT(cuDeviceGetName)
ABSENT(cuDeviceGetUuid_v2)
ABSENT(cuDeviceTotalMem_v2)
ABSENT(cuDeviceGetAttribute)
ABSENT(cuDevicePrimaryCtxRetain)
ABSENT(cuDevicePrimaryCtxRelease_v2)
ABSENT(cuCtxSetCurrent)
ABSENT(cuMemGetInfo_v2)
ABSENT(cuMemAlloc_v2)
ABSENT(cuMemFree_v2)
ABSENT(cuMemHostAlloc)
ABSENT(cuMemFreeHost)
ABSENT(cuMemHostGetDevicePointer_v2)
ABSENT(cuMemcpyHtoDAsync_v2)
ABSENT(cuMemcpyDtoHAsync_v2)
ABSENT(cuMemsetD32Async)
ABSENT(cuModuleLoadDataEx)
ABSENT(cuModuleUnload)
ABSENT(cuModuleGetFunction)
ABSENT(cuModuleGetGlobal_v2)
ABSENT(cuFuncGetAttribute)
ABSENT(cuFuncSetAttribute)
ABSENT(cuOccupancyMaxActiveBlocksPerMultiprocessor)
ABSENT(cuOccupancyMaxActiveClusters)
ABSENT(cuTensorMapEncodeTiled)
ABSENT(cuStreamCreate)
ABSENT(cuStreamDestroy_v2)
ABSENT(cuStreamSynchronize)
ABSENT(cuCtxSynchronize)
ABSENT(cuStreamBeginCapture_v2)
ABSENT(cuStreamEndCapture)
ABSENT(cuGraphInstantiateWithFlags)
ABSENT(cuGraphUpload)
ABSENT(cuGraphLaunch)
ABSENT(cuGraphDestroy)
ABSENT(cuGraphExecDestroy)
#ifndef OLD_DRIVER
ABSENT(cuLaunchKernelEx)
#endif
ABSENT(cuEventCreate)
ABSENT(cuEventDestroy_v2)
ABSENT(cuEventRecord)
ABSENT(cuEventElapsedTime)
}
