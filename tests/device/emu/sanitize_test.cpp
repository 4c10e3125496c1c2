// The parts of the sanitizer by themselves. What it finds: defects_test.cpp.

#include <map>
#include <random>
#include <set>

#include "catch.h"
#include "device/emu/hopper_text.h"
#include "device/emu/sanitize/byte_ranges.h"
#include "device/emu/sanitize/clock.h"
#include "device/emu/sanitize/footprint.h"

using namespace kerlab;
using namespace kerlab::emu;

TEST_CASE("Ranges of bytes are a set of bytes", "[emu][sanitize]") {
  std::mt19937 random(1);
  ByteRanges ranges;
  std::set<std::uint64_t> bytes;
  for (int turn = 0; turn < 2000; ++turn) {
    const std::uint64_t begin = random() % 300, end = begin + random() % 70;
    const bool add = random() % 2 == 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      if (add) bytes.insert(i);
      if (!add) bytes.erase(i);
    }
    if (add) ranges.add(begin, end);
    if (!add) ranges.remove(begin, end);
    const std::uint64_t at = random() % 320;
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < 64; ++i) expected |= std::uint64_t{bytes.contains(at + i)} << i;
    REQUIRE(ranges.mask(at) == expected);
  }
}

TEST_CASE("A footprint has the bytes and the lanes of an access", "[emu][sanitize]") {
  std::mt19937 random(2);
  FootprintCache cache;
  for (int turn = 0; turn < 500; ++turn) {
    const std::uint32_t bytes = 1u << random() % 5, stride = bytes * (random() % 3), base = bytes * (random() % 64);
    const std::uint32_t mask = turn % 2 == 0 ? ~0u : static_cast<std::uint32_t>(random() | 1u);
    std::uint32_t offset[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t orders[] = {lane, 31 - lane, lane * 11 % 32};
      offset[lane] = base + stride * orders[turn % 3];
    }
    std::map<std::uint32_t, int> touched;  // how many lanes, by byte
    std::map<std::uint32_t, std::set<int>> lanes;
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      for (std::uint32_t i = 0; i < bytes; ++i) {
        ++touched[offset[lane] + i];
        lanes[offset[lane] + i].insert(lane);
      }
    }
    const Footprint& found = cache.find(offset, mask, bytes);
    const std::uint32_t first = offset[__builtin_ctz(mask)] / kLineBytes;
    std::size_t count = 0;
    bool overlap = false;
    for (const auto& [byte, times] : touched) overlap |= times > 1;
    CHECK(found.overlap == overlap);
    for (const Touch& touch : found.touches) {
      const std::uint32_t line = static_cast<std::uint32_t>(first + touch.line) * kLineBytes;
      for (std::uint32_t i = 0; i < kLineBytes; ++i) {
        if ((touch.bytes >> i & 1) == 0) {
          REQUIRE(touch.lane[i] == kNoLane);
          continue;
        }
        REQUIRE(touched.contains(line + i));
        ++count;
        const std::set<int>& expected = lanes[line + i];
        REQUIRE(touch.lane[i] == (expected.size() == 1 ? *expected.begin() : kSeveralLanes));
      }
    }
    CHECK(count == touched.size());
  }
}

TEST_CASE("Whatever a warp reads of a line is remembered, by however many loads", "[emu][sanitize]") {
  // Block 0 reads four words one by one, block 1 overwrites one of them.
  for (int word = 0; word < 4; ++word) {
    const std::string store = "st.global.u32 [x1+" + std::to_string(4 * word) + "], r2;\nbra END;\n";
    MachineLab lab(hopper_text("",
                               "setp.ne.u32 p1, r2, 0; @p1 bra WRITE;\n"
                               "ld.global.u32 r10, [x1];\nld.global.u32 r11, [x1+4];\nld.global.u32 r12, [x1+8];\n"
                               "ld.global.u32 r13, [x1+12];\nbra END;\nWRITE:\n" +
                                   store + "END:\n"));
    const Buffer<unsigned> in(lab.memory, std::vector<unsigned>(16));
    lab.launch.sanitize = true;
    const LaunchReport report = lab.run("k", {2, 1, 1}, {1, 1, 1}, std::uint64_t{0}, in, 0u);
    INFO("word " << word);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].hazard == Hazard::global_race);
  }
}

