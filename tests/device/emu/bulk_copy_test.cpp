// cp.async.bulk in all directions, its groups, st.async and red.async within a block: what moves, when, and what
// faults.

#include <bit>
#include <numeric>

#include "device/emu/hopper_text.h"

using namespace kerlab;
using namespace kerlab::emu;
using Catch::Contains;

namespace {

const std::string kShared = ".shared .align 128 .b8 data[4096]; .shared .align 8 .b64 full;";
const std::string kInit =
    "mov.u32 r10, full; mov.u32 r12, data; setp.eq.u32 p0, r1, 0;\n"
    "@p0 mbarrier.init.shared.b64 [r10], 1; bar.sync 0;\n";
const std::string kLoad = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
const std::string kStore = "cp.async.bulk.global.shared::cta.bulk_group ";

std::vector<unsigned> numbers(std::size_t count) {
  std::vector<unsigned> values(count);
  std::iota(values.begin(), values.end(), 1000u);
  return values;
}

struct Run {
  std::vector<unsigned> out;
  LaunchReport report;
};

Run run(const std::string& body, unsigned threads, bool count = false, const std::string& shared = kShared,
        std::size_t outputs = 1024) {
  MachineLab lab(hopper_text(shared, body));
  const Buffer<unsigned> in(lab.memory, numbers(1024));
  const Buffer<unsigned> out(lab.memory, std::vector<unsigned>(outputs, 7u));
  lab.launch.count = count;
  lab.launch.record_writes = !count;
  Run result;
  result.report = lab.run("k", {1, 1, 1}, {threads, 1, 1}, out, in, 0u);
  result.out = out.values();
  return result;
}

}  // namespace

TEST_CASE("bulk copy: to shared memory, at the last moment", "[emu][bulk]") {
  const std::string body = kInit + "@p0 mbarrier.arrive.expect_tx.shared.b64 _, [r10], 1024;\n@p0 " + kLoad +
                           "[r12], [x1], 512, [r10];\n@p0 " + kLoad + "[r12+512], [x1+2048], 512, [r10];\n" +
                           "shl.b32 r13, r1, 4; add.u32 r13, r12, r13; ld.shared.u32 r14, [r13];\n" +
                           wait_for("r10", "0", "a") +
                           "ld.shared.u32 r15, [r13]; shl.b32 r16, r1, 3; cvt.u64.u32 x2, r16; add.u64 x2, x0, x2;\n"
                           "st.global.u32 [x2], r14; st.global.u32 [x2+4], r15;\n";
  const Run got = run(body, 64);
  for (unsigned i = 0; i < 64; ++i) {
    CHECK(got.out[2 * i] == ~0u);  // before the wait: what never was written
    CHECK(got.out[2 * i + 1] == (i < 32 ? 1000 + 4 * i : 1512 + 4 * (i - 32)));
  }
}

TEST_CASE("bulk copy: to global memory, by groups", "[emu][bulk]") {
  // Each group is done when a wait asks for it, and not before; what is left is done when the block ends.
  const std::string body = kInit +
                           "mov.u32 r20, 1; st.shared.u32 [r12], r20; mov.u32 r20, 2; st.shared.u32 [r12+16], r20;\n"
                           "mov.u32 r20, 3; st.shared.u32 [r12+32], r20; fence.proxy.async.shared::cta;\n" +
                           kStore + "[x0], [r12], 16; cp.async.bulk.commit_group;\n" + kStore +
                           "[x0+16], [r12+16], 16; cp.async.bulk.commit_group;\n" + kStore +
                           "[x0+32], [r12+32], 16; cp.async.bulk.commit_group;\n"
                           "ld.global.u32 r21, [x0]; st.global.u32 [x0+64], r21;\n"
                           "cp.async.bulk.wait_group 2; ld.global.u32 r21, [x0]; st.global.u32 [x0+68], r21;\n"
                           "ld.global.u32 r21, [x0+16]; st.global.u32 [x0+72], r21;\n"
                           "cp.async.bulk.wait_group.read 1; ld.global.u32 r21, [x0+32]; st.global.u32 [x0+76], r21;\n"
                           // The second has been read, not written: its source is free, its target is old.
                           "ld.global.u32 r21, [x0+16]; st.global.u32 [x0+80], r21; mov.u32 r20, 99;\n"
                           "st.shared.u32 [r12+16], r20; mov.u32 r20, 4; st.shared.u32 [r12+32], r20;\n";
  const Run got = run(body, 1);
  CHECK(got.out[0] == 1);
  CHECK(got.out[4] == 2);
  CHECK(got.out[8] == 4);  // not waited for: whatever was there last
  CHECK(got.out[1] == ~0u);
  CHECK(got.out[16] == 7);
  CHECK(got.out[17] == 1);
  CHECK(got.out[18] == 7);
  CHECK(got.out[19] == 7);
  CHECK(got.out[20] == 7);
  REQUIRE(got.report.written.size() == 2);
  CHECK(got.report.written[0].end - got.report.written[0].begin == 48);
}

