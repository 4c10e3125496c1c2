// Clusters: who runs together, distributed shared memory, the cluster's barrier, multicast.

#include <numeric>

#include "device/emu/hopper_text.h"

using namespace kerlab;
using namespace kerlab::emu;
using Catch::Contains;

namespace {

using Values = std::vector<unsigned>;

const std::string kShared = ".shared .align 128 .b8 data[4096]; .shared .align 8 .b64 full;";
const std::string kSync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
/// x2 = out + 4 * (ctaid * ntid + tid)
const std::string kMine =
    "mov.u32 r60, %ntid.x; mad.lo.u32 r60, r2, r60, r1; mul.wide.u32 x2, r60, 4; add.u64 x2, x0, x2;\n";

struct Setting {
  Dim3 grid, block, cluster;
  int threads = 1;
};

Values run(const std::string& body, const Setting& setting, std::size_t count, const std::string& directives = "",
           const std::string& shared = kShared) {
  MachineLab lab(hopper_text(shared, body, directives));
  Values numbers(1024);
  std::iota(numbers.begin(), numbers.end(), 1000u);
  const Buffer<unsigned> in(lab.memory, numbers);
  const Buffer<unsigned> out(lab.memory, count);
  lab.launch.cluster = setting.cluster;
  lab.launch.threads = setting.threads;
  lab.run("k", setting.grid, setting.block, out, in, 0u);
  return out.values();
}

std::string fault_of(const std::string& body, const Setting& setting) {
  return message_of([&] { run(body, setting, 256); });
}

}  // namespace

TEST_CASE("cluster: special registers", "[emu][cluster]") {
  const char* const names[] = {"%cluster_ctaid.x",  "%cluster_ctaid.y",  "%cluster_ctaid.z", "%cluster_nctaid.x",
                               "%cluster_nctaid.y", "%cluster_nctaid.z", "%cluster_ctarank", "%cluster_nctarank",
                               "%clusterid.x",      "%clusterid.y",      "%clusterid.z",     "%nclusterid.x",
                               "%nclusterid.y",     "%nclusterid.z"};
  std::string body =
      "mov.u32 r20, %ctaid.y; mov.u32 r21, %nctaid.x; mad.lo.u32 r20, r20, r21, r2; mul.wide.u32 x2, r20, 64;\n"
      "add.u64 x2, x0, x2; mov.pred p1, %is_explicit_cluster; selp.u32 r22, 1, 0, p1; st.global.u32 [x2+56], r22;\n";
  int at = 0;
  for (const char* const name : names) {
    body += "mov.u32 r22, " + std::string(name) + "; st.global.u32 [x2+" + std::to_string(4 * at++) + "], r22;\n";
  }
  const Values got = run(body, {{6, 4, 1}, {1, 1, 1}, {2, 2, 1}}, 24 * 16);
  for (unsigned y = 0; y < 4; ++y) {
    for (unsigned x = 0; x < 6; ++x) {
      const auto begin = got.begin() + 16 * (6 * y + x);
      const Values expected = {x % 2, y % 2, 0, 2, 2, 1, x % 2 + 2 * (y % 2), 4, x / 2, y / 2, 0, 3, 2, 1, 1};
      CHECK(Values(begin, begin + 15) == expected);
    }
  }
}

TEST_CASE("cluster: shared memory of the others", "[emu][cluster]") {
  // Each block stores its rank times 100 plus the thread; then each thread reads from the next block, in three ways.
  const std::string body =
      kMine +
      "mad.lo.u32 r20, r3, 100, r1; mov.u32 r12, data; shl.b32 r21, r1, 2; add.u32 r22, r12, r21;\n"
      "st.shared.u32 [r22], r20;\n" +
      kSync +
      "mov.u32 r30, %cluster_nctarank; add.u32 r31, r3, 1; rem.u32 r31, r31, r30;\n"
      "mapa.shared::cluster.u32 r23, r22, r31; ld.shared::cluster.u32 r24, [r23];\n"
      "cvt.u64.u32 x3, r22; cvta.shared.u64 x3, x3; mapa.u64 x4, x3, r31; ld.u32 r25, [x4];\n"
      "cvt.u64.u32 x5, r23; cvta.shared::cluster.u64 x5, x5; ld.u32 r26, [x5];\n"
      "getctarank.shared::cluster.u32 r27, r23; getctarank.u64 r28, x4; getctarank.u64 r29, x3;\n"
      "add.u32 r24, r24, r25; add.u32 r24, r24, r26; mad.lo.u32 r24, r27, 10000, r24;\n"
      "mad.lo.u32 r24, r28, 100000, r24; mad.lo.u32 r24, r29, 1000000, r24;\n"
      "st.global.u32 [x2], r24;\n" +
      kSync;
  for (const unsigned size : {2u, 4u, 8u}) {
    for (const int threads : {1, 4}) {
      const Values got = run(body, {{16, 1, 1}, {64, 1, 1}, {size, 1, 1}, threads}, 16 * 64);
      for (unsigned i = 0; i < got.size(); ++i) {
        const unsigned rank = i / 64 % size;
        const unsigned next = (rank + 1) % size;
        REQUIRE(got[i] == 3 * (100 * next + i % 64) + 110000 * next + 1000000 * rank);
      }
    }
  }
}

