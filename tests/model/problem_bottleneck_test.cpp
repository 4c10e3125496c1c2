// The bottleneck of a problem of any family, and the word for a GEMM's shape, against arithmetic by hand for an H200.
#include "model/problem_bottleneck.h"

#include "catch.h"

using namespace kerlab;

namespace {

DeviceInfo h200() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.sms = 132;
  device.l2_bytes = 62914560;
  return device;
}

const Ceilings kBf16 = {4.8e12, 989.4e12, "tensor pipe", {}, false};
const Ceilings kFp32 = {4.8e12, 66.9e12, "FMA", {}, false};

ProblemBottleneck gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  const GemmShape shape{1, m, n, k, 2, 2, k * 2, n * 2, false};
  return problem_bottleneck(shape, gemm_bottleneck(shape, h200(), kBf16));
}

ProblemBottleneck of(double flops, double bytes) {
  return general_bottleneck(flops, bytes, h200(), kFp32);
}

}  // namespace

TEST_CASE("bottleneck: GEMMs by hand", "[model]") {
  // M=1: B is 4096 x 4096 x 2 = 33,554,432 bytes, 6.99 us at 4.8 TB/s; 33.55 MFLOP take 0.034 us: B's traffic is all.
  const ProblemBottleneck decode = gemm(1, 4096, 4096);
  CHECK(decode.shape == "decode");
  CHECK(decode.name == "DRAM");
  CHECK_THAT(decode.reason, Catch::Contains("1 row: B is 100 % of the traffic"));
  // 2 x 4096^3 = 137.4 GFLOP are 138.9 us, 3 x 4096^2 x 2 bytes 21.0 us. 512 tiles of 128x256: 3.88 waves, and of the
  // 528 places 16 stay empty: 3 %.
  const ProblemBottleneck square = gemm(4096, 4096, 4096);
  CHECK(square.shape == "square");
  CHECK(square.name == "tensor pipe");
  CHECK_THAT(square.reason, Catch::Contains("512 tiles of 128x256 are 3.9 waves of 132 SMs, 3 % lost"));
  // 2 x 128 x 65536 x 2 + 128^2 x 2 = 33.59 MB are 7.0 us, 2.15 GFLOP 2.2 us; but one tile of 128x128 for 132 SMs.
  const ProblemBottleneck long_k = gemm(128, 128, 65536);
  CHECK(long_k.shape == "long-K");
  CHECK(long_k.name == "too few tiles");
  // A 16.8 MB, B 0.07 MB, D 33.6 MB: D is two thirds of 50.4 MB, 10.5 us; 4.29 GFLOP are 4.3 us.
  const ProblemBottleneck tall = gemm(65536, 256, 128);
  CHECK(tall.shape == "tall-skinny");
  CHECK(tall.name == "DRAM");
  CHECK_THAT(tall.reason, Catch::Contains("D is 67 % of the traffic"));
}

TEST_CASE("bottleneck: words for shapes, the first that holds", "[model]") {
  const auto name = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return shape_name({1, m, n, k, 2, 2, 0, 0, false});
  };
  CHECK(name(8, 8192, 64) == "decode");
  CHECK(name(9, 8192, 64) == "tall-skinny");
  CHECK(name(1024, 128, 65536) == "tall-skinny");  // 8 times as many rows as columns
  CHECK(name(1024, 256, 8192) == "long-K");        // 8 times the larger
  CHECK(name(8192, 8192, 1024) == "short-K");      // an eighth of the smaller
  CHECK(name(1024, 2048, 1024) == "square");       // within a factor of 2
  CHECK(name(1024, 3072, 1024) == "oblong");
}

TEST_CASE("bottleneck: families that are no GEMM, by hand", "[model]") {
  // saxpy of 2^20: 3 x 4 x 2^20 = 12.58 MB are 2.62 us, less than a launch takes; 2 x 2^20 FLOPs 0.03 us.
  const ProblemBottleneck saxpy = of(2097152, 12582912);
  CHECK(saxpy.name == "launch overhead");
  CHECK_THAT(saxpy.reason, Catch::Contains("2.621 us of work at best") && Catch::Contains("12.58 MB at 4.80 TB/s"));
  CHECK(saxpy.shape.empty());
  // Of 2^22: 50.3 MB are 10.5 us, and fit into 62.9 MB of L2; of 2^26: 805 MB do not.
  CHECK(of(2.0 * (1 << 22), 12.0 * (1 << 22)).name == "DRAM");
  CHECK_THAT(of(2.0 * (1 << 22), 12.0 * (1 << 22)).reason, Catch::Contains("fits into L2"));
  CHECK(of(2.0 * (1 << 26), 12.0 * (1 << 26)).name == "DRAM");
  CHECK_THAT(of(2.0 * (1 << 26), 12.0 * (1 << 26)).reason, !Catch::Contains("fits into L2"));
  // softmax 65 x 1000: 2 x 65,000 x 4 bytes are 0.108 us, 5 x 65,000 FLOPs 0.005 us.
  CHECK(of(325000, 520000).name == "launch overhead");
  CHECK_THAT(of(325000, 520000).reason, Catch::Contains("0.1083 us of work at best"));
  // 669 MFLOP are 10 us; 43.2 MB are 9 us, 24 MB 5 us.
  CHECK(of(669e6, 43.2e6).name == "DRAM and arithmetic");
  CHECK(of(669e6, 24e6).name == "FMA");
  CHECK(of(0, 0).name == "nothing to do");
}
