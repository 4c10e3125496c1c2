// mbarriers in all forms, and who waits for them.

#include "device/emu/hopper_text.h"

using namespace kerlab;
using namespace kerlab::emu;
using Catch::Contains;

namespace {

const std::string kBarrier = ".shared .align 8 .b64 bar;";

/// What a kernel writes to `out`.
std::vector<unsigned> outputs(const std::string& shared, const std::string& body, unsigned threads, std::size_t count,
                              unsigned n = 0) {
  MachineLab lab(hopper_text(shared, body));
  const Buffer<unsigned> out(lab.memory, std::vector<unsigned>(count, 0xdeadu));
  lab.run("k", {1, 1, 1}, {threads, 1, 1}, out, out, n);
  return out.values();
}

std::string fault_of(const std::string& shared, const std::string& body, unsigned threads = 1) {
  return message_of([&] { outputs(shared, body, threads, 64); });
}

using Values = std::vector<unsigned>;

}  // namespace

TEST_CASE("mbarrier: arrivals count down to the next phase", "[emu][mbarrier]") {
  const std::string body =
      "mov.u32 r10, bar; mbarrier.init.shared.b64 [r10], 3;\n"
      "mbarrier.arrive.shared.b64 x10, [r10]; mbarrier.pending_count.b64 r11, x10;\n" +
      put(0, "r11") + "mbarrier.test_wait.shared.b64 p1, [r10], x10;\n" + put_predicate(1, "p1") +
      "mbarrier.arrive.noComplete.shared.b64 x11, [r10], 1; mbarrier.pending_count.b64 r11, x11;\n" + put(2, "r11") +
      "mbarrier.test_wait.parity.shared.b64 p1, [r10], 0;\n" + put_predicate(3, "p1") +
      "mbarrier.test_wait.parity.shared.b64 p1, [r10], 1;\n" + put_predicate(4, "p1") +
      "mbarrier.arrive.shared::cta.b64 x12, [r10], 1;\n" + "mbarrier.test_wait.shared.b64 p1, [r10], x10;\n" +
      put_predicate(5, "p1") + "mbarrier.test_wait.parity.shared.b64 p1, [r10], 0;\n" + put_predicate(6, "p1") +
      "mbarrier.test_wait.parity.shared.b64 p1, [r10], 1;\n" + put_predicate(7, "p1") +
      "mbarrier.arrive.release.cta.shared::cta.b64 x13, [r10], 2; mbarrier.pending_count.b64 r11, "
      "x13;\n" +
      put(8, "r11") + "mbarrier.try_wait.shared::cta.b64 p1, [r10], x12;\n" + put_predicate(9, "p1");
  CHECK(outputs(kBarrier, body, 1, 10) == Values{3, 0, 2, 0, 1, 1, 1, 0, 3, 1});
}

TEST_CASE("mbarrier: every lane arrives", "[emu][mbarrier]") {
  // The states tell how many were missing before each lane; the warp that was last at bar.sync goes on first.
  const std::string body =
      "mov.u32 r10, bar; setp.eq.u32 p0, r1, 0; @p0 mbarrier.init.shared.b64 [r10], 64;\n"
      "bar.sync 0; mbarrier.arrive.shared.b64 x10, [r10]; mbarrier.pending_count.b64 r11, x10;\n"
      "mul.wide.u32 x2, r1, 4; add.u64 x2, x0, x2; st.global.u32 [x2], r11;\n" +
      wait_for("r10", "0", "a");
  const Values got = outputs(kBarrier, body, 64, 64);
  for (unsigned i = 0; i < 64; ++i) CHECK(got[i] == 64 - (i ^ 32));
}

TEST_CASE("mbarrier: arrive_drop expects less from then on", "[emu][mbarrier]") {
  const std::string body =
      "mov.u32 r10, bar; mbarrier.init.shared.b64 [r10], 3;\n"
      "mbarrier.arrive_drop.shared.b64 x10, [r10]; mbarrier.arrive.shared::cta.b64 x11, [r10], 2;\n"
      "mbarrier.arrive.shared.b64 x12, [r10]; mbarrier.pending_count.b64 r11, x12;\n" +
      put(0, "r11") +
      "mbarrier.arrive_drop.shared.b64 x13, [r10];\n"
      "mbarrier.test_wait.parity.shared.b64 p1, [r10], 1;\n" +
      put_predicate(1, "p1") + "mbarrier.arrive.shared.b64 x14, [r10]; mbarrier.pending_count.b64 r11, x14;\n" +
      put(2, "r11") + "mbarrier.test_wait.parity.shared.b64 p1, [r10], 0;\n" + put_predicate(3, "p1");
  CHECK(outputs(kBarrier, body, 1, 4) == Values{2, 1, 1, 1});
}