TEST_CASE("cluster: stores and atomics in distributed shared memory", "[emu][cluster]") {
  // Everybody adds its thread number to a counter of block 0 and stores into block 1.
  const std::string body =
      "mov.u32 r12, data; mov.u32 r20, 0; setp.eq.u32 p0, r1, 0; @p0 st.shared.u32 [r12], r20;\n"
      "@p0 st.shared.f32 [r12+4], 0f00000000;\n" +
      kSync +
      "mapa.shared::cluster.u32 r21, r12, 0; atom.shared::cluster.add.u32 r22, [r21], r1;\n"
      "red.shared::cluster.add.u32 [r21], 1; cvt.u64.u32 x3, r12; cvta.shared.u64 x3, x3;\n"
      "mapa.u64 x4, x3, 0; mov.f32 f0, 0f3F800000; atom.add.f32 f1, [x4+4], f0;\n"
      "mapa.shared::cluster.u32 r23, r12, 1; mad.lo.u32 r24, r3, 32, r1; shl.b32 r25, r24, 2;\n"
      "add.u32 r23, r23, r25; st.shared::cluster.u32 [r23+64], r24;\n" +
      kSync +
      "ld.shared.u32 r26, [r12]; setp.eq.u32 p1, r2, 0; @p1 st.global.u32 [x0], r26;\n"
      "ld.shared.f32 f2, [r12+4]; cvt.rzi.u32.f32 r26, f2; @p1 st.global.u32 [x0+4], r26;\n"
      "setp.eq.u32 p2, r2, 1; add.u32 r27, r12, r25; ld.shared.u32 r28, [r27+64];\n"
      "mul.wide.u32 x5, r24, 4; add.u64 x5, x0, x5; @p2 st.global.u32 [x5+256], r28;\n";
  const Values got = run(body, {{4, 1, 1}, {32, 1, 1}, {4, 1, 1}}, 256);
  CHECK(got[0] == 4 * (31 * 16) + 128);
  CHECK(got[1] == 128);
  for (unsigned lane = 0; lane < 32; ++lane) CHECK(got[64 + 32 + lane] == 32 + lane);
}

TEST_CASE("cluster: a sum in another block's shared memory keeps subnormals", "[emu][cluster]") {
  const std::string body = "mov.u32 r12, data; mov.u32 r20, 0; st.shared.u32 [r12], r20;\n" + kSync +
                           "cvt.u64.u32 x3, r12; cvta.shared.u64 x3, x3; xor.b32 r21, r3, 1; mapa.u64 x4, x3, r21;\n"
                           "mov.b32 f0, 3; atom.add.f32 f1, [x4], f0; mapa.shared::cluster.u32 r22, r12, r21;\n"
                           "red.shared::cluster.add.f32 [r22], f0;\n" +
                           kSync +
                           "mul.wide.u32 x2, r3, 4; add.u64 x2, x0, x2; ld.shared.u32 r20, [r12];\n"
                           "st.global.u32 [x2], r20;\n";
  CHECK(run(body, {{2, 1, 1}, {1, 1, 1}, {2, 1, 1}}, 2) == Values{6, 6});
}

