// The real compiler child with the real NVRTC; no GPU is needed.

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "catch.h"
#include "compile/compiler.h"
#include "compile/temporary_folder.h"
#include "compile/toolchain.h"
#include "locations.h"
#include "sanitized.h"

using namespace kerlab;
using kerlab::testing::TemporaryFolder;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr const char* kScale = R"(#include "scale.h"
extern "C" __global__ void scale(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = scaled(x[i]) * FACTOR;
}
)";
constexpr const char* kHeader = "#pragma once\n__device__ inline float scaled(float v) { return 2.0f * v; }\n";

/// Sets a variable for the children that are started while it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

struct Lab {
  TemporaryFolder folder;
  SourceBundle source;

  Lab() {
    folder.write("scale.h", kHeader);
    source = read_source(folder.write("scale.cu", kScale), {});
  }

  [[nodiscard]] CompilerPool::Options options(int processes = 2) const {
    CompilerPool::Options made;
    made.executable = kerlab_program().string();
    made.processes = processes;
    made.cache_folder = folder.path() / "cache";
    return made;
  }

  [[nodiscard]] CompileRequest request(const std::string& factor) const { return with(source, "-DFACTOR=" + factor); }

  static CompileRequest with(SourceBundle bundle, const std::string& option) {
    CompileRequest made{std::move(bundle), base_options("sm_90a")};
    made.options.push_back(option);
    return made;
  }

  [[nodiscard]] CompileRequest of(const std::string& text) const {
    return with(read_source(folder.write("other.cu", text), {}), "-DUNUSED");
  }
};

using Asked = std::map<std::uint64_t, Compilation>;

/// Drives the pool as a session does, until all that were asked for are back.
std::map<std::uint64_t, CompileResult> run_all(CompilerPool& pool, Asked& asked, std::chrono::seconds limit = 60s) {
  std::map<std::uint64_t, CompileResult> results;
  const Clock::time_point until = Clock::now() + limit;
  while (true) {
    pool.step();
    for (auto& [number, one] : asked)
      if (one.finished()) results[number] = one.take();
    if (std::ranges::none_of(asked, [](const auto& one) { return bool(one.second); })) return results;
    if (Clock::now() > until) throw std::runtime_error("the pool does not finish");
    std::vector<pollfd> fds;
    for (const int fd : pool.fds()) fds.push_back({fd, POLLIN, 0});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(pool.deadline() - Clock::now()).count();
    ::poll(fds.data(), fds.size(), static_cast<int>(std::clamp<long>(left, 0, 1000)));
  }
}

}  // namespace

TEST_CASE("a kernel compiles to cubin, PTX and resources", "[compile][nvrtc]") {
  const Lab lab;
  CompilerPool pool(lab.options(1));
  CHECK(pool.toolchain().starts_with("NVRTC "));
  const CompileResult result = pool.compile(lab.request("3"));
  INFO(result.message << result.log);
  REQUIRE(result.status == CompileStatus::ok);
  CHECK(result.cubin.size() > 500);
  CHECK(std::to_integer<char>(result.cubin[1]) == 'E');  // "\x7f" "ELF"
  CHECK(result.ptx.find(".entry scale(") != std::string::npos);
  CHECK(result.ptx.find(".target sm_90a") != std::string::npos);
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].kernel == "scale");
  CHECK(result.kernels[0].registers > 0);
  CHECK(result.kernels[0].spill_bytes == 0);
  CHECK(result.message.empty());
  CHECK(result.milliseconds > 0);
  CHECK(pool.busy_seconds() > 0);
  CHECK_FALSE(result.from_cache);
}

