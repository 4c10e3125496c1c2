#pragma once
// The GPU by dlopen: a context, memory, copies, events. Nothing to install but a driver.

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

class Gpu {
 public:
  /// Throws std::runtime_error when there is no driver or no GPU.
  explicit Gpu(int ordinal = 0) : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (library_ == nullptr) throw std::runtime_error("libcuda.so.1 cannot be loaded");
    int device = 0;
    void* context = nullptr;
    check(call<int(unsigned)>("cuInit")(0), "cuInit");
    check(call<int(int*, int)>("cuDeviceGet")(&device, ordinal), "cuDeviceGet");
    check(call<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device), "cuDevicePrimaryCtxRetain");
    check(call<int(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  }

  /// For kerlab_dispatch_2::Driver::from.
  void* look_up(const char* name) const { return dlsym(library_, name); }

  std::uint64_t allocate(std::size_t bytes) const {
    std::uint64_t address = 0;
    check(call<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2")(&address, bytes), "cuMemAlloc");
    return address;
  }
  void release(std::uint64_t address) const { call<int(std::uint64_t)>("cuMemFree_v2")(address); }
  void copy_in(std::uint64_t to, const void* from, std::size_t bytes) const {
    check(call<int(std::uint64_t, const void*, std::size_t)>("cuMemcpyHtoD_v2")(to, from, bytes), "cuMemcpyHtoD");
  }
  void copy_out(void* to, std::uint64_t from, std::size_t bytes) const {
    check(call<int(void*, std::uint64_t, std::size_t)>("cuMemcpyDtoH_v2")(to, from, bytes), "cuMemcpyDtoH");
  }
  void synchronize() const { check(call<int()>("cuCtxSynchronize")(), "cuCtxSynchronize"); }

  /// Microseconds of one run of `queue`, on the default stream: the mean of `runs`.
  template <typename Queue>
  double time_us(int runs, const Queue& queue) const {
    void *from = nullptr, *to = nullptr;
    const auto create = call<int(void**, unsigned)>("cuEventCreate");
    const auto record = call<int(void*, void*)>("cuEventRecord");
    check(create(&from, 0), "cuEventCreate");
    check(create(&to, 0), "cuEventCreate");
    record(from, nullptr);
    for (int i = 0; i < runs; ++i) queue();
    record(to, nullptr);
    synchronize();
    float ms = 0;
    check(call<int(float*, void*, void*)>("cuEventElapsedTime")(&ms, from, to), "cuEventElapsedTime");
    for (void* event : {from, to}) call<int(void*)>("cuEventDestroy_v2")(event);
    return 1e3 * static_cast<double>(ms) / runs;
  }

 private:
  template <typename Signature>
  Signature* call(const char* name) const {
    void* const address = look_up(name);
    if (address == nullptr) throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
    return reinterpret_cast<Signature*>(address);
  }
  static void check(int error, const char* what) {
    if (error != 0) throw std::runtime_error(std::string(what) + " failed with error " + std::to_string(error));
  }

  void* library_;
};