TEST_CASE("cluster: ordinary shared accesses stay at home", "[emu][cluster]") {
  const std::string map = "mov.u32 r12, data; mapa.shared::cluster.u32 r13, r12, 1;\n";
  const Setting two = {{2, 1, 1}, {1, 1, 1}, {2, 1, 1}};
  CHECK_THAT(fault_of(map + "ld.shared.u32 r20, [r13];", two), Contains("reads another block's shared memory"));
  CHECK_THAT(fault_of(map + "st.shared::cta.u32 [r13], r12;", two), Contains("writes another block's shared memory"));
  CHECK_THAT(fault_of(map + "add.u32 r13, r13, 0x1000000; ld.shared::cluster.u32 r20, [r13];", two),
             Contains("a block that the cluster does not have"));
  CHECK_THAT(fault_of(map + "ld.shared::cluster.u32 r20, [r13+65536];", two), Contains("outside the block's"));
  CHECK_THAT(fault_of("mov.u32 r12, data; mapa.shared::cluster.u32 r13, r12, 2;", two),
             Contains("a block that the cluster does not have"));
  // Block 1 ends at once, block 0 comes later.
  CHECK_THAT(fault_of(map + "setp.eq.u32 p1, r3, 1; @p1 ret;\nmov.u32 r20, 0;\n"
                            "wait: nanosleep.u32 10; add.u32 r20, r20, 1; setp.lt.u32 p2, r20, 4; @p2 bra wait;\n"
                            "ld.shared::cluster.u32 r20, [r13];",
                      two),
             Contains("the shared memory of block (1,0,0), which has ended"));
}

TEST_CASE("cluster: isspacep tells own shared memory from the cluster's", "[emu][cluster]") {
  const std::string body =
      "mov.u64 x3, data; cvta.shared.u64 x3, x3; xor.b32 r30, r3, 1; mapa.u64 x4, x3, r30; isspacep.shared::cta p1, "
      "x3;\n"
      "isspacep.shared::cta p2, x4; isspacep.shared::cluster p3, x3; isspacep.shared::cluster p4, x4;\n" +
      put_predicate(0, "p1") + put_predicate(1, "p2") + put_predicate(2, "p3") + put_predicate(3, "p4");
  CHECK(run(body, {{2, 1, 1}, {1, 1, 1}, {2, 1, 1}}, 4) == Values{1, 0, 1, 1});
}

TEST_CASE("cluster: the barrier, round after round", "[emu][cluster]") {
  // Block r writes a number to the next block's memory in each round and reads its own after the barrier.
  const std::string body =
      kMine +
      "mov.u32 r12, data; mov.u32 r30, %cluster_nctarank; add.u32 r31, r3, 1; rem.u32 r31, r31, r30;\n"
      "shl.b32 r21, r1, 2; add.u32 r22, r12, r21; mapa.shared::cluster.u32 r23, r22, r31; mov.u32 r20, 0; mov.u32 r25, "
      "0;\n"
      "round: mad.lo.u32 r24, r20, 10, r3; st.shared::cluster.u32 [r23], r24;\n"
      "barrier.cluster.arrive.release; add.u32 r20, r20, 1; barrier.cluster.wait.acquire;\n"
      "ld.shared.u32 r24, [r22]; mad.lo.u32 r25, r25, 3, r24; barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n"
      "setp.lt.u32 p1, r20, 20; @p1 bra round; st.global.u32 [x2], r25;\n";
  for (const int threads : {1, 4}) {
    const Values got = run(body, {{12, 1, 1}, {96, 1, 1}, {4, 1, 1}, threads}, 12 * 96);
    for (unsigned i = 0; i < got.size(); ++i) {
      const unsigned before = (i / 96 % 4 + 3) % 4;
      unsigned expected = 0;
      for (unsigned round = 0; round < 20; ++round) expected = 3 * expected + 10 * round + before;
      REQUIRE(got[i] == expected);
    }
  }
}

TEST_CASE("cluster: threads that have exited are not waited for", "[emu][cluster]") {
  const std::string body = kMine +
                           "setp.lt.u32 p1, r1, 40; setp.eq.u32 p2, r3, 1; and.pred p1, p1, p2; @p1 ret;\n"
                           "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 r20, 5; st.global.u32 [x2], r20;\n";
  const Values got = run(body, {{2, 1, 1}, {64, 1, 1}, {2, 1, 1}}, 128);
  for (unsigned i = 0; i < 128; ++i) CHECK(got[i] == (i >= 64 && i < 104 ? 0 : 5));
}

