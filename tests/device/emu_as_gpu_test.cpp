// What every GPU does and an emulated device need not: its clocks, its multiprocessors, shared memory that nobody
// clears, waits that come to their time limit, the barrier of a grid.
#include <algorithm>
#include <set>

#include "catch.h"
#include "device/device_kernels.h"
#include "device/emu/emu_device.h"
#include "device/emu/emu_device_profile.h"
#include "device/emu/hopper_text.h"
#include "device/launches.h"
#include "device/shared_memory.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

constexpr std::uint32_t kMostBlocks = 1000;

/// An H200 with a kernel "k", as hopper_text makes it, that writes 16 words from x2 on for each block.
class WrittenByBlock {
 public:
  explicit WrittenByBlock(const std::string& body, const std::string& shared = "")
      : text_(hopper_text(shared, "mul.wide.u32 x2, r2, 64; add.u64 x2, x0, x2;\n" + body)),
        module_(device.load(test::image(text_), "k")) {}

  EmuDevice device{read_emulated_device(profile_folder(), "h200"),
                   {.threads = 2, .instruction_budget = 1 << 20, .sample_blocks = 0}};
  bool cooperative = false;
  std::uint32_t threads = 1;  ///< of a block
  std::size_t findings = 0;   ///< of the last launch

  /// Word `word` of each block.
  std::vector<std::uint32_t> run(std::uint32_t blocks, LaunchMode mode = LaunchMode::check_all, std::size_t word = 0) {
    BoundLaunch launch;
    launch.module = module_;
    launch.kernel = "k";
    launch.grid = {blocks, 1, 1};
    launch.cooperative = cooperative;
    launch.block = {threads, 1, 1};
    launch.arguments = {test::argument(out_.pointer()), test::argument(out_.pointer()), test::argument(blocks)};
    findings = device.launch(launch, mode).findings.size();
    const std::vector<std::uint32_t> all = test::words_at(device, out_.pointer(), std::size_t{blocks} * 16);
    std::vector<std::uint32_t> words;
    for (std::size_t at = word; at < all.size(); at += 16) words.push_back(all[at]);
    return words;
  }

 private:
  std::string text_;
  ModuleId module_;
  Allocation out_{device, std::size_t{kMostBlocks} * 64};
};

}  // namespace

TEST_CASE("as a GPU: %globaltimer counts from 1970, clocks since it was switched on", "[emu][device]") {
  WrittenByBlock kernel(
      "mov.u64 x3, %globaltimer; st.global.u64 [x2], x3; mov.u32 r4, %globaltimer_hi; st.global.u32 [x2+8], r4;\n"
      "mov.u64 x4, %globaltimer; sub.u64 x4, x4, x3; st.global.u32 [x2+12], x4;\n"
      "mov.u64 x5, %clock64; shr.u64 x5, x5, 32; st.global.u32 [x2+16], x5;");
  constexpr std::uint64_t kYear = 365ull * 24 * 3600 * 1'000'000'000;
  const std::uint32_t low = kernel.run(1)[0], high = kernel.run(1, LaunchMode::check_all, 1)[0];
  CHECK((std::uint64_t{high} << 32 | low) / kYear >= 2025 - 1970);
  CHECK((std::uint64_t{high} << 32 | low) / kYear < 2100 - 1970);
  CHECK(kernel.run(1, LaunchMode::check_all, 2)[0] == high);
  CHECK(kernel.run(1, LaunchMode::check_all, 3)[0] > 0);
  CHECK(kernel.run(1, LaunchMode::check_all, 3)[0] < 1000);
  CHECK(kernel.run(1, LaunchMode::check_all, 4)[0] > 0);
  CHECK(kernel.run(1)[0] == low);
}

TEST_CASE("as a GPU: blocks are spread over its multiprocessors", "[emu][device]") {
  WrittenByBlock kernel("mov.u32 r4, %smid; st.global.u32 [x2], r4; mov.u32 r4, %nsmid; st.global.u32 [x2+4], r4;");
  const auto count = static_cast<std::uint32_t>(kernel.device.info().sms);
  CHECK(kernel.run(1, LaunchMode::check_all, 1)[0] == count);
  const std::vector<std::uint32_t> few = kernel.run(4);
  CHECK(std::ranges::min(few) < count / 8);
  CHECK(std::ranges::max(few) > count - count / 8);
  std::vector<std::uint32_t> wave = kernel.run(count);
  CHECK(kernel.run(count, LaunchMode::count) == wave);
  std::ranges::sort(wave);
  for (std::uint32_t i = 0; i < count; ++i) REQUIRE(wave[i] == i);
  for (const std::uint32_t each : kernel.run(kMostBlocks)) REQUIRE(each < count);
}