TEST_CASE("a mistake is reported with its place and line", "[compile][nvrtc]") {
  const Lab lab;
  CompilerPool pool(lab.options(1));
  const CompileResult result =
      pool.compile(lab.of("extern \"C\" __global__ void k(float* x) {\n  x[0] = missing;\n}\n"));
  CHECK(result.status == CompileStatus::error);
  CHECK(result.cubin.empty());
  CHECK(result.message.find("other.cu(2): error: identifier \"missing\" is undefined\n    x[0] = missing;") !=
        std::string::npos);
  lab.folder.write("bad.h", "#pragma once\n\nint oops(;\n");
  const CompileResult in_header = pool.compile(lab.of("#include \"bad.h\"\nextern \"C\" __global__ void k() {}\n"));
  CHECK(in_header.status == CompileStatus::error);
  CHECK(in_header.message.find("bad.h(3): error: ") != std::string::npos);
  CHECK(in_header.message.find("int oops(;") != std::string::npos);
  const CompileResult assembly =
      pool.compile(lab.of("extern \"C\" __global__ void k() { asm volatile(\"no.such;\"); }\n"));
  CHECK(assembly.status == CompileStatus::error);
  CHECK(assembly.message.find("no.such;") != std::string::npos);
  const CompileResult option = pool.compile(Lab::with(lab.source, "--bogus"));
  CHECK(option.status == CompileStatus::error);
  CHECK(option.message.find("--bogus") != std::string::npos);
  CompileRequest old = lab.request("1");
  old.options[0] = "--gpu-architecture=sm_20";
  CHECK(pool.compile(old).message.find("--gpu-architecture=sm_20") != std::string::npos);
  const CompileResult shared =
      pool.compile(lab.of("extern \"C\" __global__ void k(float* x) { __shared__ float s[100000]; s[threadIdx.x] = "
                          "x[0]; x[1] = s[7]; }\n"));
  CHECK(shared.status == CompileStatus::error);
  INFO(shared.message << "\n" << shared.log);
  CHECK(shared.message.find("uses too much shared data") != std::string::npos);
  CHECK(pool.crashes() == 0);
}

TEST_CASE("headers of the toolkit are found beside NVRTC", "[compile][nvrtc]") {
  const Lab lab;
  CompilerPool pool(lab.options(1));
  const CompileResult result = pool.compile(
      lab.of("#include <cuda_bf16.h>\nextern \"C\" __global__ void k(__nv_bfloat16* x) { x[0] = x[0] + x[1]; }\n"));
  INFO(result.message);
  CHECK(result.status == CompileStatus::ok);
}

TEST_CASE("what was compiled once is found again, by another pool without a compiler", "[compile][nvrtc]") {
  const Lab lab;
  {
    CompilerPool pool(lab.options(1));
    CHECK(pool.compile(lab.request("3")).status == CompileStatus::ok);
    CHECK(pool.compile(lab.request("wrong")).status == CompileStatus::error);
    CHECK(pool.compile(lab.request("3")).from_cache);
  }
  CompilerPool::Options options = lab.options(1);
  options.executable = "/nonexistent/kerlab";  // it would throw if it started one
  CompilerPool pool(options);
  CHECK(pool.toolchain().starts_with("NVRTC "));
  const CompileResult found = pool.compile(lab.request("3"));
  CHECK(found.status == CompileStatus::ok);
  CHECK(found.from_cache);
  CHECK(found.kernels.size() == 1);
  const CompileResult failure = pool.compile(lab.request("wrong"));
  CHECK(failure.status == CompileStatus::error);
  CHECK(failure.from_cache);
  CHECK(failure.message.find("scale.cu(4): error: identifier \"wrong\"") != std::string::npos);
  CHECK(pool.busy_seconds() == 0);
  CHECK_THROWS_WITH(pool.compile(lab.request("4")), Catch::Contains("/nonexistent/kerlab"));
}

TEST_CASE("without the cache everything is compiled, and nothing stored", "[compile][nvrtc]") {
  const Lab lab;
  CompilerPool::Options options = lab.options(1);
  options.use_cache = false;
  CompilerPool pool(options);
  CHECK_FALSE(pool.compile(lab.request("3")).from_cache);
  CHECK_FALSE(pool.compile(lab.request("3")).from_cache);
  CHECK_FALSE(fs::exists(options.cache_folder));
}