TEST_CASE("mbarrier: transactions hold the phase", "[emu][mbarrier]") {
  const auto test = [](int index, const char* parity) {
    return "mbarrier.test_wait.parity.shared.b64 p1, [r10], " + std::string(parity) + ";\n" +
           put_predicate(index, "p1");
  };
  const std::string init = "mov.u32 r10, bar; mbarrier.init.shared.b64 [r10], 1;\n";
  const std::string expect = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r10], 64;\n";
  const std::string complete = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [r10], 32;\n";
  const std::string arrive = "mbarrier.arrive.shared.b64 _, [r10];\n";
  SECTION("expected, arrived, completed in two parts") {
    CHECK(outputs(kBarrier, init + expect + arrive + test(0, "0") + complete + test(1, "0") + complete + test(2, "0"),
                  1, 3) == Values{0, 0, 1});
  }
  SECTION("completed before it was expected") {
    CHECK(outputs(kBarrier,
                  init + complete + complete + test(0, "0") + "mbarrier.arrive.expect_tx.shared.b64 _, [r10], 64;\n" +
                      test(1, "0") + test(2, "1"),
                  1, 3) == Values{0, 1, 0});
  }
  SECTION("arrive_drop.expect_tx") {
    CHECK(outputs(kBarrier,
                  init + "mbarrier.arrive_drop.expect_tx.shared.b64 _, [r10], 32;\n" + test(0, "0") + complete +
                      test(1, "0"),
                  1, 2) == Values{0, 1});
  }
}

TEST_CASE("mbarrier: phases over many rounds", "[emu][mbarrier]") {
  // Two warps hand a counter to and fro, n times; the second reads what the first wrote.
  const std::string shared = ".shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .u32 box;";
  const std::string body =
      "mov.u32 r10, full; mov.u32 r11, empty; setp.eq.u32 p0, r1, 0;\n"
      "@p0 mbarrier.init.shared.b64 [r10], 32; @p0 mbarrier.init.shared.b64 [r11], 32; bar.sync 0;\n"
      "mov.u32 r20, 0; mov.u32 r21, 0; mov.u32 r22, 0; setp.lt.u32 p1, r1, 32; @!p1 bra consumer;\n"
      "producer: xor.b32 r23, r21, 1;\n" +
      wait_for("r11", "r23", "p") +
      "mul.lo.u32 r24, r20, r20; st.shared.u32 [box], r24; mbarrier.arrive.shared.b64 _, [r10];\n"
      "xor.b32 r21, r21, 1; add.u32 r20, r20, 1; setp.lt.u32 p2, r20, r0; @p2 bra producer; ret;\n"
      "consumer:\n" +
      wait_for("r10", "r21", "c") +
      "ld.shared.u32 r24, [box]; add.u32 r22, r22, r24; mbarrier.arrive.shared.b64 _, [r11];\n"
      "xor.b32 r21, r21, 1; add.u32 r20, r20, 1; setp.lt.u32 p2, r20, r0; @p2 bra consumer;\n" +
      put(0, "r22");
  unsigned sum = 0;
  for (unsigned i = 0; i < 1000; ++i) sum += i * i;
  CHECK(outputs(shared, body, 64, 1, 1000) == Values{sum});
}

TEST_CASE("mbarrier: test_wait lets the other warps go first", "[emu][mbarrier]") {
  const std::string body =
      "mov.u32 r10, bar; setp.eq.u32 p0, r1, 0; @p0 mbarrier.init.shared.b64 [r10], 32; bar.sync 0;\n"
      "setp.ge.u32 p1, r1, 32; @!p1 bra arriving; mov.u32 r20, 0;\n"
      "poll: add.u32 r20, r20, 1; mbarrier.test_wait.parity.shared.b64 p2, [r10], 0; @!p2 bra poll;\n" +
      put(0, "r20") + "ret;\narriving: mbarrier.arrive.shared.b64 _, [r10];\n";
  CHECK(outputs(kBarrier, body, 64, 1) == Values{2});
}

