// gemm: the reference against plain loops in double, and every variant against the reference, run on the CPU.
#include <cmath>
#include <limits>

#include "catch.h"
#include "kernels/cpu_run.h"

using namespace kerlab;
using namespace kerlab::test;

namespace {

struct Case {
  std::int64_t m, n, k;
  double alpha = 1, beta = 0;
};

ProblemRequest request(const Case& c, const std::string& dtype, const std::string& layout) {
  return {{{"M", c.m}, {"N", c.n}, {"K", c.k}}, dtype, {{"layout", layout}}, {{"alpha", c.alpha}, {"beta", c.beta}}};
}

/// Random inputs; C is NaN where it must not be read.
void fill(CpuProblem& problem, const Case& c) {
  problem.tensors().set_inputs_at_random(7);
  if (c.beta == 0)
    problem.tensors().set(
        "C", std::vector<double>(static_cast<std::size_t>(c.m * c.n), std::numeric_limits<double>::quiet_NaN()));
}

/// What is granted beside the value, in what is granted beside the scale, of a sum of n terms.
double value_in_scales(double n, const std::string& dtype) {
  if (dtype == "e4m3") return (1.5 * std::sqrt(n) + n / 2) / (3 * std::sqrt(n) + n / 16);
  return dtype == "fp32" ? 0.5 : (3 * std::sqrt(n) + 0.75 * n) / (6 * std::sqrt(n) + n / 4);
}

/// The definition, in double.
ReferenceValues by_hand(CpuProblem& problem, const Case& c, const std::string& layout, const std::string& dtype) {
  const bool ta = layout[0] == 't', tb = layout[1] == 't';
  const auto a = problem.tensors().get("A"), b = problem.tensors().get("B"), cs = problem.tensors().get("C");
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  ReferenceValues result;
  for (std::int64_t m = 0; m < c.m; ++m)
    for (std::int64_t n = 0; n < c.n; ++n) {
      double sum = 0, squares = 0;
      for (std::int64_t k = 0; k < c.k; ++k) {
        const double term = a[at(ta ? k * c.m + m : m * c.k + k)] * b[at(tb ? n * c.k + k : k * c.n + n)];
        sum += term;
        squares += term * term;
      }
      const double rest = c.beta == 0 ? 0 : c.beta * cs[at(m * c.n + n)];
      const double hidden = std::abs(c.alpha * sum) - std::abs(c.alpha * sum + rest);  // what C took away again
      result.value.push_back(c.alpha * sum + rest);
      result.scale.push_back(std::sqrt(c.alpha * c.alpha * squares + rest * rest) +
                             (hidden > 0 ? hidden * value_in_scales(static_cast<double>(c.k), dtype) : 0));
    }
  return result;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want, double relative) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == Approx(want[i]).epsilon(relative).margin(relative));
}

/// One configuration against the reference on several shapes around its tile.
void check_shapes(const KernelFolder& folder, const Variant& variant, const Configuration& configuration,
                  const std::string& dtype, const std::string& layout, const std::vector<Case>& cases) {
  bool backwards = false;
  for (const Case& c : cases) {
    CpuProblem problem(folder, request(c, dtype, layout));
    INFO(variant.name << " " << configuration_text(variant, configuration) << ": " << problem.problem().key());
    REQUIRE(violated_constraint(variant, problem.problem(), h200(), configuration).empty());
    fill(problem, c);
    const ReferenceValues expected = problem.reference();
    problem.run(variant, configuration, backwards);
    CHECK(problem.complaint(expected) == "");
    backwards = !backwards;
  }
}

const std::vector<std::string> kLayouts = {"nn", "nt", "tn", "tt"};

}  // namespace

TEST_CASE("gemm: the reference is what the definition says, in every layout and type", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/gemm");
  for (const std::string dtype : {"fp32", "bf16", "fp16"})
    for (const std::string& layout : kLayouts)
      for (const Case& c :
           {Case{17, 31, 13, 1.5, -0.5}, Case{16, 33, 32}, Case{1, 1, 1, 2, 1}, Case{3, 2, 0, 1, 2}, Case{3, 2, 0}}) {
        CpuProblem problem(folder, request(c, dtype, layout));
        INFO(problem.problem().key());
        fill(problem, c);
        const ReferenceValues got = problem.reference();
        const ReferenceValues want = by_hand(problem, c, layout, dtype);
        expect_near(got.value, want.value, 1e-12);
        expect_near(got.scale, want.scale, 1e-12);
      }
}

