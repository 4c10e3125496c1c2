#pragma once
// A GEMM of cuBLASLt on the problem's own buffers, one row per algorithm that its heuristic offers.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/cuda_device.h"
#include "plan/problem_plan.h"
#include "vendor/cublas_lt.h"

namespace kerlab::vendor {

inline constexpr int kLibraryAlgorithms = 16;
inline constexpr std::size_t kLibraryWorkspace = std::size_t{64} << 20;

/// Where A, B, C and D of one set lie.
struct GemmPointers {
  DevicePtr a = 0, b = 0, c = 0, d = 0;
};

class LibraryGemm {
 public:
  /// Asks the heuristic of `library`, which outlives it. Throws Error when it offers nothing for the problem,
  /// DeviceFault for want of memory for its workspace.
  LibraryGemm(const CublasLt& library, CudaDevice& device, const GemmCall& call, DType dtype,
              std::vector<GemmPointers> sets);
  ~LibraryGemm();
  LibraryGemm(const LibraryGemm&) = delete;
  LibraryGemm& operator=(const LibraryGemm&) = delete;

  [[nodiscard]] const std::string& version() const { return version_; }
  /// Offered algorithms, best guess first.
  [[nodiscard]] std::size_t algorithms() const { return algorithms_.size(); }
  /// Queues one run. Throws DeviceFault(launch_failed) when the library refuses.
  void run(std::size_t algorithm, std::size_t set) const;
  /// A graph of `repeats` runs on each of the first `sets` sets in turn; nothing when the library cannot be captured.
  /// It must have run before.
  [[nodiscard]] std::optional<GraphId> capture(std::size_t algorithm, std::size_t sets, int repeats) const;

 private:
  class Descriptors;
  /// alpha or beta as the library wants them: int32 beside sums of int8 products, else fp32.
  struct Scalar {
    Scalar(double value, DType dtype);
    [[nodiscard]] const void* address() const { return is_int ? static_cast<const void*>(&as_int) : &as_float; }
    float as_float;
    std::int32_t as_int;
    bool is_int;
  };
  [[nodiscard]] Error no_algorithm() const;
  const CublasLt& library_;
  CudaDevice& device_;
  std::string version_;
  Scalar alpha_, beta_;
  std::unique_ptr<Descriptors> descriptors_;
  Allocation workspace_;
  std::vector<GemmPointers> sets_;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
};

}  // namespace kerlab::vendor
