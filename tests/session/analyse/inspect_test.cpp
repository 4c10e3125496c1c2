// What inspect and diff find out, on the emulated device.

#include <algorithm>

#include "base/file.h"
#include "catch.h"
#include "session/analyse/inspect.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

Inspection inspected(const SessionFixture& fixture, const std::string& subject, std::vector<ProblemArgument> arguments,
                     const std::string& dtype, const Database* database = nullptr) {
  InspectOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  options.rig.kernels.families = {fixture.folder()};
  options.subject = parse_subject(subject);
  options.arguments = std::move(arguments);
  options.dtype = dtype;
  return inspect(options, database).finish();
}

const Remark* find_remark(const Inspection& inspection, const std::string& kind) {
  const auto& remarks = inspection.launches.front().remarks;
  const auto at = std::ranges::find(remarks, kind, &Remark::kind);
  return at == remarks.end() ? nullptr : &*at;
}

constexpr std::string_view kTransposeToml = R"toml(
doc = "reads along rows, writes down columns of a tile without a pad"
tune = false
[[launch]]
kernel = "columns"
grid = ["ceil_div(N, 1024)"]
block = [256]
arguments = ["x", "y", "N", "a"]
)toml";

// Line 8 stores with 32-way conflicts, line 11 reads 32 sectors at each request.
constexpr std::string_view kTranspose = R"cuda(
extern "C" __global__ void columns(const float* x, float* y, int n, float a) {
  __shared__ float tile[1024];
  const int t = threadIdx.x;
  const long long base = blockIdx.x * 1024ll;
  for (int j = 0; j < 4; ++j) {
    const float value = base + j * 256 + t < n ? x[base + j * 256 + t] : 0.0f;
    tile[t % 32 * 32 + t / 32 + 8 * j] = value;
  }
  __syncthreads();
  const float far = x[(t % 32 * 977ll + t / 32) % n];
  for (int j = 0; j < 4; ++j) {
    const int i = j * 256 + t;
    if (base + i < n) y[base + i] = a * tile[i % 32 * 32 + i / 32] + 0.0f * far;
  }
}
)cuda";

}  // namespace

TEST_CASE("inspect: lines of the source with their text, and the sums of the counts", "[session][emulated][inspect]") {
  const SessionFixture fixture;
  const Inspection found = inspected(fixture, "gemm/reg2d:PAD=4", {{"M", "256"}}, "fp32");
  CHECK(found.title == "gemm 256x256x256 fp32 nn");
  CHECK(found.trial.variant == "reg2d");
  CHECK(found.trial.id == 0);
  CHECK(found.modelled_us > 0);
  REQUIRE(found.launches.size() == 1);
  const LaunchInspection& launch = found.launches.front();
  CHECK(launch.work.blocks == 4);
  CHECK(launch.registers > 0);
  CHECK(launch.occupancy.blocks > 0);
  CHECK_FALSE(launch.time.units.empty());
  std::int64_t issued = 0, counted = 0;
  for (const SourceLine& line : launch.lines) issued += line.sum.warp_instructions;
  for (const std::int64_t pipe : launch.work.counts.warp_instructions) counted += pipe;
  CHECK(issued == counted);
  // The product is what most instructions are of: its line is known by file, number and text.
  const SourceLine& hot = launch.lines.front();
  CHECK(hot.sum.text.starts_with("fma.rn"));
  CHECK((hot.line.file.ends_with(".cu") || hot.line.file.ends_with(".cuh")));
  CHECK(hot.line.line > 0);
  CHECK_FALSE(hot.source.empty());
  CHECK_FALSE(launch.bottleneck.name.empty());
}

TEST_CASE("inspect: conflicts and scattered reads are found on their lines", "[session][emulated][inspect]") {
  const SessionFixture fixture;
  write_atomic(fixture.family() / "columns.toml", kTransposeToml);
  write_atomic(fixture.family() / "columns.cu", kTranspose);
  const Inspection found = inspected(fixture, fixture.family().string() + "/columns", {{"N", "65536"}}, "");
  const Remark* conflicts = find_remark(found, "bank_conflicts");
  REQUIRE(conflicts != nullptr);
  CHECK_THAT(conflicts->text, Catch::Contains("columns.cu:8: 32-way bank conflict") ||
                                  Catch::Contains("columns.cu:14: 32-way bank conflict"));
  const Remark* scattered = find_remark(found, "uncoalesced");
  REQUIRE(scattered != nullptr);
  CHECK_THAT(scattered->text, Catch::Contains("global loads at columns.cu:11 touch 32 sectors per request where 4"));
  const auto& lines = found.launches.front().lines;
  const auto store = std::ranges::find_if(lines, [](const SourceLine& line) { return line.line.line == 8; });
  REQUIRE(store != lines.end());
  CHECK(store->source == "tile[t % 32 * 32 + t / 32 + 8 * j] = value;");
}

TEST_CASE("inspect: what starting the launches takes, one by one and as a graph", "[session][emulated][inspect]") {
  const SessionFixture fixture;
  const std::vector<ProblemArgument> arguments = {{"N", "5000"}, {"n", "5"}};
  const Inspection single = inspected(fixture, "chain/launches", arguments, "fp32");
  const Inspection graph = inspected(fixture, "chain/graph", arguments, "fp32");
  const TimeConstants known;
  CHECK(single.started == 5);
  CHECK(single.start_us == Approx(5 * known.launch_us));
  CHECK(graph.started == 5);
  CHECK(graph.start == Start::graph);
  CHECK(graph.start_us == Approx(known.launch_us + 4 * known.graph_node_us));
  CHECK(single.modelled_us - single.start_us == Approx(graph.modelled_us - graph.start_us));
}

TEST_CASE("inspect: a trial by its id, with its stored times", "[session][emulated][inspect]") {
  SessionFixture fixture;
  const TuneResult tuned = fixture.tune();
  const auto trials = fixture.trials(tuned);
  const Trial& trial = trials.at("A=2 B=3");
  const Inspection found = inspected(fixture, std::to_string(trial.id), {}, "", &fixture.database());
  CHECK(found.trial.id == trial.id);
  CHECK(found.trial.configuration == "A=2 B=3");
  REQUIRE(found.stored.size() == 1);
  CHECK(found.stored.front().trial == trial.id);
  CHECK(found.stored.front().measurement.clock == ClockKind::scripted);
  CHECK_THROWS_WITH(inspected(fixture, "99999", {}, "", &fixture.database()), Catch::Contains("no such trial"));
}

TEST_CASE("inspect: what was typed is read as family, variant and configuration", "[session][inspect]") {
  const SessionFixture fixture;
  CHECK(parse_subject("12").trial == 12);
  CHECK(parse_subject("gemm").family == "gemm");
  const SubjectName full = parse_subject("gemm/reg2d:BM=64,BN=64");
  CHECK(full.family == "gemm");
  CHECK(full.variant == "reg2d");
  CHECK(full.configuration == "BM=64,BN=64");
  const std::string folder = fixture.family().string();
  CHECK(parse_subject(folder).family == folder);
  CHECK(parse_subject(folder).variant.empty());
  CHECK(parse_subject(folder + "/simple").family == folder);
  CHECK(parse_subject(folder + "/simple").variant == "simple");
  CHECK_THROWS_AS(parse_subject(":BM=64"), UsageError);
  CHECK_THROWS_WITH(inspected(fixture, "gemm", {{"M", "64"}}, "fp32"), Catch::Contains("name a variant: gemm/VARIANT"));
}
