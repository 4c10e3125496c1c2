// softmax, reduce and the saxpy example on the CPU: families without any C++ of their own.
#include <cmath>
#include <limits>

#include "base/file.h"
#include "catch.h"
#include "kernels/cpu_run.h"

using namespace kerlab;
using namespace kerlab::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> softmax_by_hand(const std::vector<double>& x, std::size_t columns) {
  std::vector<double> y;
  for (std::size_t row = 0; row < x.size(); row += columns) {
    double largest = -kInfinity, sum = 0;
    for (std::size_t i = row; i < row + columns; ++i) largest = std::fmax(largest, x[i]);
    for (std::size_t i = row; i < row + columns; ++i) sum += std::exp(x[i] - largest);
    for (std::size_t i = row; i < row + columns; ++i) y.push_back(std::exp(x[i] - largest) / sum);
  }
  return y;
}

/// Up to `count` valid configurations, spread over the space.
std::vector<Configuration> some_valid(const Variant& variant, const Problem& problem, std::size_t count) {
  const std::vector<Configuration> valid = enumerate(variant, problem, h200()).valid;
  std::vector<Configuration> some;
  for (std::size_t i = 0; i < count && i < valid.size(); ++i)
    some.push_back(valid[i * (valid.size() - 1) / (count - 1)]);
  return some;
}

/// What only the emulated device and GPUs have: blocks that write each other's words.
bool needs_device(const Variant& variant) {
  const std::string text = read_text(variant.source);
  return text.find("atomicAdd(") != std::string::npos || text.find("__ldcg(") != std::string::npos;
}

/// Every variant of a folder, `configurations` of each, against the reference.
void check_variants(const KernelFolder& folder, CpuProblem& problem, std::size_t configurations) {
  const ReferenceValues expected = problem.reference();
  bool backwards = false;
  for (const Variant& variant : folder.variants) {
    if (variant.minimum_cc > 0 || needs_device(variant)) continue;
    for (const Configuration& configuration : some_valid(variant, problem.problem(), configurations)) {
      INFO(variant.name << " " << configuration_text(variant, configuration) << ": " << problem.problem().key());
      problem.run(variant, configuration, backwards);
      CHECK(problem.complaint(expected) == "");
      backwards = !backwards;
    }
  }
}

}  // namespace

TEST_CASE("softmax: the reference is what the definition says", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/softmax");
  for (const std::string dtype : {"fp32", "bf16", "fp16"})
    for (const std::int64_t columns : {1, 13, 300}) {
      CpuProblem problem(folder, {{{"M", 3}, {"N", columns}}, dtype, {}, {}});
      problem.tensors().set_inputs_at_random(3);
      const auto width = static_cast<std::size_t>(columns);
      const std::vector<double> x = problem.tensors().get("X");
      const std::vector<double> want = softmax_by_hand(x, width);
      const ReferenceValues got = problem.reference();
      REQUIRE(got.value.size() == want.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        CHECK(got.value[i] == Approx(want[i]).epsilon(1e-12));
        CHECK(got.scale[i] >= want[i] * (1 + std::sqrt(static_cast<double>(columns))) * (1 - 1e-12));
      }
      const ReferenceValues last = problem.reference({2, 0});  // chosen rows, in the order asked for
      CHECK(last.value[0] == Approx(want[2 * width]).epsilon(1e-12));
      CHECK(last.value[width] == Approx(want[0]).epsilon(1e-12));
    }
}

TEST_CASE("softmax: exponentials that repeat are summed within the bound in the widest rows", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/softmax");
  const Variant& naive = variant_of(folder, "naive");
  CpuProblem problem(folder, {{{"M", 1}, {"N", 46344}}, "fp32", {}, {}});
  std::vector<double> x;
  for (int i = 0; i < 46344; ++i) x.push_back(i * 7919 % 9 - 4);
  problem.tensors().set("X", x);
  problem.run(naive, some_valid(naive, problem.problem(), 2).front());
  CHECK(problem.complaint(problem.reference()) == "");
}

TEST_CASE("softmax: variants are right for odd and even rows and every type", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/softmax");
  for (const std::string dtype : {"fp32", "bf16", "fp16"})
    for (const std::int64_t columns : {1, 31, 264}) {
      CpuProblem problem(folder, {{{"M", 3}, {"N", columns}}, dtype, {}, {}});
      problem.tensors().set_inputs_at_random(5);
      check_variants(folder, problem, 3);
    }
}

TEST_CASE("softmax: NaN and infinities spoil their own row only", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/softmax");
  CpuProblem problem(folder, {{{"M", 5}, {"N", 40}}, "fp32", {}, {}});
  std::vector<double> x(5 * 40, 0.25);
  x[40 + 17] = kNan;
  x[2 * 40] = kInfinity;
  for (std::size_t i = 3 * 40; i < 4 * 40; ++i) x[i] = -kInfinity;
  x[4 * 40 + 39] = -kInfinity;
  problem.tensors().set("X", x);
  const ReferenceValues expected = problem.reference();
  for (std::size_t row = 0; row < 5; ++row) {
    const bool spoiled = row == 1 || row == 2 || row == 3;
    CHECK(std::isnan(expected.value[row * 40 + 1]) == spoiled);
  }
  CHECK(expected.value[4 * 40 + 39] == 0);
  for (const Variant& variant : folder.variants) {
    if (variant.minimum_cc > 0) continue;  // inline PTX: the emulated device runs it
    for (const Configuration& configuration : some_valid(variant, problem.problem(), 3)) {
      INFO(variant.name << " " << configuration_text(variant, configuration));
      problem.run(variant, configuration);
      CHECK(problem.complaint(expected) == "");
    }
  }
}

TEST_CASE("reduce: reference and variants are right, and the same bits come out every time", "[.nightly][kernels]") {
  const KernelFolder folder = folder_of("kernels/reduce");
  for (const std::string dtype : {"fp32", "bf16", "fp16"})
    for (const std::int64_t n : {1, 70001}) {
      CpuProblem problem(folder, {{{"N", n}}, dtype, {}, {}});
      problem.tensors().set_inputs_at_random(11);
      double sum = 0, squares = 0;
      for (const double x : problem.tensors().get("X")) {
        sum += x;
        squares += x * x;
      }
      const ReferenceValues expected = problem.reference();
      CHECK(expected.value[0] == Approx(sum).epsilon(1e-12).margin(1e-12));
      CHECK(expected.scale[0] == Approx(std::sqrt(squares)).epsilon(1e-12));
      check_variants(folder, problem, 2);
      const Variant& variant = variant_of(folder, "two_pass");
      problem.run(variant, some_valid(variant, problem.problem(), 3).front(), true);
      const double forwards = problem.tensors().get("S")[0];
      problem.run(variant, some_valid(variant, problem.problem(), 3).front(), false);
      CHECK(problem.tensors().get("S")[0] == forwards);
    }
}

TEST_CASE("example saxpy: reference and every configuration of a sample are right", "[kernels]") {
  const KernelFolder folder = folder_of("examples/saxpy");
  for (const std::int64_t n : {1, 5, 1000, 4099}) {
    CpuProblem problem(folder, {{{"N", n}}, "fp32", {}, {{"a", -1.5}}});
    problem.tensors().set_inputs_at_random(13);
    const std::vector<double> x = problem.tensors().get("x"), y = problem.tensors().get("y");
    const ReferenceValues expected = problem.reference();
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(expected.value[i] == Approx(-1.5 * x[i] + y[i]).margin(1e-12));
    check_variants(folder, problem, 5);
  }
}
