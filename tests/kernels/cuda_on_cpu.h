#pragma once
// Enough CUDA to run our kernels on a CPU, so that every one of them is executed wherever the tests run. Blocks run one
// after another; each thread of a block is a fiber (ucontext) that runs until it waits for others. Slow, deterministic,
// and strict: a barrier that some threads never reach is reported. See cpu_kernel.h for who includes this.

#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#define KERLAB_ON_CPU 1
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ thread_local  // static in a function, may be extern; all fibers run on one thread and share it

struct float4 {
  alignas(16) float x;
  float y, z, w;
};
struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};
inline thread_local Index3 threadIdx, blockIdx, blockDim, gridDim;

inline float float_from_bits(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline unsigned bits_from_float(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline float float_from_half_bits(unsigned short bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(float(fraction), -24) : std::ldexp(float(1024 + fraction), exponent - 25));
}
inline unsigned short half_bits_from_float(float value) {
  const unsigned bits = bits_from_float(value);
  const unsigned sign = bits >> 16 & 0x8000U;
  const unsigned magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return 0x7fff;                                        // NaN, as cvt.rn.f16.f32 makes it
  if (magnitude >= 0x477ff000U) return static_cast<unsigned short>(sign | 0x7c00U);  // 65520 and beyond: infinity
  if (magnitude < 0x38800000U)                                                       // subnormal: units of 2^-24
    return static_cast<unsigned short>(sign | unsigned(std::nearbyint(std::fabs(value) * 16777216.0F)));
  return static_cast<unsigned short>(sign | ((magnitude - 0x38000000U + 0xfffU + (magnitude >> 13 & 1U)) >> 13));
}
using std::erf;
using std::exp;
using std::sqrt;

namespace cuda_on_cpu {

struct Deadlock {};

/// Threads that wait for each other: a block, or a warp.
struct Group {
  unsigned members = 0, arrived = 0, generation = 0;
};

/// The block that runs at the moment.
class Block {
 public:
  Block(unsigned threads, bool backwards) : fibers_(threads), warps_((threads + 31) / 32), backwards_(backwards) {
    for (Fiber& fiber : fibers_) fiber.stack.resize(kStackBytes);
  }

  /// Runs `body` once per thread. Throws Deadlock.
  template <typename Body>
  void run(Body& body) {
    start_ = [](void* argument) { (*static_cast<Body*>(argument))(); };
    body_ = &body;
    const auto threads = static_cast<unsigned>(fibers_.size());
    all_ = {threads, 0, 0};
    for (unsigned w = 0; w < warps_.size(); ++w) warps_[w] = {threads - w * 32 < 32 ? threads - w * 32 : 32, 0, 0};
    current_block() = this;
    for (Fiber& fiber : fibers_) {
      fiber.ended = false;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.data();
      fiber.context.uc_stack.ss_size = kStackBytes;
      fiber.context.uc_link = &scheduler_;
      makecontext(&fiber.context, &Block::enter, 0);
    }
    unsigned running = threads;
    while (running > 0) {
      progress_ = false;
      for (unsigned i = 0; i < threads; ++i) {
        current_ = backwards_ ? threads - 1 - i : i;
        if (fibers_[current_].ended) continue;
        threadIdx = {current_, 0, 0};
        swapcontext(&scheduler_, &fibers_[current_].context);
        if (fibers_[current_].ended) --running;
      }
      if (!progress_) throw Deadlock();
    }
  }

  void wait_for_block() { wait(all_); }
  void wait_for_warp() { wait(warps_[current_ / 32]); }
  /// Every lane shows a value and takes that of lane ^ mask.
  float exchange(float value, unsigned mask) {
    fibers_[current_].shown = value;
    wait_for_warp();
    const unsigned other = current_ ^ mask;
    const float taken = other < fibers_.size() ? fibers_[other].shown : NAN;  // a lane that is not there: undefined
    wait_for_warp();
    return taken;
  }
  static Block*& current_block() {
    static thread_local Block* block = nullptr;
    return block;
  }

 private:
  static constexpr std::size_t kStackBytes = 64 * 1024;
  struct Fiber {
    ucontext_t context{};
    std::vector<char> stack;
    float shown = 0;
    bool ended = false;
  };

  static void enter() {
    Block& block = *current_block();
    block.start_(block.body_);
    block.fibers_[block.current_].ended = true;
    block.leave(block.all_);
    block.leave(block.warps_[block.current_ / 32]);
  }
  void wait(Group& group) {
    const unsigned mine = group.generation;
    ++group.arrived;
    release_if_complete(group);
    while (group.generation == mine) swapcontext(&fibers_[current_].context, &scheduler_);
    progress_ = true;
  }
  void leave(Group& group) {  // who has ended is not waited for
    --group.members;
    progress_ = true;
    release_if_complete(group);
  }
  void release_if_complete(Group& group) {
    if (group.arrived < group.members || group.arrived == 0) return;
    group.arrived = 0;
    ++group.generation;
    progress_ = true;
  }

  std::vector<Fiber> fibers_;
  std::vector<Group> warps_;
  Group all_;
  ucontext_t scheduler_{};
  void (*start_)(void*) = nullptr;
  void* body_ = nullptr;
  unsigned current_ = 0;
  bool backwards_;
  bool progress_ = false;
};

/// Runs a kernel over a grid; `arguments[i]` points at the value of parameter i, as for cuLaunchKernel. `backwards`
/// runs the threads of a block in descending order between barriers, which shows some missing barriers. Returns what
/// went wrong, or null.
template <typename... Parameters>
const char* launch(void (*kernel)(Parameters...), unsigned grid, unsigned threads, bool backwards,
                   void** arguments) try {
  auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_cvref_t<Parameters>*>(arguments[I])...);
  };
  auto body = [&] { call(std::index_sequence_for<Parameters...>()); };
  gridDim = {grid, 1, 1};
  blockDim = {threads, 1, 1};
  Block block(threads, backwards);
  for (unsigned b = 0; b < grid; ++b) {
    blockIdx = {b, 0, 0};
    block.run(body);
  }
  return nullptr;
} catch (const Deadlock&) {
  return "threads wait at a barrier that others never reach";
}

}  // namespace cuda_on_cpu

inline void __syncthreads() {
  cuda_on_cpu::Block::current_block()->wait_for_block();
}
inline float __shfl_xor_sync(unsigned, float value, unsigned lanes) {
  return cuda_on_cpu::Block::current_block()->exchange(value, lanes);
}