TEST_CASE("a cache folder that cannot be written does not stop compilations", "[compile][nvrtc]") {
  const Lab lab;
  lab.folder.write("cache", "a file where the folder should be");
  CompilerPool pool(lab.options(1));
  CHECK(pool.compile(lab.request("3")).status == CompileStatus::ok);
  CHECK(pool.compile(lab.request("4")).status == CompileStatus::ok);
  CHECK(pool.cache_warning().find("Not a directory") != std::string::npos);
}

TEST_CASE("a hanging compilation is a time-out of its own configuration only", "[compile][nvrtc]") {
  const Lab lab;
  const Environment fault("KERLAB_COMPILER_FAULT", "-DFACTOR=96=hang");
  CompilerPool::Options options = lab.options(2);
  options.deadline = 1500ms;
  CompilerPool pool(options);
  const std::vector<std::string> factors = {"1", "96", "3", "4"};
  Asked asked;
  for (std::size_t i = 0; i < factors.size(); ++i) asked[i] = pool.submit(lab.request(factors[i]));
  std::map<std::uint64_t, CompileResult> results = run_all(pool, asked);
  REQUIRE(results.size() == 4);
  CHECK(results[1].status == CompileStatus::timeout);
  CHECK(results[1].message.find("1500 ms") != std::string::npos);
  for (const std::uint64_t number : {0, 2, 3}) CHECK(results[number].status == CompileStatus::ok);
  CHECK(pool.crashes() == 0);
}

TEST_CASE("a compilation that would take all memory is lost alone", "[compile][nvrtc]") {
  if (left_to_sanitizer()) return;
  const Lab lab;
  CompilerPool::Options options = lab.options(1);
  options.memory_bytes = std::int64_t{256} << 20;
  options.deadline = 60s;
  CompilerPool pool(options);
  Asked asked;
  asked[0] =
      pool.submit(lab.of("template <int A, int B> struct Tree { typename Tree<A - 1, 2 * B>::Type left;\n"
                         "  typename Tree<A - 1, 2 * B + 1>::Type right; using Type = Tree; };\n"
                         "template <int B> struct Tree<0, B> { int leaf; using Type = Tree; };\n"
                         "extern \"C\" __global__ void f(int* p) { *p = sizeof(Tree<26, 0>); }\n"));
  asked[1] = pool.submit(lab.request("7"));
  std::map<std::uint64_t, CompileResult> results = run_all(pool, asked, 60s);
  INFO(results[0].message);
  CHECK((results[0].status == CompileStatus::crashed || results[0].status == CompileStatus::error));
  CHECK(results[0].message.find("memory") != std::string::npos);
  CHECK(results[1].status == CompileStatus::ok);
}

TEST_CASE("a crash is blamed on its configuration after a second attempt alone", "[compile][nvrtc]") {
  if (left_to_sanitizer()) return;
  const Lab lab;
  const Environment fault("KERLAB_COMPILER_FAULT", "-DFACTOR=5=crash;-DFACTOR=6=kill");
  CompilerPool pool(lab.options(2));
  Asked asked;
  for (std::uint64_t number = 3; number < 9; ++number) asked[number] = pool.submit(lab.request(std::to_string(number)));
  std::map<std::uint64_t, CompileResult> results = run_all(pool, asked);
  REQUIRE(results.size() == 6);
  CHECK(results[5].status == CompileStatus::crashed);
  CHECK(results[5].message.find("SIGSEGV") != std::string::npos);
  CHECK(results[6].status == CompileStatus::crashed);
  CHECK(results[6].message.find("SIGKILL") != std::string::npos);
  for (const std::uint64_t number : {3, 4, 7, 8}) CHECK(results[number].status == CompileStatus::ok);
  CHECK(pool.crashes() == 4);
  CHECK(pool.compile(lab.request("9")).status == CompileStatus::ok);
}