TEST_CASE("mbarrier: an arrival after the lane's cp.async", "[emu][mbarrier]") {
  const std::string shared = ".shared .align 16 .b8 data[512]; .shared .align 8 .b64 bar;";
  const auto body = [](const std::string& noinc, int count) {
    return "mov.u32 r10, bar; mov.u32 r11, data; setp.eq.u32 p0, r1, 0;\n"
           "@p0 mbarrier.init.shared.b64 [r10], " +
           std::to_string(count) +
           "; bar.sync 0;\nmul.wide.u32 x2, r1, 16; add.u64 x2, x1, x2; shl.b32 r12, r1, 4; add.u32 r12, r11, r12;\n"
           "cp.async.cg.shared.global [r12], [x2], 16; ld.shared.u32 r13, [r12];\n"
           "cp.async.mbarrier.arrive" +
           noinc + ".shared.b64 [r10];\n" + (noinc.empty() ? "mbarrier.arrive.shared.b64 _, [r10];\n" : "") +
           wait_for("r10", "0", "a") +
           "xor.b32 r14, r12, 256; ld.shared.u32 r14, [r14]; shl.b32 r15, r1, 3; cvt.u64.u32 x3, r15;\n"
           "add.u64 x3, x0, x3; st.global.u32 [x3], r13; st.global.u32 [x3+4], r14;\n";
  };
  for (const bool noinc : {false, true}) {
    INFO("noinc " << noinc);
    MachineLab lab(hopper_text(shared, body(noinc ? ".noinc" : "", 32)));
    std::vector<unsigned> in(128);
    for (unsigned i = 0; i < 128; ++i) in[i] = 7 * i + 1;
    const Buffer<unsigned> from(lab.memory, in);
    const Buffer<unsigned> out(lab.memory, 64);
    lab.run("k", {1, 1, 1}, {32, 1, 1}, out, from, 0u);
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(out[2 * i] == ~0u);  // not there before the wait
      CHECK(out[2 * i + 1] == in[4 * (i ^ 16)]);
    }
  }
}

TEST_CASE("mbarrier: what is wrong is a fault", "[emu][mbarrier]") {
  const std::string init = "mov.u32 r10, bar; mbarrier.init.shared.b64 [r10], 1;\n";
  struct Wrong {
    const char* body;
    const char* message;
  };
  const Wrong with_init[] = {
      {"mbarrier.inval.shared.b64 [r10]; mbarrier.arrive.shared.b64 _, [r10];", "never initialised"},
      {"mbarrier.arrive.shared::cta.b64 _, [r10], 2;", "of whose phase only 1 arrival is missing, not 2"},
      {"mbarrier.arrive.noComplete.shared.b64 x10, [r10], 1;", "which .noComplete forbids"},
      {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r10], 1048576;", "beyond 1048575"},
      {"mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [r10], 1048575; "
       "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [r10], 1;",
       "to -1048576 bytes"},
      {"st.shared.u64 [r10], 77; mbarrier.arrive.shared.b64 _, [r10];", "whose bytes were overwritten"},
      {"mov.u64 x10, 5; mbarrier.try_wait.shared::cta.b64 p1, [r10], x10;", "no state of an mbarrier"},
      {"mov.u64 x10, 5; mbarrier.pending_count.b64 r11, x10;", "no mbarrier's state"},
      {"add.u32 r10, r10, 4; mbarrier.arrive.shared.b64 _, [r10];", "no multiple of 8"},
      {"mbarrier.arrive.shared.b64 _, [r10+4096];", "outside the block's 8 bytes of shared memory"},
      {"or.b32 r10, r10, 0x1000000; mbarrier.arrive.shared::cta.b64 _, [r10];", "needs .shared::cluster"},
      {"or.b32 r10, r10, 0x2000000; mbarrier.arrive.shared::cluster.b64 _, [r10];", "the cluster does not have"},
      {"mbarrier.arrive.b64 x10, [x0];", "generic address outside shared memory"}};
  for (const Wrong& wrong : with_init) {
    INFO(wrong.body);
    CHECK_THAT(fault_of(kBarrier, init + wrong.body), Contains(wrong.message));
  }
  CHECK_THAT(fault_of(kBarrier, "mov.u32 r10, bar; mbarrier.arrive.shared.b64 _, [r10];"),
             Contains("mbarrier.arrive.shared.b64 uses an mbarrier that was never initialised") &&
                 Contains("lane 0 of warp 0") && Contains("ptx line"));
  CHECK_THAT(fault_of(kBarrier, "mov.u32 r10, bar; mbarrier.init.shared.b64 [r10], 0;"),
             Contains("expects 0 arrivals"));
  CHECK_THAT(fault_of(kBarrier, "mov.u32 r10, bar; mbarrier.init.shared.b64 [r10], 1048576;"),
             Contains("1 to 1048575"));
}

