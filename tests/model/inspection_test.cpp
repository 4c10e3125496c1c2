#include "model/inspection.h"

#include "catch.h"

using namespace kerlab;
using Catch::Contains;

namespace {

LineCounts instruction(const std::string& text, int line, std::int64_t warps) {
  LineCounts counts;
  counts.line = {"/tmp/kernels/reg2d.cu", line, 100 + line};
  counts.text = text;
  counts.warp_instructions = warps;
  counts.lane_instructions = 32 * warps;
  return counts;
}

LineCounts shared_access(const std::string& text, int line, std::int64_t requests, int width, int wavefronts,
                         int least) {
  LineCounts counts = instruction(text, line, requests);
  counts.pipe = Pipe::shared;
  counts.shared_requests = requests;
  counts.bytes = 32 * requests * width;
  counts.wavefronts = requests * wavefronts;
  counts.least_wavefronts = requests * least;
  return counts;
}

LineCounts global_access(const std::string& text, int line, std::int64_t requests, int sectors, int least) {
  LineCounts counts = instruction(text, line, requests);
  counts.pipe = Pipe::global;
  counts.global_requests = requests;
  counts.bytes = 128 * requests;
  counts.sectors = requests * sectors;
  counts.least_sectors = requests * least;
  return counts;
}

/// Nothing is wrong with it.
LaunchInspection healthy() {
  LaunchInspection launch;
  launch.work.blocks = launch.work.blocks_run = 4096;
  launch.waves = waves_of(4096, 528);
  launch.occupancy = {4, 0.75, "registers"};
  launch.time.limiter = "fp32 pipe";
  launch.time.units = {{"fp32 pipe", 8192, 0.91}};
  launch.time.alone_cycles = 10000;
  launch.instructions = {instruction("fma.rn.f32", 60, 1000), shared_access("ld.shared.v4.f32", 57, 1000, 16, 4, 4),
                         global_access("ld.global.f32", 31, 1000, 4, 4)};
  return launch;
}

std::vector<Remark> remarks(const LaunchInspection& launch) {
  DeviceInfo device;
  device.sms = 132;
  return remarks_on(launch, device);
}

}  // namespace

TEST_CASE("a launch without problems is told nothing besides its bottleneck", "[model][inspect]") {
  CHECK(remarks(healthy()).empty());
}

TEST_CASE("bank conflicts are told by line, with ways and the pad", "[model][inspect]") {
  LaunchInspection launch = healthy();
  launch.instructions[1] = shared_access("ld.shared.v4.f32", 57, 1000, 16, 32, 4);
  launch.instructions.push_back(shared_access("st.shared.f32", 70, 10, 4, 32, 1));  // worse, and does not matter
  const auto said = remarks(launch);
  REQUIRE(said.size() == 1);
  CHECK(said[0].kind == "bank_conflicts");
  CHECK(
      said[0].text ==
      "shared loads at reg2d.cu:57: 8-way bank conflict (32 wavefronts where 4 would do, 99 % of all): pad rows by 16 "
      "bytes or swizzle");
  CHECK(said[0].line.line == 57);
}

TEST_CASE("instructions of one line are one access; loads and stores are not", "[model][inspect]") {
  LaunchInspection launch = healthy();
  launch.instructions = {shared_access("ld.shared.f32", 57, 500, 4, 2, 1),
                         shared_access("ld.shared.f32", 57, 500, 4, 4, 1),
                         shared_access("st.shared.f32", 57, 1000, 4, 2, 1)};
  const auto said = remarks(launch);
  REQUIRE(said.size() == 2);
  CHECK_THAT(said[0].text, Contains("shared loads at reg2d.cu:57: 3-way bank conflict (3 wavefronts where 1 would do"));
  CHECK_THAT(said[1].text, Contains("shared stores at reg2d.cu:57: 2-way bank conflict"));
}

TEST_CASE("conflicts of scalars that ptxas may merge are told so; a copy pads by what a lane copies",
          "[model][inspect]") {
  LaunchInspection launch = healthy();
  launch.instructions.assign(4, shared_access("ld.shared.f32", 48, 100, 4, 4, 1));
  CHECK_THAT(remarks(launch)[0].text, Contains("4-way bank conflict") &&
                                          Contains("none if ptxas makes one wide access of scalar ones side by side"));
  launch.instructions.assign(1, shared_access("cp.async.ca.shared.global", 48, 100, 8, 2, 1));
  CHECK_THAT(remarks(launch)[0].text,
             Contains("cp.async at reg2d.cu:48: 2-way") && Catch::EndsWith("by 4 bytes or swizzle"));
}

