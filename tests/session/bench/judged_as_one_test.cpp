// A checker with a single place judges the whole output: what some blocks have written of it is not held against them.

#include "base/temporary_folder.h"
#include "catch.h"
#include "session/bench/bench.h"
#include "session/check/check.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kReorderFamily = R"toml(
name = "reorder"
dtypes = ["fp32"]
[[dimension]]
name = "N"
default = 8388608
[[tensor]]
name = "x"
role = "input"
dtype = "int32"
shape = ["N"]
range = [0, "N"]
order = "distinct"
[[tensor]]
name = "y"
role = "output"
dtype = "int32"
shape = ["N"]
[[checker]]
output = "y"
kernel = "judge"
grid = ["count"]
block = [256]
arguments = ["x", "y", "N", "index", "count", "error", "code"]
outputs_per_index = "N"
codes = ["right", "another sum"]
[[recipe]]
name = "normal"
[cost]
flops = "N"
bytes = "8 * N"
)toml";

constexpr std::string_view kReorderReference = R"cuda(
extern "C" __global__ void judge(const int* x, const int* y, int N, const long long* index, long long count,
                                 float* error, int* code) {
  __shared__ unsigned long long sums[256];
  unsigned long long sum = 0;
  for (int i = threadIdx.x; i < N; i += 256) sum += static_cast<unsigned>(y[i]) - static_cast<unsigned>(x[i]);
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int t = 1; t < 256; ++t) sum += sums[t];
  error[blockIdx.x] = static_cast<unsigned>(sum) == 0 ? 0.0f : 2.0f;
  code[blockIdx.x] = static_cast<unsigned>(sum) == 0 ? 0 : 1;
}
)cuda";

constexpr std::string_view kReorderVariant = R"toml(
doc = "backwards; with BUG = 1 without its first element"
[[parameter]]
name = "BUG"
values = [0, 1]
[[launch]]
kernel = "backwards"
grid = ["ceil_div(N, 256)"]
block = [256]
arguments = ["x", "y", "N"]
)toml";

constexpr std::string_view kReorderKernel = R"cuda(
extern "C" __global__ void backwards(const int* x, int* y, int N) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < N) y[i] = BUG && i == 0 ? -1 : x[N - 1 - i];
}
)cuda";

TrialStatus status_of_check(SessionFixture& fixture, const RigOptions& rig, const std::string& configuration) {
  CheckOptions options;
  options.rig = rig;
  options.variants = {"backwards"};
  options.configuration = configuration;
  CheckSession session(options, fixture.database());
  while (session.step()) {
  }
  for (const CheckRow& row : session.rows())
    if (row.trial.status != TrialStatus::passed) return row.trial.status;
  return TrialStatus::passed;
}

}  // namespace

TEST_CASE("a checker with one place: benched, and checked whole", "[session][emulated]") {
  SessionFixture fixture;
  const TemporaryFolder folder;
  write_family(folder.path(), "backwards", {kReorderFamily, kReorderReference, kReorderVariant, kReorderKernel});
  BenchOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  options.rig.target = folder.path().string();
  options.variants = {"backwards"};
  BenchSession session(options, fixture.database());
  while (session.step()) {
  }
  REQUIRE(session.rows().size() == 1);
  CHECK(session.rows()[0].trial.message == "");
  CHECK(session.rows()[0].measurement);
  CHECK(status_of_check(fixture, options.rig, "BUG=0") == TrialStatus::passed);
  CHECK(status_of_check(fixture, options.rig, "BUG=1") == TrialStatus::wrong);
}