TEST_CASE("cluster: the barrier used wrongly", "[emu][cluster]") {
  const Setting two = {{2, 1, 1}, {32, 1, 1}, {2, 1, 1}};
  CHECK_THAT(fault_of("barrier.cluster.arrive; barrier.cluster.arrive;", two), Contains("arrives again without"));
  CHECK_THAT(fault_of("barrier.cluster.wait;", two), Contains("waits without barrier.cluster.arrive"));
  CHECK_THAT(fault_of("mov.u32 r10, full; mbarrier.init.shared.b64 [r10], 1; setp.eq.u32 p1, r3, 1; @p1 bra other;\n"
                      "barrier.cluster.arrive; barrier.cluster.wait; ret;\nother:\n" +
                          wait_for("r10", "0", "a"),
                      {{2, 1, 1}, {1, 1, 1}, {2, 1, 1}}),
             Contains("deadlock") && Contains("block (0,0,0): warp 0 lane 0 at barrier.cluster.wait") &&
                 Contains("block (1,0,0): warp 0 lane 0 at mbarrier.try_wait") && Contains("mbarrier full ("));
}

TEST_CASE("cluster: arrivals at another block's mbarrier", "[emu][cluster]") {
  // All threads of all blocks arrive at block 0's barrier; its threads wait, count their blocks and tell.
  const std::string body = "mov.u32 r10, full; setp.eq.u32 p0, r1, 0; @p0 mbarrier.init.shared.b64 [r10], 128;\n" +
                           kSync +
                           "mapa.shared::cluster.u32 r11, r10, 0;\n"
                           "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r11];\n"
                           "setp.ne.u32 p1, r3, 0; @p1 bra out;\n" +
                           wait_for("r10", "0", "a") +
                           "mov.u32 r20, 9; mul.wide.u32 x3, r1, 4; add.u64 x3, x0, x3;\n"
                           "st.global.u32 [x3], r20;\nout:\n" +
                           kSync;
  CHECK(run(body, {{4, 1, 1}, {32, 1, 1}, {4, 1, 1}}, 32) == Values(32, 9));
}

TEST_CASE("cluster: multicast", "[emu][cluster]") {
  // Rank r loads its part of the tile and sends it to all; every block waits for all parts.
  const std::string body =
      kMine +
      "mov.u32 r10, full; mov.u32 r12, data; setp.eq.u32 p0, r1, 0; @p0 mbarrier.init.shared.b64 [r10], 1;\n"
      "mov.u32 r30, %cluster_nctarank; shl.b32 r31, r30, 7; @p0 mbarrier.arrive.expect_tx.shared.b64 _, [r10], r31;\n" +
      kSync +
      "shl.b32 r20, r3, 7; add.u32 r21, r12, r20; cvt.u64.u32 x3, r20; add.u64 x3, x1, x3; mov.u32 r22, 1;\n"
      "shl.b32 r22, r22, r30; sub.u32 r22, r22, 1; cvt.u16.u32 h1, r22;\n"
      "@p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [r21], [x3], 128, "
      "[r10], h1;\n" +
      wait_for("r10", "0", "a") +
      "shl.b32 r23, r1, 2; add.u32 r23, r12, r23; ld.shared.u32 r24, [r23]; st.global.u32 [x2], r24;\n" + kSync;
  for (const unsigned size : {2u, 4u}) {
    const Values got = run(body, {{8, 1, 1}, {32 * size, 1, 1}, {size, 1, 1}, 4}, 8 * 32 * size);
    for (unsigned i = 0; i < got.size(); ++i) REQUIRE(got[i] == 1000 + i % (32 * size));
  }
  CHECK_THAT(
      fault_of("mov.u32 r10, full; mov.u32 r12, data; mbarrier.init.shared.b64 [r10], 1; mov.u16 h1, 5;\n"
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [r12], [x1], "
               "128, [r10], h1;",
               {{2, 1, 1}, {1, 1, 1}, {2, 1, 1}}),
      Contains("is sent to the blocks 0x5 of a cluster of 2"));
}