TEST_CASE("as a GPU: blocks find in shared memory what those of the last launch left", "[emu][device]") {
  const std::string found = "ld.shared.u32 r4, [kept]; st.global.u32 [x2], r4;\n";
  WrittenByBlock kernel(found + "add.u32 r4, r4, 1; st.shared.u32 [kept], r4;", ".shared .align 4 .b8 kept[64];");
  constexpr std::uint32_t kPoison = 0xFFFFFFFF;
  const auto all = [](std::uint32_t value) { return std::vector<std::uint32_t>(300, value); };
  CHECK(kernel.run(300) == all(kPoison));
  CHECK(kernel.run(300) == all(kPoison));  // poison, unless it is asked for
  {
    const KeptSharedMemory shared(kernel.device);
    const std::string nothing = shared.digest();
    CHECK(kernel.run(300) == all(kPoison));
    const std::string once = shared.digest();
    CHECK(once != nothing);
    CHECK(kernel.run(300) == all(0));
    CHECK(shared.digest() != once);
    CHECK(kernel.run(300) == all(1));
    CHECK(kernel.run(300, LaunchMode::count) == all(kPoison));  // what is counted is as a first run
    CHECK(kernel.run(300) == all(2));
  }
  CHECK(kernel.run(300) == all(kPoison));
}

TEST_CASE("as a GPU: mbarrier.try_wait comes to its time limit in some checks, and not where a launch is counted",
          "[emu][device][mbarrier]") {
  // Copies are done as late as that: when nobody can go on.
  WrittenByBlock kernel(
      "mbarrier.init.shared.b64 [bar], 1; mov.u32 r4, 0;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [x1], 256, [bar];\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"
      "again: add.u32 r4, r4, 1; mbarrier.try_wait.parity.shared::cta.b64 p1, [bar], 0; @!p1 bra again;\n"
      "st.global.u32 [x2], r4;",
      ".shared .align 128 .b8 data[256]; .shared .align 8 .b64 bar;");
  std::vector<int> seen(3);
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t tries = kernel.run(1)[0];
    REQUIRE((tries == 1 || tries == 2));
    seen[tries]++;
  }
  CHECK(seen[1] >= 2);
  CHECK(seen[2] >= 2);
  for (int i = 0; i < 8; ++i) REQUIRE(kernel.run(1, LaunchMode::count)[0] == 1);
}

TEST_CASE("as a GPU: grid.sync() of cooperative_groups finds its barrier, in cooperative launches", "[emu][device]") {
  // As cooperative_groups/details/sync.h has it: block 0 adds what makes the highest bit flip when all have arrived.
  // Then each block reads what the next one has written.
  WrittenByBlock kernel(
      "st.global.u32 [x2], r2; mov.u32 r4, %envreg1; mov.u32 r5, %envreg2;\n"
      "cvt.u64.u32 x3, r4; shl.b64 x3, x3, 32; cvt.u64.u32 x4, r5; or.b64 x3, x3, x4;\n"
      "sub.u32 r6, r0, 1; sub.u32 r6, 0x80000000, r6; setp.eq.u32 p1, r2, 0; selp.u32 r6, r6, 1, p1;\n"
      "atom.add.release.gpu.global.u32 r7, [x3+4], r6;\n"
      "again: ld.acquire.gpu.global.u32 r8, [x3+4]; xor.b32 r8, r8, r7; setp.ge.s32 p2, r8, 0; @p2 bra again;\n"
      "add.u32 r9, r2, 1; rem.u32 r9, r9, r0; mul.wide.u32 x5, r9, 64; add.u64 x5, x0, x5;\n"
      "ld.global.u32 r10, [x5]; st.global.u32 [x2+4], r10;");
  kernel.cooperative = true;
  for (const LaunchMode mode : {LaunchMode::run, LaunchMode::check_all, LaunchMode::count, LaunchMode::sanitize}) {
    CHECK(kernel.run(5, mode, 1) == std::vector<std::uint32_t>{1, 2, 3, 4, 0});
    CHECK(kernel.findings == 0);
  }
  kernel.cooperative = false;
  CHECK_THAT(message_of([&] { kernel.run(5); }),
             Catch::Contains("grid.sync()") && Catch::Contains("cooperative = true"));
}

TEST_CASE("as a GPU: of a block's warps the first comes first in some checks, the last in others", "[emu][device]") {
  WrittenByBlock kernel("mov.u32 r4, %tid.x; shr.u32 r4, r4, 5; atom.global.exch.b32 r5, [x2], r4;");
  kernel.threads = 96;
  for (const LaunchMode mode : {LaunchMode::check_all, LaunchMode::sanitize}) {
    std::set<std::uint32_t> last;
    for (int i = 0; i < 8; ++i) last.insert(kernel.run(1, mode)[0]);
    CHECK(last == std::set<std::uint32_t>{0, 2});
  }
  for (int i = 0; i < 4; ++i) CHECK(kernel.run(1, LaunchMode::run)[0] == 2);  // what is counted is the same every time
}

TEST_CASE("as a GPU: the address of a grid's barrier is read like any special register", "[emu][device]") {
  // Both halves at once, beside a register of nearly that name.
  WrittenByBlock kernel(
      "{ .reg .b32 %envreg1a; mov.b64 x3, {%envreg2, %envreg1}; add.u32 %envreg1a, r2, 7;\n"
      "atom.add.release.gpu.global.u32 r7, [x3+4], 1; st.global.u32 [x2], %envreg1a; }");
  kernel.cooperative = true;
  CHECK(kernel.run(3) == std::vector<std::uint32_t>{7, 8, 9});
  kernel.cooperative = false;
  CHECK_THAT(message_of([&] { kernel.run(3); }), Catch::Contains("cooperative = true"));
}