TEST_CASE("bulk copy: a ring of four stages", "[emu][bulk]") {
  // One warp loads tiles of 256 bytes, two warps add them up; out[thread] is the sum over the tiles.
  const std::string shared =
      ".shared .align 128 .b8 ring[1024]; .shared .align 8 .b64 full[4]; .shared .align 8 .b64 empty[4];";
  const std::string body =
      "mov.u32 r10, full; mov.u32 r11, empty; mov.u32 r12, ring; setp.eq.u32 p0, r1, 64; @!p0 bra ready;\n"
      "mov.u32 r20, 0;\ninit: shl.b32 r21, r20, 3; add.u32 r22, r10, r21; add.u32 r23, r11, r21;\n"
      "mbarrier.init.shared.b64 [r22], 1; mbarrier.init.shared.b64 [r23], 64; add.u32 r20, r20, 1;\n"
      "setp.lt.u32 p1, r20, 4; @p1 bra init; fence.mbarrier_init.release.cluster;\nready: bar.sync 0;\n"
      "mov.u32 r20, 0; mov.u32 r30, 0; mov.u32 r31, 0; setp.ge.u32 p1, r1, 64; @!p1 bra consume;\n"
      // r20 the tile, r30 its stage, r31 the parity of the stage's round
      "setp.ne.u32 p2, r1, 64; @p2 bra out;\n"
      "produce: shl.b32 r21, r30, 3; add.u32 r22, r10, r21; add.u32 r23, r11, r21; xor.b32 r24, r31, 1;\n" +
      wait_for("r23", "r24", "p") +
      "mbarrier.arrive.expect_tx.shared.b64 _, [r22], 256; shl.b32 r25, r30, 8; add.u32 r25, r12, r25;\n"
      "mul.wide.u32 x2, r20, 256; add.u64 x2, x1, x2;\n" +
      kLoad +
      "[r25], [x2], 256, [r22];\nadd.u32 r20, r20, 1; add.u32 r30, r30, 1; setp.eq.u32 p3, r30, 4;\n"
      "@p3 mov.u32 r30, 0; @p3 xor.b32 r31, r31, 1; setp.lt.u32 p2, r20, r0; @p2 bra produce; bra out;\n"
      "consume: mov.u32 r40, 0;\nnext: shl.b32 r21, r30, 3; add.u32 r22, r10, r21; add.u32 r23, r11, r21;\n" +
      wait_for("r22", "r31", "c") +
      "shl.b32 r25, r30, 8; add.u32 r25, r12, r25; shl.b32 r26, r1, 2; add.u32 r25, r25, r26; ld.shared.u32 r27, "
      "[r25];\n"
      "add.u32 r40, r40, r27; mbarrier.arrive.shared.b64 _, [r23];\n"
      "add.u32 r20, r20, 1; add.u32 r30, r30, 1; setp.eq.u32 p3, r30, 4;\n"
      "@p3 mov.u32 r30, 0; @p3 xor.b32 r31, r31, 1; setp.lt.u32 p2, r20, r0; @p2 bra next;\n"
      "mul.wide.u32 x2, r1, 4; add.u64 x2, x0, x2; st.global.u32 [x2], r40;\nout:\n";
  constexpr unsigned kTiles = 37;
  MachineLab lab(hopper_text(shared, body));
  std::vector<unsigned> values(kTiles * 64);
  std::vector<unsigned> sums(64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<unsigned>(i * i % 1009);
    sums[i % 64] += values[i];
  }
  const Buffer<unsigned> in(lab.memory, values);
  for (const int threads : {1, 4}) {
    const Buffer<unsigned> out(lab.memory, 64);
    lab.launch.threads = threads;
    lab.run("k", {8, 1, 1}, {96, 1, 1}, out, in, kTiles);
    CHECK(out.values() == sums);
  }
}

