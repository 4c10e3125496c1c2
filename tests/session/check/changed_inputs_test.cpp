// Inputs that a thorough check changes in place, on the emulated device: how far out they go.
#include "base/file.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

// y = x + sums, where sums was made of x: uniform numbers from -1 to 1.
constexpr std::string_view kSavedFamily = R"toml(
name = "saved"
dtypes = ["fp16"]
[[dimension]]
name = "N"
default = 1001
[[tensor]]
name = "x"
role = "input"
shape = ["N"]
[[tensor]]
name = "sums"
role = "input"
of = ["x"]
shape = ["N"]
[[tensor]]
name = "y"
role = "output"
shape = ["N"]
[[reference]]
output = "y"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["x", "sums", "index", "count", "value", "scale"]
tolerance = { rule = "sum", length = 2 }
[[recipe]]
name = "uniform"
[cost]
flops = "N"
bytes = "6 * N"
)toml";

constexpr std::string_view kSavedReference = R"cuda(
#include "common/types.cuh"
extern "C" __global__ void reference(const DTYPE* x, const DTYPE* sums, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long j = blockIdx.x * 256ll + threadIdx.x;
  if (j >= count) return;
  const long long i = index == nullptr ? j : index[j];
  value[j] = ACC(to_float(x[i])) + ACC(to_float(sums[i]));
  scale[j] = 2;
}
)cuda";

constexpr std::string_view kSavedVariant = R"toml(
doc = "right where all numbers are those of the recipe"
[[launch]]
kernel = "near"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["x", "sums", "y", "N"]
)toml";

// As one whose weights are beyond its type where a saved sum does not go with what it is the sum of.
constexpr std::string_view kSavedKernel = R"cuda(
#include "common/types.cuh"
extern "C" __global__ void near(const DTYPE* x, const DTYPE* sums, DTYPE* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  const float a = to_float(x[i]), b = to_float(sums[i]);
  y[i] = from_float<DTYPE>(fabsf(a) > 1 || fabsf(b) > 1 ? 0.0f : a + b);
}
)cuda";

TrialStatus status_of_saved(const std::string& family) {
  SessionFixture fixture;
  write_family(fixture.folder() / "saved", "near", {family, kSavedReference, kSavedVariant, kSavedKernel});
  CheckOptions options = emulated_check(fixture, "near", (fixture.folder() / "saved").string());
  options.only_asked = true;
  return statuses_of(checked_rows(fixture, options)).at("");
}

}  // namespace

TEST_CASE("changed inputs: what was made of others goes no farther out than its recipe, nor do these",
          "[session][emulated]") {
  const std::string family(kSavedFamily);
  CHECK(status_of_saved(family) == TrialStatus::passed);
  CHECK(status_of_saved(kerlab::testing::replaced(family, "of = [\"x\"]\n", "")) == TrialStatus::wrong);
}
