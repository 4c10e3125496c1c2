#pragma once
// The driver alone, without its headers: what the recorders need of it.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace driver {

using Handle = void*;
using Pointer = unsigned long long;

inline void* library() {
  static void* lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (lib == nullptr) std::fprintf(stderr, "record: no CUDA driver: %s\n", dlerror()), std::exit(1);
  return lib;
}

template <class... Args>
int call(const char* name, Args... args) {
  auto* function = reinterpret_cast<int (*)(Args...)>(dlsym(library(), name));
  if (function == nullptr) std::fprintf(stderr, "record: the driver lacks %s\n", name), std::exit(1);
  return function(args...);
}

inline void check(const char* what, int status) {
  if (status == 0) return;
  const char* text = nullptr;
  call("cuGetErrorString", status, &text);
  std::fprintf(stderr, "record: %s: error %d (%s)\n", what, status, text != nullptr ? text : "?");
  std::exit(1);
}

/// A context on the first GPU.
inline void start() {
  check("cuInit", call("cuInit", 0u));
  int device = 0;
  check("cuDeviceGet", call("cuDeviceGet", &device, 0));
  Handle context = nullptr;
  check("context", call("cuDevicePrimaryCtxRetain", &context, device));
  check("context", call("cuCtxSetCurrent", context));
}

inline Handle load(const std::string& name, const std::string& ptx) {
  Handle module = nullptr;
  std::vector<char> log(1 << 16);
  int options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  const int loaded = call("cuModuleLoadDataEx", &module, static_cast<const void*>(ptx.c_str()), 2u,
                          static_cast<int*>(options), static_cast<void**>(values));
  if (loaded != 0) std::fprintf(stderr, "%s\n", log.data());
  check(name.c_str(), loaded);
  return module;
}

}  // namespace driver