namespace {

/// What becomes of `old` when `operand` is reduced into it in global memory.
template <class T>
T reduced(const std::string& operation, T old, T operand) {
  MachineLab lab(hopper_text(kShared,
                             "mov.u32 r12, data; ld.global.v4.u32 {r20, r21, r22, r23}, [x1];\n"
                             "st.shared.v4.u32 [r12], {r20, r21, r22, r23};\n"
                             "cp.reduce.async.bulk.global.shared::cta.bulk_group." +
                                 operation +
                                 " [x0], [r12], 16; cp.async.bulk.commit_group;\n"
                                 "cp.async.bulk.wait_group 0;\n"));
  const Buffer<T> in(lab.memory, std::vector<T>(16 / sizeof(T), operand));
  const Buffer<T> out(lab.memory, std::vector<T>(16 / sizeof(T), old));
  lab.run("k", {1, 1, 1}, {1, 1, 1}, out, in, 0u);
  const std::vector<T> values = out.values();
  for (const T value : values) CHECK(std::memcmp(&value, values.data(), sizeof value) == 0);
  return values.front();
}

}  // namespace

TEST_CASE("bulk copy: reductions in global memory", "[emu][bulk]") {
  CHECK(reduced<unsigned>("add.u32", 5, ~0u) == 4);
  CHECK(reduced<int>("min.s32", 5, -7) == -7);
  CHECK(reduced<int>("max.s32", 5, -7) == 5);
  CHECK(reduced<unsigned>("inc.u32", 5, 5) == 0);
  CHECK(reduced<unsigned>("inc.u32", 4, 5) == 5);
  CHECK(reduced<unsigned>("dec.u32", 0, 5) == 5);
  CHECK(reduced<unsigned>("and.b32", 12, 10) == 8);
  CHECK(reduced<unsigned>("or.b32", 12, 10) == 14);
  CHECK(reduced<std::uint64_t>("xor.b64", 1ull << 40, 3) == ((1ull << 40) | 3));
  CHECK(reduced<std::uint64_t>("add.u64", 1ull << 40, 3) == (1ull << 40) + 3);
  CHECK(reduced<std::int64_t>("max.s64", -4, 3) == 3);
  CHECK(reduced<float>("add.f32", 1.5f, 0.25f) == 1.75f);
  CHECK(reduced<double>("add.f64", 1.5, 0.25) == 1.75);
  CHECK(reduced<std::uint16_t>("add.noftz.f16", 0x3c00, 0x3800) == 0x3e00);   // 1 + 0.5
  CHECK(reduced<std::uint16_t>("add.noftz.bf16", 0x3f80, 0x3b00) == 0x3f80);  // 1 + 2^-9: half an ulp below
  CHECK(reduced<std::uint16_t>("add.noftz.f16", 0x0001, 0x0001) == 0x0002);   // subnormals stay
  CHECK(reduced<std::uint16_t>("min.f16", 0x3c00, 0xc000) == 0xc000);
  CHECK(reduced<std::uint16_t>("max.bf16", 0x3f80, 0xc000) == 0x3f80);
  CHECK(reduced<std::uint16_t>("max.f16", 0x7e00, 0xc000) == 0xc000);  // NaN loses
}

