// Tensors that are changed in place, on the emulated device: what they hold before a run may be integers of a range, or
// what no kernel may read.

#include <map>

#include "base/temporary_folder.h"
#include "catch.h"
#include "session/check/check_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

// Row `far[i]` of a table, and one step nearer: neither below 0 nor beyond the table. y = x + beta y.
constexpr std::string_view kStepFamily = R"toml(
name = "step"
dtypes = ["int32"]
[[dimension]]
name = "N"
default = 1001
[[dimension]]
name = "V"
default = 77
[[scalar]]
name = "beta"
default = 0
[[tensor]]
name = "table"
role = "input"
dtype = "fp32"
shape = ["V"]
[[tensor]]
name = "far"
role = "inout"
shape = ["N"]
range = [0, "V"]
[[tensor]]
name = "slot"
role = "input"
shape = ["N"]
range = [0, "2 * N"]
order = "distinct"
ignored = -1
[[tensor]]
name = "y"
role = "inout"
dtype = "fp32"
shape = ["N"]
unread = "beta.zero"
[[reference]]
output = "far"
kernel = "nearer"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["far", "index", "count", "value", "scale"]
tolerance = { rule = "exact" }
[[reference]]
output = "y"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["table", "far", "slot", "y", "beta", "index", "count", "value", "scale"]
tolerance = { rule = "sum", length = 2 }
[[recipe]]
name = "normal"
[[recipe]]
name = "small_integer"
[cost]
flops = "N"
bytes = "16 * N"
)toml";

constexpr std::string_view kStepReference = R"cuda(
extern "C" __global__ void nearer(const int* far, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = blockIdx.x * 256ll + threadIdx.x;
  if (j >= count) return;
  const int at = far[index == nullptr ? j : index[j]];
  value[j] = at > 0 ? at - 1 : 0;
  scale[j] = 0;
}
extern "C" __global__ void reference(const float* table, const int* far, const int* slot, const float* y, float beta,
                                     const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = blockIdx.x * 256ll + threadIdx.x;
  if (j >= count) return;
  const long long i = index == nullptr ? j : index[j];
  const ACC x = slot[i] < 0 ? ACC(0) : ACC(table[far[i]]);
  value[j] = beta == 0 ? x : x + ACC(beta) * ACC(y[i]);
  scale[j] = x < 0 ? -x : x;
}
)cuda";

constexpr std::string_view kStepVariant = R"toml(
doc = "right for BUG = 0 only"
[[parameter]]
name = "BUG"
values = [0, 1, 2]
[[launch]]
kernel = "step"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["table", "far", "slot", "y", "N", "beta"]
)toml";

// 1: y is read where beta is 0; 2: nothing is ignored.
constexpr std::string_view kStepKernel = R"cuda(
extern "C" __global__ void step(const float* table, int* far, const int* slot, float* y, int n, float beta) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  const int at = far[i];
  const float x = slot[i] < 0 && BUG != 2 ? 0 : table[at];
  y[i] = beta == 0 && BUG != 1 ? x : x + beta * y[i];
  far[i] = at > 0 ? at - 1 : 0;
}
)cuda";

}  // namespace

TEST_CASE("inout: integers of a range, and numbers that must not be read", "[session][emulated]") {
  SessionFixture fixture;
  const TemporaryFolder folder;
  write_family(folder.path(), "step", {kStepFamily, kStepReference, kStepVariant, kStepKernel});
  CheckOptions options = emulated_check(fixture, "step", folder.path().string());
  options.every_configuration = true;
  options.only_asked = true;
  auto statuses = statuses_of(checked_rows(fixture, options));
  REQUIRE(statuses.size() == 3);
  CHECK(statuses["BUG=0"] == TrialStatus::passed);  // an index out of the table would be a fault
  CHECK(statuses["BUG=1"] == TrialStatus::wrong);
  CHECK(statuses["BUG=2"] == TrialStatus::wrong);
}
