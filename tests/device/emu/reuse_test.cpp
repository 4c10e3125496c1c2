// What a block reads again, as the time model gets it.

#include "device/emu/machine/reuse.h"
#include "catch.h"

using namespace kerlab;
using kerlab::emu::SectorReuse;

namespace {

/// 32 lanes of a warp, `bytes` apart.
struct Row {
  std::uint64_t address[32];
  explicit Row(std::uint64_t begin, std::uint64_t bytes = 4) {
    for (std::uint64_t lane = 0; lane < 32; ++lane) address[lane] = begin + lane * bytes;
  }
};

void read(SectorReuse& reuse, const Row& row, int warp = 0) {
  reuse.see(warp, false, row.address, ~0u);
}

}  // namespace

TEST_CASE("reuse: sectors count once for a block", "[emu][reuse]") {
  SectorReuse reuse;
  reuse.begin_block();
  read(reuse, Row(0));
  read(reuse, Row(128));
  CHECK(reuse.traffic().first == 8);
  read(reuse, Row(0), 1);  // another warp, at the same moment
  CHECK(reuse.traffic() == Traffic{12, 8, 0, 0});
  reuse.begin_block();
  read(reuse, Row(0));
  CHECK(reuse.traffic().first == 12);
}

TEST_CASE("reuse: what comes back after much else counts again", "[emu][reuse]") {
  SectorReuse reuse;
  reuse.begin_block();
  for (std::uint64_t pass = 0; pass < 2; ++pass)
    for (std::uint64_t i = 0; i < 100; ++i) read(reuse, Row(i * 128));
  CHECK(reuse.traffic() == Traffic{800, 400, 400, 0});
}

TEST_CASE("reuse: the elements of lanes' vectors, one after the other, touch the same sectors", "[emu][reuse]") {
  SectorReuse reuse;
  reuse.begin_block();
  for (std::uint64_t element = 0; element < 4; ++element) read(reuse, Row(4 * element, 16));
  CHECK(reuse.traffic() == Traffic{64, 16, 0, 0});
}

TEST_CASE("reuse: stores pass through", "[emu][reuse]") {
  SectorReuse reuse;
  reuse.begin_block();
  for (int i = 0; i < 3; ++i) reuse.see(0, true, Row(0).address, 0xFFu);
  CHECK(reuse.traffic() == Traffic{3, 0, 0, 3});
}

TEST_CASE("reuse: many lines", "[emu][reuse]") {
  SectorReuse reuse;
  reuse.begin_block();
  for (std::uint64_t i = 0; i < 50'000; ++i) read(reuse, Row(i * 4096));
  CHECK(reuse.traffic().first == 200'000);
  read(reuse, Row(0));
  CHECK(reuse.traffic().again == 4);
}
