// Tensor copies of whole kernels: from the map in a parameter or in memory to the bytes in shared memory and back. What
// boxes are: tensor_copy_test.cpp.

#include <cstring>

#include "device/emu/hopper_text.h"
#include "device/emu/tensor_map.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // TensorMap by value: aligned to 64 bytes

using namespace kerlab;
using namespace kerlab::emu;
using Catch::Contains;

namespace {

constexpr unsigned kWidth = 40, kHeight = 20, kBoxWidth = 16, kBoxHeight = 8, kBoxBytes = 4 * kBoxWidth * kBoxHeight;

/// A kernel "k" with parameters map, out, in, n; r10 is the mbarrier full, r12 the box, x9 the map's generic address.
std::string text(const std::string& body) {
  std::string all = hopper_text(
      ".shared .align 1024 .b8 data[2048]; .shared .align 8 .b64 full; .shared .align 128 .b8 "
      "edited[128];",
      "mov.b64 x8, map; cvta.param.u64 x9, x8; mov.u32 r10, full; mov.u32 r12, data;\n"
      "setp.eq.u32 p0, r1, 0; @p0 mbarrier.init.shared.b64 [r10], 1; bar.sync 0;\n" +
          body);
  const std::string from = ".param .u64 out,";
  return all.replace(all.find(from), from.size(), ".param .align 64 .b8 map[128], " + from);
}

TensorMap map_of(DevicePtr base, Swizzle swizzle = Swizzle::none) {
  TensorMapSpec spec;
  spec.dtype = DType::int32;
  spec.dims = {kWidth, kHeight};
  spec.stride_bytes = {4 * kWidth};
  spec.box = {kBoxWidth, kBoxHeight};
  spec.swizzle = swizzle;
  REQUIRE(tensor_map_error(spec, base).empty());
  return encode_tensor_map(spec, base);
}

std::vector<unsigned> tensor() {
  std::vector<unsigned> values(kWidth * kHeight);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = 3 * i + 1;
  return values;
}
/// The element at (x, y), 0 outside.
unsigned at(const std::vector<unsigned>& values, int x, int y) {
  const bool inside = x >= 0 && y >= 0 && x < static_cast<int>(kWidth) && y < static_cast<int>(kHeight);
  return inside ? values[static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x)] : 0;
}

/// Loads the box at (r30, r31), waits, and stores thread i's element to out[i] (128 threads).
std::string load_and_show(const std::string& map) {
  return "@p0 mbarrier.arrive.expect_tx.shared.b64 _, [r10], 512;\n"
         "@p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [r12], [" +
         map + ", {r30, r31}], [r10];\nshl.b32 r13, r1, 2; add.u32 r13, r12, r13; ld.shared.u32 r15, [r13];\n" +
         wait_for("r10", "0", "a") +
         "ld.shared.u32 r14, [r13]; mul.wide.u32 x2, r1, 4; add.u64 x2, x0, x2; st.global.u32 [x2], r14;\n"
         "setp.eq.u32 p5, r15, 0xffffffff; @!p5 trap;\n";  // nothing had come before the wait
}

void check_box(const std::vector<unsigned>& out, const std::vector<unsigned>& values, int x, int y) {
  for (int i = 0; i < static_cast<int>(kBoxWidth * kBoxHeight); ++i) {
    const int column = i % static_cast<int>(kBoxWidth);
    const int row = i / static_cast<int>(kBoxWidth);
    REQUIRE(out[static_cast<std::size_t>(i)] == at(values, x + column, y + row));
  }
}

}  // namespace

TEST_CASE("tensor copies: a load", "[emu][tensor_launch]") {
  for (const auto& [x, y] : {std::pair{8, 4}, std::pair{32, 16}, std::pair{-4, -3}}) {
    MachineLab lab(text("mov.u32 r30, " + std::to_string(x) + "; mov.u32 r31, " + std::to_string(y) + ";\n" +
                        load_and_show("x9")));
    const Buffer<unsigned> in(lab.memory, tensor());
    const Buffer<unsigned> out(lab.memory, 128);
    lab.launch.count = x == 8;
    const LaunchReport report = lab.run("k", {1, 1, 1}, {128, 1, 1}, map_of(in.at), out, in, 0u);
    check_box(out.values(), tensor(), x, y);
    if (x == 8) CHECK(report.counts.global_load_bytes == kBoxBytes);
  }
}

TEST_CASE("tensor copies: the parameter named in the instruction, and a map in global memory", "[emu][tensor_launch]") {
  for (const char* const map : {"map", "x1"}) {
    MachineLab lab(text("mov.u32 r30, 4; mov.u32 r31, 2;\n" + load_and_show(map)));
    const Buffer<unsigned> in(lab.memory, tensor());
    const Buffer<TensorMap> stored(lab.memory, std::vector<TensorMap>{map_of(in.at)});
    const Buffer<unsigned> out(lab.memory, 128);
    lab.run("k", {1, 1, 1}, {128, 1, 1}, map_of(in.at), out, stored, 0u);
    check_box(out.values(), tensor(), 4, 2);
  }
}