TEST_CASE("bulk copy: what is wrong is a fault at its line", "[emu][bulk]") {
  struct Wrong {
    std::string body, message;
  };
  const Wrong wrongs[] = {
      {kLoad + "[r12+8], [x1], 16, [r10];", "no multiple of 16"},
      {kLoad + "[r12], [x1+8], 16, [r10];", "reads global memory at an address that is no multiple of 16"},
      {"mov.u32 r20, 24;" + kLoad + "[r12], [x1], r20, [r10];", "24 bytes, no multiple of 16"},
      {kLoad + "[r12], [x1+4080], 32, [r10];", "reads outside every allocation"},
      {kLoad + "[r12+4080], [x1], 1024, [r10];", "outside the block's"},
      {kLoad + "[r12], [x1], 16, [r10+4];", "no multiple of 8"},
      {kStore + "[x0+4080], [r12], 32;", "writes outside every allocation"},
      {kStore + "[x0], [r12+4], 16;", "no multiple of 16"},
      {"or.b32 r12, r12, 0x1000000;" + kStore + "[x0], [r12], 16;", "needs .shared::cluster"},
  };
  for (const Wrong& wrong : wrongs) {
    INFO(wrong.body);
    const std::string text = message_of([&] { run(kInit + wrong.body, 1); });
    CHECK_THAT(text, Contains(wrong.message) && Contains("ptx line") && Contains("cp.async.bulk"));
  }
  // Nobody waits, so the copy would not be done; one that is must find its barrier.
  CHECK_THAT(message_of([] {
               run("mov.u32 r10, full; mov.u32 r12, data;" + kInit + kLoad + "[r12], [x1], 16, [r10+16];" +
                       wait_for("r10", "0", "a"),
                   1, false, kShared + ".shared .align 8 .b64 more[4];");
             }),
             Contains("never initialised"));
}

TEST_CASE("bulk copy: what it counts", "[emu][bulk]") {
  const std::string body = kInit + "mbarrier.arrive.expect_tx.shared.b64 _, [r10], 512;\n" + kLoad +
                           "[r12], [x1+16], 512, [r10];\n" + wait_for("r10", "0", "a") + kStore +
                           "[x0], [r12], 256; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n";
  const Counts counts = run(body, 1, true).report.counts;
  CHECK(counts.global_load_bytes == 512);
  CHECK(counts.global_store_bytes == 256);
  CHECK(counts.global_requests == 2);
  CHECK(counts.global_sectors == 17 + 8);
  CHECK(counts.shared_store_bytes == 512);
  CHECK(counts.shared_load_bytes == 256);
  CHECK(counts.shared_wavefronts == 4 + 2);
  CHECK(counts.barriers == 2);  // bar.sync, arrive
  CHECK(counts.warp_instructions[static_cast<std::size_t>(Pipe::async)] == 4);
}

TEST_CASE("setmaxnreg: what a GPU could not give is a fault", "[emu][setmaxnreg]") {
  const auto text = [](const std::string& body, unsigned threads) { return message_of([&] { run(body, threads); }); };
  const std::string groups = "shr.u32 r20, r1, 7; setp.eq.u32 p1, r20, 0; @p1 bra producer;\n";
  CHECK(text(groups + "setmaxnreg.inc.sync.aligned.u32 240; ret;\nproducer: setmaxnreg.dec.sync.aligned.u32 24;\n",
             384) == "no exception");
  CHECK_THAT(
      text(groups + "setmaxnreg.inc.sync.aligned.u32 240; ret;\nproducer: setmaxnreg.dec.sync.aligned.u32 40;\n", 384),
      Contains("66560 registers together; there are 64512"));
  // 65536 are there, but the launch gave 3 x 168 to each thread of three warpgroups, not 512
  CHECK_THAT(
      text(groups + "setmaxnreg.inc.sync.aligned.u32 240; ret;\nproducer: setmaxnreg.dec.sync.aligned.u32 32;\n", 384),
      Contains("65536 registers together; there are 64512"));
  CHECK_THAT(text("setmaxnreg.inc.sync.aligned.u32 240;", 96), Contains("whole warpgroups"));
  CHECK_THAT(text("setmaxnreg.inc.sync.aligned.u32 240; bar.sync 0; setmaxnreg.inc.sync.aligned.u32 40;", 128),
             Contains("wrong direction"));
  CHECK_THAT(text("setp.lt.u32 p1, r1, 32; @p1 bra out; setmaxnreg.inc.sync.aligned.u32 240;\nout:", 128),
             Contains("was not executed alike"));
}
