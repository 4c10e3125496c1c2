// [cost] kernel: FLOPs and bytes of families whose work depends on their data.
#include "catch.h"
#include "session/bench/bench.h"
#include "session/regress/regress_kernel.h"
#include "session/session_fixture.h"
#include "verify/input/input_value.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// y[i] = sum of the first lengths[i] of row i; no run reads the others.
constexpr std::string_view kRaggedFamily = R"toml(name = "ragged"
dtypes = ["fp32"]
[[dimension]]
name = "M"
default = 200
[[dimension]]
name = "N"
default = 50
[[tensor]]
name = "lengths"
role = "input"
dtype = "int32"
shape = ["M"]
range = [0, "N + 1"]
[[tensor]]
name = "x"
role = "input"
shape = ["M", "N"]
[[tensor]]
name = "y"
role = "output"
shape = ["M"]
[[reference]]
output = "y"
grid = ["ceil_div(count, 128)"]
block = [128]
arguments = ["lengths", "x", "N", "index", "count", "value", "scale"]
tolerance = { rule = "rowwise" }
[cost]
flops = "M * N"
bytes = "M * N * 4 + M * 8"
kernel = "count_work"
grid = [1]
block = [64]
arguments = ["lengths", "M", "cost"]
)toml";

constexpr std::string_view kRaggedReference = R"cuda(
extern "C" __global__ void reference(const int* lengths, const float* x, int n, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long row = index == nullptr ? j : index[j];
  ACC sum = 0, size = 0;
  for (int i = 0; i < lengths[row]; ++i) {
    sum += x[row * n + i];
    size += fabs(static_cast<ACC>(x[row * n + i]));
  }
  value[j] = sum;
  scale[j] = 16 * size;
}
extern "C" __global__ void count_work(const int* lengths, int m, double* cost) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < m; i += blockDim.x) atomicAdd(&sum, lengths[i]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  cost[0] = sum;
  cost[1] = 4.0 * sum + 8.0 * m;
}
)cuda";

constexpr std::string_view kRaggedVariant = R"toml(doc = "a thread a row"
[[parameter]]
name = "BLOCK"
values = [32, 64]
[[launch]]
kernel = "ragged"
grid = ["ceil_div(M, BLOCK)"]
block = ["BLOCK"]
arguments = ["lengths", "x", "y", "M", "N"]
)toml";

constexpr std::string_view kRaggedKernel = R"cuda(
extern "C" __global__ void ragged(const int* lengths, const float* x, float* y, int m, int n) {
  const int row = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= m) return;
  float sum = 0;
  for (int i = 0; i < lengths[row]; ++i) sum += x[static_cast<long long>(row) * n + i];
  y[row] = sum;
}
)cuda";

std::string ragged_with(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  REQUIRE(at != std::string::npos);
  return result.replace(at, from.size(), to);
}

class RaggedFixture : public SessionFixture {
 public:
  explicit RaggedFixture(const std::string& family = std::string(kRaggedFamily),
                         const std::string& reference = std::string(kRaggedReference)) {
    write_family(folder() / "ragged", "plain", {family, reference, kRaggedVariant, kRaggedKernel});
  }

  [[nodiscard]] RigOptions rig_options() const {
    RigOptions rig = options().rig;
    rig.device = "emu:h200";
    rig.target = (folder() / "ragged").string();
    return rig;
  }

  std::vector<BenchRow> bench(std::vector<ProblemArgument> arguments = {}) {
    BenchOptions options;
    options.rig = rig_options();
    options.variants = {"plain"};
    options.arguments = std::move(arguments);
    BenchSession session(options, database());
    while (session.step()) {
    }
    return session.rows();
  }
};

ProblemSetup setup_of(const Rig& rig, std::int64_t m = 200) {
  ProblemRequest request;
  request.dimensions = {{"M", m}};
  return prepare_problem(rig.folder(), make_problem(rig.folder().family, request), rig.device());
}

/// The lengths of the timed recipe, computed on the host and added up.
double timed_elements(const ProblemSetup& setup) {
  const verify::InputValues lengths(setup.plan, setup.plan.recipes.front(), "lengths");
  double sum = 0;
  for (std::int64_t i = 0; i < setup.plan.tensors.front().elements(); ++i) sum += lengths.at(i);
  return sum;
}

}  // namespace

