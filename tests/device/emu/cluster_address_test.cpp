// Addresses of shared memory in a cluster, as on sm_90: rank << 24 | offset, also of the block's own variables.

#include <bit>

#include "device/emu/hopper_text.h"

using namespace kerlab;
using namespace kerlab::emu;
using Catch::Contains;

namespace {

using Values = std::vector<unsigned>;

const std::string kVariables = ".shared .align 128 .b8 first[256]; .shared .align 16 .b8 second[64];";
constexpr unsigned kSecond = 256;  ///< where the second variable lies
const std::string kSync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
/// Each block has 32 numbers of `out`: from x0 on.
const std::string kOut = "mul.wide.u32 x2, r2, 128; add.u64 x0, x0, x2;\n";

/// 32 numbers by block, of two clusters of two.
std::vector<Values> run(const std::string& body, unsigned threads = 1, const std::string& variables = kVariables) {
  MachineLab lab(hopper_text(variables, kOut + body));
  constexpr unsigned blocks = 4;
  const Buffer<unsigned> out(lab.memory, 32 * blocks);
  lab.launch.cluster = {2, 1, 1};
  lab.run("k", {blocks, 1, 1}, {threads, 1, 1}, out, std::uint64_t{0}, 0u);
  const Values all = out.values();
  std::vector<Values> of_block;
  for (unsigned b = 0; b < blocks; ++b) of_block.emplace_back(all.begin() + 32 * b, all.begin() + 32 * (b + 1));
  return of_block;
}

Values first_of(const Values& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

TEST_CASE("shared addresses: variables have the rank of their block", "[emu][cluster]") {
  const std::string text =
      "mov.u32 r10, first; mov.u32 r11, second+8; mov.u64 x3, second; cvt.u32.u64 r12, x3; cvta.shared.u64 x4, x3;\n"
      "cvt.u32.u64 r13, x4; cvta.to.shared.u64 x5, x4; cvt.u32.u64 r14, x5;\n"
      "mov.u32 r15, dynamic;\n" +
      put(0, "r10") + put(1, "r11") + put(2, "r12") + put(3, "r13") + put(4, "r14") + put(5, "r15");
  std::string module = hopper_text(kVariables, kOut + text);
  module.insert(module.find(".visible"), ".extern .shared .align 16 .b8 dynamic[];\n");
  for (const unsigned per_cluster : {1u, 2u, 4u}) {
    MachineLab lab(module);
    const Buffer<unsigned> out(lab.memory, 32 * 4);
    lab.launch.cluster = {per_cluster, 1, 1};
    lab.launch.dynamic_shared = 64;
    lab.run("k", {4, 1, 1}, {1, 1, 1}, out, std::uint64_t{0}, 0u);
    const Values all = out.values();
    for (unsigned b = 0; b < 4; ++b) {
      INFO("clusters of " << per_cluster << ", block " << b);
      const unsigned begin = (b % per_cluster) << 24, second = begin + kSecond;
      CHECK(Values(all.begin() + 32 * b, all.begin() + 32 * b + 6) ==
            Values{begin, second + 8, second, second, second, begin + kSecond + 64});
    }
  }
}

TEST_CASE("shared addresses: mapa and getctarank", "[emu][cluster]") {
  // Of the block's own address, of one of the other block, and of generic ones; mapped to the other block, and back.
  const auto blocks = run(
      "xor.b32 r30, r3, 1; mov.u32 r10, second; mapa.shared::cluster.u32 r11, r10, r30;\n"
      "mapa.shared::cluster.u32 r12, r11, r3; mapa.shared::cluster.u32 r13, r10, r3;\n"
      "mapa.shared::cluster.u32 r14, second+4, r30;\n"
      "getctarank.shared::cluster.u32 r15, r10; getctarank.shared::cluster.u32 r16, r11;\n"
      "mov.u64 x3, second; cvta.shared.u64 x3, x3; mapa.u64 x4, x3, r30; mapa.u64 x5, x4, r3; sub.u64 x6, x5, x3;\n"
      "cvt.u32.u64 r17, x6; getctarank.u64 r18, x3; getctarank.u64 r19, x4;\n"
      "isspacep.shared::cta p1, x3; isspacep.shared::cta p2, x4; isspacep.shared::cluster p3, x4;\n" +
      put(0, "r11") + put(1, "r12") + put(2, "r13") + put(3, "r14") + put(4, "r15") + put(5, "r16") + put(6, "r17") +
      put(7, "r18") + put(8, "r19") + put_predicate(9, "p1") + put_predicate(10, "p2") + put_predicate(11, "p3"));
  for (unsigned b = 0; b < blocks.size(); ++b) {
    const unsigned rank = b % 2, other = rank ^ 1, own = rank << 24 | kSecond, theirs = other << 24 | kSecond;
    CHECK(first_of(blocks[b], 12) == Values{theirs, own, own, theirs + 4, rank, other, 0, rank, other, 1, 0, 1});
  }
}

TEST_CASE("shared addresses: every instruction takes its block's own", "[emu][cluster]") {
  const auto blocks =
      run("mov.u32 r10, second; add.u32 r11, r3, 7; st.shared.u32 [second], r11; ld.shared.u32 r12, [r10];\n"
          "atom.shared.add.u32 r13, [r10], 1; red.shared.add.u32 [second], 1; ld.shared::cluster.u32 r14, [r10];\n"
          "mov.u64 x3, second; cvta.shared.u64 x3, x3; ld.u32 r15, [x3]; st.u32 [x3+4], r15; ld.shared.u32 r16, "
          "[second+4];\n"
          "mbarrier.init.shared::cta.b64 [second+16], 1; mbarrier.arrive.shared::cta.b64 x4, [r10+16];\n"
          "mbarrier.test_wait.shared::cta.b64 p1, [r10+16], x4;\n"
          "cp.async.ca.shared.global [r10+32], [x0], 4; cp.async.wait_all; ld.shared.u32 r17, [second+32];\n" +
          put(1, "r12") + put(2, "r13") + put(3, "r14") + put(4, "r15") + put(5, "r16") + put_predicate(6, "p1") +
          put(7, "r17"));
  for (unsigned b = 0; b < blocks.size(); ++b) {
    const unsigned rank = b % 2;
    CHECK(first_of(blocks[b], 8) == Values{0, rank + 7, rank + 7, rank + 9, rank + 9, rank + 9, 1, 0});
  }
}

TEST_CASE("shared addresses: an offset without a rank is block 0's", "[emu][cluster]") {
  const std::string store =
      "st.shared.u32 [second], r3;\n" + kSync + "mov.u32 r10, second; and.b32 r10, r10, 0xffffff;\n";
  const auto blocks = run(store + "ld.shared::cluster.u32 r11, [r10];\n" + put(0, "r11") + kSync);
  for (const Values& values : blocks) CHECK(values[0] == 0);
  CHECK_THAT(message_of([&] { run(store + "ld.shared.u32 r11, [r10];\n" + put(0, "r11") + kSync); }),
             Contains("reads another block's shared memory, which needs .shared::cluster: 4 bytes at 0x100; lane 0"));
  CHECK_THAT(message_of([&] { run("mov.u32 r10, first; ld.shared.u32 r11, [r10-4];\n" + put(0, "r11")); }),
             Contains("reads outside the block's 320 bytes of shared memory"));
}

namespace {

enum class Layout { by_k, by_k_swizzled, by_columns };

/// The sums of the 8 columns of B, 16 x 8 bf16, by wgmma with an A of ones in blocks of rank 0 and 1. Bytes 8 i to 8 i
/// + 7 of shared memory are 1 + i / 128 each; the leading offset is 128 bytes. `masked`: the descriptor takes the
/// address without its rank.
std::vector<std::vector<float>> column_sums(Layout layout, bool masked) {
  const auto blocks = run(
      "mov.u32 r10, data; shl.b32 r11, r1, 3; add.u32 r12, r10, r11; add.u32 r13, r1, 0x3f80;\n"
      "mul.lo.u32 r13, r13, 0x10001; st.shared.u32 [r12], r13; st.shared.u32 [r12+4], r13;\n"
      "fence.proxy.async; bar.sync 0;\n" +
          std::string(masked ? "and.b32 r10, r10, 0x3ffff;\n" : "") + "shr.u32 r10, r10, 4; or.b32 r10, r10, " +
          std::to_string(128 / 16 << 16) + "; mov.u32 r14, " + (layout == Layout::by_k_swizzled ? "0x40000000" : "0") +
          "; mov.b64 x10, {r10, r14}; mov.u32 r20, 0x3f803f80; wgmma.fence.sync.aligned;\n"
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f0, f1, f2, f3}, {r20, r20, r20, r20}, x10, 0, 1, 1, " +
          (layout == Layout::by_columns ? "1" : "0") +
          ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
          "setp.ge.u32 p1, r1, 4; @p1 bra END; mul.wide.u32 x3, r1, 8; add.u64 x3, x0, x3;\n"
          "st.global.f32 [x3], f0; st.global.f32 [x3+4], f1;\nEND:\n",
      128, ".shared .align 1024 .b8 data[1024];");
  std::vector<std::vector<float>> sums(2);
  for (unsigned rank = 0; rank < 2; ++rank)
    for (int column = 0; column < 8; ++column) sums[rank].push_back(std::bit_cast<float>(blocks[rank][column]));
  return sums;
}

/// Of the same B by hand: where the second half of k lies `leading` bytes after the first.
std::vector<float> expected_sums(Layout layout, unsigned leading) {
  std::vector<float> sums;
  for (unsigned column = 0; column < 8; ++column) {
    float sum = 0;
    for (unsigned k = 0; k < 16; ++k) {
      const bool by_columns = layout == Layout::by_columns;
      const unsigned major = by_columns ? k % 8 : column, minor = by_columns ? column : k % 8;
      const unsigned at = k / 8 * leading + 16 * major + 2 * minor;
      sum += 1 + static_cast<float>(at / 8) / 128;
    }
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

TEST_CASE("shared addresses: the rank in a wgmma descriptor is a leading offset", "[emu][cluster][wgmma]") {
  // Rank 1 << 24 becomes bit 20 of the descriptor, bit 4 of the leading offset: 16 units of 16 bytes.
  for (const Layout layout : {Layout::by_k, Layout::by_columns}) {
    const auto right = expected_sums(layout, 128), wrong = expected_sums(layout, 128 + 256);
    CHECK(column_sums(layout, true) == std::vector{right, right});
    CHECK(column_sums(layout, false) == std::vector{right, wrong});
  }
  // Rows of k that are swizzled have no leading offset.
  const auto sums = column_sums(Layout::by_k_swizzled, true);
  CHECK(sums[0] == sums[1]);
  CHECK(column_sums(Layout::by_k_swizzled, false) == sums);
}
