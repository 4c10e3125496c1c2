#pragma once
// cuBLASLt by dlopen: NVIDIA's own GEMM, as something to be measured beside ours. Opened only in a worker, only when
// asked for: where every kernel is loaded at once (device/cuda/driver_api.cpp) it takes about two seconds.

#include <cublasLt.h>

#include <string>

#include "base/modules.h"

namespace kerlab::vendor {

/// The functions of the library that are used, typed from its header.
struct CublasLtApi {
  decltype(&::cublasLtCreate) create = nullptr;
  decltype(&::cublasLtDestroy) destroy = nullptr;
  decltype(&::cublasLtGetVersion) version = nullptr;
  decltype(&::cublasLtMatmulDescCreate) operation_create = nullptr;
  decltype(&::cublasLtMatmulDescDestroy) operation_destroy = nullptr;
  decltype(&::cublasLtMatmulDescSetAttribute) operation_set = nullptr;
  decltype(&::cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&::cublasLtMatrixLayoutSetAttribute) layout_set = nullptr;
  decltype(&::cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&::cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&::cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&::cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&::cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  decltype(&::cublasLtMatmul) matmul = nullptr;
};

/// An open library with a handle of the current CUDA context.
class CublasLt {
 public:
  /// Looks beside the toolkit (CUDA_HOME, /usr/local/cuda) and where the loader looks. Throws Error when there is none,
  /// naming what was tried.
  CublasLt();
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  [[nodiscard]] const CublasLtApi& api() const { return api_; }
  [[nodiscard]] cublasLtHandle_t handle() const { return handle_; }
  [[nodiscard]] std::string version() const;  ///< "cuBLASLt 13.0.2"
  /// What opening it took: code that is read and bound, and a handle, for which its kernels may be loaded.
  [[nodiscard]] double read_ms() const { return read_ms_; }
  [[nodiscard]] double start_ms() const { return start_ms_; }

 private:
  void* library_ = nullptr;
  CublasLtApi api_;
  cublasLtHandle_t handle_ = nullptr;
  double read_ms_ = 0, start_ms_ = 0;
};

}  // namespace kerlab::vendor
