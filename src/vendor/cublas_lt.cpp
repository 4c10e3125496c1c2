#include "vendor/cublas_lt.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "base/elapsed.h"
#include "base/error.h"

namespace kerlab::vendor {
namespace {

std::vector<std::string> candidates() {
  const std::string soname = fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR);
  std::vector<std::string> paths;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable)) paths.push_back(fmt::format("{}/lib64/{}", folder, soname));
  paths.push_back("/usr/local/cuda/lib64/" + soname);
  paths.push_back(soname);
  return paths;
}

void* open_library() {
  std::string tried;
  for (const std::string& path : candidates()) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  throw Error(fmt::format("cuBLASLt was not found (tried {}): set CUDA_HOME to a toolkit that has it", tried));
}

template <typename Function>
void bind(void* library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr) throw Error(fmt::format("cuBLASLt has no {}: is it of another major version?", symbol));
}

CublasLtApi bind_all(void* library) {
  CublasLtApi api;
  bind(library, api.create, "cublasLtCreate");
  bind(library, api.destroy, "cublasLtDestroy");
  bind(library, api.version, "cublasLtGetVersion");
  bind(library, api.operation_create, "cublasLtMatmulDescCreate");
  bind(library, api.operation_destroy, "cublasLtMatmulDescDestroy");
  bind(library, api.operation_set, "cublasLtMatmulDescSetAttribute");
  bind(library, api.layout_create, "cublasLtMatrixLayoutCreate");
  bind(library, api.layout_set, "cublasLtMatrixLayoutSetAttribute");
  bind(library, api.layout_destroy, "cublasLtMatrixLayoutDestroy");
  bind(library, api.preference_create, "cublasLtMatmulPreferenceCreate");
  bind(library, api.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  bind(library, api.preference_set, "cublasLtMatmulPreferenceSetAttribute");
  bind(library, api.heuristic, "cublasLtMatmulAlgoGetHeuristic");
  bind(library, api.matmul, "cublasLtMatmul");
  return api;
}

}  // namespace

CublasLt::CublasLt() {
  const auto begin = std::chrono::steady_clock::now();
  library_ = open_library();
  try {
    api_ = bind_all(library_);
    read_ms_ = milliseconds_since(begin);
    if (const cublasStatus_t status = api_.create(&handle_); status != CUBLAS_STATUS_SUCCESS)
      throw Error(fmt::format("cuBLASLt does not start (status {})", static_cast<int>(status)));
    start_ms_ = milliseconds_since(begin) - read_ms_;
  } catch (...) {
    dlclose(library_);
    throw;
  }
}

CublasLt::~CublasLt() {
  api_.destroy(handle_);  // the library itself stays open: it registers things that outlive it
}

std::string CublasLt::version() const {
  const std::size_t number = api_.version();
  return fmt::format("cuBLASLt {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

}  // namespace kerlab::vendor
