// Our own GEMM kernels on the emulated machine, at shapes that no tile divides. Integers as input: sums are exact, so
// every bit of the result is known. ptx/gemm_*.ptx is what NVRTC makes of kernels/gemm for sm_80:
//   naive:    fp32, nn
//   reg2d:    fp32, nn, BM = BN = 128, BK = 8, TM = TN = 8, PAD = 4, DB = 1
//   mma_pipe: bf16, nn, BM = BN = 128, BK = 32, WM = WN = 64, STAGES = 3

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "device/emu/machine_lab.h"
#include "locations.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

struct Shape {
  int m, n, k;
};

int value(std::size_t i, int seed) {
  return static_cast<int>((i * 2654435761u + static_cast<unsigned>(seed)) >> 13 & 7) - 3;
}

std::uint16_t bf16(float x) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16);
}
float from_bf16(std::uint16_t x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
}
template <class T>
T make(float x) {
  if constexpr (sizeof(T) == 2) return bf16(x);
  return x;
}
template <class T>
float read(T x) {
  if constexpr (sizeof(T) == 2) return from_bf16(x);
  return x;
}

template <class T>
std::vector<T> integers(std::size_t count, int seed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = make<T>(static_cast<float>(value(i, seed)));
  return values;
}

std::string fixture(const std::string& name) {
  return read_text_file((tests_folder() / "device/emu/ptx" / (name + ".ptx")).string());
}

/// D = 2 A B - C, element by element; sums beyond 256 are not integers of bf16, which are rounded once.
template <class T>
float expected(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c, const Shape& s, int row,
               int column) {
  float sum = 0;
  for (int k = 0; k < s.k; ++k) {
    sum += read(a[static_cast<std::size_t>(row * s.k + k)]) * read(b[static_cast<std::size_t>(k * s.n + column)]);
  }
  return 2 * sum - read(c[static_cast<std::size_t>(row * s.n + column)]);
}

/// To nearest, ties to even.
float rounded_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}

struct Kernel {
  std::string name;
  int tile = 0;  ///< 0: 256 elements to a block
  unsigned threads = 256;
  std::uint32_t shared = 0;
  bool strides = false;  ///< the arguments of mma_pipe
};
const Kernel kNaive = {"gemm_naive", 0, 256, 0, false};
const Kernel kReg2d = {"gemm_reg2d", 128, 256, 2 * 8 * (128 + 128 + 8) * 4, false};
const Kernel kMmaPipe = {"gemm_mma_pipe", 128, 128, 3 * 256 * 32 * 2, true};

unsigned ceil_div(int a, int b) {
  return static_cast<unsigned>((a + b - 1) / b);
}

Dim3 grid_of(const Kernel& kernel, const Shape& s) {
  return {kernel.tile == 0 ? ceil_div(s.m * s.n, 256) : ceil_div(s.m, kernel.tile) * ceil_div(s.n, kernel.tile), 1, 1};
}

template <class T>
LaunchReport launch(MachineLab& lab, const Program& program, const Kernel& kernel, const Shape& s, const Buffer<T>& a,
                    const Buffer<T>& b, const Buffer<T>& c, const Buffer<T>& d) {
  lab.launch.dynamic_shared = kernel.shared;
  const Dim3 block = {kernel.threads, 1, 1};
  if (kernel.strides) {
    return lab.run(program, grid_of(kernel, s), block, a, b, c, d, s.m, s.n, s.k, s.k, s.n, 0, 2.0f, -1.0f);
  }
  return lab.run(program, grid_of(kernel, s), block, a, b, c, d, s.m, s.n, s.k, 2.0f, -1.0f);
}

template <class T>
void check_gemm(const Kernel& kernel, const Shape& s) {
  const auto size = [](int x, int y) { return static_cast<std::size_t>(x) * static_cast<std::size_t>(y); };
  const std::vector<T> a = integers<T>(size(s.m, s.k), 1);
  const std::vector<T> b = integers<T>(size(s.k, s.n), 2);
  const std::vector<T> c = integers<T>(size(s.m, s.n), 3);
  for (const char* isa : {"", "portable"}) {
    setenv("KERLAB_EMU_ISA", isa, 1);
    for (const int threads : {1, 2}) {
      INFO(kernel.name << " " << s.m << "x" << s.n << "x" << s.k << " threads " << threads << " " << isa);
      MachineLab lab(fixture(kernel.name));
      lab.launch.threads = threads;
      const Buffer<T> d(lab.memory, c.size());
      launch(lab, *lab.program("gemm"), kernel, s, Buffer<T>(lab.memory, a), Buffer<T>(lab.memory, b),
             Buffer<T>(lab.memory, c), d);
      const std::vector<T> values = d.values();
      for (int row = 0; row < s.m; ++row) {
        for (int column = 0; column < s.n; ++column) {
          const float good = expected(a, b, c, s, row, column);
          const float got = read(values[static_cast<std::size_t>(row * s.n + column)]);
          if (got == (sizeof(T) == 2 ? rounded_to_bf16(good) : good)) continue;
          FAIL("D[" << row << "," << column << "] is " << got << ", not " << good);
        }
      }
    }
  }
  unsetenv("KERLAB_EMU_ISA");
}

}  // namespace

