// `kerlab adopt`: what is read out of a CUDA source, what is guessed, and what is refused where.
#include "session/adopt/adopt.h"

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "session/adopt/cuda_file.h"
#include "session/adopt/cuda_types.h"
#include "spec/spec.h"

using namespace kerlab;

namespace {

namespace fs = std::filesystem;

struct AdoptDesk {
  TemporaryFolder folder;
  [[nodiscard]] fs::path write(const std::string& text) const {
    const fs::path file = folder.path() / "k.cu";
    write_atomic(file, text);
    return file;
  }
  [[nodiscard]] CudaFile read(const std::string& text) const { return read_cuda_file(write(text)); }
  [[nodiscard]] Adopted take(const std::string& text, AdoptOptions options = {}) const {
    options.file = write(text);
    options.parent = folder.path();
    options.overwrite = true;
    return adopt(options);
  }
  /// As kerlab reads what was written.
  [[nodiscard]] KernelFolder load(const std::string& text, AdoptOptions options = {}) const {
    return load_folder(take(text, std::move(options)).folder);
  }
  [[nodiscard]] std::string refusal(const std::string& text, AdoptOptions options = {}) const {
    try {
      static_cast<void>(take(text, std::move(options)));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

const std::string kScaleKernel =
    "__global__ void scale(const float* x, float* y, int n, float a) { y[0] = a * x[0]; }\n";

}  // namespace

TEST_CASE("adopt: signatures as they are written", "[adopt]") {
  const AdoptDesk desk;
  const CudaFile file = desk.read(R"cuda(
#include <vector>
namespace a::b { namespace {
template <typename T = float, int TILE = 16, bool FAST = false>
__global__ void __launch_bounds__(TILE * TILE, 2) /* a comment ( */
    first(const T* __restrict__ x, T y[], std::size_t n = 4, unsigned flags);
template <typename T, int TILE>
static __global__ __launch_bounds__(TILE) void first(T const* x, T* y, unsigned long long n) { if (n > 0) { y[0] = x[0]; } }
}}
extern "C" {
__global__ void second(float* const x, volatile int* y) { const char* s = "}"; (void)s; }
}
)cuda");
  REQUIRE(file.kernels.size() == 2);  // a declaration is none
  const CudaKernel& first = file.kernels[0];
  CHECK(first.name == "a::b::first");
  REQUIRE(first.templates.size() == 2);
  CHECK(first.templates[1].name == "TILE");
  REQUIRE(first.arguments.size() == 3);
  CHECK(first.arguments[0].constant);
  CHECK_FALSE(first.arguments[1].constant);
  CHECK(first.arguments[2].type == "unsigned long long");
  CHECK(file.kernels[1].name == "second");
  CHECK_FALSE(file.kernels[1].arguments[0].constant);
  CHECK(file.kernels[1].arguments[1].type == "int");
}

TEST_CASE("adopt: a launch and its buffers say grid, block and sizes", "[adopt]") {
  const AdoptDesk desk;
  const KernelFolder folder = desk.load("#define BLOCK 128\n" + kScaleKernel + R"cuda(
int main() {
  int count = 1 << 12;
  float *in, *out;
  size_t bytes = count * sizeof(float);
  cudaMalloc(&in, bytes);
  cudaMalloc((void**)&out, bytes);
  int blocks = (count + BLOCK - 1) / BLOCK;
  scale<<<blocks, BLOCK>>>(in, out, count, 2.0f);
}
)cuda");
  CHECK(folder.family.name == "k");
  CHECK(folder.family.dimensions.front().name == "n");
  CHECK(folder.family.dimensions.front().default_value.evaluate({}) == 4096);
  CHECK(folder.family.accuracy.against_kernel);
  const Variant& variant = folder.variants.front();
  REQUIRE(variant.parameters.size() == 1);
  CHECK(variant.parameters.front().values == std::vector<std::int64_t>{64, 128, 256});
  CHECK(variant.launches.front().grid.front().text() == "(n + BLOCK - 1) / BLOCK");
  CHECK(folder.family.tensors.front().shape.front().text() == "n");
  const std::string source = read_text(variant.source);
  CHECK_THAT(source, Catch::Contains("#ifndef BLOCK\n#define BLOCK 128\n#endif") &&
                         Catch::Contains("#if 0  // adopt: host code\nint main()"));
}

TEST_CASE("adopt: sizes of types of one word", "[adopt]") {
  CHECK(bytes_of_type("int8_t") == 1);
  CHECK(bytes_of_type("__half") == 2);
  CHECK(bytes_of_type("float4") == 16);
  CHECK(bytes_of_type("size_t") == 8);
  CHECK_FALSE(bytes_of_type("Particle"));
}

TEST_CASE("adopt: scalars are what the host passes", "[adopt]") {
  const AdoptDesk desk;
  const auto with = [&](const std::string& before, const std::string& passed) {
    return desk
        .load(kScaleKernel + "void run(float* x, float* y) { " + before + " scale<<<1, 32>>>(x, y, 64, " + passed +
              "); }\n")
        .family.scalars.at(0)
        .default_value;
  };
  CHECK(with("", "1e-5f") == 1e-5);
  CHECK(with("", "-2.0") == -2);
  CHECK(with("float eps = 0.25f;", "eps") == 0.25);
  CHECK(with("", "1.0f / sqrtf(64)") == 1);  // a guess
}

TEST_CASE("adopt: a number that sizes buffers is no knob", "[adopt]") {
  const KernelFolder folder = AdoptDesk().load(
      "constexpr int N = 64;\n__global__ void f(float* y) { y[threadIdx.x] = N; }\n"
      "int main() { float* y; cudaMalloc(&y, N * sizeof(float)); f<<<1, N>>>(y); }\n");
  CHECK(folder.variants.front().parameters.front().values == std::vector<std::int64_t>{64});
  CHECK(folder.family.tensors.front().shape.front().text() == "64");
}

TEST_CASE("adopt: pragmas of kernel_launcher", "[adopt]") {
  const KernelFolder folder = AdoptDesk().load(
      "#pragma kernel tune(bs=32,64) block_size(bs) problem_size(n) buffers(A[2 * n], B[n])\n"
      "template <int bs> __global__ void add(const float* A, float* B, int n) { B[0] = A[0]; }\n");
  const Variant& variant = folder.variants.front();
  CHECK(variant.parameters.front().values == std::vector<std::int64_t>{32, 64});
  CHECK_FALSE(variant.parameters.front().define);
  CHECK(variant.launches.front().kernel == "add<{bs}>");
  CHECK(variant.launches.front().grid.front().text() == "ceil_div(n, bs)");
  CHECK(folder.family.tensors.front().shape.front().text() == "2 * n");
}

TEST_CASE("adopt: what could not be known is marked", "[adopt]") {
  const AdoptDesk desk;
  const Adopted adopted = desk.take(kScaleKernel);
  CHECK(adopted.kernel == "scale");
  CHECK_THAT(fmt::format("{}", fmt::join(adopted.marks, "\n")), Catch::Contains("count as right") &&
                                                                    Catch::Contains("a thread for each element") &&
                                                                    Catch::Contains("family.toml:"));
  AdoptOptions again;
  again.file = desk.folder.path() / "k.cu";
  again.parent = desk.folder.path();
  CHECK_THROWS_WITH(adopt(again), Catch::Contains("exists") && Catch::Contains("--overwrite"));
}

TEST_CASE("adopt: without a launch in the file the kernel's own indices say how it is meant", "[adopt]") {
  const AdoptDesk desk;
  const auto launch_of = [&](const std::string& text) { return desk.load(text).variants.front().launches.front(); };
  const LaunchDecl rows = launch_of(
      "template <int THREADS = 64> __global__ void __launch_bounds__(THREADS) f(const float* x, float* y, int m, int "
      "n) "
      "{ y[blockIdx.x * n + threadIdx.x] = x[0]; }");
  CHECK(rows.grid.front().text() == "m");
  CHECK(rows.block.front().text() == "THREADS");
  const KernelFolder unsaid =
      desk.load("template <int T> __global__ void __launch_bounds__(T) f(float* y, int n) { y[0] = n; }");
  CHECK(unsaid.variants.front().parameters.front().values == std::vector<std::int64_t>{128, 256, 512});
  const LaunchDecl plane = launch_of(
      "__global__ void f(const float* x, float* y, int m, int n) { y[(blockIdx.y * blockDim.y + threadIdx.y) * n + "
      "blockIdx.x * blockDim.x + threadIdx.x] = x[0]; }");
  REQUIRE(plane.grid.size() == 2);
  CHECK(plane.grid[0].text() == "ceil_div(n, 16)");
  CHECK(plane.grid[1].text() == "ceil_div(m, 16)");
  const LaunchDecl flat =
      launch_of("__global__ void f(float* y, int m, int n) { y[blockIdx.x * blockDim.x + threadIdx.x] = n; }");
  CHECK(flat.grid.front().text() == "ceil_div(m * n, 256)");
}

TEST_CASE("adopt: what a spec has a meaning for gets another name", "[adopt]") {
  const KernelFolder folder =
      AdoptDesk().load("__global__ void f(const int* index, float* value, int count) { value[index[0]] += 1; }\n");
  CHECK(folder.family.dimensions.front().name == "count_");
  CHECK(folder.family.tensors[0].name == "index_");
  CHECK(folder.family.tensors[1].role == Role::inout);
}

TEST_CASE("adopt: refusals name the place", "[adopt]") {
  const AdoptDesk desk;
  const auto with_kernel = [](std::string kernel, std::string reference = "") {
    AdoptOptions options;
    options.kernel = std::move(kernel);
    options.reference = std::move(reference);
    return options;
  };
  using Catch::Contains;
  using Catch::EndsWith;
  CHECK_THAT(desk.refusal("int main() { return 0; }\n"), Contains("k.cu:1:1: no kernel to adopt"));
  CHECK_THAT(desk.refusal(kScaleKernel + "__global__ void other(float* y) { y[0] = 1; }\n"),
             Contains("k.cu:2:17: several kernels") && EndsWith("scale, other"));
  CHECK_THAT(desk.refusal(kScaleKernel, with_kernel("scael")), Contains("--kernel scael") && EndsWith("it has scale"));
  CHECK_THAT(desk.refusal("__global__ void f(float* y, bool b) {}\n"),
             Contains("k.cu:1:29: parameter 'b' of type 'bool'"));
  CHECK_THAT(desk.refusal("__global__ void f(float** y) {}\n"),
             Contains("k.cu:1:19:") && Contains("pointer to pointers"));
  CHECK_THAT(desk.refusal("struct P { int x; };\n__global__ void f(P* y) {}\n"),
             Contains("k.cu:2:19:") && Contains("'P'") && Contains("bool, int8_t, int16_t") &&
                 Contains("uint16_t, unsigned, unsigned long long, cuComplex") && Contains("e2m1") && Contains("e8m0"));
  CHECK_THAT(desk.refusal("__global__ void f(const float* x, int n) {}\n"),
             Contains("k.cu:1:17:") && Contains("writes nothing"));
  CHECK_THAT(desk.refusal("__global__ void f(float& y) {}\n"), Contains("is a reference"));
  CHECK_THAT(desk.refusal("__global__ void f(float*) {}\n"), Contains("no name"));
  CHECK_THAT(desk.refusal(kScaleKernel + "__global__ void plain(float* z, float* w) { z[0] = 1; }\n",
                          with_kernel("scale", "plain")),
             Contains("k.cu:2:") && Contains("a reference takes what the kernel takes"));
}

TEST_CASE("adopt: broken and hostile sources end in one located error, or in none", "[adopt]") {
  const AdoptDesk desk;
  using Catch::Contains;
  CHECK_THAT(desk.refusal("/* no end\n" + kScaleKernel), Contains("k.cu:1:1: this comment has no end"));
  CHECK_THAT(desk.refusal(kScaleKernel + "const char* s = \"no end\n;"), Contains("k.cu:2:17: this string has no end"));
  CHECK_THAT(desk.refusal(std::string("\0__global__", 11)), Contains("this is no text"));
  CHECK_THAT(desk.refusal("#pragma kernel tune(bs=\n" + kScaleKernel), Contains("k.cu:1:"));
  CHECK_THAT(desk.refusal("#pragma kernel tune(bs=x)\n" + kScaleKernel), Contains("whole numbers"));
  CHECK_THAT(desk.refusal("__global__ void MACRO\n{ }\n"),
             Contains("k.cu:1:1: the signature of this kernel cannot be read"));
  CHECK_THAT(desk.refusal(std::string(5 << 20, ' ')), Contains("larger than 4 MiB"));
  // A variable of itself, brackets without end, and every beginning of a file: no crash, no endless loop.
  const std::string whole = "#define B 32\n" + kScaleKernel +
                            "int main() { int n = n + m, m = n; scale<<<n, dim3(B, 2)>>>(x, y, n, 1.0f); }\n";
  CHECK(desk.refusal(whole) == "no error");
  for (std::size_t length = 0; length < whole.size(); length += 7)
    CHECK_FALSE(desk.refusal(whole.substr(0, length)).empty());
  CHECK_THAT(desk.refusal(std::string(20000, '(') + kScaleKernel), Contains("no kernel to adopt"));
  CHECK_THAT(desk.refusal(std::string(20000, '{') + kScaleKernel), Contains("no kernel to adopt"));
  CHECK(desk.refusal("#define\n#\n#pragma kernel\n" + kScaleKernel) == "no error");
}

TEST_CASE("adopt: several dim3 in one declaration, and buffers of float2", "[adopt]") {
  const AdoptDesk desk;
  const KernelFolder folder = desk.load(R"cuda(
#define BX 32
__global__ void k(const float2* p, float* y, int rows, int cols) { y[0] = p[0].x * BX; }
int main() {
  int rows = 20, cols = 70;
  float2* p;
  float* y;
  cudaMalloc(&p, (rows + cols) * sizeof(float2));
  cudaMalloc(&y, sizeof(float) * rows * cols);
  dim3 block(BX, 8), grid((cols + BX - 1) / BX, (rows + 7) / 8);
  k<<<grid, block>>>(p, y, rows, cols);
}
)cuda");
  const Variant& variant = folder.variants.front();
  const Environment names = {{"rows", 20}, {"cols", 70}, {"BX", 32}};
  REQUIRE(variant.launches.front().grid.size() == 2);
  CHECK(variant.launches.front().grid[0].evaluate(names) == 3);
  CHECK(variant.launches.front().grid[1].evaluate(names) == 3);
  CHECK(folder.family.tensors.front().shape.front().evaluate(names) == 180);
}

TEST_CASE("adopt: pointers to bool, to 16 and 64 bits and to complex numbers", "[adopt][types]") {
  const AdoptDesk desk;
  const KernelFolder folder = desk.load(
      "__global__ void k(const bool* mask, const short* s, const unsigned short* u, const unsigned long long* w,\n"
      "                  const cuComplex* z, float* y, int n) { y[0] = mask[0] ? s[0] + u[0] + w[0] : z[0].x; }\n");
  const DType expected[] = {DType::boolean, DType::int16, DType::uint16, DType::uint64};
  REQUIRE(folder.family.tensors.size() == 6);
  for (std::size_t t = 0; t < std::size(expected); ++t) CHECK(folder.family.tensors[t].dtype.is(expected[t]));
  CHECK(folder.family.dtypes == std::vector{DType::complex64});  // of the first that is no integer
  CHECK_FALSE(folder.family.tensors[4].dtype.otherwise);
}

TEST_CASE("adopt: every type that a refusal names is known", "[adopt][types]") {
  const std::string known = known_elements();
  std::string type;
  for (const char c : known.substr(0, known.find(';')) + ',') {
    if (c == ',') {
      INFO(type);
      CHECK((element_of(type) || type == "unsigned"));
      type.clear();
    } else if (c != ' ' || !type.empty()) {
      type += c;
    }
  }
}

TEST_CASE("adopt: what a kernel changes in place is inout, and what it only stores to an output", "[adopt]") {
  const AdoptDesk desk;
  const auto role = [&](const std::string& body) {
    const KernelFolder folder = desk.load("__global__ void k(const float* w, float* x, int n) { " + body + " }\n");
    return folder.family.tensors.at(1).role;
  };
  CHECK(role("x[0] = w[0]; if (n == 1) x[1] = 2;") == Role::output);
  CHECK(role("float* row = x + n; row[0] *= w[0];") == Role::inout);
  CHECK(role("x[0] = x[1] * w[0];") == Role::inout);
  CHECK(role("x[0] += w[0];") == Role::inout);
  CHECK(role("atomicAdd(&x[0], w[0]);") == Role::inout);
  CHECK(role("if (x[0] == 1) x[0] = w[0];") == Role::inout);
}
