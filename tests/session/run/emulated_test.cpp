// Whole sessions on the emulated device: right kernels pass and are ranked, each kind of wrong one is found.

#include <algorithm>

#include "base/file.h"
#include "base/scoped_variable.h"
#include "catch.h"
#include "session/bench/bench.h"
#include "session/check/check.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kBuggyToml = R"toml(
doc = "right for BUG = 0 only"
tune = false
[[parameter]]
name = "BUG"
values = [0, 1, 2, 3, 4, 5, 6, 7, 8]
[[launch]]
kernel = "buggy"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["x", "y", "N", "a"]
)toml";

constexpr std::string_view kBuggy = R"cuda(
extern "C" __global__ void buggy(const float* x, float* y, int n, float a) {
  __shared__ float tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const int last = BUG == 1 ? n - 1 : BUG == 2 ? n + 1 : n;   // 1: the last is not written; 2: one behind the end is
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  if (BUG != 3 || threadIdx.x < 64) __syncthreads();          // 3: half the threads wait for the others
  float value = a * tile[BUG == 4 ? (threadIdx.x + 1) % 128 : threadIdx.x];   // 4: the neighbour's value
  while (BUG == 5 && value == value) value += 1.0f;           // 5: for ever
  if (BUG == 6 && i == 7) const_cast<float*>(x)[7] = 0.0f;    // 6: writes an input
  if (BUG == 7 && i == n - 1) value = y[i + (1 << 28)];       // 7: far outside
  if (BUG == 8 && i == 5) __trap();
  if (i < last) y[i] = value;
}
)cuda";

TuneOptions emulated(const SessionFixture& fixture) {
  TuneOptions options = fixture.options();
  options.rig.device = "emu:h200";
  return options;
}

std::map<std::string, Trial> check_bugs(SessionFixture& fixture, const std::string& n, std::string* scope = nullptr) {
  write_atomic(fixture.family() / "buggy.toml", kBuggyToml);
  write_atomic(fixture.family() / "buggy.cu", kBuggy);
  const ScopedVariable budget("KERLAB_EMU_BUDGET", "100000");
  CheckOptions options;
  options.rig = emulated(fixture).rig;
  options.variants = {"buggy"};
  options.arguments = {{"N", n}};
  options.every_configuration = true;
  options.only_asked = true;
  CheckSession session(options, fixture.database());
  while (session.step()) {
  }
  std::map<std::string, Trial> trials;
  for (const CheckRow& row : session.rows()) {
    trials[row.trial.configuration] = row.trial;
    if (scope != nullptr && row.trial.status == TrialStatus::passed) *scope = row.scope;
  }
  return trials;
}

}  // namespace

TEST_CASE("emulated: a tune verifies, ranks by a model and says so", "[session][emulated]") {
  SessionFixture fixture;
  const TuneResult result = fixture.tune(emulated(fixture));
  REQUIRE(result.rows.size() >= 2);
  CHECK(result.counts.passed == 12);
  CHECK(result.device.kind == DeviceKind::emulated);
  CHECK(result.verified == "all " + std::to_string(result.rows[0].trial.threads == 32 ? 1024 / 32 : 0) + " blocks");
  for (const RankedTrial& row : result.rows) {
    CHECK(row.measurement.clock == ClockKind::modelled);
    CHECK(row.measurement.samples_us.size() == 1);
    CHECK(row.measurement.median_us > 0);
  }
  const TuneResult again = fixture.tune(emulated(fixture));
  CHECK(again.counts.stored == 12);
  CHECK(again.rows.front().trial.id == result.rows.front().trial.id);
  TuneOptions fresh = emulated(fixture);
  fresh.screening.fresh = true;
  CHECK(fixture.tune(fresh).rows.front().measurement.median_us == result.rows.front().measurement.median_us);
}

TEST_CASE("emulated: every kind of wrong kernel is found, executed whole", "[session][emulated]") {
  SessionFixture fixture;
  std::string scope;
  auto trials = check_bugs(fixture, "1001", &scope);
  REQUIRE(trials.size() == 9);
  CHECK(scope == "all 8 blocks");
  CHECK(trials["BUG=0"].status == TrialStatus::passed);
  CHECK(trials["BUG=1"].status == TrialStatus::wrong);
  CHECK_THAT(trials["BUG=1"].message, Catch::Contains("[1000]"));
  CHECK(trials["BUG=2"].status == TrialStatus::guard_violation);
  CHECK_THAT(trials["BUG=2"].message, Catch::Contains("y: 4 bytes after its end overwritten, first at +0"));
  CHECK(trials["BUG=4"].status == TrialStatus::wrong);
  CHECK(trials["BUG=5"].status == TrialStatus::timeout);
  CHECK(trials["BUG=6"].status == TrialStatus::input_modified);
  CHECK(trials["BUG=7"].status == TrialStatus::illegal_address);
  CHECK(trials["BUG=8"].status == TrialStatus::trap);
}

