// Kernels that take ids of a range, on the emulated device: under some recipe an index that is clamped, or an element
// that should be ignored, is told.

#include <map>

#include "base/temporary_folder.h"
#include "catch.h"
#include "session/check/check.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kPickFamily = R"toml(
name = "pick"
dtypes = ["fp32"]
[[dimension]]
name = "N"
default = 1001
[[dimension]]
name = "V"
default = 5000
[[tensor]]
name = "table"
role = "input"
shape = ["V"]
[[tensor]]
name = "ids"
role = "input"
dtype = "int64"
shape = ["N"]
range = ["1 - V", 1]
ignored = "V + 7"
[[tensor]]
name = "y"
role = "output"
shape = ["N"]
[[reference]]
output = "y"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["table", "ids", "V", "index", "count", "value", "scale"]
tolerance = { rule = "exact" }
[[recipe]]
name = "normal"
[[recipe]]
name = "small_integer"
[[recipe]]
name = "sorted_ids"
base = "normal"
integers = "sorted"
[cost]
flops = "N"
bytes = "8 * N + 8 * N"
)toml";

constexpr std::string_view kPickReference = R"cuda(
extern "C" __global__ void reference(const float* table, const long long* ids, int V, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = blockIdx.x * 256ll + threadIdx.x;
  if (j >= count) return;
  const long long id = ids[index == nullptr ? j : index[j]];
  value[j] = id == V + 7 ? ACC(0) : ACC(table[-id]);
  scale[j] = 0;
}
)cuda";

constexpr std::string_view kPickVariant = R"toml(
doc = "right for BUG = 0 only"
[[parameter]]
name = "BUG"
values = [0, 1, 2, 3]
[[launch]]
kernel = "pick"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["table", "ids", "y", "N", "V"]
)toml";

// 1: the last row is taken for the last but one; 2: nothing is ignored; 3: the first of a warp is everyone's.
constexpr std::string_view kPickKernel = R"cuda(
extern "C" __global__ void pick(const float* table, const long long* ids, float* y, int n, int V) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  const long long id = ids[BUG == 3 ? i / 32 * 32 : i];
  long long row = -id;
  if (BUG == 1 && V > 1) row = row < V - 2 ? row : V - 2;
  if (BUG == 2 && id == V + 7) row = 0;
  y[i] = id == V + 7 && BUG != 2 ? 0 : table[row];
}
)cuda";

}  // namespace

TEST_CASE("integers of a range: a clamped index, and one that is not ignored, are wrong", "[session][emulated]") {
  SessionFixture fixture;
  const TemporaryFolder folder;
  write_family(folder.path(), "pick", {kPickFamily, kPickReference, kPickVariant, kPickKernel});
  CheckOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  options.rig.target = folder.path().string();
  options.variants = {"pick"};
  options.every_configuration = true;
  options.only_asked = true;
  CheckSession session(options, fixture.database());
  while (session.step()) {
  }
  std::map<std::string, TrialStatus> statuses;
  for (const CheckRow& row : session.rows()) statuses[row.trial.configuration] = row.trial.status;
  REQUIRE(statuses.size() == 4);
  CHECK(statuses["BUG=0"] == TrialStatus::passed);
  for (const char* bug : {"BUG=1", "BUG=2", "BUG=3"}) {
    INFO(bug);
    CHECK(statuses[bug] == TrialStatus::wrong);
  }
}
