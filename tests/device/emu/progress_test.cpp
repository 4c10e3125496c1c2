// Blocks that wait for others for which there is no room: told at once, with both lines, where the sanitizer looks. The
// kernels: defects/orders.cu.

#include "device/emu/machine_lab.h"
#include "device/emu/tensor_map.h"
#include "locations.h"

using namespace kerlab;
using namespace kerlab::emu;
using Catch::Contains;

namespace {

/// 4 blocks that wait for each other: "scopes_0" for the one before, "noncoherent_0" for all.
class WaitingBlocks {
 public:
  explicit WaitingBlocks(const char* kernel)
      : lab_(read_text_file((tests_folder() / "device/emu/defects/orders.ptx").string())), kernel_(kernel) {}
  MachineLaunch& launch() { return lab_.launch; }
  LaunchReport run() {
    const Buffer<float> in(lab_.memory, std::vector<float>(256, 1.0f));
    const Buffer<float> out(lab_.memory, 512);
    const Buffer<unsigned> flags(lab_.memory, 64);
    return lab_.run(kernel_, {4, 1, 1}, {64, 1, 1}, in, out, flags, 256);
  }

 private:
  MachineLab lab_;
  const char* kernel_;
};

std::vector<Finding> sanitized(const char* kernel, std::int64_t resident, bool first_begins_last) {
  WaitingBlocks blocks(kernel);
  blocks.launch().sanitize = true;
  blocks.launch().resident_blocks = resident;
  blocks.launch().first_begins_last = first_begins_last;
  return blocks.run().findings;
}

}  // namespace

TEST_CASE("emulated: blocks that wait for one without room are a deadlock at once", "[emu][progress]") {
  WaitingBlocks blocks("noncoherent_0");
  blocks.launch().resident_blocks = 3;  // no budget of instructions: it is no guess
  CHECK_THROWS_WITH(blocks.run(), Contains("deadlock") && Contains("1 of 4 blocks have not begun") &&
                                      Contains("ld.volatile") && Contains("orders.cu:"));
  for (const int room : {0, 4}) {
    blocks.launch().resident_blocks = room;
    CHECK_NOTHROW(blocks.run());
  }
}

TEST_CASE("emulated: of a spin in vain the sanitizer tells what it reads and who would write it", "[emu][progress]") {
  for (const bool last : {false, true}) {
    const std::vector<Finding> found = sanitized("noncoherent_0", last ? 0 : 3, last);
    REQUIRE(found.size() == 1);
    CHECK(found[0].hazard == Hazard::deadlock);
    CHECK_THAT(found[0].message,
               Contains("waits for argument 2, which ") && Contains(last ? "(0,0,0) writes" : "(3,0,0) writes"));
    CHECK(found[0].line.line == 13);
    CHECK(found[0].other.line == 12);
  }
}

TEST_CASE("emulated: who relies on the order in which blocks begin is found where the first begins last",
          "[emu][progress]") {
  CHECK(sanitized("scopes_0", 1, false).empty());  // every GPU would do
  const std::vector<Finding> found = sanitized("scopes_0", 0, true);
  REQUIRE(found.size() == 1);
  CHECK(found[0].hazard == Hazard::deadlock);
  CHECK_THAT(found[0].message, Contains("argument 2") && Contains("counter in memory"));
  CHECK(found[0].line.line > 0);
  CHECK(found[0].other.line > 0);
}

TEST_CASE("emulated: a wait whose end nobody writes names its line", "[emu][progress]") {
  // One thread, for a word that stays 0.
  MachineLab lab(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry wait(.param .u64 p) {
.reg .pred q;
.reg .u64 x;
.reg .u32 r, n;
ld.param.u64 x, [p];
mov.u32 n, 0;
AGAIN: ld.acquire.gpu.global.u32 r, [x];
add.u32 n, n, 1;
and.b32 n, n, 63;
setp.eq.u32 q, r, 0;
@q bra AGAIN;
st.global.u32 [x], n;
ret;
})");
  const Buffer<unsigned> word(lab.memory, 1);
  CHECK_THROWS_WITH(lab.run("wait", {2, 1, 1}, {1, 1, 1}, word), Contains("deadlock") && Contains("ld.acquire"));
  lab.launch.sanitize = true;
  const LaunchReport report = lab.run("wait", {2, 1, 1}, {1, 1, 1}, word);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].hazard == Hazard::deadlock);
}

TEST_CASE("emulated: a loop that counts its looks is no deadlock: its budget ends it", "[emu][progress]") {
  // A thread gives up after 200,000 looks, or never.
  MachineLab lab(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry looks(.param .u64 p, .param .u32 most) {
.reg .pred q, t;
.reg .u64 x;
.reg .u32 r, n, m;
ld.param.u64 x, [p];
ld.param.u32 m, [most];
mov.u32 n, 0;
AGAIN: ld.volatile.global.u32 r, [x];
add.u32 n, n, 1;
setp.eq.u32 q, n, m;
@q bra DONE;
setp.eq.u32 t, r, 0;
@t bra AGAIN;
DONE: st.global.u32 [x], n;
ret;
})");
  const Buffer<unsigned> word(lab.memory, 1);
  lab.launch.instruction_budget = 2000000;
  lab.run("looks", {1, 1, 1}, {1, 1, 1}, word, 200000u);
  CHECK(word[0] == 200000);
  const Buffer<unsigned> other(lab.memory, 1);
  CHECK_THROWS_WITH(lab.run("looks", {1, 1, 1}, {1, 1, 1}, other, 0u), Contains("an endless loop?"));
}
