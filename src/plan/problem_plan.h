#pragma once
// What a worker must know of a problem to make data, compute the reference, compare and time: still no pointers.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/launch_plan.h"
#include "plan/recipe.h"

namespace kerlab::plan {

enum class Role : std::uint8_t { input, output, inout };
std::string_view name(Role role);

/// What integers of a range keep to within a row, in the order of lab::IntegerOrder.
enum class IntegerOrder : std::uint8_t { none, distinct, rising };

/// Integers that an input holds instead of numbers: ids, labels.
struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t end = 0;  ///< one past the largest; least: the tensor holds numbers
  static constexpr std::size_t kMostIgnored = 4;
  std::vector<std::int64_t> ignored;  ///< what one of 8 elements holds instead, by turns, where a pattern says so
  IntegerOrder order = IntegerOrder::none;
  std::string rows = {};  ///< the tensor of offsets whose parts are its rows; empty: those of its last dimension
  [[nodiscard]] bool empty() const { return end == least; }
  bool operator==(const IntegerRange&) const = default;
};

/// A dense tensor in memory, row-major (last dimension contiguous). One of complex numbers is a tensor of fp32 whose
/// last dimension is twice as long: real and imaginary parts by turns.
struct Tensor {
  std::string name;
  DType dtype = DType::fp32;
  Role role = Role::input;
  std::vector<std::int64_t> shape;
  /// Holds no numbers but offsets: of elements() - 1 uneven parts of so many things, and their end. None: numbers.
  std::optional<std::int64_t> partition = {};
  bool unread = false;  ///< no kernel of this problem may read it: it holds NaN, whatever the recipe
  IntegerRange range = {};
  bool complex = false;  ///< pairs of its numbers are complex ones
  bool hot = false;      ///< an input that the L2 cache holds when a timed run begins, where others are cold
  bool tied = false;     ///< made of other inputs, or one of these: far from what it holds it would not go with them
  /// It holds numbers, that recipes plant something into: neither offsets nor integers of a range.
  [[nodiscard]] bool numeric() const { return !partition && range.empty(); }
  [[nodiscard]] std::int64_t elements() const;  ///< 0 when a dimension is 0
  [[nodiscard]] std::int64_t bytes() const;
  bool operator==(const Tensor&) const = default;
};

/// Elementwise bound against the reference value r with error scale s (both from the reference kernel):
///   tol = half_ulp_out(r) + value_factor*|r| + scale_factor*s + absolute
/// (reference/measurement.md section 3: u_acc (c1 sqrt(n) + c2 n) (|r| + 2R), with s = R.)
/// The factors are already multiplied by the unit roundoff of the accumulator, plus the reference's own bound when it
/// is computed in float.
struct Tolerance {
  double value_factor = 0;
  double scale_factor = 0;
  double absolute = 0;
  bool bits = false;  ///< rule bits: what is a copy has the bits of what it copies
  bool operator==(const Tolerance&) const = default;
};

/// What an output should be under one recipe, computed elsewhere: .npy files.
struct RecordedFiles {
  std::filesystem::path value;
  std::filesystem::path scale;  ///< empty: the error scale of an element is its own magnitude
  std::string digest;           ///< of what both hold
  bool operator==(const RecordedFiles&) const = default;
};

/// One output and the kernel that computes what it should be. Arguments of the launch may be ReferenceSlot:
/// index (const i64*, or null: all), count (i64 n), value (ACC*), scale (ACC*).
/// Each index stands for `outputs_per_index` consecutive outputs (1 for gemm, a row for softmax).
struct ReferencePlan {
  std::string output;
  Launch launch;
  DType accumulator = DType::fp64;  ///< ACC: fp64 or fp32
  std::int64_t outputs_per_index = 1;
  Tolerance tolerance;
  std::vector<double> rows_sum_to;  ///< none, or the number that every row (last dimension) must sum to
  /// A checker: its kernel runs after the candidate, reads the outputs as well, and judges instead of saying what
  /// should be there, where several results are right. Slots: index, count, error (float*: more than 1 is wrong, in
  /// units of its own bound), code (int*: an index into `codes`), one of each for every index.
  bool checker = false;
  std::vector<std::string> codes = {};  ///< of a checker: what each code means
  /// Instead of a kernel: for each of the problem's recipes. None: a kernel computes it, or nothing was recorded.
  std::vector<RecordedFiles> recorded = {};
  [[nodiscard]] std::int64_t indices(std::int64_t elements) const {
    return outputs_per_index > 0 ? elements / outputs_per_index : elements;
  }
  bool operator==(const ReferencePlan&) const = default;
};

/// Memory of a problem's reference. What no kernel of the reference writes of it is NaN.
struct ReferenceWorkspace {
  std::string name;
  std::int64_t bytes = 0;
  std::string copy = {};  ///< the tensor whose bytes it holds at first; empty: none
  bool operator==(const ReferenceWorkspace&) const = default;
};

/// What a vendor's library can be asked for: D = alpha op(A) op(B) + beta C, row-major, by the tensors' names.
struct GemmCall {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t batch = 1;  ///< dense matrices one after another
  bool transpose_a = false, transpose_b = false;
  double alpha = 1, beta = 0;
  std::string a, b, c, d;
  DType out = DType::bf16;    ///< of D
  DType added = DType::bf16;  ///< of C
  bool fast = false;          ///< fp8: products may be added up with fewer bits than fp32 has
  bool operator==(const GemmCall&) const = default;
};

struct ProblemPlan {
  std::string key;  ///< canonical text: "gemm M=4096 N=4096 K=4096 bf16 layout=nn alpha=1 beta=0"
  std::vector<Tensor> tensors;
  std::vector<ReferencePlan> references;  ///< one per output (and inout) tensor
  std::vector<Recipe> recipes;            ///< the first is the timing recipe
  double flops = 0;                       ///< of one run
  double bytes = 0;                       ///< least memory traffic of one run
  double minimum_us = 0;                  ///< theoretical roof on this device; 0: unknown. Faster by 2 % is an error
  std::vector<GemmCall> library_gemm;     ///< none or one: the whole problem as a library's GEMM
  /// Launches of reference.cu that run once for each set of inputs, before the references: another kernel that computes
  /// the same, or the first steps of what takes several.
  std::vector<Launch> before_reference = {};
  std::vector<ReferenceWorkspace> reference_workspaces = {};
  bool operator==(const ProblemPlan&) const = default;
};

/// Whether any of its inputs is hot.
bool has_hot_inputs(const ProblemPlan& problem);
/// What a run of it begins with in L2: "A cold, X hot", in the tensors' order, outputs left out.
std::string temperatures(const ProblemPlan& problem);
/// The part of a protocol's name that says so: ", X hot"; empty where nothing is.
std::string hot_inputs(const ProblemPlan& problem);
/// `bytes` less what of the hot inputs an L2 of this size can hold.
double bytes_from_dram(const ProblemPlan& problem, std::int64_t l2_bytes);

}  // namespace kerlab::plan