TEST_CASE("counted cost: bench has what the kernel counts of the timed inputs", "[session][emulated]") {
  RaggedFixture fixture;
  for (const std::int64_t m : {200, 131}) {
    double elements = 0, roof_us = 0;
    {
      Rig rig(fixture.rig_options());
      ProblemSetup setup = setup_of(rig, m);
      CHECK(setup.plan.flops == 50.0 * static_cast<double>(m));
      CHECK(setup.plan.minimum_us == 0);  // a bound makes no time impossible
      elements = timed_elements(setup);
      setup.plan.flops = elements;
      setup.plan.bytes = 4 * elements + 8 * static_cast<double>(m);
      roof_us = theoretical_roof(setup.problem, setup.plan, rig.device()).minimum_us;
    }
    REQUIRE(elements > 0);
    REQUIRE(elements < 50.0 * static_cast<double>(m));
    const std::vector<BenchRow> rows = fixture.bench({{"M", std::to_string(m)}});
    REQUIRE(rows.size() == 1);
    CAPTURE(rows[0].trial.message);
    CHECK(rows[0].trial.status == TrialStatus::passed);
    CHECK(rows[0].flops == elements);
    CHECK(rows[0].bytes == 4 * elements + 8 * static_cast<double>(m));
    CHECK(rows[0].roof_us == roof_us);
    CHECK(rows[0].cost_from_data);
  }
}

TEST_CASE("counted cost: a tune's result has it, a plan of one the bounds", "[session][emulated]") {
  RaggedFixture fixture;
  TuneOptions options = fixture.options();
  options.rig = fixture.rig_options();
  CHECK(plan_tune(options, fixture.database()).flops == 200 * 50);
  const TuneResult result = fixture.tune(options);
  for (const auto& [configuration, trial] : fixture.trials(result))
    UNSCOPED_INFO(configuration << ": " << trial.message);
  REQUIRE(result.rows.size() == 2);
  CHECK(result.cost_from_data);
  CHECK(result.problem.flops == timed_elements(setup_of(Rig(options.rig))));
  CHECK(result.problem.bytes == 4 * result.problem.flops + 8 * 200);
  CHECK(result.roof.minimum_us > 0);
  CHECK(result.roof.minimum_us < plan_tune(options, fixture.database()).minimum_us);
}

TEST_CASE("counted cost: without a reference too, and a check is the same before and after", "[session][emulated]") {
  RaggedFixture fixture;
  Rig rig(fixture.rig_options());
  ProblemSetup setup = setup_of(rig);
  const std::string before = check_identity(setup, rig);
  const double elements = timed_elements(setup);
  ProblemLoader loader(rig, setup, false);
  loader.load();
  CHECK(setup.plan.flops == elements);
  CHECK(setup.cost_from_data());
  CHECK(loader.data().problem.flops == elements);
  CHECK(loader.data().reference_image.empty());
  CHECK(check_identity(setup, rig) == before);
  CHECK(evaluate(rig, setup, {}, {}).items.empty());  // does not throw: the worker has the problem
  ProblemSetup again = setup_of(rig);
  ProblemLoader(rig, again).load();
  CHECK(again.plan == setup.plan);
}

TEST_CASE("counted cost: what cannot be is refused with the kernel and its place", "[session][emulated]") {
  struct Wrong {
    std::string_view from, to;
    std::string expected;
  };
  const std::string promise = "flops for ragged 200x50 fp32, but the formula `flops` promises at most 10000";
  for (const Wrong& wrong : std::vector<Wrong>{
           {"cost[0] = sum;", "cost[0] = nan(\"\");",
            "wrote no number of flops for ragged 200x50 fp32: NaN, or nothing"},
           {"cost[1] = 4.0 * sum + 8.0 * m;", "", "wrote no number of bytes for ragged 200x50 fp32: NaN, or nothing"},
           {"cost[0] = sum;", "cost[0] = -1;", "counted -1 flops for ragged 200x50 fp32"},
           {"cost[1] = 4.0 * sum + 8.0 * m;", "cost[1] = 1e300 * 1e300;", "counted inf bytes for"},
           {"cost[0] = sum;", "cost[0] = 10001;", "counted 10001 " + promise},
           {"cost[0] = sum;", "cost[1000000000] = sum;", "count_work of [cost] failed: "},
       }) {
    CAPTURE(wrong.to);
    RaggedFixture fixture(std::string(kRaggedFamily), ragged_with(kRaggedReference, wrong.from, wrong.to));
    CHECK_THROWS_WITH(fixture.bench(), Catch::Contains("family.toml:") && Catch::Contains("count_work of [cost]") &&
                                           Catch::Contains(wrong.expected));
  }
  RaggedFixture most(ragged_with(kRaggedFamily, "flops = \"M * N\"", "flops = \"M * N - 1\""),
                     ragged_with(kRaggedReference, "cost[0] = sum;", "cost[0] = 9999;"));
  CHECK(most.bench().front().flops == 9999);  // the bound itself may be reached
}