TEST_CASE("gemm: the reference computes chosen elements, and in float", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/gemm");
  const Case c{19, 23, 29, 1.25, 0.5};
  CpuProblem problem(folder, request(c, "fp32", "nt"));
  fill(problem, c);
  const ReferenceValues all = by_hand(problem, c, "nt", "fp32");
  const std::vector<long long> chosen = {0, 22, 23, 100, 436, 5};
  const ReferenceValues some = problem.reference(chosen);
  REQUIRE(some.value.size() == chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    CHECK(some.value[i] == Approx(all.value[static_cast<std::size_t>(chosen[i])]));
    CHECK(some.scale[i] == Approx(all.scale[static_cast<std::size_t>(chosen[i])]));
  }
  const ReferenceValues in_float = problem.reference({}, h200(true));
  expect_near(in_float.value, all.value, 1e-5);
}

TEST_CASE("gemm: naive, coalesced and smem_tile are right for layouts, types and edges", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/gemm");
  const std::vector<Case> cases = {{1, 1, 1},           {1, 1, 0},          {2, 3, 0, 1, 2},
                                   {17, 31, 13},        {32, 32, 32, 2, 0}, {33, 31, 33, 0.5, 1},
                                   {31, 33, 31, 1, -2}, {1, 70, 40},        {70, 1, 40}};
  for (const std::string name : {"naive", "coalesced", "smem_tile"}) {
    const Variant& variant = variant_of(folder, name);
    for (const std::string& layout : kLayouts)
      if (name == "smem_tile" || layout == "nn" || layout == "tt")  // each operand by rows and by columns
        check_shapes(folder, variant, default_configuration(variant), "fp32", layout, cases);
    for (const std::string dtype : {"bf16", "fp16"})
      check_shapes(folder, variant, default_configuration(variant), dtype, "nt", cases);
  }
}

TEST_CASE("gemm: factors of fp8 are where the definition has them", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/gemm");
  const Case c{5, 131, 260, 0.5, 2};
  for (const std::string scales : {"row", "block"}) {
    ProblemRequest typed = request(c, "e4m3", "nt");
    typed.flags["scales"] = scales;
    typed.scalars["scale_d"] = -4;
    CpuProblem problem(folder, typed);
    problem.tensors().set_inputs_at_random(7);
    const auto a = problem.tensors().get("A"), b = problem.tensors().get("B"), added = problem.tensors().get("C");
    const auto of_a = problem.tensors().get("scale_a"), of_b = problem.tensors().get("scale_b");
    std::vector<double> value, scale;
    for (std::size_t m = 0; m < 5; ++m)
      for (std::size_t n = 0; n < 131; ++n) {
        double sum = 0, squares = 0;
        for (std::size_t k = 0; k < 260; ++k) {
          const double factor =
              scales == "row" ? of_a[m] * of_b[n] : of_a[m * 3 + k / 128] * of_b[n / 128 * 3 + k / 128];
          const double term = 0.5 * factor * a[m * 260 + k] * b[n * 260 + k];
          sum += term;
          squares += term * term;
        }
        const double rest = 2 * added[m * 131 + n];
        value.push_back(-4 * (sum + rest));
        const double hidden = std::abs(sum) - std::abs(sum + rest);
        scale.push_back(4 * (std::sqrt(squares + rest * rest) +
                             (hidden > 0 ? hidden * value_in_scales(128, "e4m3") : 0)));  // promoted every 128
      }
    const ReferenceValues got = problem.reference();
    expect_near(got.value, value, 1e-6);
    expect_near(got.scale, scale, 1e-6);
  }
}

TEST_CASE("gemm: every type of D, scales and fp8 on the rungs that have them all", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/gemm");
  struct Flags {
    std::string dtype;
    std::map<std::string, std::string> flags;
    double scale_d = 1;
  };
  const std::vector<Flags> all = {
      {"e4m3", {{"scales", "block"}}},    {"e5m2", {{"scales", "row"}, {"out", "fp32"}, {"accumulate", "fast"}}},
      {"e4m3", {{"out", "e4m3"}}, 0.125}, {"bf16", {{"out", "fp32"}}},
      {"fp32", {{"out", "fp16"}}, -2},    {"tf32", {{"out", "bf16"}}}};
  bool backwards = false;
  for (const Flags& one : all) {
    const Case c{33, 130, 150, 0.5, backwards ? 1.0 : 0.0};
    ProblemRequest typed = request(c, one.dtype, backwards ? "nt" : "tn");
    typed.flags.insert(one.flags.begin(), one.flags.end());
    typed.scalars["scale_d"] = one.scale_d;
    CpuProblem problem(folder, typed);
    fill(problem, c);
    const ReferenceValues expected = problem.reference();
    for (const std::string name : {"naive", "coalesced", "smem_tile"}) {
      INFO(name << ": " << problem.problem().key());
      const Variant& variant = variant_of(folder, name);
      problem.run(variant, default_configuration(variant), backwards);
      CHECK(problem.complaint(expected) == "");
    }
    backwards = !backwards;
  }
}

