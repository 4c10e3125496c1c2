// Rings of stages and groups of products, as the time model gets them.

#include "device/emu/async/pipeline_counter.h"
#include "device/emu/hopper_text.h"

using namespace kerlab;
using namespace kerlab::emu;

TEST_CASE("pipeline: bytes that mbarriers expect, and those of the busiest one, block by block", "[emu][pipeline]") {
  PipelineCounter counter;
  CHECK(counter.pipeline() == Pipeline{});
  counter.begin_block();
  for (std::uint32_t round = 0; round < 12; ++round) counter.expect(8 * (round % 4), 100);
  counter.expect(64, 50);  // of C, say: once
  counter.wait(1);
  counter.wait(0);
  counter.product(600);
  CHECK(counter.pipeline() == Pipeline{1, 1250, 300, 2, 1, 600, 600});
  counter.begin_block();
  for (std::uint32_t round = 0; round < 8; ++round) counter.expect(8 * (round % 4), 100);
  counter.product(200);
  CHECK(counter.pipeline() == Pipeline{2, 1250 + 800, 300 + 200, 2, 1, 600, 200});
}

TEST_CASE("pipeline: sums of threads, of which some ran no block", "[emu][pipeline]") {
  Pipeline sum = Pipeline{};
  sum += Pipeline{1, 4, 2, 0, 0, 50, 50};
  sum += Pipeline{};
  sum += Pipeline{2, 8, 4, 6, 3, 70, 0};
  CHECK(sum == Pipeline{3, 12, 6, 6, 3, 70, 0});
}

TEST_CASE("pipeline: a launch that counts tells of expected bytes and of groups that waits leave", "[emu][pipeline]") {
  // Two mbarriers; a thread tells one of 16 bytes three times, and the other once of 32. Nothing comes, nobody waits.
  const std::string body =
      "mov.u32 r10, bar; setp.eq.u32 p0, r1, 0;\n"
      "@p0 mbarrier.init.shared.b64 [r10], 8; @p0 mbarrier.init.shared.b64 [r10+8], 8;\n"
      "@p0 mbarrier.arrive.expect_tx.shared.b64 x10, [r10], 16;\n"
      "@p0 mbarrier.arrive.expect_tx.shared.b64 x10, [r10], 16;\n"
      "@p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r10], 16;\n"
      "@p0 mbarrier.arrive.expect_tx.shared.b64 x10, [r10+8], 32;\n"
      "@p0 mbarrier.arrive.shared.b64 x10, [r10+8];\n"
      "wgmma.commit_group.sync.aligned; wgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 1; wgmma.wait_group.sync.aligned 0;\n";
  MachineLab lab(hopper_text(".shared .align 8 .b64 bar[2];", body));
  const Buffer<unsigned> out(lab.memory, std::size_t{4});
  CHECK(lab.run("k", {3, 1, 1}, {128, 1, 1}, out, out, 0u).pipeline == Pipeline{});
  lab.launch.count = true;
  CHECK(lab.run("k", {3, 1, 1}, {128, 1, 1}, out, out, 0u).pipeline ==
        Pipeline{3, 3 * 80, 3 * 48, 3 * 4 * 2, 3 * 4, 0, 0});
}
