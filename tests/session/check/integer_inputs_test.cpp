// Kernels that take ids of a range, on the emulated device: under some recipe an index that is clamped, or an element
// that should be ignored, is told.

#include <map>

#include "base/temporary_folder.h"
#include "catch.h"
#include "session/check/check_fixture.h"
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
  CheckOptions options = emulated_check(fixture, "pick", folder.path().string());
  options.every_configuration = true;
  options.only_asked = true;
  std::map<std::string, TrialStatus> statuses = statuses_of(checked_rows(fixture, options));
  REQUIRE(statuses.size() == 4);
  CHECK(statuses["BUG=0"] == TrialStatus::passed);
  for (const char* bug : {"BUG=1", "BUG=2", "BUG=3"}) {
    INFO(bug);
    CHECK(statuses[bug] == TrialStatus::wrong);
  }
}

namespace {

constexpr std::string_view kIntSumFamily = R"toml(
name = "int_sum"
dtypes = ["int32"]
[[dimension]]
name = "M"
default = 20
[[dimension]]
name = "N"
default = 300
[[tensor]]
name = "x"
role = "input"
shape = ["M", "N"]
[[tensor]]
name = "y"
role = "output"
dtype = "int64"
shape = ["M"]
[[reference]]
output = "y"
grid = ["ceil_div(count, 64)"]
block = [64]
arguments = ["x", "N", "index", "count", "value", "scale"]
tolerance = { rule = "exact" }
[cost]
flops = "M * N"
bytes = "4 * M * N"
)toml";

constexpr std::string_view kIntSumReference = R"cuda(
extern "C" __global__ void reference(const int* x, int N, const long long* index, long long count, ACC* value,
                                     ACC* scale) {
  const long long j = blockIdx.x * 64ll + threadIdx.x;
  if (j >= count) return;
  const int* row = x + (index == nullptr ? j : index[j]) * N;
  ACC sum = 0;
  for (int i = 0; i < N; ++i) sum += row[i];
  value[j] = sum;
  scale[j] = 0;
}
)cuda";

constexpr std::string_view kIntSumVariant = R"toml(
doc = "right for BUG = 0 only"
[[parameter]]
name = "BUG"
values = [0, 1, 2]
[[launch]]
kernel = "int_sum"
grid = ["ceil_div(M, 32)"]
block = [32]
arguments = ["x", "y", "M", "N"]
)toml";

// 1: in 32 bits; 2: in fp32.
constexpr std::string_view kIntSumKernel = R"cuda(
extern "C" __global__ void int_sum(const int* x, long long* y, int m, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= m) return;
  long long sum = 0;
  unsigned short_sum = 0;
  float float_sum = 0;
  for (int k = 0; k < n; ++k) {
    const int term = x[static_cast<long long>(i) * n + k];
    sum += term, short_sum += term, float_sum += term;
  }
  y[i] = BUG == 1 ? static_cast<int>(short_sum) : BUG == 2 ? static_cast<long long>(float_sum) : sum;
}
)cuda";

}  // namespace

TEST_CASE("integers of 32 bits, added up in no more: wrong, without any recipe of the family", "[session][emulated]") {
  SessionFixture fixture;
  const TemporaryFolder folder;
  write_family(folder.path(), "int_sum", {kIntSumFamily, kIntSumReference, kIntSumVariant, kIntSumKernel});
  CheckOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  options.rig.target = folder.path().string();
  options.variants = {"int_sum"};
  options.every_configuration = true;
  options.only_asked = true;
  CheckSession session(options, fixture.database());
  while (session.step()) {
  }
  std::map<std::string, TrialStatus> statuses;
  for (const CheckRow& row : session.rows()) statuses[row.trial.configuration] = row.trial.status;
  REQUIRE(statuses.size() == 3);
  CHECK(statuses["BUG=0"] == TrialStatus::passed);
  CHECK(statuses["BUG=1"] == TrialStatus::wrong);
  CHECK(statuses["BUG=2"] == TrialStatus::wrong);
}