TEST_CASE("a compiler killed from outside costs nobody", "[compile][nvrtc]") {
  const Lab lab;
  const fs::path marker = lab.folder.path() / "killed";
  // A launcher that kills its first compiler at the first request, and is plain afterwards.
  const fs::path launcher =
      lab.folder.write("kerlab", "#!/bin/sh\nif [ ! -e " + marker.string() + " ]; then touch " + marker.string() +
                                     "; export KERLAB_COMPILER_FAULT='-DFACTOR=kill'; fi\nexec " +
                                     kerlab_program().string() + " \"$@\"\n");
  fs::permissions(launcher, fs::perms::owner_all);
  CompilerPool::Options options = lab.options(1);
  options.executable = launcher.string();
  CompilerPool pool(options);
  Asked asked;
  for (std::uint64_t number = 0; number < 3; ++number) asked[number] = pool.submit(lab.request(std::to_string(number)));
  for (const auto& [number, result] : run_all(pool, asked)) CHECK(result.status == CompileStatus::ok);
  CHECK(pool.crashes() == 1);
}

TEST_CASE("two pools share one cache at the same time", "[compile][nvrtc]") {
  const Lab lab;
  CompilerPool one(lab.options(1)), two(lab.options(1));
  std::vector<Compilation> asked;
  for (int number = 0; number < 4; ++number)
    for (CompilerPool* pool : {&one, &two}) asked.push_back(pool->submit(lab.request(std::to_string(number))));
  std::size_t done = 0, hits = 0;
  for (const Clock::time_point until = Clock::now() + 60s; done < 8 && Clock::now() < until;) {
    for (CompilerPool* pool : {&one, &two}) pool->step();
    for (Compilation& compilation : asked) {
      if (!compilation.finished()) continue;
      const CompileResult result = compilation.take();
      CHECK(result.status == CompileStatus::ok);
      ++done;
      hits += result.from_cache ? 1 : 0;
    }
    std::this_thread::sleep_for(1ms);
  }
  CHECK(done == 8);
  CHECK(hits < 5);
  CHECK(one.cache_warning().empty());
  CHECK(two.cache_warning().empty());
}

TEST_CASE("the toolchain is asked for again when its library changes", "[compile][nvrtc]") {
  const TemporaryFolder folder;
  const fs::path library = folder.write("lib/libnvrtc.so.13", "not really");
  const Environment where("KERLAB_NVRTC", library.string());
  REQUIRE(nvrtc_candidates() == std::vector<std::string>{library.string()});
  const Toolchain made = describe_toolchain("NVRTC 13.0", library);
  remember_toolchain(folder.path(), made);
  CHECK(recall_toolchain(folder.path()) == made);
  folder.write("lib/libnvrtc.so.13", "updated");
  CHECK_FALSE(recall_toolchain(folder.path()).has_value());
  folder.write("include/cuda_fp16.h", "");
  const Toolchain with_headers = describe_toolchain("NVRTC 13.0", library);
  CHECK(with_headers.includes == std::vector<std::string>{(folder.path() / "include").string()});
  CHECK(with_headers.identity() != made.identity());
}

TEST_CASE("a missing NVRTC is an error that says what to install", "[compile]") {
  const Lab lab;
  const Environment where("KERLAB_NVRTC", "/nonexistent/libnvrtc.so");
  CompilerPool pool(lab.options(1));
  CHECK_THROWS_WITH(pool.toolchain(),
                    Catch::Contains("/nonexistent/libnvrtc.so") && Catch::Contains("install NVRTC 12.4"));
}

TEST_CASE("a compiler that cannot start is an error, not an endless retry", "[compile]") {
  const Lab lab;
  CompilerPool::Options options = lab.options(1);
  options.executable = "false";
  CompilerPool pool(options);
  CHECK_THROWS_WITH(pool.toolchain(), Catch::Contains("does not start: exit code 1"));
}

TEST_CASE("who lets go of a compilation cancels it, unless it runs", "[compile][nvrtc]") {
  const Lab lab;
  CompilerPool pool(lab.options(1));
  (void)pool.toolchain();
  Asked asked;
  for (std::uint64_t number = 0; number < 5; ++number) asked[number] = pool.submit(lab.request(std::to_string(number)));
  CHECK(pool.pending() == 5);
  for (const std::uint64_t number : {0, 1, 3, 4}) asked.erase(number);
  CHECK(pool.pending() == 1);
  CHECK(run_all(pool, asked).at(2).status == CompileStatus::ok);
  CHECK(pool.pending() == 0);
}