TEST_CASE("cluster: counts are the same with any number of threads", "[emu][cluster]") {
  const std::string body =
      kMine + "mov.u32 r12, data; shl.b32 r21, r1, 2; add.u32 r22, r12, r21; st.shared.u32 [r22], r1;\n" + kSync +
      "xor.b32 r31, r3, 1; mapa.shared::cluster.u32 r23, r22, r31;\n"
      "red.shared::cluster.add.u32 [r23], r2; mov.u32 r10, full; setp.eq.u32 p0, r1, 0;\n"
      "@p0 mbarrier.init.shared.b64 [r10], 1; bar.sync 0;\n"
      "@p0 mbarrier.arrive.expect_tx.shared.b64 _, [r10], 1024;\n"
      "@p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r12+1024], [x1], "
      "1024, [r10];\n" +
      wait_for("r10", "0", "a") + kSync + "ld.shared.u32 r24, [r22]; st.global.u32 [x2], r24;\n";
  Counts counts[2];
  std::vector<unsigned> outputs[2];
  for (const int way : {0, 1}) {
    MachineLab lab(hopper_text(kShared, body));
    const Buffer<unsigned> in(lab.memory, 1024);
    const Buffer<unsigned> out(lab.memory, 64 * 64);
    lab.launch.cluster = {2, 2, 1};
    lab.launch.threads = way == 0 ? 1 : 4;
    lab.launch.count = true;
    counts[way] = lab.run("k", {32, 2, 1}, {64, 1, 1}, out, in, 0u).counts;
    outputs[way] = out.values();
  }
  CHECK(counts[0] == counts[1]);
  CHECK(outputs[0] == outputs[1]);
  CHECK(counts[0].global_load_bytes == 64 * 1024);
  CHECK(counts[0].shared_store_bytes == 64 * (1024 + 2 * 256));
  CHECK(counts[0].barriers == 64 * (2 * 2 + 2 + 1));
}

TEST_CASE("cluster: copies and reductions from shared memory to shared memory", "[emu][cluster]") {
  // Every block sends 128 bytes to block 0, which adds them up.
  const std::string body =
      "mov.u32 r10, full; mov.u32 r12, data; mov.u32 r20, 0; shl.b32 r21, r1, 2; add.u32 r22, r12, r21;\n"
      "st.shared.u32 [r22], r20; add.u32 r23, r3, r1; st.shared.u32 [r22+128], r23; st.shared.u32 [r22+256], r20;\n"
      "setp.eq.u32 p0, r1, 0; @p0 mbarrier.init.shared.b64 [r10], 1;\n"
      "@p0 mbarrier.arrive.expect_tx.shared.b64 _, [r10], 640; fence.proxy.async;\n" +
      kSync +
      "mapa.shared::cluster.u32 r24, r12, 0; mapa.shared::cluster.u32 r25, r10, 0; add.u32 r26, r12, 128;\n"
      "@p0 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [r24], [r26], 128, "
      "[r25];\n"
      "setp.eq.u32 p1, r3, 3; and.pred p2, p0, p1;\n"
      "@p2 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r24+256], [r26], 128, [r25];\n"
      "setp.ne.u32 p3, r3, 0; @p3 bra out;\n" +
      wait_for("r10", "0", "a") +
      "mul.wide.u32 x3, r1, 4; add.u64 x3, x0, x3; ld.shared.u32 r27, [r22]; st.global.u32 [x3], r27;\n"
      "ld.shared.u32 r27, [r22+256]; st.global.u32 [x3+128], r27;\nout:\n" +
      kSync;
  const Values got = run(body, {{4, 1, 1}, {32, 1, 1}, {4, 1, 1}}, 64);
  for (unsigned i = 0; i < 32; ++i) {
    CHECK(got[i] == 6 + 4 * i);
    CHECK(got[32 + i] == 3 + i);
  }
}