namespace {

/// How many races sanitize tells of, all between the lanes of a warp. `body`: each block has 32 elements of `bytes`; x1
/// is where they begin, x2 where the lane's own is, whose number is r4.
std::size_t races_of_lanes(std::uint32_t bytes, const std::string& body, unsigned blocks) {
  const std::string size = std::to_string(bytes);
  MachineLab lab(
      hopper_text("", "mad.lo.u32 r4, r2, 32, r1; mul.wide.u32 x2, r4, " + size + "; add.u64 x2, x1, x2;\n" + body));
  const Buffer<unsigned> in(lab.memory, std::vector<unsigned>(32 * blocks, 7));
  lab.launch.sanitize = true;
  std::size_t count = 0;
  for (const Finding& finding : lab.run("k", {blocks, 1, 1}, {32, 1, 1}, std::uint64_t{0}, in, 0u).findings) {
    CHECK(finding.hazard == Hazard::global_race);
    CHECK_THAT(finding.message, Catch::Contains("__syncwarp"));
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("A lane that overwrites what another one of its warp reads in global memory races with it",
          "[emu][sanitize]") {
  for (const std::uint32_t bytes : {4u, 2u, 1u}) {
    INFO(bytes << " bytes");
    const std::string type = ".u" + std::to_string(8 * bytes);
    // Lane i reads element i ^ apart, then writes element i. Loads of others lie between.
    const auto races = [&](int apart, const std::string& between, unsigned blocks) {
      return races_of_lanes(bytes,
                            "xor.b32 r5, r4, " + std::to_string(apart) + "; mul.wide.u32 x3, r5, " +
                                std::to_string(bytes) + "; add.u64 x3, x1, x3;\nld.global" + type + " r10, [x3];\n" +
                                between + "\nadd.u32 r10, r10, 1; st.global" + type + " [x2], r10;\n",
                            blocks);
    };
    const std::string own_too = "ld.global" + type + " r11, [x2]; add.u32 r10, r10, r11;";
    for (const unsigned blocks : {1u, 3u}) {
      CHECK(races(1, "", blocks) == 1);
      CHECK(races(17, "", blocks) == 1);
      CHECK(races(1, own_too, blocks) == 1);  // every element by two lanes
      CHECK(races(1, "bar.warp.sync -1;", blocks) == 0);
      CHECK(races(1, "bar.sync 0;", blocks) == 0);
      CHECK(races(0, "", blocks) == 0);  // lanes write the halves of a word, each its own
      CHECK(races(0, own_too, blocks) == 0);
    }
  }
}

TEST_CASE("Lanes that write one half or one byte race, those that write the halves of a word do not",
          "[emu][sanitize]") {
  for (const std::uint32_t bytes : {2u, 1u}) {
    INFO(bytes << " bytes");
    const std::string type = ".u" + std::to_string(8 * bytes), size = std::to_string(bytes);
    // Lane i writes `value` to element i + 1 but for the last lane, then r4 to its own.
    const auto races = [&](const std::string& value, const std::string& between) {
      return races_of_lanes(bytes,
                            "mov.u32 r5, " + value + "; setp.eq.u32 p1, r1, 31; @p1 bra OWN;\nst.global" + type +
                                " [x2+" + size + "], r5;\nOWN:\n" + between + "st.global" + type + " [x2], r4;\n",
                            1);
    };
    CHECK(races("99", "") == 1);
    CHECK(races("99", "bar.warp.sync -1;\n") == 0);
    // Its neighbours' halves come along in the word that a lane reads before it writes its own.
    const auto words = [&](const std::string& between) {
      return races_of_lanes(
          bytes, "and.b64 x3, x2, -4; ld.global.u32 r10, [x3];\n" + between + "st.global" + type + " [x2], r10;\n", 1);
    };
    CHECK(words("") == 1);
    CHECK(words("bar.warp.sync -1;\n") == 0);
  }
}

TEST_CASE("Clocks know what they are told, of other clusters too", "[emu][sanitize]") {
  const auto actor = [](std::uint32_t cluster, std::uint32_t place) { return cluster << kActorBits | place; };
  Clock a(0, 4), b(1, 4), c(0, 4);
  a.raise(1, 5);
  b.raise(2, 7);
  CHECK(a.knows(actor(0, 1), 5));
  CHECK_FALSE(a.knows(actor(0, 1), 6));
  CHECK_FALSE(a.knows(actor(1, 2), 1));
  b.join(a);
  CHECK(b.knows(actor(0, 1), 5));
  CHECK_FALSE(b.knows(actor(0, 1), 6));
  c.join(b);  // by way of another cluster
  CHECK(c.knows(actor(0, 1), 5));
  CHECK(c.own(1) == 5);
  CHECK(c.knows(actor(1, 2), 7));
  CHECK_FALSE(c.knows(actor(1, 2), 8));
}
