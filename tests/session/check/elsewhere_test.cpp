// A tune's winner passes problems that break kernels before it is stored; persistent kernels have several tiles a block
// where they are checked.
#include <optional>

#include "base/file.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/check/sanitize.h"
#include "session/session_fixture.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

// Its last element is lost where two are left of eight: never at the 1024 that it is tuned for.
constexpr std::string_view kLossy = R"cuda(
extern "C" __global__ void lossy(const float* x, float* y, int n, float a) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n - (BUG == 1 && n % 8 == 2)) y[i] = a * x[i];
  if (BUG == 0 && i < n && __expf(a) == 123.0f) y[i] = sqrtf(x[i]);  // slower than the wrong one
}
)cuda";

// What is beyond 65536 is lost: no problem of a few thousand tells, and a single block has much to do there.
constexpr std::string_view kOneBlock = R"cuda(
extern "C" __global__ void one_block(const float* x, float* y, int n, float a) {
  if (BUG == 1) n = n < 65536 ? n : 65536;
  for (int i = threadIdx.x; i < n; i += 256) {
    y[i] = a * x[i];
    for (int k = 0; BUG == 0 && k < 100; ++k)  // slower than the wrong one
      if (__expf(a * (i + k)) == 123.0f) y[i] = sqrtf(x[i]);
  }
}
)cuda";

// Persistent blocks; wrong from the third tile of a block on.
constexpr std::string_view kStays = R"cuda(
extern "C" __global__ void stays(const float* x, float* y, int n, float a) {
  __shared__ float tile[128];
  for (int t = blockIdx.x, turn = 0; t * 128 < n; t += gridDim.x, ++turn) {
    const int i = t * 128 + threadIdx.x;
    if (i < n) tile[threadIdx.x] = x[i];
    if (turn < 2) __syncthreads();
    if (i < n) y[i] = a * tile[turn < 2 ? threadIdx.x : (threadIdx.x + 1) % 128];
    __syncthreads();
  }
}
)cuda";

constexpr std::string_view kNaNRecipe = R"toml(
[[recipe]]
name = "normal"
[[recipe]]
name = "not_numbers"
base = "normal"
[[recipe.plant]]
what = "points"
tensor = "x"
value = nan
[cost]
)toml";

// NaN is lost around one tile, not on what is tuned, nor on the small ragged problem.
constexpr std::string_view kNumbers = R"cuda(
extern "C" __global__ void numbers(const float* x, float* y, int n, float a) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = BUG == 1 && n < 200 && x[i] != x[i] ? 0.0f : a * x[i];
  if (BUG == 0 && i < n && __expf(a) == 123.0f) y[i] = sqrtf(x[i]);  // slower than the wrong one
}
)cuda";

void write_stays(const SessionFixture& fixture) {
  write_variant(fixture, {"stays", {}, "min(ceil_div(N, 128), device.sms)"}, kStays);
}

/// What a tune of the variant, right for BUG = 0 only, has stored of it.
struct Tuned {
  Trial wrong;
  std::string winner;  ///< configuration
};

/// `change`: of the family's text, and what stands there instead.
Tuned tune_of(const OneLaunch& variant, std::string_view source,
              const std::optional<std::pair<std::string, std::string>>& change = {}) {
  SessionFixture fixture;
  write_variant(fixture, variant, source);
  const auto family = fixture.family() / "family.toml";
  if (change) write_atomic(family, replaced(read_text(family), change->first, change->second));
  TuneOptions options = fixture.options();
  options.rig.device = "emu:h200";
  options.variants.names = {variant.name};
  const TuneResult result = fixture.tune(options);
  const auto trials = fixture.trials(result);
  REQUIRE(trials.contains("BUG=1"));
  REQUIRE_FALSE(result.rows.empty());
  return {trials.at("BUG=1"), result.rows[0].trial.configuration};
}

}  // namespace

TEST_CASE("elsewhere: what is wrong at another extent does not win", "[session][emulated]") {
  const Tuned tuned = tune_of({"lossy", {{"BUG", "1, 0"}}}, kLossy);
  CHECK(tuned.wrong.status == TrialStatus::wrong);
  CHECK_THAT(tuned.wrong.message, Catch::Contains("thorough check: on scale "));
  CHECK(tuned.wrong.reason == TrialReason::thorough_elsewhere);
  CHECK(tuned.winner == "BUG=0");
  CHECK(reproduction(tuned.wrong, "scale", "").find("--only") == std::string::npos);
}

TEST_CASE("elsewhere: what is wrong for special values at another extent does not win", "[session][emulated]") {
  const Tuned tuned = tune_of({"numbers", {{"BUG", "1, 0"}}}, kNumbers, {{"[cost]\n", std::string(kNaNRecipe)}});
  CHECK(tuned.wrong.status == TrialStatus::wrong);
  CHECK(tuned.wrong.reason == TrialReason::thorough_elsewhere);
  CHECK(tuned.winner == "BUG=0");
}

TEST_CASE("elsewhere: what a single block loses beyond 65536 does not win", "[session][emulated]") {
  const Tuned tuned =
      tune_of({"one_block", {{"BUG", "1, 0"}}, "1", 256}, kOneBlock, {{"flops = \"N\"", "flops = \"60000 * N\""}});
  CHECK(tuned.wrong.status == TrialStatus::wrong);
  CHECK_THAT(tuned.wrong.message, Catch::Contains("thorough check: on scale 65541"));
  CHECK(tuned.winner == "BUG=0");
}

TEST_CASE("elsewhere: a block that stays is checked with three tiles, asked for or not", "[session][emulated]") {
  SessionFixture fixture;
  write_stays(fixture);
  CheckOptions options = emulated_check(fixture, "stays");
  options.only_asked = true;
  const std::vector<CheckRow> rows = checked_rows(fixture, options);
  REQUIRE(rows.size() == 2);  // as it is, with one tile a block, and as for few multiprocessors
  CHECK(rows[0].trial.status == TrialStatus::passed);
  CHECK(rows[1].trial.status == TrialStatus::wrong);
  CHECK_THAT(rows[1].trial.message, Catch::Contains("multiprocessors)"));
}

TEST_CASE("elsewhere: sanitize looks at several tiles of a block that stays", "[session][emulated]") {
  SessionFixture fixture;
  write_stays(fixture);
  SanitizeSession session(emulated_check(fixture, "stays"), fixture.database());
  while (session.step()) {
  }
  REQUIRE(session.rows().size() == 1);
  CHECK(session.rows()[0].findings() > 0);  // the third tile has no barrier
}
