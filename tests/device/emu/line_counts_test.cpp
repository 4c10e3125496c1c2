// Counts by PTX instruction: their sums are the launch's counts, bit-identical with any number of threads.

#include <algorithm>

#include "device/emu/machine_lab.h"
#include "locations.h"

namespace kerlab::emu {
namespace {

// Lanes store to shared memory 8 words apart, wait, read their own, branch by parity.
constexpr const char* kLines = R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "tile.cu"
.visible .entry lines(.param .u64 out)
{
  .reg .b32 %r<9>; .reg .b64 %d<5>; .reg .pred %p<3>;
  .shared .align 4 .b8 tile[2048];
  .loc 1 10 0
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 5;
  mov.u32 %r3, tile;
  add.s32 %r4, %r3, %r2;
  .loc 1 12 0
  st.shared.u32 [%r4], %r1;
  bar.sync 0;
  .loc 1 14 0
  ld.shared.u32 %r5, [%r4];
  and.b32 %r6, %r1, 1;
  setp.eq.s32 %p1, %r6, 0;
  .loc 1 15 0
  @%p1 bra EVEN;
  add.s32 %r5, %r5, 1;
EVEN:
  .loc 1 17 0
  ld.param.u64 %d1, [out];
  mul.wide.u32 %d2, %r1, 64;
  add.s64 %d3, %d1, %d2;
  setp.lt.u32 %p2, %r1, 3;
  @%p2 st.global.u32 [%d3], %r5;
  ret;
}
)";

const LineCounts& at(const LaunchReport& report, const std::string& text, int ptx_from = 0) {
  const auto found = std::ranges::find_if(
      report.lines, [&](const LineCounts& line) { return line.text == text && line.line.ptx_line > ptx_from; });
  REQUIRE(found != report.lines.end());
  return *found;
}

TEST_CASE("An instruction's counts tell its accesses, waits and divergence", "[emu][machine][count]") {
  MachineLab lab(kLines);
  lab.launch.count = true;
  const Buffer<std::uint32_t> out(lab.memory, 2048);
  const LaunchReport report = lab.run("lines", {3, 1, 1}, {64, 1, 1}, out);
  const LineCounts& store = at(report, "st.shared.u32");
  CHECK(store.line.file == "tile.cu");
  CHECK(store.line.line == 12);
  CHECK(store.pipe == Pipe::shared);
  CHECK(store.warp_instructions == 6);
  CHECK(store.shared_requests == 6);
  CHECK(store.wavefronts == 6 * 8);
  CHECK(store.least_wavefronts == 6);
  CHECK(store.bytes == 6 * 128);
  const LineCounts& barrier = at(report, "bar.sync");
  CHECK(barrier.waits == 3);  // of each block's two warps the first
  CHECK(report.counts.barrier_waits == 3);
  const LineCounts& branch = at(report, "bra");
  CHECK(branch.divergences == 6);
  CHECK(branch.line.line == 15);
  const LineCounts& odd = at(report, "add.s32", branch.line.ptx_line);
  CHECK(odd.warp_instructions == 6);
  CHECK(odd.lane_instructions == 6 * 16);
  const LineCounts& guarded = at(report, "st.global.u32");
  CHECK(guarded.warp_instructions == 6);
  CHECK(guarded.lane_instructions == 3 * 3);
  CHECK(guarded.global_requests == 3);
  CHECK(guarded.sectors == 9);
  CHECK(guarded.least_sectors == 3);
}

Counts sum(const LaunchReport& report) {
  Counts counts;
  for (const LineCounts& line : report.lines) {
    counts.warp_instructions[static_cast<std::size_t>(line.pipe)] += line.warp_instructions;
    counts.lane_instructions[static_cast<std::size_t>(line.pipe)] += line.lane_instructions;
    counts.global_requests += line.global_requests;
    counts.global_sectors += line.sectors;
    counts.shared_requests += line.shared_requests;
    counts.shared_wavefronts += line.wavefronts;
    counts.barrier_waits += line.waits;
    counts.divergent_branches += line.divergences;
  }
  return counts;
}

TEST_CASE("Counts by instruction add up, with any number of threads", "[emu][machine][count]") {
  const std::string text = read_text_file((tests_folder() / "device/emu/ptx/gemm_reg2d.ptx").string());
  std::vector<LineCounts> first;
  for (const int threads : {1, 2, 3}) {
    MachineLab lab(text);
    lab.launch.count = true;
    lab.launch.threads = threads;
    lab.launch.dynamic_shared = 2 * 8 * (128 + 128 + 8) * 4;
    const Buffer<float> a(lab.memory, 300 * 40), b(lab.memory, 40 * 264), c(lab.memory, 300 * 264),
        d(lab.memory, 300 * 264);
    const LaunchReport report = lab.run("gemm", {9, 1, 1}, {256, 1, 1}, a, b, c, d, 300, 264, 40, 1.0f, 0.0f);
    const Counts sums = sum(report);
    CHECK(sums.warp_instructions == report.counts.warp_instructions);
    CHECK(sums.lane_instructions == report.counts.lane_instructions);
    CHECK(sums.global_requests == report.counts.global_requests);
    CHECK(sums.global_sectors == report.counts.global_sectors);
    CHECK(sums.shared_requests == report.counts.shared_requests);
    CHECK(sums.shared_wavefronts == report.counts.shared_wavefronts);
    CHECK(sums.barrier_waits == report.counts.barrier_waits);
    CHECK(sums.divergent_branches == report.counts.divergent_branches);
    CHECK(report.counts.global_sectors > 0);
    CHECK(std::ranges::is_sorted(report.lines, {}, [](const LineCounts& line) { return line.line.ptx_line; }));
    if (threads == 1) first = report.lines;
    CHECK(report.lines == first);
  }
}

// Line 2 inlined at line 5, which is inlined at lines 8 and 9 of the kernel.
constexpr const char* kInlined = R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "/k/inlined.cu"
.visible .entry inlined(.param .u64 out)
{
  .reg .b32 %r<9>;
  .loc 1 8 3
  mov.u32 %r1, 1;
  .loc 1 5 3, function_name $L__info_string0, inlined_at 1 8 3
  add.u32 %r2, %r1, 1;
  .loc 1 2 3, function_name $L__info_string1, inlined_at 1 5 3
  sub.u32 %r3, %r1, 1;
  .loc 1 9 3
  .loc 1 5 3, function_name $L__info_string0, inlined_at 1 9 3
  .loc 1 2 3, function_name $L__info_string1, inlined_at 1 5 3
  mul.lo.u32 %r4, %r1, %r2;
  .loc 1 10 1
  ret;
}
)";

TEST_CASE("Inlined code knows the line of the kernel that it comes from", "[emu][machine][count]") {
  MachineLab lab(kInlined);
  lab.launch.count = true;
  const Buffer<std::uint32_t> out(lab.memory, 4);
  const LaunchReport report = lab.run("inlined", {1, 1, 1}, {32, 1, 1}, out);
  const auto line = [&](const std::string& text) { return at(report, text).line; };
  CHECK(line("mov.u32") == CodeLine{"/k/inlined.cu", 8, 9, "", 0});
  CHECK(line("add.u32") == CodeLine{"/k/inlined.cu", 5, 11, "/k/inlined.cu", 8});
  CHECK(line("sub.u32") == CodeLine{"/k/inlined.cu", 2, 13, "/k/inlined.cu", 8});
  CHECK(line("mul.lo.u32") == CodeLine{"/k/inlined.cu", 2, 17, "/k/inlined.cu", 9});
  CHECK(line("ret") == CodeLine{"/k/inlined.cu", 10, 19, "", 0});
}

}  // namespace
}  // namespace kerlab::emu