TEST_CASE("tensor copies: multicast with a swizzle", "[emu][tensor_launch]") {
  // Block 1 loads for both; each reads back through a tensor store with the same swizzle.
  const std::string body =
      "mov.u32 r30, 16; mov.u32 r31, 8; setp.eq.u32 p1, r3, 1; and.pred p1, p1, p0; mov.u16 h1, 3;\n"
      "@p0 mbarrier.arrive.expect_tx.shared.b64 _, [r10], 512; barrier.cluster.arrive; barrier.cluster.wait;\n"
      "@p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [r12], [x9, "
      "{r30, r31}], [r10], h1;\n" +
      wait_for("r10", "0", "a") +
      "shl.b32 r13, r1, 2; add.u32 r13, r12, r13; ld.shared.u32 r14, [r13]; mad.lo.u32 r15, r3, 128, r1;\n"
      "mul.wide.u32 x2, r15, 4; add.u64 x2, x0, x2; st.global.u32 [x2], r14; barrier.cluster.arrive; "
      "barrier.cluster.wait;\n";
  MachineLab lab(text(body));
  const Buffer<unsigned> in(lab.memory, tensor());
  const Buffer<unsigned> out(lab.memory, 256);
  lab.launch.cluster = {2, 1, 1};
  lab.run("k", {2, 1, 1}, {128, 1, 1}, map_of(in.at, Swizzle::b64), out, in, 0u);
  const std::vector<unsigned> got = out.values();
  for (unsigned i = 0; i < 256; ++i) {
    const unsigned address = 4 * (i % 128);
    const unsigned plain = address ^ (address >> 7 & 3) << 4;  // 64-byte swizzle: its own inverse
    REQUIRE(got[i] == at(tensor(), static_cast<int>(16 + plain / 4 % 16), static_cast<int>(8 + plain / 64)));
  }
}

TEST_CASE("tensor copies: stores and reductions", "[emu][tensor_launch]") {
  const std::string body =
      "shl.b32 r13, r1, 2; add.u32 r13, r12, r13; add.u32 r14, r1, 1000; st.shared.u32 [r13], r14;\n"
      "fence.proxy.async.shared::cta; bar.sync 0; mov.u32 r30, 32; mov.u32 r31, 2; mov.u32 r32, 4; mov.u32 r33, 0;\n"
      "@p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [x9, {r30, r31}], [r12];\n"
      "@p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [x9, {r32, r33}], [r12];\n"
      "@p0 cp.async.bulk.commit_group; ld.global.u32 r15, [x1+16]; @p0 st.global.u32 [x0], r15;\n"
      "@p0 cp.async.bulk.wait_group 0; ld.global.u32 r15, [x1+16]; @p0 st.global.u32 [x0+4], r15;\n";
  MachineLab lab(text(body));
  const Buffer<unsigned> in(lab.memory, tensor());
  const Buffer<unsigned> out(lab.memory, 2);
  lab.launch.record_writes = true;
  const LaunchReport report = lab.run("k", {1, 1, 1}, {128, 1, 1}, map_of(in.at), out, in, 0u);
  const std::vector<unsigned> before = tensor();
  const std::vector<unsigned> got = in.values();
  CHECK(out.values() == std::vector<unsigned>{before[4], before[4] + 1000});
  for (unsigned i = 0; i < got.size(); ++i) {
    const unsigned x = i % kWidth;
    const unsigned y = i / kWidth;
    unsigned expected = before[i];
    if (x >= 32 && y >= 2 && y < 10) expected = 1000 + (y - 2) * kBoxWidth + (x - 32);
    if (x >= 4 && x < 20 && y < 8) expected += 1000 + y * kBoxWidth + (x - 4);
    REQUIRE(got[i] == expected);
  }
  CHECK(report.written.size() == 17);  // 8 rows each, and out
}

TEST_CASE("tensor copies: a map that the kernel edits", "[emu][tensor_launch]") {
  // Copied to shared memory, its base moved by one row there, then put into global memory and used.
  const std::string body =
      "mov.u32 r20, edited; shr.u32 r21, r1, 5; setp.eq.u32 p6, r21, 0; shl.b32 r22, r1, 2; add.u32 r22, r20, r22;\n"
      "cvt.u64.u32 x3, r1; shl.b64 x3, x3, 2; add.u64 x3, x9, x3; @p6 ld.b32 r23, [x3]; @p6 st.shared.b32 [r22], r23;\n"
      "bar.sync 0; add.u64 x4, x1, 160;\n"
      "@p0 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [r20], x4;\n"
      "@p0 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [r20], 1, 19; bar.sync 0; add.u64 x5, x0, 1024;\n"
      "@p6 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [x5], [r20], 128;\n"
      "fence.proxy.tensormap::generic.acquire.gpu [x5], 128; bar.sync 0; mov.u32 r30, 8; mov.u32 r31, 15;\n" +
      load_and_show("x5");
  MachineLab lab(text(body));
  const Buffer<unsigned> in(lab.memory, tensor());
  const Buffer<unsigned> out(lab.memory, 512);
  lab.run("k", {1, 1, 1}, {128, 1, 1}, map_of(in.at), out, in, 0u);
  check_box(out.values(), tensor(), 8, 16);
}

TEST_CASE("tensor copies: faults", "[emu][tensor_launch]") {
  const auto fault = [](const std::string& body) {
    MachineLab lab(text("mov.u32 r30, 0; mov.u32 r31, 0;" + body));
    const Buffer<unsigned> in(lab.memory, tensor());
    return message_of([&] { lab.run("k", {1, 1, 1}, {1, 1, 1}, map_of(in.at), in, in, 0u); });
  };
  const std::string load = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes ";
  CHECK_THAT(fault(load + "[r12+64], [x9, {r30, r31}], [r10];"),
             Contains("no multiple of 128") && Contains("ptx line"));
  CHECK_THAT(fault(load + "[r12+1920], [x9, {r30, r31}], [r10];"), Contains("outside the block's"));
  CHECK_THAT(fault(load + "[r12], [x1, {r30, r31}], [r10];"), Contains("no tensor map"));
  CHECK_THAT(fault("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [r12], [x9, {r30, r31, "
                   "r30}], [r10];"),
             Contains("3-dimensional boxes, its tensor map has rank 2"));
}
