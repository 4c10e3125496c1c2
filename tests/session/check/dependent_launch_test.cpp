// A second launch that may begin before the first has ended: right where it waits first, else rejected by any check.
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kOverlappingToml = R"toml(
doc = "halves in a first launch, doubles in a second one"
tune = false
[[parameter]]
name = "PDL"
values = [0, 1]
[[parameter]]
name = "BUG"
values = [0, 1, 2, 3]
[[parameter]]
name = "CARVEOUT"
values = [-1, 0, 100]
define = false
[[workspace]]
name = "halves"
bytes = "N * 4"
[[launch]]
kernel = "halve"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["x", "halves", "N"]
[[launch]]
kernel = "redouble"
grid = ["ceil_div(N, 128)"]
block = [128]
programmatic = "PDL"
carveout = "CARVEOUT"
arguments = ["halves", "y", "N", "a"]
)toml";

// BUG: 1 reads before it waits; 2 waits in one lane of each warp; 3 does not wait.
constexpr std::string_view kOverlapping = R"cuda(
__device__ void wait() {
  if (PDL == 1) asm volatile("griddepcontrol.wait;" ::: "memory");
}
extern "C" __global__ void halve(const float* x, float* halves, int n) {
  if (PDL == 1) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) halves[i] = 0.5f * x[i];
}
extern "C" __global__ void redouble(const volatile float* halves, float* y, int n, float a) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (BUG == 0) wait();
  if (BUG == 2 && threadIdx.x % 32 == 0) wait();
  if (i >= n) return;
  const float half = halves[i];
  if (BUG == 1) wait();
  y[i] = 2 * a * half;
}
)cuda";

Trial checked(const std::string& configuration, const std::string& device = "emu:h200") {
  SessionFixture fixture;
  write_variant(fixture, "overlapping", kOverlappingToml, kOverlapping);
  CheckOptions options = emulated_check(fixture, "overlapping");
  options.rig.device = device;
  options.configuration = configuration;
  options.only_asked = true;
  options.arguments = {{"N", "1003"}};
  return checked_rows(fixture, options).front().trial;
}

void check_rejected(const std::string& configuration, const std::string& words,
                    const std::string& device = "emu:h200") {
  const Trial trial = checked(configuration, device);
  INFO(configuration << ": " << trial.message);
  CHECK(trial.status != TrialStatus::passed);
  CHECK_THAT(trial.message, Catch::Contains(words));
}

}  // namespace

TEST_CASE("dependent launches: what waits first is right", "[session][emulated]") {
  for (const char* right : {"PDL=1", "PDL=1 CARVEOUT=0", "PDL=0 CARVEOUT=100", "PDL=0 BUG=1"}) {
    const Trial trial = checked(right);
    INFO(right << ": " << trial.message);
    CHECK(trial.status == TrialStatus::passed);
  }
  // Without shared memory of its own a block takes 1 KiB of the system's: 8 fit in 8 KiB, 16 in what there is.
  CHECK(checked("PDL=0").blocks_per_sm == 16);
}

TEST_CASE("dependent launches: who reads before it has waited is wrong", "[session][emulated]") {
  check_rejected("PDL=1 BUG=1", "which a launch before this one writes");
  check_rejected("PDL=1 BUG=2", "which a launch before this one writes");
  check_rejected("PDL=1 BUG=3", "has no griddepcontrol.wait");
}

TEST_CASE("dependent launches: a device without them rejects the launch and says so", "[session][emulated]") {
  check_rejected("PDL=1", "programmatic = true needs compute capability 9.0; this device has 8.0", "emu:a100");
}
