// Kernels that work in place, on the emulated device: the reference sees the tensor as it was before the run.

#include <map>

#include "base/temporary_folder.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kInPlaceFamily = R"toml(
name = "relu_in_place"
dtypes = ["fp32"]
[[dimension]]
name = "N"
default = 1000
[[tensor]]
name = "x"
role = "inout"
shape = ["N"]
[[reference]]
output = "x"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["x", "index", "count", "value", "scale"]
tolerance = { rule = "rowwise" }
[cost]
flops = "N"
bytes = "2 * N * dtype.bytes"
)toml";

constexpr std::string_view kInPlaceReference = R"cuda(
extern "C" __global__ void reference(const float* x, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = blockIdx.x * 256ll + threadIdx.x;
  if (j >= count) return;
  const float v = x[index == nullptr ? j : index[j]];
  value[j] = v > 0 ? 3 * (ACC)v : 0;
  scale[j] = fabs((double)value[j]);
}
)cuda";

constexpr std::string_view kInPlaceVariant = R"toml(
doc = "right for BUG = 0 only"
[[parameter]]
name = "BUG"
values = [0, 1, 2, 3]
[[launch]]
kernel = "relu"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["x", "N"]
)toml";

// 1: only zeros; 2: does nothing; 3: twice.
constexpr std::string_view kInPlaceKernel = R"cuda(
extern "C" __global__ void relu(float* x, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n || BUG == 2) return;
  float v = x[i] > 0 ? 3 * x[i] : 0;
  if (BUG == 1) v = 0;
  if (BUG == 3) v *= 3;
  x[i] = v;
}
)cuda";

// Both work for long in every warp of fresh data. In data that one has run over, all of them negative, SIGN=0 does not.
constexpr std::string_view kBySignVariant = R"toml(
[[parameter]]
name = "SIGN"
values = [0, 1]
[[launch]]
kernel = "by_sign"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["x", "N"]
)toml";

constexpr std::string_view kBySignKernel = R"cuda(
extern "C" __global__ void by_sign(float* x, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  float sum = 0;
  if ((v < 0) == (SIGN == 1))
    for (int k = 0; k < 5000; ++k) sum = sum * 0.5f + v;
  x[i] = sum == 12345.0f ? sum : -fabsf(v);
}
)cuda";

std::map<std::string, TrialStatus> check_in_place(SessionFixture& fixture, const std::string& n, bool asked_alone) {
  const TemporaryFolder folder;
  write_family(folder.path(), "relu", {kInPlaceFamily, kInPlaceReference, kInPlaceVariant, kInPlaceKernel});
  CheckOptions options = emulated_check(fixture, "relu", folder.path().string());
  options.arguments = {{"N", n}};
  options.every_configuration = true;
  options.only_asked = asked_alone;
  return statuses_of(checked_rows(fixture, options));
}

}  // namespace

TEST_CASE("in place: right kernels pass and wrong ones do not, executed whole and sampled", "[session][emulated]") {
  SessionFixture fixture;
  for (const char* n : {"1001", "100000000"}) {
    INFO(n);
    auto statuses = check_in_place(fixture, n, true);
    REQUIRE(statuses.size() == 4);
    CHECK(statuses["BUG=0"] == TrialStatus::passed);
    for (const char* bug : {"BUG=1", "BUG=2", "BUG=3"}) CHECK(statuses[bug] == TrialStatus::wrong);
  }
}

TEST_CASE("in place: a thorough check, on every problem", "[session][emulated]") {
  SessionFixture fixture;
  auto statuses = check_in_place(fixture, "1001", false);
  CHECK(statuses["BUG=0"] == TrialStatus::passed);
  CHECK(statuses["BUG=1"] == TrialStatus::wrong);
}

TEST_CASE("in place: what is counted begins with the first values, whatever ran before", "[session][emulated]") {
  SessionFixture fixture;
  const TemporaryFolder folder;
  std::string reference(kInPlaceReference);
  constexpr std::string_view kRelu = "v > 0 ? 3 * (ACC)v : 0";
  reference.replace(reference.find(kRelu), kRelu.size(), "-fabs((ACC)v)");
  write_family(folder.path(), "by_sign", {kInPlaceFamily, reference, kBySignVariant, kBySignKernel});
  TuneOptions options = fixture.options();
  options.rig.device = "emu:h200";
  options.rig.target = folder.path().string();
  for (const char* n : {"1001", "100000000"}) {
    INFO(n);
    options.arguments = {{"N", n}};
    const TuneResult result = fixture.tune(options);
    for (const FailureGroup& group : result.failures) UNSCOPED_INFO(group.cause);
    CHECK(result.counts.passed == 2);
    REQUIRE(result.rows.size() == 2);
    CHECK(result.rows[0].measurement.median_us == Approx(result.rows[1].measurement.median_us).epsilon(0.02));
  }
}