TEST_CASE("emulated: of a big problem some blocks are executed, and the whole of a small one", "[session][emulated]") {
  SessionFixture fixture;
  std::string scope;
  auto trials = check_bugs(fixture, "20000001", &scope);
  REQUIRE(trials.size() == 9);
  CHECK_THAT(scope, Catch::Contains("6 of 156251 blocks, and whole at scale 100003"));
  CHECK(trials["BUG=0"].status == TrialStatus::passed);
  // What the small problem shows although no sampled block would: an element that nobody writes.
  CHECK(trials["BUG=1"].status == TrialStatus::wrong);
  CHECK(trials["BUG=2"].status == TrialStatus::guard_violation);
  CHECK(trials["BUG=4"].status == TrialStatus::wrong);
  CHECK(trials["BUG=5"].status == TrialStatus::timeout);
  CHECK(trials["BUG=6"].status == TrialStatus::input_modified);
  CHECK(trials["BUG=7"].status == TrialStatus::illegal_address);
  CHECK(trials["BUG=8"].status == TrialStatus::trap);
}

TEST_CASE("emulated: bench models the time of a configuration", "[session][emulated]") {
  SessionFixture fixture;
  BenchOptions options;
  options.rig = emulated(fixture).rig;
  options.variants = {"simple"};
  options.configuration = "A=2,B=3";
  BenchSession session(options, fixture.database());
  while (session.step()) {
  }
  REQUIRE(session.rows().size() == 1);
  REQUIRE(session.rows()[0].measurement);
  CHECK(session.rows()[0].measurement->clock == ClockKind::modelled);
  CHECK(session.rows()[0].measurement->protocol == "model-5");
}

TEST_CASE("emulated: an emulated winner is none for the real device", "[session][emulated]") {
  SessionFixture fixture;
  const TuneResult emulated_result = fixture.tune(emulated(fixture));
  REQUIRE(!emulated_result.rows.empty());
  const TuneResult scripted = fixture.tune();
  CHECK(scripted.counts.stored == 0);
  CHECK(scripted.device.device_class() != emulated_result.device.device_class());
  CHECK_FALSE(scripted.previous);
}

TEST_CASE("a check of every value takes few configurations and finds the one value that is wrong", "[emulated]") {
  SessionFixture fixture;
  write_atomic(fixture.family() / "values.toml", std::string_view(R"toml(
doc = "wrong for SPLIT = 4"
tune = false
[[parameter]]
name = "SPLIT"
values = [1, 2, 4]
[[parameter]]
name = "THREADS"
values = [32, 64, 128, 256]
[[constraint]]
name = "threads"
condition = "THREADS <= N"
[[launch]]
kernel = "values"
grid = ["ceil_div(N, THREADS)"]
block = ["THREADS"]
arguments = ["x", "y", "N", "a"]
)toml"));
  write_atomic(fixture.family() / "values.cu", std::string_view(R"cuda(
extern "C" __global__ void values(const float* x, float* y, int n, float a) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = SPLIT == 4 && i == n - 1 ? 0.0f : a * x[i];
}
)cuda"));
  CheckOptions options;
  options.rig = emulated(fixture).rig;
  options.variants = {"values"};
  options.arguments = {{"N", "201"}};
  options.only_asked = true;
  const auto failed = [&](std::size_t rows) {
    CheckSession session(options, fixture.database());
    while (session.step()) {
    }
    CHECK(session.rows().size() == rows);
    CHECK(session.notes().size() == (options.every_value ? 1 : 0));
    if (options.every_value) CHECK(session.notes().at(0).find("THREADS=256") != std::string::npos);
    std::vector<std::string> wrong;
    for (const CheckRow& row : session.rows())
      if (row.trial.status != TrialStatus::passed) wrong.push_back(row.trial.configuration);
    return wrong;
  };
  CHECK(failed(1).empty());
  options.every_value = true;
  const std::vector<std::string> wrong = failed(3);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong.front().find("SPLIT=4") != std::string::npos);
}
