// What wrong timing protocols report, beside the truth:
//   g++ -std=c++17 -O2 main.cpp -o wrong_protocol -ldl && ./wrong_protocol
// Needs a GPU with its driver, and the toolkit's NVRTC. Without a GPU there is nothing to time: exit code 4.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "compiler.h"
#include "driver.h"
#include "kernels.h"
#include "protocols.h"

namespace {

using wrong_protocol::Data;

/// A kernel d = f(s) on two arrays of floats of one length, on the first GPU.
class GpuMachine {
 public:
  GpuMachine(const CudaDriver& driver, void* function, int n, std::size_t elements, unsigned grid_x, unsigned grid_y,
             unsigned block_x, unsigned block_y)
      : driver_(driver),
        function_(function),
        n_(n),
        elements_(elements),
        grid_x_(grid_x),
        grid_y_(grid_y),
        block_x_(block_x),
        block_y_(block_y),
        source_(driver.allocate(elements * sizeof(float))),
        result_(driver.allocate(elements * sizeof(float))),
        swept_bytes_(2 * driver.l2_bytes()),
        swept_(driver.allocate(swept_bytes_)),
        from_(driver.event()),
        to_(driver.event()) {}

  void fill(Data data) {
    std::vector<float> values(elements_, 0.0f);
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    if (data == Data::random)
      for (float& value : values) value = normal(random);
    driver_.copy_in(source_, values.data(), elements_ * sizeof(float));
    driver_.copy_in(result_, values.data(), elements_ * sizeof(float));
  }
  void flush() { driver_.set_bytes(swept_, 1, swept_bytes_); }
  void launch() {
    void* arguments[] = {&source_, &result_, &n_};
    driver_.launch(function_, grid_x_, grid_y_, block_x_, block_y_, arguments);
  }
  void synchronize() { driver_.synchronize(); }
  double now_us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double event_us() {
    driver_.record(from_);
    launch();
    driver_.record(to_);
    synchronize();
    return driver_.elapsed_us(from_, to_);
  }

 private:
  const CudaDriver& driver_;
  void* function_;
  int n_;
  std::size_t elements_;
  unsigned grid_x_, grid_y_, block_x_, block_y_;
  std::uint64_t source_, result_;
  std::size_t swept_bytes_;
  std::uint64_t swept_;
  void *from_, *to_;
};

void print(const char* what, const std::vector<wrong_protocol::Result>& results) {
  std::printf("\n%s\n  %-20s %10s  %7s  %s\n", what, "protocol", "us", "x truth", "what it does");
  const double truth = results.front().us;
  for (const wrong_protocol::Result& result : results)
    std::printf("  %-20s %10.2f  %7.2f  %s\n", result.protocol.c_str(), result.us, result.us / truth,
                result.mistake.c_str());
}

void measure() {
  const CudaDriver driver;
  const std::vector<char> image = Compiler().cubin(wrong_protocol::kSource, driver.arch());
  std::printf("%s, %s\n", driver.name().c_str(), driver.arch().c_str());
  void* const module = driver.module_of(image.data());
  const int n = 1 << 21;  // x and y: 16 MiB together, less than the L2 of a data-centre GPU
  GpuMachine axpy(driver, driver.function_of(module, "axpy"), n, std::size_t(n), unsigned(n) / 256, 1, 256, 1);
  print("axpy, 2M floats: waits for memory", wrong_protocol::compare(axpy));
  const int side = 2048;
  GpuMachine product(driver, driver.function_of(module, "product"), side, std::size_t(side) * side, side / 32,
                     side / 32, 32, 32);
  print("product, 2048 x 2048: computes", wrong_protocol::compare(product));
}

}  // namespace

int main() {
  try {
    measure();
    return 0;
  } catch (const NoGpu& error) {
    std::fprintf(stderr, "wrong_protocol: no GPU to time anything on: %s. Nothing was measured.\n", error.what());
    return 4;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wrong_protocol: %s\n", error.what());
    return 1;
  }
}
