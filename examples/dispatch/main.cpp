// Runs what `kerlab export gemm -o gemm_kernels.h` wrote: picks a kernel for each shape, launches it, compares some of
// the products with a plain sum, and times it.
//
//   kerlab export gemm --dtype bf16,fp16,fp32 -o gemm_kernels.h
//   g++ -std=c++17 -O2 -I. examples/dispatch/main.cpp -o dispatch -ldl
//   ./dispatch                        every shape that was tuned
//   ./dispatch 4096x4096x1024:bf16:nt 1000x1000x1000
//   ./dispatch --dry-run 512x512x512  what would be launched; needs no GPU
//
// Exit code: 0; 1 something failed; 3 a wrong result; 4 there is no GPU, or no kernel for a shape; 64 usage.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "gemm_kernels.h"
#include "gpu.h"
#include "numbers.h"
#include "print_plan.h"

namespace {

using kerlab_gemm::Problem;

std::string title(const Problem& problem) {
  return std::to_string(problem.M) + "x" + std::to_string(problem.N) + "x" + std::to_string(problem.K) + " " +
         problem.dtype + " " + problem.layout;
}

/// "4096x4096x1024:bf16:nt"; what is left out is as in Problem.
bool parse(const std::string& text, Problem& problem) {
  char dtype[16] = "", layout[8] = "";
  long long m = 0, n = 0, k = 0;
  const int fields = std::sscanf(text.c_str(), "%lldx%lldx%lld:%15[^:]:%7s", &m, &n, &k, dtype, layout);
  if (fields < 3) return false;
  problem.M = m;
  problem.N = n;
  problem.K = k;
  if (fields > 3) problem.dtype = dtype;
  if (fields > 4) problem.layout = layout;
  return true;
}

/// The problems that were tuned and that this example has data for: plain products.
std::vector<Problem> tuned_problems() {
  std::vector<Problem> problems;
  const kd::Library& library = kerlab_gemm::library();
  for (int i = 0; i < library.shape_count; ++i) {
    const kd::Shape& shape = library.shapes[i];
    const kd::Kernel& kernel = library.kernels[shape.kernel];
    Problem problem;
    problem.M = shape.dimensions[0];
    problem.N = shape.dimensions[1];
    problem.K = shape.dimensions[2];
    problem.dtype = kernel.dtype;
    problem.layout = kernel.flags[0];
    const Problem plain = problem;
    const bool same = kd::same_kind(library, kernel, plain.request()) && shape.dimensions[3] == 1;
    const bool known = problem.dtype == "bf16" || problem.dtype == "fp16" || problem.dtype == "fp32";
    if (same && known && shape.scalars[0] == problem.alpha && shape.scalars[1] == problem.beta)
      problems.push_back(problem);
  }
  return problems;
}

void print_choice(const Problem& problem, const kd::Choice& choice) {
  if (choice.status != kd::Status::ok) {
    std::printf("%s: %s: %s\n", title(problem).c_str(), kd::name(choice.status), choice.message.c_str());
    return;
  }
  const kd::Kernel& kernel = kerlab_gemm::library().kernels[choice.kernel];
  std::printf("%s: %s %s (%s)\n%s", title(problem).c_str(), kernel.variant, kernel.configuration,
              choice.exact ? "tuned" : "nearest tuned shape", plan_text(kerlab_gemm::library(), choice.plan).c_str());
}

/// Device memory that frees itself.
class Memory {
 public:
  Memory(const Gpu& gpu, std::size_t bytes) : gpu_(gpu), address(gpu.allocate(std::max<std::size_t>(bytes, 16))) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { gpu_.release(address); }

 private:
  const Gpu& gpu_;

