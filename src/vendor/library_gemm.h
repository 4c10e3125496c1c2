#pragma once
// A GEMM of cuBLASLt on the problem's own buffers, one row per algorithm that its heuristic offers.

#include <memory>
#include <string>
#include <vector>

#include "device/cuda/cuda_device.h"
#include "plan/problem_plan.h"
#include "vendor/cublas_lt.h"

namespace kerlab {

inline constexpr int kLibraryAlgorithms = 16;
inline constexpr std::size_t kLibraryWorkspace = std::size_t{64} << 20;

/// Where A, B, C and D of one set lie.
struct GemmPointers {
  DevicePtr a = 0, b = 0, c = 0, d = 0;
};

class LibraryGemm {
 public:
  /// Asks the heuristic. Throws Error when the library is missing or offers nothing for the problem, DeviceFault for
  /// want of memory for its workspace.
  LibraryGemm(CudaDevice& device, const GemmCall& call, DType dtype, std::vector<GemmPointers> sets);
  ~LibraryGemm();
  LibraryGemm(const LibraryGemm&) = delete;
  LibraryGemm& operator=(const LibraryGemm&) = delete;

  [[nodiscard]] const std::string& version() const { return version_; }
  /// Offered algorithms, best guess first.
  [[nodiscard]] std::size_t algorithms() const { return algorithms_.size(); }
  /// Queues one run. Throws DeviceFault(launch_failed) when the library refuses.
  void run(std::size_t algorithm, std::size_t set) const;

 private:
  class Descriptors;
  CudaDevice& device_;
  CublasLt library_;
  std::string version_;
  float alpha_ = 1, beta_ = 0;
  std::unique_ptr<Descriptors> descriptors_;
  Allocation workspace_;
  std::vector<GemmPointers> sets_;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
};

}  // namespace kerlab
