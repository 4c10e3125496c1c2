#pragma once
// The CUDA driver by dlopen: what the protocols need of it.

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <string>

/// There is no GPU to time anything on.
struct NoGpu : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CudaDriver {
 public:
  CudaDriver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (library_ == nullptr) throw NoGpu("libcuda.so.1 cannot be loaded");
    int device = 0;
    if (call<int(unsigned)>("cuInit")(0) != 0 || call<int(int*, int)>("cuDeviceGet")(&device, 0) != 0)
      throw NoGpu("the driver shows no GPU");
    void* context = nullptr;
    run<int(void**, int)>("cuDevicePrimaryCtxRetain", &context, device);
    run<int(void*)>("cuCtxSetCurrent", context);
    device_ = device;
  }

  /// "sm_90"
  std::string arch() const { return "sm_" + std::to_string(attribute(75)) + std::to_string(attribute(76)); }
  std::size_t l2_bytes() const { return static_cast<std::size_t>(attribute(38)); }
  std::string name() const {
    char text[128] = {};
    run<int(char*, int, int)>("cuDeviceGetName", text, int(sizeof text), device_);
    return text;
  }

  std::uint64_t allocate(std::size_t bytes) const {
    std::uint64_t address = 0;
    run<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2", &address, bytes);
    return address;
  }
  void copy_in(std::uint64_t to, const void* from, std::size_t bytes) const {
    run<int(std::uint64_t, const void*, std::size_t)>("cuMemcpyHtoD_v2", to, from, bytes);
  }
  /// Queued: returns at once.
  void set_bytes(std::uint64_t to, unsigned char value, std::size_t bytes) const {
    run<int(std::uint64_t, unsigned char, std::size_t, void*)>("cuMemsetD8Async", to, value, bytes, nullptr);
  }
  void* module_of(const void* image) const {
    void* module = nullptr;
    run<int(void**, const void*)>("cuModuleLoadData", &module, image);
    return module;
  }
  void* function_of(void* module, const char* name) const {
    void* function = nullptr;
    run<int(void**, void*, const char*)>("cuModuleGetFunction", &function, module, name);
    return function;
  }
  void launch(void* function, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
              void** arguments) const {
    run<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**)>(
        "cuLaunchKernel", function, grid_x, grid_y, 1u, block_x, block_y, 1u, 0u, nullptr, arguments, nullptr);
  }
  void synchronize() const { run<int()>("cuCtxSynchronize"); }
  void* event() const {
    void* made = nullptr;
    run<int(void**, unsigned)>("cuEventCreate", &made, 0u);
    return made;
  }
  void record(void* event) const { run<int(void*, void*)>("cuEventRecord", event, nullptr); }
  double elapsed_us(void* from, void* to) const {
    float ms = 0;
    run<int(float*, void*, void*)>("cuEventElapsedTime", &ms, from, to);
    return 1e3 * static_cast<double>(ms);
  }

 private:
  template <typename Signature>
  Signature* call(const char* name) const {
    void* const address = dlsym(library_, name);
    if (address == nullptr) throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
    return reinterpret_cast<Signature*>(address);
  }
  template <typename Signature, typename... Arguments>
  void run(const char* name, Arguments... arguments) const {
    const int error = call<Signature>(name)(arguments...);
    if (error != 0) throw std::runtime_error(std::string(name) + " failed with error " + std::to_string(error));
  }
  int attribute(int which) const {
    int value = 0;
    run<int(int*, int, int)>("cuDeviceGetAttribute", &value, which, device_);
    return value;
  }

  void* library_;
  int device_ = 0;
};