TEST_CASE("gemm: infinities and NaN of fp8 arrive in their rows of D, and nowhere else", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/gemm");
  const Case c{4, 5, 20};
  for (const std::string out : {"same", "e4m3"}) {
    ProblemRequest typed = request(c, "e5m2", "nt");
    typed.flags["out"] = out;
    CpuProblem problem(folder, typed);
    problem.tensors().set_inputs_at_random(7);
    problem.tensors().set("B", std::vector<double>(100, 0.5));
    std::vector<double> a(80, 1.0);
    a[0] = 49152;
    a[20] = std::numeric_limits<double>::quiet_NaN();
    problem.tensors().set("A", a);
    problem.tensors().address("A")[40] = std::byte{0x7c};  // infinity; a conversion would give the largest number
    const ReferenceValues expected = problem.reference();
    CHECK(std::isnan(expected.value[5]));
    CHECK(std::isinf(expected.value[10]));
    for (const std::string name : {"naive", "smem_tile"}) {
      const Variant& variant = variant_of(folder, name);
      problem.run(variant, default_configuration(variant));
      const std::vector<double> d = problem.tensors().get("D");
      CHECK(std::isnan(d[5]));
      CHECK(d[10] == (out == "e4m3" ? 448.0 : std::numeric_limits<double>::infinity()));
      CHECK(d[0] == (out == "e4m3" ? 448.0 : 24576.0));  // 24576 + 9.5, rounded to bf16
      CHECK(d[15] == 10.0);
    }
  }
}

TEST_CASE("gemm: reg2d is right for every layout, type and edge", "[.nightly][kernels]") {
  const KernelFolder folder = folder_of("kernels/gemm");
  const Variant& variant = variant_of(folder, "reg2d");
  // 128 x 128 x 8 by default: smaller, equal, one more, one less, aligned vectors with a ragged tile, odd rows
  const std::vector<Case> cases = {{1, 1, 1},
                                   {1, 1, 0},
                                   {5, 3, 0, 1, 2},
                                   {17, 31, 13},
                                   {128, 128, 8, 1, 0},
                                   {129, 127, 9, 0.5, 2},
                                   {127, 129, 7, 1, -1},
                                   {132, 260, 20, 1, 1},
                                   {256, 128, 24}};
  for (const std::string& layout : kLayouts)
    check_shapes(folder, variant, default_configuration(variant), "fp32", layout, cases);
  for (const std::string dtype : {"bf16", "fp16"})
    for (const std::string layout : {"nn", "tt"})
      check_shapes(folder, variant, default_configuration(variant), dtype, layout, cases);
}

TEST_CASE("gemm: configurations from all over the spaces are right", "[.nightly][kernels]") {
  const KernelFolder folder = folder_of("kernels/gemm");
  for (const std::string name : {"smem_tile", "reg2d"}) {
    // ragged, whole, and smaller than a tile but with whole vectors
    const std::vector<Case> cases = name == "reg2d"
                                        ? std::vector<Case>{{65, 130, 33, 1, 0}, {256, 256, 64, 2, 1}, {60, 68, 40}}
                                        : std::vector<Case>{{33, 65, 33, 1, 0}, {32, 64, 64, 2, 1}};
    const Variant& variant = variant_of(folder, name);
    const Problem problem = make_problem(folder.family, request({4096, 4096, 4096}, "fp32", "nn"));
    const std::vector<Configuration> valid = enumerate(variant, problem, h200()).valid;
    REQUIRE(valid.size() >= 40);
    for (std::size_t i = 0; i < 12; ++i)  // spread over the space; layout and type change along
      check_shapes(folder, variant, valid[i * (valid.size() - 1) / 11], i % 3 == 2 ? "bf16" : "fp32", kLayouts[i % 4],
                   cases);
  }
}

TEST_CASE("gemm: the register tile has a few hundred configurations on an H200", "[kernels]") {
  const KernelFolder folder = folder_of("kernels/gemm");
  const Problem problem = make_problem(folder.family, request({4096, 4096, 4096}, "fp32", "nn"));
  const Space space = enumerate(variant_of(folder, "reg2d"), problem, h200());
  CHECK(space.valid.size() >= 160);
  CHECK(space.valid.size() <= 600);
}
