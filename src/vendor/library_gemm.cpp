#include "vendor/library_gemm.h"

#include <fmt/format.h>

#include <array>

namespace kerlab::vendor {
namespace {

void check(cublasStatus_t status, const char* doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceFault(FaultKind::launch_failed, fmt::format("cuBLASLt: {}: status {}", doing, static_cast<int>(status)),
                    false);
}

/// int8 is offered where both operands have k contiguous, in rows of whole fours; fp8 where both have k contiguous, in
/// rows of 16 bytes, and not of e5m2 by e5m2.
cudaDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::fp32:
    case DType::tf32:
      return CUDA_R_32F;
    case DType::bf16:
      return CUDA_R_16BF;
    case DType::fp16:
      return CUDA_R_16F;
    case DType::e4m3:
      return CUDA_R_8F_E4M3;
    case DType::e5m2:
      return CUDA_R_8F_E5M2;
    case DType::int8:
      return CUDA_R_8I;
    case DType::int32:
      return CUDA_R_32I;
    default:
      throw Error(fmt::format("cuBLASLt is not asked for {} here", name(dtype)));
  }
}

cublasComputeType_t compute_of(DType dtype) {
  if (dtype == DType::int8) return CUBLAS_COMPUTE_32I;
  return dtype == DType::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

template <typename T>
void* raw(T address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

}  // namespace

LibraryGemm::Scalar::Scalar(double value, DType dtype)
    : as_float(static_cast<float>(value)),
      as_int(dtype == DType::int8 ? static_cast<std::int32_t>(value) : 0),
      is_int(dtype == DType::int8) {}

/// Row-major D = A B is column-major D' = B' A': the library gets B first, and dimensions N, M.
class LibraryGemm::Descriptors {
 public:
  Descriptors(const CublasLtApi& api, const GemmCall& call, DType dtype) : api_(api) {
    const cudaDataType_t data = type_of(dtype);
    const cudaDataType_t scalars = dtype == DType::int8 ? CUDA_R_32I : CUDA_R_32F;
    check(api_.operation_create(&operation_, compute_of(dtype), scalars), "operation");
    const cublasOperation_t first = call.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t second = call.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    check(api_.operation_set(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first), "transpose");
    check(api_.operation_set(operation_, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second), "transpose");
    if (const std::int8_t fast = 1; call.fast)
      check(api_.operation_set(operation_, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast), "fast accumulation");
    add(0, data, call.transpose_b ? call.k : call.n, call.transpose_b ? call.n : call.k, call.batch);
    add(1, data, call.transpose_a ? call.m : call.k, call.transpose_a ? call.k : call.m, call.batch);
    add(2, type_of(call.added), call.n, call.m, call.batch);
    add(3, type_of(call.out), call.n, call.m, call.batch);
  }
  ~Descriptors() {
    for (cublasLtMatrixLayout_t layout : layouts_)
      if (layout != nullptr) api_.layout_destroy(layout);
    if (operation_ != nullptr) api_.operation_destroy(operation_);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  [[nodiscard]] cublasLtMatmulDesc_t operation() const { return operation_; }
  [[nodiscard]] cublasLtMatrixLayout_t layout(std::size_t i) const { return layouts_[i]; }

 private:
  /// Column-major: `rows` are contiguous.
  void add(std::size_t i, cudaDataType_t type, std::int64_t rows, std::int64_t columns, std::int64_t batch) {
    check(api_.layout_create(&layouts_[i], type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
                             rows),
          "layout");
    if (batch == 1) return;
    const auto count = static_cast<std::int32_t>(batch);
    const std::int64_t stride = rows * columns;
    check(api_.layout_set(layouts_[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count), "batch");
    check(api_.layout_set(layouts_[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride), "batch");
  }
  const CublasLtApi& api_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  std::array<cublasLtMatrixLayout_t, 4> layouts_{};  ///< B, A, C, D
};

LibraryGemm::LibraryGemm(const CublasLt& library, CudaDevice& device, const GemmCall& call, DType dtype,
                         std::vector<GemmPointers> sets)
    : library_(library),
      device_(device),
      version_(library_.version()),
      alpha_(call.alpha, dtype),
      beta_(call.beta, dtype),
      descriptors_(std::make_unique<Descriptors>(library_.api(), call, dtype)),
      workspace_(device, kLibraryWorkspace),
      sets_(std::move(sets)) {
  cublasLtMatmulPreference_t preference = nullptr;
  check(library_.api().preference_create(&preference), "preference");
  std::size_t bytes = kLibraryWorkspace;
  algorithms_.resize(kLibraryAlgorithms);
  int offered = 0;
  cublasStatus_t status =
      library_.api().preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = library_.api().heuristic(library_.handle(), descriptors_->operation(), descriptors_->layout(0),
                                      descriptors_->layout(1), descriptors_->layout(2), descriptors_->layout(3),
                                      preference, kLibraryAlgorithms, algorithms_.data(), &offered);
  library_.api().preference_destroy(preference);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) throw no_algorithm();
  check(status, "heuristic");
  algorithms_.resize(static_cast<std::size_t>(offered));
  std::erase_if(algorithms_, [](const auto& a) { return a.state != CUBLAS_STATUS_SUCCESS; });
  if (algorithms_.empty()) throw no_algorithm();
}

Error LibraryGemm::no_algorithm() const {
  return Error(fmt::format("{} offers no algorithm for this problem (types, layouts or row lengths)", version_));
}

LibraryGemm::~LibraryGemm() = default;

void LibraryGemm::run(std::size_t algorithm, std::size_t set) const {
  const GemmPointers& p = sets_.at(set);
  check(library_.api().matmul(library_.handle(), descriptors_->operation(), alpha_.address(), raw(p.b),
                              descriptors_->layout(0), raw(p.a), descriptors_->layout(1), beta_.address(), raw(p.c),
                              descriptors_->layout(2), raw(p.d), descriptors_->layout(3),
                              &algorithms_.at(algorithm).algo, raw(workspace_.pointer()), workspace_.bytes(),
                              reinterpret_cast<cudaStream_t>(device_.stream())),
        "matmul");
}

std::optional<GraphId> LibraryGemm::capture(std::size_t algorithm, std::size_t sets, int repeats) const {
  try {
    return device_.capture_calls([&] {
      for (int i = 0; i < repeats; ++i)
        for (std::size_t set = 0; set < sets; ++set) run(algorithm, set);
    });
  } catch (const DeviceFault& fault) {
    if (fault.sticky()) throw;
    return std::nullopt;
  }
}

}  // namespace kerlab::vendor
