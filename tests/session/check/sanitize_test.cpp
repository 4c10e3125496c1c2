// `check --sanitize` as a session: small ragged problems, every launch of a plan, findings by variant with their lines.

#include <fmt/format.h>

#include <algorithm>

#include "base/scoped_variable.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/check/sanitize.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kWrongToml = R"toml(
doc = "two launches through a workspace; right for BUG = 0 only"
tune = false
[[parameter]]
name = "BUG"
values = [0, 1, 2, 3, 4]
[[parameter]]
name = "THREADS"
values = [64, 128]
[[workspace]]
name = "copy"
bytes = "N * 4"
[[launch]]
kernel = "first"
grid = ["ceil_div(N, THREADS)"]
block = ["THREADS"]
arguments = ["x", "copy", "N"]
[[launch]]
kernel = "second"
grid = ["ceil_div(N, THREADS)"]
block = ["THREADS"]
arguments = ["copy", "y", "N", "a"]
)toml";

constexpr std::string_view kWrong = R"cuda(
extern "C" __global__ void first(const float* x, float* copy, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) copy[i] = x[BUG == 1 ? i + (1 << 28) : i];
}
extern "C" __global__ void second(const float* copy, float* y, int n, float a) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (BUG == 2 && i == 5) __trap();
  if (i < n + (BUG == 3)) y[i] = i < n ? a * copy[i] : 0.0f;   // 3: one behind the end, where the guard lies
  if (BUG == 4 && i < n) y[i] += 0.0f * y[n - 1 - i];          // 4: reads what others write, or nobody yet
}
)cuda";

struct Ran {
  std::vector<SanitizeRow> rows;
  std::vector<VariantFindings> findings;
};

Ran sanitized(SessionFixture& fixture, CheckOptions options) {
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  SanitizeSession session(options, fixture.database());
  while (session.step()) {
  }
  return {session.rows(), session.findings()};
}

/// Hazards and messages of the findings on a line.
std::string find_all(const Ran& ran, int line) {
  std::string text;
  for (const VariantFindings& variant : ran.findings)
    for (const VariantFinding& found : variant.findings)
      if (found.finding.line.line == line)
        text += fmt::format("{}: {}\n", name(found.finding.hazard), found.finding.message);
  return text;
}

}  // namespace

TEST_CASE("sanitize: faults of any launch are findings with their line, by variant", "[session][emulated][sanitize]") {
  SessionFixture fixture;
  write_variant(fixture, "wrong", kWrongToml, kWrong);
  CheckOptions options;
  options.variants = {"wrong"};
  options.every_configuration = true;
  const Ran ran = sanitized(fixture, options);
  REQUIRE(ran.rows.size() == 10);
  for (const SanitizeRow& row : ran.rows) {
    INFO(row.trial.configuration << ": " << row.trial.message);
    CHECK(row.trial.status == TrialStatus::passed);  // it was looked at
    CHECK(row.problem.dimensions.front().second < 200'000);
    const bool right = row.trial.configuration.starts_with("BUG=0");
    CHECK((row.findings() == 0) == right);
    CHECK(row.launches.size() == (row.trial.configuration.starts_with("BUG=1") ? 1 : 2));
  }
  REQUIRE(ran.findings.size() == 1);
  const auto find = [&](Hazard hazard) {
    const auto& all = ran.findings.front().findings;
    const auto at = std::ranges::find_if(all, [&](const VariantFinding& f) { return f.finding.hazard == hazard; });
    REQUIRE(at != all.end());
    return *at;
  };
  const VariantFinding outside = find(Hazard::out_of_bounds);
  CHECK(outside.finding.line.line == 4);
  CHECK(outside.source == "if (i < n) copy[i] = x[BUG == 1 ? i + (1 << 28) : i];");
  CHECK(outside.labels.size() == 2);  // both THREADS
  CHECK(find(Hazard::other).finding.line.line == 8);
  CHECK_THAT(find_all(ran, 9), Catch::Contains("out of bounds: ") && Catch::Contains("0 bytes after the end of y ("));
  CHECK_THAT(find_all(ran, 10), Catch::Contains("y"));
}

TEST_CASE("sanitize: lanes race among halves and bytes of shared memory too", "[session][emulated][sanitize]") {
  SessionFixture fixture;
  // Rounds to whole numbers below 64 and turns each warp round in shared memory; right for SYNC = 1 only.
  write_variant(fixture, {"narrow", {{"SYNC", "0, 1"}, {"BYTES", "1, 2, 4"}}, "ceil_div(N, 32)", 32}, R"cuda(
template <int> struct Unsigned { using type = unsigned; };
template <> struct Unsigned<2> { using type = unsigned short; };
template <> struct Unsigned<1> { using type = unsigned char; };
extern "C" __global__ void narrow(const float* x, float* y, int n, float) {
  __shared__ Unsigned<BYTES>::type tile[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  tile[threadIdx.x] = i < n ? static_cast<unsigned>(x[i]) % 64 : 0;
  if (SYNC) __syncwarp();
  if (i < n) y[i] = tile[31 - threadIdx.x];
}
)cuda");
  CheckOptions options;
  options.variants = {"narrow"};
  options.every_configuration = true;
  const Ran ran = sanitized(fixture, options);
  REQUIRE(ran.rows.size() == 6);
  for (const SanitizeRow& row : ran.rows) {
    INFO(row.trial.configuration << ": " << row.trial.message);
    CHECK((row.findings() == 0) == row.trial.configuration.starts_with("SYNC=1"));
  }
  CHECK_THAT(find_all(ran, 10), Catch::StartsWith("shared-memory race: ") && Catch::Contains("__syncwarp"));
}

TEST_CASE("sanitize: shipped kernels run whole on ragged problems, without findings", "[session][emulated][sanitize]") {
  SessionFixture fixture;
  CheckOptions options;
  for (const auto& [family, variants] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"softmax", {"row_per_block"}}, {"reduce", {"two_pass"}}}) {
    options.rig.target = family;
    options.variants = variants;
    CheckOptions one = options;
    one.rig = fixture.options().rig;
    one.rig.device = "emu:h200";
    one.rig.target = family;
    SanitizeSession session(one, fixture.database());
    while (session.step()) {
    }
    REQUIRE(session.rows().size() == 1);
    const SanitizeRow& row = session.rows().front();
    INFO(row.trial.message);
    CHECK(row.trial.status == TrialStatus::passed);
    CHECK(row.findings() == 0);
    for (const SanitizedLaunch& launch : row.launches) CHECK(launch.blocks_run == launch.blocks);
  }
}

