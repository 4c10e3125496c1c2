#include "session/shapes/far_pitched.h"

#include <algorithm>
#include <vector>

#include "plan/sparse_tensor.h"
#include "session/shapes/first_shape.h"

namespace kerlab::session {

namespace {

// Elements: what is kept in 32 bits, without a sign or with one, fails.
constexpr double kFar[] = {2.125 * static_cast<double>(kFarElements), 1.25 * static_cast<double>(kFarElements)};
constexpr std::int64_t kFewRows = 16;  // of fewer a single pitch would go beyond 2^28 elements
constexpr double kShareOfGaps = 0.5;

struct Rows {
  double rows = 0, bytes = 0;  ///< of an element
};

std::vector<Rows> pitched_rows(const ShapedKernel& kernel, const Problem& problem) {
  std::vector<Rows> found;
  for (const Tensor& tensor : tensors_of(kernel.family, problem)) {
    if (std::ranges::find(kernel.variant.pitch, tensor.name) == kernel.variant.pitch.end()) continue;
    if (tensor.unread || tensor.elements() == 0) continue;
    const std::int64_t rows = tensor.elements() / tensor.shape.back();
    if (rows >= kFewRows)
      found.push_back({static_cast<double>(rows), static_cast<double>(bytes_of(tensor.dtype, 2)) / 2});
  }
  return found;
}

double bytes_with(const std::vector<Rows>& tensors, double gap) {
  double bytes = 0;
  for (const Rows& one : tensors) bytes += one.rows * gap;
  return bytes;
}

/// The least gap behind which all tensors have so many elements, or else some.
double gap_for(const std::vector<Rows>& tensors, double elements, bool all) {
  std::vector<double> gaps;
  for (const Rows& one : tensors) gaps.push_back(elements * one.bytes / one.rows);
  return all ? std::ranges::max(gaps) : std::ranges::min(gaps);
}

}  // namespace

std::optional<CheckedProblem> far_by_pitch(const ShapedKernel& kernel, const Problem& asked) {
  ProblemRequest request = first_shape(kernel, asked);
  const auto small = valid_problem(kernel, request);
  const std::vector<Rows> tensors = small ? pitched_rows(kernel, *small) : std::vector<Rows>{};
  if (tensors.empty()) return std::nullopt;
  for (const bool all : {true, false})
    for (const double elements : kFar) {
      const double gap = gap_for(tensors, elements, all);
      if (bytes_with(tensors, gap) > kShareOfGaps * static_cast<double>(kernel.device.memory_bytes)) continue;
      // An odd number of steps: what is cut off to 32 bits leads to no other row's place.
      request.row_padding = {(static_cast<std::int64_t>(gap) / kRowPaddingStep | 1) * kRowPaddingStep};
      const auto problem = valid_problem(kernel, request);
      const auto device = problem ? device_for(kernel, *problem, std::nullopt) : std::nullopt;
      if (!device || !shape_plan(kernel, *problem, *device)) continue;
      return CheckedProblem{request, MadeFor::far_index, Thoroughness::quick, device->sms};
    }
  return std::nullopt;
}

}  // namespace kerlab::session
