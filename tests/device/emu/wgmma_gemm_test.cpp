// A whole GEMM with TMA and wgmma on the emulated machine: ptx/gemm_wgmma_special.ptx is what NVRTC makes
// of kernels/gemm/wgmma_special.cu for bf16, nt, BM = 128, BN = 256, BK = 64, STAGES = 4, CONSUMERS = 2, GROUP = 8.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "device/emu/machine_lab.h"
#include "device/emu/tensor_map.h"
#include "locations.h"

namespace kerlab::emu {
namespace {

struct Shape {
  int m, n, k;
};

std::uint16_t bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float from_bf16(std::uint16_t x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
}

std::vector<std::uint16_t> draw(std::size_t count, unsigned seed, bool whole) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> values(count);
  for (std::uint16_t& x : values) x = bf16(whole ? static_cast<float>(random() % 7) - 3 : normal(random));
  return values;
}

class Gemm {
 public:
  Gemm(const Shape& s, bool whole)
      : s_(s),
        lab_(read_text_file((tests_folder() / "device/emu/ptx/gemm_wgmma_special.ptx").string())),
        program_(lab_.program("gemm")),
        a(draw(size(s.m, s.k), 1, whole)),
        b(draw(size(s.n, s.k), 2, whole)),
        a_(lab_.memory, a),
        b_(lab_.memory, b),
        d_(lab_.memory, size(s.m, s.n)),
        map_a_(map(a_, s.m, 128)),
        map_b_(map(b_, s.n, 256)) {
    lab_.launch.dynamic_shared = 4 * (128 + 256) * 64 * 2;
  }

  LaunchReport run(bool count = false, bool sanitize = false) {
    lab_.launch.count = count;
    lab_.launch.sanitize = sanitize;
    const unsigned blocks = static_cast<unsigned>((s_.m + 127) / 128 * ((s_.n + 255) / 256));
    return lab_.run(*program_, {blocks, 1, 1}, {384, 1, 1}, map_a_, map_b_, std::uint64_t{0}, std::uint64_t{0}, d_.at,
                    s_.m, s_.n, s_.k, 1.0f, 0.0f);
  }
  [[nodiscard]] std::vector<std::uint16_t> result() const { return d_.values(); }

 private:
  static std::size_t size(int x, int y) { return static_cast<std::size_t>(x) * static_cast<std::size_t>(y); }
  TensorMap map(const Buffer<std::uint16_t>& of, int rows, std::uint32_t box) const {
    TensorMapSpec spec;
    spec.dtype = DType::bf16;
    const auto k = static_cast<std::uint64_t>(s_.k), all = static_cast<std::uint64_t>(rows);
    spec.dims = {k, all, 1};
    spec.stride_bytes = {2 * k, 2 * k * all};
    spec.box = {64, box, 1};
    spec.swizzle = kerlab::plan::Swizzle::b128;
    REQUIRE(tensor_map_error(spec, of.at).empty());
    return encode_tensor_map(spec, of.at);
  }

  Shape s_;
  MachineLab lab_;
  ProgramPtr program_;

 public:
  std::vector<std::uint16_t> a, b;

 private:
  Buffer<std::uint16_t> a_, b_, d_;
  TensorMap map_a_, map_b_;
};

TEST_CASE("emulated gemm: TMA and wgmma", "[emu][gemm][wgmma]") {
  const Shape s{136, 264, 200};
  for (const char* isa : {"x86-64-v4", "x86-64-v3"}) {
    setenv("KERLAB_EMU_ISA", isa, 1);
    Gemm gemm(s, true);
    gemm.run();
    const std::vector<std::uint16_t> d = gemm.result();
    long wrong = 0;
    for (int row = 0; row < s.m; ++row) {
      for (int column = 0; column < s.n; ++column) {
        float sum = 0;
        for (int k = 0; k < s.k; ++k) {
          sum += from_bf16(gemm.a[static_cast<std::size_t>(row * s.k + k)]) *
                 from_bf16(gemm.b[static_cast<std::size_t>(column * s.k + k)]);
        }
        wrong += d[static_cast<std::size_t>(row * s.n + column)] != bf16(sum);
      }
    }
    INFO(isa);
    CHECK(wrong == 0);
  }
  unsetenv("KERLAB_EMU_ISA");
}

TEST_CASE("emulated gemm: the sanitizer finds nothing in a right one", "[emu][gemm][wgmma][sanitize]") {
  Gemm gemm({136, 264, 328}, true);
  for (const Finding& finding : gemm.run(false, true).findings) FAIL_CHECK(finding.message);
}

TEST_CASE("emulated gemm: speed of TMA and wgmma", "[.bench][emu-bench][wgmma-bench]") {
  for (const bool whole : {true, false}) {
    const Shape s{256, 256, 4096};
    Gemm gemm(s, whole);
    double processor = 1e9;
    const char* rounds = std::getenv("KERLAB_BENCH_ROUNDS");
    for (int round = rounds == nullptr ? 15 : std::atoi(rounds); round > 0; --round) {
      const std::clock_t ticks = std::clock();
      gemm.run();
      processor = std::min(processor, static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
    }
    std::printf("wgmma_special %dx%dx%d %s one thread: %8.2f ms, %6.2f GFLOP/s\n", s.m, s.n, s.k,
                whole ? "integers" : "normals ", processor * 1e3, 2.0 * s.m * s.n * s.k / processor * 1e-9);
  }
}

}  // namespace
}  // namespace kerlab::emu
