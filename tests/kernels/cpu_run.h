#pragma once
// A problem in host memory: its tensors, a variant's kernels and the reference run on them by the CPU.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules.h"
#include "plan/problem_plan.h"
#include "spec/spec.h"

namespace kerlab::test {

/// An H200, for expressions over `device`. With `slow_fp64` references compute in float.
DeviceInfo h200(bool slow_fp64 = false);

/// Tensors, each between two bands of 0xFF bytes, which are NaN in every float type: a read beyond an edge poisons the
/// result, a write is found by `guards_intact`.
class HostTensors {
 public:
  explicit HostTensors(const std::vector<Tensor>& tensors);
  /// Rounds each value to the tensor's dtype.
  void set(const std::string& name, const std::vector<double>& values);
  /// Reproducible values in [-1, 1), different for each tensor.
  void set_inputs_at_random(std::uint64_t seed);
  [[nodiscard]] std::vector<double> get(const std::string& name) const;
  [[nodiscard]] std::byte* address(const std::string& name);
  [[nodiscard]] const Tensor& tensor(const std::string& name) const;
  [[nodiscard]] bool guards_intact() const;
  void poison_outputs();

 private:
  static constexpr std::size_t kBand = 256;
  struct Entry {
    Tensor tensor;
    std::vector<std::byte> memory;  // band, data, band
    std::byte* data = nullptr;      // 256-byte aligned, as device memory is
  };
  std::map<std::string, Entry> entries_;
};

struct ReferenceValues {
  std::vector<double> value, scale;
  Tolerance tolerance;
  std::string output;
  /// Largest |error| allowed for output i of type `dtype`.
  [[nodiscard]] double bound(std::size_t i, DType dtype) const;
};

/// A problem of one family, ready to run.
class CpuProblem {
 public:
  CpuProblem(const KernelFolder& folder, const ProblemRequest& request);
  HostTensors& tensors() { return tensors_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  /// Poisons the outputs, then runs every launch of the variant.
  void run(const Variant& variant, const Configuration& configuration, bool backwards = false);
  /// The first reference of the family; `indices` empty: all.
  ReferenceValues reference(const std::vector<long long>& indices = {}, const DeviceInfo& device = h200());
  /// What is wrong with the outputs, or empty: beyond the bound, NaN where the reference has none or the other way
  /// round, written beyond an edge.
  std::string complaint(const ReferenceValues& expected) const;

 private:
  const KernelFolder& folder_;
  Problem problem_;
  HostTensors tensors_;
};

/// A family of the shipped kernels or of a folder of the checkout.
KernelFolder folder_of(const std::string& name);
const Variant& variant_of(const KernelFolder& folder, const std::string& name);

}  // namespace kerlab::test
