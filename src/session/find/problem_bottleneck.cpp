#include "session/find/problem_bottleneck.h"

#include <algorithm>

#include "session/run/problem_setup.h"

namespace kerlab::session {

namespace {

/// Bytes of an element; those of the problem's dtype where the tensor is not found.
int element_bytes(const std::vector<Tensor>& tensors, const std::string& name, const Problem& problem) {
  const auto at =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) { return tensor.name == name; });
  return info(at == tensors.end() ? problem.dtype : at->dtype).bytes;
}

/// Elements of a row that the family's results are given in; 0: they stand alone.
std::int64_t elements_of_row(const ReferenceDecl& reference, const Problem& problem) {
  const Expression& elements = reference.outputs_per_index;
  return elements.empty() ? 0 : elements.evaluate(problem.environment);
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

std::optional<RowShape> row_shape(const Family& family, const Problem& problem) {
  if (family.group != "rows") return std::nullopt;
  const std::vector<Tensor> tensors = tensors_of(family, problem);
  RowShape shape;
  for (const ReferenceDecl& reference : family.references) {
    const std::int64_t elements = elements_of_row(reference, problem);
    const auto output = std::ranges::find(tensors, reference.output, &Tensor::name);
    if (elements > 1 && output != tensors.end()) shape.rows = std::max(shape.rows, output->elements() / elements);
  }
  if (shape.rows == 0) return std::nullopt;
  for (const Tensor& tensor : tensors) {
    const bool read = tensor.role != Role::output && !tensor.unread && tensor.shape.size() >= 2;
    if (!read || tensor.elements() != shape.rows * tensor.shape.back()) continue;
    const std::int64_t bytes = plan::bytes_of(tensor.dtype, tensor.shape.back());
    shape.row_bytes = std::max(shape.row_bytes, bytes);
    shape.read_bytes += bytes;
  }
  return shape.read_bytes > 0 ? std::optional(shape) : std::nullopt;
}

ProblemBottleneck bottleneck_of(const Family& family, const Problem& problem, const DeviceInfo& device) {
  const Ceilings ceilings = theoretical_ceilings(device, problem.dtype, uses_tensor_cores(problem.dtype));
  if (const auto shape = gemm_shape(family, problem))
    return problem_bottleneck(*shape, gemm_bottleneck(*shape, device, ceilings));
  const double flops = flops_of(family, problem), bytes = bytes_of(family, problem);
  if (const auto rows = row_shape(family, problem))
    return row_problem_bottleneck(*rows, flops, bytes, device, ceilings);
  return general_bottleneck(flops, bytes, device, ceilings);
}

}  // namespace kerlab::session
