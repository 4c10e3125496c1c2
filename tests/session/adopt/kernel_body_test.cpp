// `kerlab adopt`: what a kernel's own code says of its tensors: roles, extents, the parameters of its launch; and what
// lies beside the source.
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "session/adopt/adopt.h"
#include "spec/spec.h"

using namespace kerlab;

namespace {

struct BodyDesk {
  TemporaryFolder folder;
  [[nodiscard]] KernelFolder load(const std::string& text, const std::string& kernel = "") const {
    AdoptOptions options;
    options.file = folder.path() / "k.cu";
    write_atomic(options.file, text);
    options.parent = folder.path();
    options.kernel = kernel;
    options.overwrite = true;
    return load_folder(adopt(options).folder);
  }
  /// "x: input n; y: output m * n"
  [[nodiscard]] std::string tensors(const std::string& text) const {
    std::string all;
    const KernelFolder loaded = load(text);
    for (const TensorDecl& one : loaded.family.tensors)
      all += (all.empty() ? "" : "; ") + one.name + ": " + std::string(name(one.role)) + " " + one.shape[0].text();
    return all;
  }
};

}  // namespace

TEST_CASE("adopt: the guard of an index is the extent of what it indexes", "[adopt]") {
  const BodyDesk desk;
  CHECK(desk.tensors("__global__ void k(const float* x, float* y, int n, int m) {\n"
                     "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < m) y[i] = x[i];\n}\n") ==
        "x: input m; y: output m");
  CHECK(desk.tensors("__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {\n"
                     "  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;\n"
                     "  if (row >= M || col >= N) return;\n  float s = 0;\n"
                     "  for (int k = 0; k < K; ++k) s += A[row * K + k] * B[k * N + col];\n"
                     "  C[(size_t)row * N + col] = s;\n}\n") == "A: input M * K; B: input K * N; C: output M * N");
  // Rows by pointers; what each variable is made of by / and %; a local that is a product.
  CHECK(desk.tensors("__global__ void k(float* out, const float* in, const float* w, int B, int T, int C) {\n"
                     "  int idx = blockIdx.x * blockDim.x + threadIdx.x;\n  int total = B * T * C;\n"
                     "  if (idx < total) {\n    int bt = idx / C;\n    int c = idx % C;\n"
                     "    out[idx] = in[bt] * w[c];\n  }\n}\n") ==
        "out: output B * T * C; in: input B * T; w: input C");
  CHECK(desk.tensors("__global__ void k(float* y, const float* x, float* mean, int N, int C) {\n"
                     "  int row = blockIdx.x;\n  if (row >= N) return;\n  const float* own = x + row * C;\n"
                     "  for (int i = threadIdx.x; i < C; i += 32) y[row * C + i] = own[i];\n"
                     "  __stcs(mean + row, 0.0f);\n}\n") == "y: output N * C; x: input N * C; mean: output N");
  CHECK(desk.tensors("__global__ void k(const int* rows, float* y, int n) {\n"
                     "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "  if (i < n) y[i] = rows[i + 1] - rows[i];\n}\n") == "rows: input n + 1; y: output n");
  // What comes before a row is not known: neither is how far it goes, and the guess stands.
  CHECK(desk.tensors("__global__ void k(const float* x, float* y, int batch, int n, int m) {\n"
                     "  const int before = blockIdx.x * n * m;\n"
                     "  for (int i = 0; i < n; ++i) y[before + i * m + threadIdx.x] = x[before + i * m];\n}\n") ==
        "x: input batch * n; y: output batch * n");
  // Two bounds of one name, and places that nobody bounds: the guess there was.
  CHECK(desk.tensors("__global__ void k(float* y, const float* x, int n, int m) {\n"
                     "  for (int i = 0; i < n; ++i) y[i] = 0;\n  for (int i = 0; i < m; ++i) y[i] = x[threadIdx.x];\n"
                     "}\n") == "y: output n * m; x: input n * m");
}

TEST_CASE("adopt: a float2 is two floats, whatever says how many there are", "[adopt]") {
  const BodyDesk desk;
  CHECK(desk.tensors("__global__ void k(int* y, float2* p, int n) {\n"
                     "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = p[i].x > p[i].y;\n}\n") ==
        "y: output n; p: input 2 * n");
  CHECK(
      desk.tensors("__global__ void k(int* y, const float4* p, int n) { y[threadIdx.x] = p[threadIdx.x].x > 0; }\n") ==
      "y: output n; p: input 4 * n");
}

TEST_CASE("adopt: what a kernel only reads is an input, const or not", "[adopt]") {
  const BodyDesk desk;
  const auto roles = [&](const std::string& body) {
    return desk.tensors("__global__ void k(float* w, float* x, float* y, int n) { int i = threadIdx.x; if (i < n) { " +
                        body + " } }\n");
  };
  CHECK(roles("y[i] = w[i] + x[i];") == "w: input n; x: input n; y: output n");
  CHECK(roles("y[i] = w[i]; y[i] += x[i];") == "w: input n; x: input n; y: inout n");
  CHECK(roles("x[i]++; y[i] = __ldg(w + i);") == "w: input n; x: inout n; y: output n");
  CHECK(roles("float* row = y; row[i] = 1; atomicAdd(x + i, w[i]);") == "w: input n; x: inout n; y: output n");
  CHECK(roles("if (y != nullptr) y[i] = x[i]; f(w);") == "w: inout n; x: input n; y: output n");
  CHECK(roles("float* to = y + i; const float* of = x; *to = (float)*w * of[i];") ==
        "w: input n; x: input n; y: output n");
  CHECK(roles("*y += *w;") == "w: input n; x: input n; y: inout n");
  CHECK(roles("STORE;") == "w: inout n; x: inout n; y: inout n");       // nobody can tell
  CHECK(roles("y[i] = -1;") == "w: input n; x: input n; y: output n");  // nobody touches them
}

TEST_CASE("adopt: the parameters that blockIdx is multiplied by are the block and its share", "[adopt]") {
  const BodyDesk desk;
  const KernelFolder folder = desk.load(
      "#define block_size_x 256\n#define tile_size 2\n"
      "__global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * block_size_x * tile_size + threadIdx.x;\n"
      "  for (int t = 0; t < tile_size; ++t) if (i + t * block_size_x < n) y[i + t * block_size_x] = x[i + t * "
      "block_size_x];\n}\n");
  const LaunchDecl& launch = folder.variants.front().launches.front();
  CHECK(launch.block.front().text() == "block_size_x");
  CHECK(launch.grid.front().text() == "ceil_div(n, block_size_x * tile_size)");
  CHECK(folder.family.tensors.front().shape.front().text() == "n");
  // Names that Kernel Tuner defines: nothing in the file does.
  const KernelFolder bare = desk.load(
      "__global__ void k(float* y, int n) {\n  int i = blockIdx.x * block_size_x + threadIdx.x;\n"
      "  if (i < n) y[i] = 1;\n}\n");
  REQUIRE(bare.variants.front().parameters.size() == 1);
  CHECK(bare.variants.front().parameters.front().name == "block_size_x");
  CHECK(bare.variants.front().launches.front().block.front().text() == "block_size_x");
  CHECK_THAT(read_text(desk.folder.path() / "k" / "reference.cu"), Catch::Contains("#define block_size_x 256"));
}

TEST_CASE("adopt: what can be read of a launch is taken, and the host's sizes of the grid are dimensions", "[adopt]") {
  const BodyDesk desk;
  const KernelFolder folder = desk.load(
      "#include <torch/types.h>\n"
      "__global__ void k(const float* q, float* o, int N) { o[threadIdx.x] = q[threadIdx.x]; }\n"
      "void run(torch::Tensor q, torch::Tensor o) {\n  const int B = q.size(0); const int heads = q.size(1);\n"
      "  const int N = q.size(2);\n  dim3 grid(B, heads);\n  k<<<grid, 32>>>(q.data_ptr<float>(), o.data_ptr<float>(), "
      "N);\n}\n");
  const LaunchDecl& launch = folder.variants.front().launches.front();
  REQUIRE(launch.grid.size() == 2);
  CHECK(launch.grid[0].text() == "B");
  CHECK(launch.grid[1].text() == "heads");
  CHECK(launch.block.front().text() == "32");
  CHECK(folder.family.dimensions.size() == 3);
  CHECK_THAT(read_text(folder.variants.front().source), Catch::Contains("// adopt: #include <torch/types.h>"));
}

TEST_CASE("adopt: headers beside the source go along, with the types that they name", "[adopt]") {
  const BodyDesk desk;
  write_atomic(desk.folder.path() / "common.h",
               "#include \"more.h\"\n#include <cublas_v2.h>\ntypedef float real;\n"
               "void check(int e) { if (e) exit(1); }\n");
  write_atomic(desk.folder.path() / "more.h", "using floatX = real;\n");
  const TemporaryFolder elsewhere;
  write_atomic(elsewhere.path() / "secret.h", "secret\n");
  std::filesystem::create_symlink(elsewhere.path() / "secret.h", desk.folder.path() / "link.h");
  const KernelFolder folder = desk.load(
      "#include \"common.h\"\n#include \"../elsewhere.h\"\n#include \"link.h\"\n"
      "__global__ void k(const floatX* x, floatX* y, int n) { int i = threadIdx.x; if (i < n) y[i] = x[i]; }\n");
  CHECK(folder.family.tensors.front().shape.front().text() == "n");
  const std::filesystem::path beside = folder.variants.front().source.parent_path();
  CHECK_THAT(read_text(beside / "common.h"), Catch::Contains("// adopt: #include <cublas_v2.h>") &&
                                                 Catch::Contains("#if 0  // adopt: host code\nvoid check"));
  CHECK(read_text(beside / "more.h") == "using floatX = real;\n");
  CHECK_FALSE(std::filesystem::exists(beside.parent_path() / "elsewhere.h"));
  CHECK_FALSE(std::filesystem::exists(beside / "link.h"));  // nothing of another folder is read
}

namespace {

// As a batched kernel and its launch from PyTorch are written: tiles that the host decides and passes.
const std::string kBatched =
    "#include <torch/types.h>\n"
    "__global__ void k(const float* q, float* o, float* m, const int N, const int d, const int steps, const int tile) "
    "{\n"
    "  int tx = threadIdx.x;\n  int b = blockIdx.x, head = blockIdx.y;\n"
    "  int before = (b * gridDim.y * N * d) + (head * N * d);\n  int rows = (b * gridDim.y * N) + (head * N);\n"
    "  int size = tile * d;\n"
    "  for (int j = 0; j < steps; j++) {\n    float most = -INFINITY;\n"
    "    for (int x = 0; x < d; x++) most = max(most, q[before + (size * j) + (tx * d) + x]);\n"
    "    m[rows + (tile * j) + tx] = most;\n"
    "    for (int x = 0; x < d; x++) o[before + (size * j) + (tx * d) + x] = most;\n  }\n}\n"
    "void other(torch::Tensor q) {\n  const int tile = 8;\n  other_kernel<<<1, tile>>>(q, tile);\n}\n"
    "void run(torch::Tensor q, torch::Tensor o, torch::Tensor m) {\n  const int tile = 32;\n"
    "  const int B = q.size(0); const int heads = q.size(1);\n  const int N = q.size(2); const int d = q.size(3);\n"
    "  const int count = ceil((float) N / tile);\n  const int bytes = 2 * tile * d * sizeof(float);\n"
    "  dim3 grid(B, heads);\n  dim3 block(tile);\n"
    "  k<<<grid, block, bytes>>>(q.data_ptr<float>(), o.data_ptr<float>(), m.data_ptr<float>(), N, d, count, "
    "tile);\n}\n";

}  // namespace

TEST_CASE("adopt: offsets of batches, tiles that the host passes and numbers that it makes of sizes", "[adopt]") {
  const BodyDesk desk;
  const KernelFolder folder = desk.load(kBatched);
  std::vector<std::string> dimensions;
  for (const Dimension& one : folder.family.dimensions) dimensions.push_back(one.name);
  CHECK(dimensions == std::vector<std::string>{"N", "d", "B", "heads"});
  CHECK(folder.family.tensors[0].shape[0].text() == "B * heads * N * d");
  CHECK(folder.family.tensors[1].shape[0].text() == "B * heads * N * d");
  CHECK(folder.family.tensors[2].shape[0].text() == "B * heads * N");
  const Variant& variant = folder.variants.front();
  REQUIRE(variant.parameters.size() == 1);
  CHECK(variant.parameters[0].name == "tile");
  CHECK_FALSE(variant.parameters[0].define);
  CHECK(variant.parameters[0].values == std::vector<std::int64_t>{16, 32, 64});  // of the function that launches it
  const std::string text = read_text(variant.file);
  CHECK_THAT(text, Catch::Contains("\"N\", \"d\", \"ceil_div(N, tile)\", \"tile\"]"));
  CHECK_THAT(text, Catch::Contains("block = [\"tile\"]"));
  // The reference keeps the host's value.
  CHECK_THAT(read_text(folder.family.folder / "family.toml"),
             Catch::Contains("\"N\", \"d\", \"ceil_div(N, 32)\", \"32\"]"));
  CHECK(read_text(variant.source).starts_with("#include <math.h>"));  // nvcc has INFINITY without
}

TEST_CASE("adopt: an offset that changes, and sums that are no quotient, are not read", "[adopt]") {
  const BodyDesk desk;
  const std::string host =
      "void run(torch::Tensor q) {\n  const int B = q.size(0);\n  k<<<B, 32>>>(q.data_ptr<float>(), y, n, m);\n}\n";
  const std::string kernel =
      "__global__ void k(const float* x, float* y, int n, int m) {\n  int at = blockIdx.x * n;\n"
      "  for (int i = 0; i < n; ++i) { y[at + i] = x[at + i]; }\n}\n";
  CHECK(desk.tensors(kernel + host) == "x: input B * n; y: output B * n");
  std::string moved = kernel;
  moved.replace(moved.find("x[at + i]; }"), 12, "x[at + i]; at += m; }");
  CHECK(desk.tensors(moved + host) == "x: input n * m; y: output n * m");
  const auto dimensions = [&](const std::string& passed) {
    return desk.load(kernel + "void run(float* x, float* y, int n) {\n  k<<<n, 32>>>(x, y, n, " + passed + ");\n}\n")
        .family.dimensions.size();
  };
  CHECK(dimensions("ceil(n / 4)") == 1);
  CHECK(dimensions("std::ceil((double)n / 4)") == 1);
  CHECK(dimensions("(n + 3) / 4") == 1);
  CHECK(dimensions("ceil(n / 4 + 1)") == 2);
  CHECK(dimensions("ceil(n * 0.25f)") == 2);
  CHECK(dimensions("n") == 2);  // two sizes that the host has the same
}

TEST_CASE("adopt: qualifiers by macros", "[adopt]") {
  const BodyDesk desk;
  const std::string text =
      "#define __kernel __launched\n#define __launched extern \"C\" __global__\n#define __global\n"
      "#define restrict __restrict__\n#define inline __device__ inline\n#define TILE(x) __global__\n"
      "inline void exit_early(int n) { malloc(n); }\n"
      "__kernel void k(const __global float* restrict x, __global float* y, int n) {\n"
      "  int i = threadIdx.x; if (i < n) y[i] = x[i];\n}\n";
  CHECK(desk.tensors(text) == "x: input n; y: output n");
  const KernelFolder folder = desk.load(text);
  CHECK_THAT(read_text(folder.variants.front().source), !Catch::Contains("#if 0"));  // of the device, as the macro says
  CHECK_THROWS_WITH(desk.load("#define KERNEL __global__ void\nKERNEL k(float* y, int n) { y[0] = n; }\n"),
                    Catch::Contains("no kernel to adopt"));
}
