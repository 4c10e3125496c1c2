// The bottleneck of a GEMM, from its extents and the device.
#include "model/gemm_bottleneck.h"

#include "catch.h"

using namespace kerlab;

namespace {

DeviceInfo h200() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.sms = 132;
  return device;
}

const Ceilings kBf16 = {4.8e12, 989.4e12, "tensor pipe", {}, false};

GemmShape shape(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  return {batch, m, n, k, 2, 2, k * 2, n * 2, false};
}

GemmBottleneck of(const GemmShape& gemm, const DeviceInfo& device = h200(), const Ceilings& ceilings = kBf16) {
  return gemm_bottleneck(gemm, device, ceilings);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("bottleneck: each of them, on an H200 in bf16", "[model]") {
  CHECK(of(shape(512, 512, 512)).limit == GemmLimit::launch);
  CHECK(of(shape(4096, 4096, 4096)).limit == GemmLimit::compute);
  CHECK(of(shape(16384, 16384, 16384)).limit == GemmLimit::power);
  CHECK(of(shape(65536, 256, 128)).limit == GemmLimit::store);
  CHECK(of(shape(128, 128, 65536)).limit == GemmLimit::few_tiles);
  CHECK(of(shape(256, 256, 16384)).limit == GemmLimit::few_tiles);
  CHECK(of(shape(4095, 4097, 4093)).limit == GemmLimit::unaligned);
  CHECK(of(shape(3072, 3072, 3072)).limit == GemmLimit::wave_tail);
  CHECK(of(shape(8192, 8192, 128)).limit == GemmLimit::store);
  for (const std::int64_t m : {1, 8, 64, 128})
    for (const std::int64_t n : {4096, 14336}) CHECK(of(shape(m, n, 4096)).limit == GemmLimit::skinny);
  CHECK(of(shape(14336, 8, 4096)).limit == GemmLimit::skinny);
  CHECK(of(shape(256, 65536, 160)).limit == GemmLimit::store);
  CHECK(of(shape(256, 8192, 8192)).limit != GemmLimit::skinny);  // too many rows for that
}

TEST_CASE("bottleneck: what it says is counted", "[model]") {
  const GemmBottleneck square = of(shape(4096, 4096, 4096));
  CHECK(square.waves.tiles == 512);
  CHECK(square.waves.waves == Approx(512.0 / 132));
  CHECK(square.waves.lost == Approx(1 - 512.0 / 528));
  const GemmBottleneck edges = of(shape(3072, 3072, 3072));  // 288 tiles: a third wave of 24
  CHECK(edges.waves.lost == Approx(1 - 288.0 / 396));
  CHECK(contains(edges.reason, "27 %"));
  const GemmBottleneck few = of(shape(128, 128, 65536));
  CHECK(few.splits == 128);                        // one tile; 8 steps of 64 k each
  CHECK(of(shape(256, 256, 16384)).splits == 32);  // of 33 the SMs, of 32 the steps
  const GemmBottleneck decode = of(shape(1, 4096, 14336));
  CHECK(decode.splits == 4);  // 32 tiles for 132 SMs
  CHECK(contains(decode.reason, "1 row: B is 100 %"));
  CHECK(contains(decode.suggestion, "kB in flight"));
  CHECK(contains(decode.suggestion, "split K in about 4"));
  CHECK(of(shape(64, 65536, 4096)).splits == 1);
  // Both operands read and written: 2 x 67 MB at 4.8 TB/s.
  CHECK(contains(of(shape(4095, 4097, 4093)).suggestion, "27.94 us"));
}

TEST_CASE("bottleneck: of the device and the layout, not of the extents alone", "[model]") {
  DeviceInfo small = h200();
  small.sms = 16;
  CHECK(of(shape(1024, 1024, 4096)).limit == GemmLimit::few_tiles);
  CHECK(of(shape(1024, 1024, 4096), small).limit != GemmLimit::few_tiles);
  // K alone is odd: with both stored row by row only A's rows are not whole; with A transposed none.
  GemmShape odd = shape(4096, 4096, 4095);
  CHECK(of(odd).limit == GemmLimit::unaligned);
  CHECK(contains(of(odd).reason, "rows of A are"));
  odd.row_bytes_a = 4096 * 2;
  CHECK(of(odd).limit == GemmLimit::compute);
  DeviceInfo ampere = h200();
  ampere.cc_major = 8;
  CHECK(of(shape(4096, 4096, 4096), ampere).waves.tile_n == 128);
  // An FMA pipe is not held back by power in the same way.
  CHECK(of(shape(16384, 16384, 16384), h200(), {4.8e12, 66.9e12, "FMA", {}, false}).limit == GemmLimit::compute);
  // Nothing to multiply, or a device that says nothing of itself: no division by it.
  CHECK(of(shape(1, 1, 1), DeviceInfo{}, {}).limit == GemmLimit::launch);
  CHECK(waves_of(shape(0, 5, 5), 128, 128, 132).tiles == 0);
}
