#pragma once
// Tensors that no host could hold: an emulated device keeps of them what kernels write, and one piece of the rest.

#include <cstdint>

#include "plan/problem_plan.h"

namespace kerlab::plan {

/// An index beyond it does not fit 32 bits with a sign.
inline constexpr std::int64_t kFarElements = std::int64_t{1} << 31;
/// Of tensors of so many bytes and more an emulated device fills the first kRepeatedBytes, which the rest repeats.
inline constexpr std::int64_t kSparseBytes = std::int64_t{1} << 31;
/// A prime number of pages: whoever is a power of two of elements off finds other values.
inline constexpr std::int64_t kRepeatedBytes = std::int64_t{257} * 4096;

inline bool is_sparse(const Tensor& tensor) {
  return tensor.bytes() >= kSparseBytes;
}

inline bool has_sparse_tensors(const ProblemPlan& plan) {
  for (const Tensor& tensor : plan.tensors)
    if (is_sparse(tensor)) return true;
  return false;
}

/// The element whose value a sparse tensor holds at `index`.
inline std::int64_t repeated_index(const Tensor& tensor, std::int64_t index) {
  return is_sparse(tensor) ? index % elements_in(tensor.dtype, kRepeatedBytes) : index;
}

}  // namespace kerlab::plan
