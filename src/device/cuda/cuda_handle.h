#pragma once
// Owns one driver object (module, event, graph, stream, primary context).

#include <cuda.h>

#include <utility>

#include "base/modules.h"

namespace kerlab::device {

template <typename Handle>
class CudaHandle {
 public:
  using Destroy = CUresult(CUDAAPI*)(Handle);

  CudaHandle() = default;
  CudaHandle(Handle handle, Destroy destroy) : handle_(handle), destroy_(destroy) {}
  CudaHandle(CudaHandle&& other) noexcept { *this = std::move(other); }
  CudaHandle& operator=(CudaHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  CudaHandle(const CudaHandle&) = delete;
  CudaHandle& operator=(const CudaHandle&) = delete;
  ~CudaHandle() {
    if (destroy_ != nullptr) destroy_(handle_);  // after a sticky fault it fails, and there is nobody to tell
  }
  [[nodiscard]] Handle get() const { return handle_; }

 private:
  Handle handle_{};
  Destroy destroy_ = nullptr;
};

}  // namespace kerlab::device