 public:
  const std::uint64_t address;
};

/// Largest error of 256 products, over what rounding allows.
double error_of(const Problem& problem, const std::vector<unsigned char>& d) {
  const bool ta = problem.layout[0] == 't', tb = problem.layout[1] == 't';
  const double half_ulp = problem.dtype == "fp32" ? 6e-8 : problem.dtype == "fp16" ? 5e-4 : 4e-3;
  double worst = 0;
  for (std::uint64_t sample = 0; sample < 256; ++sample) {
    const std::int64_t i =
        sample < 2 ? problem.M - 1
                   : static_cast<std::int64_t>(sample * 2654435761U % static_cast<std::uint64_t>(problem.M));
    const std::int64_t j = sample < 1
                               ? problem.N - 1
                               : static_cast<std::int64_t>(sample * 40503U * 7 % static_cast<std::uint64_t>(problem.N));
    double sum = 0, scale = 0;
    for (std::int64_t k = 0; k < problem.K; ++k) {
      const double a = number_at(static_cast<std::uint64_t>(ta ? k * problem.M + i : i * problem.K + k), 1);
      const double b = number_at(static_cast<std::uint64_t>(tb ? j * problem.K + k : k * problem.N + j), 2);
      sum += a * b;
      scale += std::abs(a * b);
    }
    const double got =
        load(problem.dtype, d.data() + static_cast<std::size_t>(i * problem.N + j) * bytes_of(problem.dtype));
    const double allowed = 2 * half_ulp * std::abs(sum) + 1e-5 * scale + 1e-6;
    worst = std::max(worst, std::isfinite(got) ? std::abs(got - sum) / allowed : 1e9);
  }
  return worst;
}

int run(const Gpu& gpu, kerlab_gemm::Dispatcher& dispatcher, const Problem& problem) {
  const std::size_t size = bytes_of(problem.dtype);
  const auto elements = [](std::int64_t a, std::int64_t b) { return static_cast<std::size_t>(a * b); };
  const auto a = numbers(problem.dtype, elements(problem.M, problem.K), 1);
  const auto b = numbers(problem.dtype, elements(problem.K, problem.N), 2);
  std::vector<unsigned char> d(elements(problem.M, problem.N) * size, 0xFF);
  const Memory on_a(gpu, a.size()), on_b(gpu, b.size()), on_c(gpu, d.size()), on_d(gpu, d.size());
  gpu.copy_in(on_a.address, a.data(), a.size());
  gpu.copy_in(on_b.address, b.data(), b.size());
  gpu.copy_in(on_d.address, d.data(), d.size());
  kerlab_gemm::Tensors tensors;
  tensors.A = on_a.address;
  tensors.B = on_b.address;
  tensors.C = on_c.address;
  tensors.D = on_d.address;
  tensors.bias_row = on_c.address;
  kd::Result result = dispatcher.launch(problem, tensors);
  if (!result) {
    std::printf("%s: %s: %s\n", title(problem).c_str(), kd::name(result.status), result.message.c_str());
    return result.status == kd::Status::no_kernel || result.status == kd::Status::other_device ? 4 : 1;
  }
  gpu.synchronize();
  gpu.copy_out(d.data(), on_d.address, d.size());
  const double error = error_of(problem, d);
  const double us = gpu.time_us(20, [&] { result = dispatcher.launch(problem, tensors); });
  const kd::Choice& choice = *dispatcher.chosen(problem);
  const kd::Kernel& kernel = kerlab_gemm::library().kernels[choice.kernel];
  const kd::Shape& shape = kerlab_gemm::library().shapes[choice.shape];
  std::printf(
      "%-28s %10.2f us %8.1f TFLOP/s  err/bound %.3f  %s  %s%s %s\n", title(problem).c_str(), us,
      2e-6 * static_cast<double>(problem.M) * static_cast<double>(problem.N) * static_cast<double>(problem.K) / us,
      error, error <= 1 ? "right" : "WRONG",
      choice.exact ? ("tuned: " + std::to_string(shape.us) + " us, ").c_str() : "nearest tuned shape: ", kernel.variant,
      kernel.configuration);
  return error <= 1 && result ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  bool dry_run = false;
  std::vector<Problem> problems;
  for (int i = 1; i < argc; ++i) {
    Problem problem;
    if (std::string(argv[i]) == "--dry-run") {
      dry_run = true;
    } else if (parse(argv[i], problem)) {
      problems.push_back(problem);
    } else {
      std::fprintf(stderr, "usage: dispatch [--dry-run] [MxNxK[:DTYPE[:LAYOUT]]]...\n");
      return 64;
    }
  }
  if (problems.empty()) problems = tuned_problems();
  int code = 0;
  if (dry_run) {
    for (const Problem& problem : problems) {
      const kd::Choice choice = kerlab_gemm::choose(problem);
      print_choice(problem, choice);
      if (choice.status != kd::Status::ok) code = 4;
    }
    return code;
  }
  std::unique_ptr<Gpu> gpu;
  try {
    gpu = std::make_unique<Gpu>();
  } catch (const std::exception& error) {
    std::printf("no GPU: %s; --dry-run says what would be launched\n", error.what());
    return 4;
  }
  try {
    std::printf("exported for %s on %s; here: mean of 20 launches in a row, warm L2\n", kerlab_gemm::kDeviceClass,
                kerlab_gemm::kExported);
    kerlab_gemm::Dispatcher dispatcher(kd::Driver::from([&](const char* name) { return gpu->look_up(name); }));
    for (const Problem& problem : problems) code = std::max(code, run(*gpu, dispatcher, problem));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return code;
}