TEST_CASE("scattered accesses are told with sectors per request", "[model][inspect]") {
  LaunchInspection launch = healthy();
  launch.instructions[2] = global_access("ld.global.nc.f32", 31, 1000, 32, 4);
  const auto said = remarks(launch);
  REQUIRE(said.size() == 1);
  CHECK(
      said[0].text ==
      "global loads at reg2d.cu:31 touch 32 sectors per request where 4 would do (100 % of all): neighbouring threads "
      "should read neighbouring addresses");
}

TEST_CASE("shape: spills, tail, too few blocks", "[model][inspect]") {
  LaunchInspection launch = healthy();
  launch.spill_bytes = 48;
  launch.work.blocks = 316;
  launch.waves = waves_of(316, 264);
  launch.occupancy.fraction = 0.125;
  for (UnitDemand& unit : launch.time.units) unit.busy /= 2;
  std::string all;
  for (const Remark& remark : remarks(launch)) all += remark.text + "\n";
  CHECK_THAT(all, Contains("spills 48 B a thread"));
  CHECK_THAT(all, Contains("tail: 1.2 waves, the last one 20 % full: 40 % of all places stay empty"));
  launch.bottleneck.name = kWaveTail;  // has said it already
  all.clear();
  for (const Remark& remark : remarks(launch)) all += remark.text + "\n";
  CHECK_THAT(all, !Contains("tail"));

  launch.work.blocks = 33;
  launch.waves = waves_of(33, 264);
  all.clear();
  for (const Remark& remark : remarks(launch)) all += remark.text + "\n";
  CHECK_THAT(all, Contains("33 blocks for 132 SMs: 75 % of the SMs have nothing to do"));
  CHECK_THAT(all, !Contains("tail"));
}

TEST_CASE("divergence and barriers name the worst line", "[model][inspect]") {
  LaunchInspection launch = healthy();
  launch.work.counts.warp_instructions[0] = 1000;
  launch.work.counts.lane_instructions[0] = 16000;
  LineCounts branch = instruction("bra", 15, 100);
  branch.divergences = 75;
  LineCounts barrier = instruction("bar.sync", 20, 100);
  barrier.waits = 99;
  launch.instructions.push_back(branch);
  launch.instructions.push_back(barrier);
  launch.time.barrier_cycles = 2500;
  std::string all;
  for (const Remark& remark : remarks(launch)) all += remark.text + "\n";
  CHECK_THAT(all, Contains("the branch at reg2d.cu:15 sends 75 % of the warps both ways; of 32 lanes 16.0 are active"));
  CHECK_THAT(all, Contains("barriers take about 25 % of a block's time, most of them at reg2d.cu:20"));
}

TEST_CASE("waves: places, the last one, what stays empty", "[model][inspect]") {
  CHECK(waves_of(264, 264).waves == 1);
  CHECK(waves_of(264, 264).last == 1);
  CHECK(waves_of(264, 264).idle == 0);
  CHECK(waves_of(396, 264).waves == 1.5);
  CHECK(waves_of(396, 264).last == 0.5);
  CHECK(waves_of(396, 264).idle == 0.25);
  CHECK(waves_of(1, 0).waves == 0);
}

TEST_CASE("source lines add up, the most executed first", "[model][inspect]") {
  std::vector<LineCounts> counts = {instruction("add.s32", 5, 10), instruction("fma.rn.f32", 7, 80),
                                    instruction("ld.shared.f32", 5, 30)};
  LineCounts unknown = instruction("ret", 0, 1);
  unknown.line = {"", 0, 9};
  counts.push_back(unknown);
  const auto lines = by_source_line(counts);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].line.line == 7);
  CHECK(lines[1].sum.warp_instructions == 40);
  CHECK(lines[1].sum.text == "ld.shared.f32");
  CHECK(lines[1].share == Approx(40.0 / 121));
  CHECK(place_text(lines[1].line) == "reg2d.cu:5");
  CHECK(place_text(lines[2].line) == "ptx line 9");
  CHECK(place_text({"/k/operands.cuh", 7, 30, "/k/naive.cu", 26}) == "operands.cuh:7 (from naive.cu:26)");
}
