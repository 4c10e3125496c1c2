#include "session/problem_bottleneck.h"

#include <algorithm>

#include "session/problem_setup.h"

namespace kerlab {

namespace {

/// Bytes of an element; those of the problem's dtype where the tensor is not found.
int element_bytes(const std::vector<Tensor>& tensors, const std::string& name, const Problem& problem) {
  const auto at =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) { return tensor.name == name; });
  return info(at == tensors.end() ? problem.dtype : at->dtype).bytes;
}

}  // namespace

std::optional<GemmShape> gemm_shape(const Family& family, const Problem& problem) {
  if (!family.library_gemm) return std::nullopt;
  const LibraryGemmDecl& gemm = *family.library_gemm;
  const auto value = [&](const Expression& e, std::int64_t otherwise) {
    return e.empty() ? otherwise : e.evaluate(problem.environment);
  };
  GemmShape shape;
  shape.batch = value(gemm.batch, 1);
  shape.m = value(gemm.m, 0);
  shape.n = value(gemm.n, 0);
  shape.k = value(gemm.k, 0);
  if (shape.batch <= 0 || shape.m <= 0 || shape.n <= 0 || shape.k <= 0) return std::nullopt;
  const std::vector<Tensor> tensors = tensors_of(family, problem);
  shape.input_bytes = element_bytes(tensors, gemm.a, problem);
  shape.output_bytes = element_bytes(tensors, gemm.d, problem);
  shape.row_bytes_a = (value(gemm.transpose_a, 0) != 0 ? shape.m : shape.k) * shape.input_bytes;
  shape.row_bytes_b = (value(gemm.transpose_b, 0) != 0 ? shape.k : shape.n) * shape.input_bytes;
  for (const auto& [scalar, number] : problem.scalars)
    if (scalar == gemm.beta) shape.reads_c = number != 0;
  return shape;
}

ProblemBottleneck bottleneck_of(const Family& family, const Problem& problem, const DeviceInfo& device) {
  const Ceilings ceilings = theoretical_ceilings(device, problem.dtype, uses_tensor_cores(problem.dtype));
  if (const auto shape = gemm_shape(family, problem))
    return problem_bottleneck(*shape, gemm_bottleneck(*shape, device, ceilings));
  return general_bottleneck(flops_of(family, problem), bytes_of(family, problem), device, ceilings);
}

}  // namespace kerlab
