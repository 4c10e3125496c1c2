// What is wrong with blocks, not with elements: an order that they need not have, and work that nobody has done.
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kToldToml = R"toml(
doc = "each block waits for the one before it"
tune = false
[[parameter]]
name = "EARLY"
values = [0, 1]
[[workspace]]
name = "told"
bytes = "4 * ceil_div(N, 128)"
init = "zero"
[[launch]]
kernel = "told"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["x", "y", "N", "a", "told"]
in_order = true
)toml";

// EARLY: goes on when the block before it has begun, not only when it has ended. Whoever runs blocks in order, each
// until it has to wait, never sees that.
constexpr std::string_view kTold = R"cuda(
extern "C" __global__ void told(const float* x, float* y, int n, float a, volatile int* told) {
  __shared__ float factor;
  if (threadIdx.x == 0) {
    told[blockIdx.x] = 1;
    __threadfence();
    int before = blockIdx.x == 0 ? 2 : 0;
    while (before < (EARLY ? 1 : 2)) before = told[blockIdx.x - 1];
    factor = before == 2 ? a : 0.0f;
    __threadfence();
    told[blockIdx.x] = 2;
  }
  __syncthreads();
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
)cuda";

// IDLE=1: in large grids every second block does nothing; 2: each leaves its last 1024 elements.
constexpr std::string_view kIdle = R"cuda(
extern "C" __global__ void idle(const float* x, float* y, int n, float a) {
  if (IDLE == 1 && gridDim.x > 300 && blockIdx.x % 2 == 1) return;
  for (int e = 0; e < (IDLE == 2 && gridDim.x > 300 ? 15 : 16); ++e) {
    const int i = blockIdx.x * 16384 + e * 1024 + threadIdx.x;
    if (i < n) y[i] = a * x[i];
  }
}
)cuda";

constexpr std::string_view kTicketToml = R"toml(
doc = "each block draws a number, and waits for the one before it"
tune = false
[[parameter]]
name = "HALVES"
values = [0, 1]
[[workspace]]
name = "drawn"
bytes = "4"
init = "zero"
[[workspace]]
name = "done"
bytes = "4 * ceil_div(N, 128)"
init = "zero"
[[launch]]
kernel = "ticket"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["x", "y", "N", "a", "drawn", "done"]
)toml";

// HALVES: numbers of both halves by turns, so that blocks wait for such as may not have begun: right where all of them
// fit the device.
constexpr std::string_view kTicket = R"cuda(
extern "C" __global__ void ticket(const float* x, float* y, int n, float a, int* drawn, volatile int* done) {
  __shared__ int number;
  if (threadIdx.x == 0) {
    const int turn = atomicAdd(drawn, 1), upper = (gridDim.x + 1) / 2;
    number = !HALVES ? turn : turn % 2 == 0 ? turn / 2 : upper + turn / 2;
    while (number > 0 && done[number - 1] == 0) continue;
    __threadfence();
    done[number] = 1;
  }
  __syncthreads();
  const int i = number * 128 + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
)cuda";

// In large grids, of a thread whose first result is in the output already: LOOKS=1 leaves the others, 2 does not trust
// them and computes them all the same, which is right; 3: a warp leaves the others where all of its first ones are
// there.
constexpr std::string_view kLooks = R"cuda(
extern "C" __global__ void looks(const float* x, float* y, int n, float a) {
  const int first = blockIdx.x * 16384 + threadIdx.x;
  const bool there = gridDim.x > 300 && first < n && y[first] == a * x[first];
  if (LOOKS == 1 && there) return;
  if (LOOKS == 3 && __all_sync(__activemask(), there)) return;
  for (int i = first; i < n && i < first + 16384; i += 1024)
    if (LOOKS != 2 || !there || y[i] != a * x[i]) y[i] = a * x[i];
}
)cuda";

/// Sixteen elements a thread; the parameter is 0 to 3.
OneLaunch sixteen_a_thread(const char* name, const char* parameter) {
  return {name, {{parameter, "0, 1, 2, 3"}}, "ceil_div(N, 16384)", 1024};
}

/// The rows of a check on an emulated device, by themselves: of the problem asked for.
std::vector<CheckRow> check_alone(SessionFixture& fixture, const std::string& variant, const std::string& configuration,
                                  std::int64_t extent) {
  CheckOptions options = emulated_check(fixture, variant);
  options.configuration = configuration;
  options.only_asked = true;
  options.arguments = {{"N", std::to_string(extent)}};
  return checked_rows(fixture, options);
}

}  // namespace

TEST_CASE("blocks: what is right only where they go on in order is wrong", "[session][emulated]") {
  SessionFixture fixture;
  write_variant(fixture, "told", kToldToml, kTold);
  for (const CheckRow& row : check_alone(fixture, "told", "EARLY=0", 5003)) {
    INFO(row.trial.message);
    CHECK(row.trial.status == TrialStatus::passed);
  }
  CHECK(check_alone(fixture, "told", "EARLY=1", 5003).front().trial.status == TrialStatus::wrong);
}

TEST_CASE("blocks: of a large problem, of which some are executed, what nobody writes is missing",
          "[session][emulated]") {
  SessionFixture fixture;
  write_variant(fixture, sixteen_a_thread("idle", "IDLE"), kIdle);
  constexpr std::int64_t kLarge = 8'400'003;  // 513 blocks, more than are executed of it
  const std::vector<CheckRow> right = check_alone(fixture, "idle", "IDLE=0", kLarge);
  INFO(right.front().trial.message);
  CHECK(right.front().trial.status == TrialStatus::passed);
  CHECK(right.front().report.blocks_run == 6);
  for (const char* idle : {"IDLE=1", "IDLE=2"}) {
    const Trial wrong = check_alone(fixture, "idle", idle, kLarge).front().trial;
    CHECK(wrong.status == TrialStatus::wrong);
    CHECK_THAT(wrong.message, Catch::Contains("written"));
  }
}

TEST_CASE("blocks: of a large problem, a result that is there does not stand for others", "[session][emulated]") {
  SessionFixture fixture;
  write_variant(fixture, sixteen_a_thread("looks", "LOOKS"), kLooks);
  for (const char* looks : {"LOOKS=0", "LOOKS=1", "LOOKS=2", "LOOKS=3"}) {
    const std::vector<CheckRow> rows = check_alone(fixture, "looks", looks, 8'400'003);
    INFO(looks << ": " << rows.front().trial.message);
    CHECK(rows.front().report.blocks_run == 6);
    const bool right = std::string_view(looks) == "LOOKS=0" || std::string_view(looks) == "LOOKS=2";
    CHECK(rows.front().trial.status == (right ? TrialStatus::passed : TrialStatus::wrong));
    if (!right) CHECK_THAT(rows.front().trial.message, Catch::Contains("there before the launch"));
  }
}

TEST_CASE("blocks: what waits for blocks that have not begun is wrong, though all fit the device",
          "[session][emulated]") {
  SessionFixture fixture;
  write_variant(fixture, "ticket", kTicketToml, kTicket);
  constexpr std::int64_t kBlocks = 600;  // an H200 runs some 2,000 of them at once
  const Trial right = check_alone(fixture, "ticket", "HALVES=0", 128 * kBlocks).front().trial;
  INFO(right.message);
  CHECK(right.status == TrialStatus::passed);
  const Trial wrong = check_alone(fixture, "ticket", "HALVES=1", 128 * kBlocks).front().trial;
  CAPTURE(wrong.message);
  CHECK(wrong.status == TrialStatus::guard_violation);
  CHECK_THAT(wrong.message, Catch::Contains("deadlock"));
}