TEST_CASE("emulated gemm: naive", "[emu][gemm]") {
  for (const Shape& s : {Shape{1, 1, 1}, Shape{37, 41, 29}, Shape{64, 32, 8}}) check_gemm<float>(kNaive, s);
}

TEST_CASE("emulated gemm: tiles in registers", "[emu][gemm]") {
  for (const Shape& s : {Shape{1, 1, 1}, Shape{131, 263, 29}, Shape{128, 128, 16}}) check_gemm<float>(kReg2d, s);
}

TEST_CASE("emulated gemm: cp.async, ldmatrix and mma.sync", "[emu][gemm]") {
  for (const Shape& s : {Shape{8, 8, 8}, Shape{133, 208, 104}, Shape{128, 128, 128}}) {
    check_gemm<std::uint16_t>(kMmaPipe, s);
  }
}

namespace {

/// Roughly N(0, 1): products of which the tensor core cuts bits off, where integers keep all.
template <class T>
std::vector<T> normals(std::size_t count, int seed) {
  std::vector<T> values(count);
  std::mt19937 random(static_cast<unsigned>(seed));
  std::normal_distribution<float> normal;
  for (T& x : values) x = make<T>(normal(random));
  return values;
}

enum class Data { integers, normals };

template <class T>
void bench_gemm(const Kernel& kernel, const Shape& s, int threads, Data data = Data::integers) {
  MachineLab lab(fixture(kernel.name));
  const auto size = [](int x, int y) { return static_cast<std::size_t>(x) * static_cast<std::size_t>(y); };
  const auto draw = data == Data::integers ? integers<T> : normals<T>;
  const Buffer<T> a(lab.memory, draw(size(s.m, s.k), 1));
  const Buffer<T> b(lab.memory, draw(size(s.k, s.n), 2));
  const Buffer<T> c(lab.memory, draw(size(s.m, s.n), 3));
  const Buffer<T> d(lab.memory, size(s.m, s.n));
  const ProgramPtr program = lab.program("gemm");
  lab.launch.count = true;
  const Counts counts = launch(lab, *program, kernel, s, a, b, c, d).counts;
  lab.launch.count = false;
  lab.launch.threads = threads;
  const char* mode = std::getenv("KERLAB_BENCH_MODE");
  lab.launch.sanitize = mode != nullptr && std::string(mode) == "sanitize";
  double lanes = 0;
  for (const std::int64_t n : counts.lane_instructions) lanes += static_cast<double>(n);
  // Processor time, which other programs disturb less, and wall time, which shows whether threads help.
  double processor = 1e9;
  double counting = 1e9;
  double wall = 1e9;
  const char* rounds = std::getenv("KERLAB_BENCH_ROUNDS");
  for (int round = rounds == nullptr ? 7 : std::atoi(rounds); round > 0; --round) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t ticks = std::clock();
    launch(lab, *program, kernel, s, a, b, c, d);
    processor = std::min(processor, static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
    wall = std::min(wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    lab.launch.count = true;
    const std::clock_t count_ticks = std::clock();
    launch(lab, *program, kernel, s, a, b, c, d);
    counting = std::min(counting, static_cast<double>(std::clock() - count_ticks) / CLOCKS_PER_SEC);
    lab.launch.count = false;
  }
  std::printf(
      "%-14s %4dx%4dx%4d %s %d threads: processor %8.2f ms, wall %8.2f ms; by processor time %6.2f G "
      "lane-instr/s %6.2f GFLOP/s; counting takes %.2f times as long\n",
      kernel.name.c_str(), s.m, s.n, s.k, data == Data::integers ? "integers" : "normals ", threads, processor * 1e3,
      wall * 1e3, lanes / processor * 1e-9, 2.0 * s.m * s.n * s.k / processor * 1e-9, counting / processor);
}

}  // namespace

// emu_tests "[emu-bench]": seconds and lane-instructions per second of whole kernels. KERLAB_BENCH_ROUNDS: of how many
// launches the best is taken. KERLAB_BENCH_MODE=sanitize: watched.
TEST_CASE("emulated gemm: speed", "[.bench][emu-bench]") {
  for (const int threads : {1, 2}) {
    bench_gemm<float>(kNaive, {256, 256, 256}, threads);
    bench_gemm<float>(kReg2d, {256, 256, 256}, threads);
    bench_gemm<float>(kReg2d, {512, 512, 512}, threads);
  }
}
TEST_CASE("emulated gemm: speed of mma.sync on integers", "[.bench][emu-bench][mma-bench]") {
  for (const int threads : {1, 2}) bench_gemm<std::uint16_t>(kMmaPipe, {512, 512, 512}, threads, Data::integers);
}
TEST_CASE("emulated gemm: speed of mma.sync on normals", "[.bench][emu-bench][mma-bench]") {
  for (const int threads : {1, 2}) bench_gemm<std::uint16_t>(kMmaPipe, {512, 512, 512}, threads, Data::normals);
}