// A ring of stages is gone around several times, so that what is copied anew was read before.
TEST_CASE("emulated kernels: nothing is found in any variant of gemm", "[emulated][kernels][sanitize]") {
  const auto [dtype, layout] = GENERATE(table<std::string, std::string>(
      {{"bf16", "nn"}, {"fp16", "tt"}, {"fp32", "nn"}, {"fp32", "tn"}, {"tf32", "nt"}, {"int8", "nt"}}));
  CAPTURE(dtype, layout);
  SessionFixture fixture;
  CheckOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  options.rig.target = "gemm";
  options.dtype = dtype;
  options.variants = {"all"};
  options.only_asked = true;
  options.arguments = {{"M", "200"}, {"N", "136"}, {"K", dtype == "int8" ? "1040" : "712"}, {"layout", layout}};
  SanitizeSession session(options, fixture.database());
  while (session.step()) {
  }
  CHECK(session.rows().size() >= 6);  // some rungs take layout nn only
  for (const SanitizeRow& row : session.rows()) {
    INFO(row.trial.variant << " " << row.trial.configuration << ": " << row.trial.message);
    CHECK(row.trial.status == TrialStatus::passed);
    CHECK(row.findings() == 0);
  }
}

TEST_CASE("sanitize: the second opinion repeats the problem and the configuration", "[session][sanitize]") {
  SanitizeRow row;
  row.trial.variant = "reg2d";
  row.trial.configuration = "BM=64 BN=128";
  row.problem.dtype = DType::fp32;
  row.problem.dimensions = {{"M", 391}, {"N", 263}};
  row.problem.flags = {{"layout", "nt"}};
  row.problem.scalars = {{"alpha", 1.5}};
  const auto opinions = second_opinions(row, "gemm", "/bin/kerlab", {"--device", "cuda:0"});
  REQUIRE(opinions.size() == 4);
  CHECK(opinions[1].tool == "racecheck");
  std::string text;
  for (const std::string& word : opinions[1].command) text += word + " ";
  CHECK(text ==
        "compute-sanitizer --target-processes all --error-exitcode 3 --tool racecheck /bin/kerlab bench gemm --once "
        "--variant reg2d --config BM=64,BN=128 --dtype fp32 --M 391 --N 263 --layout nt --alpha 1.5 --device cuda:0 ");
}