TEST_CASE("cluster: st.async and red.async", "[emu][cluster]") {
  const std::string body =
      "mov.u32 r10, full; mov.u32 r12, data; mov.u32 r20, 0; shl.b32 r21, r1, 4; add.u32 r22, r12, r21;\n"
      "setp.eq.u32 p0, r1, 0; @p0 st.shared.u32 [r12+1024], r20; @p0 mbarrier.init.shared.b64 [r10], 1;\n"
      "@p0 mbarrier.arrive.expect_tx.shared.b64 _, [r10], 640;\n" +
      kSync +
      "xor.b32 r30, r3, 1; mapa.shared::cluster.u32 r23, r22, r30; mapa.shared::cluster.u32 r24, r10, r30;\n"
      "mapa.shared::cluster.u32 r25, r12, r30; mad.lo.u32 r26, r3, 1000, r1; add.u32 r27, r26, 100;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [r23], {r26, r27, r26, r27}, [r24];\n"
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [r25+1024], r1, [r24];\n"
      "ld.shared.u32 r31, [r12+1024]; setp.ne.u32 p4, r31, 0; @p4 trap;\n" +
      wait_for("r10", "0", "a") +
      "mad.lo.u32 r40, r3, 32, r1; mul.wide.u32 x3, r40, 16; add.u64 x3, x0, x3;\n"
      "ld.shared.v2.u32 {r41, r42}, [r22+8]; ld.shared.u32 r43, [r12+1024];\n"
      "st.global.u32 [x3], r41; st.global.u32 [x3+4], r42; st.global.u32 [x3+8], r43;\n" +
      kSync;
  const Values got = run(body, {{2, 1, 1}, {32, 1, 1}, {2, 1, 1}}, 256);
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned value = (i / 32 ^ 1) * 1000 + i % 32;
    CHECK(got[4 * i] == value);
    CHECK(got[4 * i + 1] == value + 100);
    CHECK(got[4 * i + 2] == 31 * 16);
  }
}

TEST_CASE("cluster: launches that the driver would refuse", "[emu][cluster]") {
  CHECK_THAT(fault_of("", {{6, 1, 1}, {1, 1, 1}, {4, 1, 1}}),
             Contains("grid 6x1x1 is not a multiple of cluster 4x1x1"));
  CHECK_THAT(fault_of("", {{32, 1, 1}, {1, 1, 1}, {32, 1, 1}}), Contains("a cluster of 32x1x1 blocks"));
  CHECK(fault_of("", {{16, 1, 1}, {1, 1, 1}, {16, 1, 1}}) == "no exception");
  const std::string rank = "mov.u32 r20, %cluster_nctarank; st.global.u32 [x0], r20;";
  CHECK(run(rank, {{4, 2, 1}, {1, 1, 1}, {}}, 1, ".reqnctapercluster 2, 2, 1") == Values{4});
  CHECK(run(rank, {{4, 2, 1}, {1, 1, 1}, {2, 2, 1}}, 1, ".reqnctapercluster 2, 2, 1") == Values{4});
  CHECK_THAT(message_of([&] {
               run(rank, {{4, 2, 1}, {1, 1, 1}, {4, 1, 1}}, 1, ".reqnctapercluster 2, 2, 1");
             }),
             Contains(".reqnctapercluster demands 2x2x1"));
}

TEST_CASE("cluster: only the clusters asked for", "[emu][cluster]") {
  MachineLab lab(hopper_text(
      kShared, "mul.wide.u32 x2, r2, 4; add.u64 x2, x0, x2; mov.u32 r20, 1; st.global.u32 [x2], r20;" + kSync));
  const Buffer<unsigned> out(lab.memory, 12);
  lab.launch.cluster = {4, 1, 1};
  lab.launch.blocks = {1, 2, 11};
  const LaunchReport report = lab.run("k", {12, 1, 1}, {32, 1, 1}, out, out, 0u);
  CHECK(report.blocks_run == 8);
  CHECK(out.values() == Values{1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("cluster: clusters that talk through global memory", "[emu][cluster]") {
  // Cluster c waits for a flag that cluster c - 1 sets; fewer fit than there are.
  const std::string body =
      "mov.u32 r20, %clusterid.x; mul.wide.u32 x2, r20, 4; add.u64 x2, x0, x2; setp.eq.u32 p1, r20, 0;\n"
      "setp.ne.u32 p2, r3, 0; or.pred p1, p1, p2; @p1 bra go;\n"
      "poll: ld.acquire.gpu.global.u32 r21, [x2+-4]; setp.eq.u32 p3, r21, 0; @p3 bra poll;\ngo:\n" +
      kSync + "mov.u32 r22, 1; @!p2 st.release.gpu.global.u32 [x2], r22;\n";
  MachineLab lab(hopper_text(kShared, body));
  const Buffer<unsigned> out(lab.memory, 8);
  lab.launch.cluster = {2, 1, 1};
  lab.launch.resident_blocks = 5;
  lab.run("k", {16, 1, 1}, {32, 1, 1}, out, out, 0u);
  CHECK(out.values() == Values(8, 1));
}