TEST_CASE("what lies in the cache is there at once, and nobody sleeps over it", "[compile][nvrtc]") {
  const Lab lab;
  CompilerPool pool(lab.options(1));
  CHECK(pool.compile(lab.request("3")).status == CompileStatus::ok);
  Compilation again = pool.submit(lab.request("3"));
  CHECK(again.finished());
  const Clock::time_point wake = pool.deadline();
  CHECK(wake <= Clock::now());
  CHECK(again.take().from_cache);
  CHECK_FALSE(again.finished());
  CHECK_FALSE(again);
}

TEST_CASE("compilers: one per core, however few or many there are", "[compile]") {
  CHECK(default_processes(0) == 1);
  CHECK(default_processes(7) == 7);
  CHECK(default_processes(32) == 32);
  CHECK(default_processes(128) == 32);
}

// Not run by default: kerlab_tests "compilations per second" prints the figures.
TEST_CASE("compilations per second", "[.][benchmark]") {
  const Lab lab;
  std::string body = "extern \"C\" __global__ void k(float* x, int n) {\n  float r[WIDTH];\n";
  body += "#pragma unroll\n  for (int i = 0; i < WIDTH; ++i) r[i] = x[i * n];\n";
  body += "  for (int s = 0; s < n; ++s)\n#pragma unroll\n    for (int i = 0; i < WIDTH; ++i)\n";
  body += "      r[i] = r[i] * x[s] + r[(i * 7 + 3) % WIDTH];\n";
  body += "#pragma unroll\n  for (int i = 0; i < WIDTH; ++i) x[i] = r[i];\n}\n";
  const SourceBundle source = read_source(lab.folder.write("wide.cu", body), {});
  constexpr int kJobs = 40;
  for (const int processes : {1, 2}) {
    CompilerPool::Options options = lab.options(processes);
    options.use_cache = false;
    CompilerPool pool(options);
    Asked asked;
    for (int i = 0; i < processes; ++i) asked[1000 + i] = pool.submit(Lab::with(source, "-DWIDTH=8"));
    run_all(pool, asked);  // all children are started
    const double busy = pool.busy_seconds();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kJobs; ++i) asked[i] = pool.submit(Lab::with(source, "-DWIDTH=" + std::to_string(24 + i)));
    double milliseconds = 0;
    for (const auto& [number, result] : run_all(pool, asked)) {
      REQUIRE(result.status == CompileStatus::ok);
      milliseconds += result.milliseconds / kJobs;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    WARN(processes << " processes: " << kJobs / seconds << " compilations/s, " << milliseconds << " ms each in NVRTC, "
                   << (pool.busy_seconds() - busy) * 1000 / kJobs << " ms seen by the parent");
  }
}

TEST_CASE("compiler: what sources for nvcc include is there, and an instance of a template that is asked for",
          "[compile][nvrtc]") {
  constexpr const char* kFound = R"(#include <assert.h>
#include <algorithm>
#include <cfloat>
#include <cstdint>
#include <limits>
#include <stdio.h>
#include <type_traits>
#include "cuda_runtime.h"
namespace ns {
template <typename T, int N>
__global__ void most(T* x, std::uint32_t n) {
  static_assert(std::is_same_v<T, float>);
  assert(n > 0);
  *x = std::max(std::numeric_limits<T>::lowest(), T(-FLT_MAX)) + N + INT32_MAX;
}
}  // namespace ns
)";
  Lab lab;
  CompilerPool pool(lab.options(1));
  std::vector<std::string> arguments = base_options("sm_90a");
  arguments.emplace_back("--instantiate=ns::most<float, 3>");
  const CompileResult result = pool.compile({read_source(lab.folder.write("found.cu", kFound), {}), arguments});
  INFO(result.log);
  REQUIRE(result.status == CompileStatus::ok);
  CHECK(result.ptx.find("_ZN2ns4mostIfLi3EEEvPT_j") != std::string::npos);
}