TEST_CASE("mbarrier: a generic address", "[emu][mbarrier]") {
  const std::string body =
      "mov.u64 x10, bar; cvta.shared.u64 x10, x10; mov.u32 r10, bar;\n"
      "mbarrier.init.b64 [x10], 1; mbarrier.arrive.b64 x11, [x10];\n"
      "mbarrier.test_wait.b64 p1, [x10], x11;\n" +
      put_predicate(0, "p1");
  CHECK(outputs(kBarrier, body, 1, 1) == Values{1});
}

TEST_CASE("mbarrier: a deadlock says who waits for what", "[emu][mbarrier]") {
  const std::string shared = ".shared .align 16 .b8 data[1024]; .shared .align 8 .b64 full[2];";
  const std::string init =
      "mov.u32 r10, full; add.u32 r11, r10, 8; mov.u32 r12, data; setp.eq.u32 p0, r1, 0;\n"
      "@p0 mbarrier.init.shared.b64 [r11], 1; bar.sync 0;\n";
  SECTION("a wrong transaction count") {
    const std::string text = fault_of(
        shared,
        init +
            "@p0 mbarrier.arrive.expect_tx.shared.b64 _, [r11], 1040;\n"
            "@p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r12], [x1], 256, [r11];\n" +
            wait_for("r11", "0", "a"),
        64);
    CHECK_THAT(text, Contains("deadlock") && Contains("block (0,0,0)") &&
                         Contains("warps 0-1 lanes 0-31 at mbarrier.try_wait") && Contains("ptx line") &&
                         Contains("for phase 0 of mbarrier full+8 (0x") && Contains("784 bytes missing"));
  }
  SECTION("a missing arrival; the others have exited") {
    const std::string text =
        fault_of(shared, init + "setp.ge.u32 p1, r1, 32; @p1 bra out;\n" + wait_for("r11", "0", "a") + "out:\n", 64);
    CHECK_THAT(text, Contains("deadlock") && Contains("1 arrival missing") && Contains("1 of 2 warps have exited"));
  }
  SECTION("polling now and then does not hide it either") {
    const std::string text = fault_of(
        shared, init + "poll: nanosleep.u32 20; mbarrier.test_wait.parity.shared.b64 p2, [r11], 0; @!p2 bra poll;\n",
        64);
    CHECK_THAT(text, Contains("deadlock") && Contains("at mbarrier.test_wait"));
  }
  SECTION("polling does not hide it") {
    const std::string text =
        fault_of(shared, init + "poll: mbarrier.test_wait.parity.shared.b64 p2, [r11], 0; @!p2 bra poll;\n", 64);
    CHECK_THAT(text, Contains("deadlock") && Contains("at mbarrier.test_wait.parity.shared.b64 (ptx line") &&
                         Contains("for phase 0 of mbarrier full+8 (0x") && Contains("1 arrival missing"));
  }
}

TEST_CASE("mbarrier: try_wait gives up when nothing else can happen", "[emu][mbarrier]") {
  const std::string body =
      "mov.u32 r10, bar; mbarrier.init.shared.b64 [r10], 1; mov.u32 r20, 0;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 p1, [r10], 0; @p1 bra out;\n"
      "add.u32 r20, r20, 1; setp.lt.u32 p2, r20, 10; @p2 bra again;\n"
      "mbarrier.arrive.shared.b64 _, [r10]; bra again;\nout:\n" +
      put(0, "r20");
  CHECK(outputs(kBarrier, body, 1, 1) == Values{10});
}
