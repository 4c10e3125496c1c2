// Shared memory of a block that need not have begun: sanitize tells of whoever touches it before a barrier.cluster.

#include <algorithm>

#include "catch.h"
#include "device/emu/hopper_text.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

const std::string kShared = ".shared .align 128 .b8 data[512]; .shared .align 8 .b64 full;";
const std::string kArrive = "barrier.cluster.arrive.aligned;\n", kWait = "barrier.cluster.wait.aligned;\n";
const std::string kRelaxed = "barrier.cluster.arrive.relaxed.aligned;\n";
const std::string kSync = kArrive + kWait;
/// r10 and r11: the thread's word of `data` here and in the other block; r12 and r13: the mbarrier. p0: thread 0.
const std::string kPlaces =
    "xor.b32 r20, r3, 1; mov.u32 r10, data; mad.lo.u32 r10, r1, 4, r10; mapa.shared::cluster.u32 r11, r10, r20;\n"
    "mov.u32 r12, full; mapa.shared::cluster.u32 r13, r12, r20; setp.eq.u32 p0, r1, 0;\n";
const std::string kInit = "@p0 mbarrier.init.shared::cta.b64 [r12], 1;\n@p0 fence.mbarrier_init.release.cluster;\n";
const std::string kExpect = "@p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [r12], ";

/// What sanitize says of two blocks of one cluster.
std::vector<std::string> findings_of(const std::string& body, unsigned threads = 32) {
  MachineLab lab(hopper_text(kShared, kPlaces + body));
  const Buffer<unsigned> in(lab.memory, std::vector<unsigned>(128, 7)), out(lab.memory, std::vector<unsigned>(128, 0));
  lab.launch.sanitize = true;
  lab.launch.cluster = {2, 1, 1};
  lab.launch.instruction_budget = 1 << 20;
  std::vector<std::string> messages;
  for (const Finding& found : lab.run("k", {2, 1, 1}, {threads, 1, 1}, out, in, 0u).findings)
    messages.push_back(std::string(name(found.hazard)) + ": " + found.message);
  return messages;
}

std::size_t not_begun(const std::vector<std::string>& messages) {
  return static_cast<std::size_t>(std::count_if(messages.begin(), messages.end(), [](const std::string& message) {
    return message.find("need not have begun: barrier.cluster") != std::string::npos;
  }));
}

/// `first`, then the use, which nothing else is wrong with.
struct Use {
  const char* what;
  std::string first, use;
};

std::vector<Use> uses() {
  const std::string copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
  return {{"st", "", "st.shared::cluster.u32 [r11], r1;\n" + kSync},
          {"generic st", "", "cvt.u64.u32 x3, r11; cvta.shared::cluster.u64 x3, x3; st.u32 [x3], r1;\n" + kSync},
          {"st.async", kInit,
           kExpect + "128;\nst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [r11], r1, [r13];\n" +
               wait_for("r12", "0", "a") + kSync},
          {"mbarrier.arrive", kInit,
           "setp.eq.u32 p1, r3, 1; and.pred p2, p0, p1;\n"
           "@p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r13];\n@p1 bra past;\n" +
               wait_for("r12", "0", "a") + "past:\n" + kSync},
          {"multicast", kInit,
           kExpect + "128;\nsetp.eq.u32 p1, r3, 0; and.pred p1, p0, p1; mov.u16 h0, 3; mov.u32 r14, data;\n@p1 " +
               copy + ".multicast::cluster [r14], [x1], 128, [r12], h0;\n" + wait_for("r12", "0", "a") + kSync}};
}

}  // namespace

TEST_CASE("Whoever touches the shared memory of a block that need not have begun is told of",
          "[emu][sanitize][cluster]") {
  for (const Use& use : uses()) {
    INFO(use.what);
    CHECK(not_begun(findings_of(use.first + use.use)) == 1);
    for (const std::string& arrive : {kArrive, kRelaxed}) {
      const std::vector<std::string> found = findings_of(use.first + arrive + kWait + use.use);
      CHECK(found == std::vector<std::string>{});
    }
    CHECK(not_begun(findings_of(use.first + kArrive + use.use.substr(0, use.use.rfind(kSync)) + kWait + kSync)) == 1);
  }
}

TEST_CASE("Warps may hear from another one that the blocks of their cluster run", "[emu][sanitize][cluster]") {
  // Warp 0 alone waits; the block's barrier tells the others.
  const std::string store = "st.shared::cluster.u32 [r11], r1;\n";
  const std::string alone = "setp.lt.u32 p1, r1, 32; @p1 barrier.cluster.wait;\n";
  const std::string rest = "@!p1 barrier.cluster.wait;\n";
  for (const std::string arrive : {"barrier.cluster.arrive;\n", "barrier.cluster.arrive.relaxed;\n"}) {
    INFO(arrive);
    CHECK(findings_of(arrive + alone + "bar.sync 0;\n" + store + rest + kSync, 64) == std::vector<std::string>{});
    CHECK(not_begun(findings_of(arrive + alone + store + rest + "bar.sync 0;\n" + kSync, 64)) == 1);
  }
}

TEST_CASE("A word that the other block has written tells that it runs", "[emu][sanitize][cluster]") {
  const std::string tell =
      "mul.wide.u32 x4, r3, 4; add.u64 x4, x0, x4; mul.wide.u32 x5, r20, 4; add.u64 x5, x0, x5; mov.u32 r30, 1;\n"
      "@p0 st.release.gpu.global.u32 [x4], r30;\nagain: ld.acquire.gpu.global.u32 r31, [x5];\n"
      "setp.eq.u32 p2, r31, 0; @p2 bra again;\n";
  CHECK(findings_of(tell + "st.shared::cluster.u32 [r11], r1;\n" + kSync) == std::vector<std::string>{});
}
