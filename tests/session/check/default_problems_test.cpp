// What is tried of a family that says nothing of its own: other dtypes, harder recipes, an index near 2^31.
#include <algorithm>
#include <set>

#include "base/file.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"
#include "session/shapes/few_sms.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

// One thread an element; right for BUG = 0 only.
constexpr std::string_view kTyped = R"cuda(
#include "common/types.cuh"
extern "C" __global__ void typed(const DTYPE* x, DTYPE* y, int n, float a) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  if (i >= n || (BUG == 3 && i >= 1 << 26)) return;
  float v = to_float(x[i]);
  if (BUG == 1 && DTYPE_BYTES == 2) v *= 1.5f;
  if (BUG == 2) v = fminf(v, 64.0f);
  y[i] = from_float<DTYPE>(a * v);
}
)cuda";

/// Blocks wait for each other: of four tiles one block would meet nobody.
constexpr std::string_view kMeetingToml = R"toml(
doc = "a block for each multiprocessor, at a barrier of their own"
[[workspace]]
name = "come"
bytes = "4"
init = "zero_once"
[[launch]]
kernel = "meeting"
grid = ["min(device.sms, ceil_div(N, 1024))"]
block = [1024]
arguments = ["x", "y", "N", "a", "come"]
)toml";

constexpr std::string_view kTypedReference = R"cuda(
#include "common/types.cuh"
extern "C" __global__ void reference(const DTYPE* x, float a, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  value[j] = ACC(a) * ACC(to_float(x[index == nullptr ? j : index[j]]));
  scale[j] = value[j] < 0 ? -value[j] : value[j];
}
)cuda";

/// Rows of a check of `typed` with that configuration, `dtype` as typed.
std::vector<CheckRow> check_of_typed(const char* configuration, const char* dtype) {
  SessionFixture fixture;
  const auto family = fixture.family() / "family.toml";
  write_atomic(family, replaced(read_text(family), "[\"fp32\"]", "[\"fp32\", \"bf16\"]"));
  write_atomic(fixture.family() / "reference.cu", kTypedReference);
  write_variant(fixture, {"typed", {{"BUG", "0, 1, 2, 3"}}, "ceil_div(N, 1024)", 1024}, kTyped);
  CheckOptions options = emulated_check(fixture, "typed");
  options.configuration = configuration;
  options.dtype = dtype;
  return checked_rows(fixture, options);
}

std::vector<CheckRow> failed_rows(std::vector<CheckRow> rows) {
  std::erase_if(rows, [](const CheckRow& row) { return row.trial.status == TrialStatus::passed; });
  return rows;
}

std::set<std::string> failed_dtypes(const std::vector<CheckRow>& rows) {
  std::set<std::string> failed;
  for (const CheckRow& row : failed_rows(rows)) failed.emplace(name(row.problem.dtype));
  return failed;
}

}  // namespace

TEST_CASE("check: where no dtype is asked for the others are tried on a small problem", "[session][emulated]") {
  CHECK(failed_dtypes(check_of_typed("BUG=0", "")).empty());
  CHECK(failed_dtypes(check_of_typed("BUG=1", "")) == std::set<std::string>{"bf16"});
  CHECK(failed_dtypes(check_of_typed("BUG=1", "fp32")).empty());
}

TEST_CASE("check: a family without recipes is tried with numbers far from 0", "[session][emulated]") {
  CHECK_FALSE(failed_dtypes(check_of_typed("BUG=2", "fp32")).empty());
}

TEST_CASE("small problems: where blocks meet there are two at least", "[check]") {
  SessionFixture fixture;
  write_variant(fixture, "meeting", kMeetingToml, "extern \"C\" __global__ void meeting() {}\n");
  const KernelFolder folder = load_folder(fixture.family());
  const Variant& variant = *std::ranges::find(folder.variants, "meeting", &Variant::name);
  ProblemRequest request;
  request.dimensions["N"] = 4096;
  DeviceInfo device;
  device.cc_major = 9;
  device.sms = 132;
  device.threads_per_block = 1024;
  const auto few = session::device_of_few(folder.family, variant, make_problem(folder.family, request),
                                          default_configuration(variant), device);
  REQUIRE(few);
  CHECK(few->sms > 1);
}

TEST_CASE("far: where no extent goes beyond 2^31, one that comes near is tried", "[session][emulated]") {
  const std::vector<CheckRow> failed = failed_rows(check_of_typed("BUG=3", "fp32"));
  CHECK_FALSE(failed.empty());
  for (const CheckRow& row : failed) CHECK(row.problem.dimensions[0].second > 1'900'000'000);
}
