#include "spec/new_family.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {
namespace {

constexpr std::string_view kFamily =
    R"toml(# What NAME computes. Replace the example (out = alpha x + y) by your operation; FORMAT.md beside the shipped kernels
# describes every key. Try it:  kerlab tune ./NAME --N 1M      kerlab check ./NAME
name = "NAME"
doc = "out = alpha x + y"
dtypes = ["fp32", "fp16", "bf16"]  # the first is the default

[[dimension]]                      # --N 1M
name = "N"
default = 16777216
doc = "number of elements"

[[scalar]]                         # --alpha 2
name = "alpha"
default = 1.5

[[tensor]]
name = "x"
role = "input"
shape = ["N"]

[[tensor]]
name = "y"
role = "input"
shape = ["N"]

[[tensor]]
name = "out"
role = "output"
shape = ["N"]

# reference.cu says what `out` should be; every configuration is checked against it before it is timed.
[[reference]]
output = "out"
kernel = "reference"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["x", "y", "alpha", "index", "count", "value", "scale"]
tolerance = { rule = "sum", length = 1 }  # docs/tolerance.md: which rule and which scale for what

[[recipe]]                         # what the inputs hold; the first is the data that is timed
name = "normal"

[[recipe]]
name = "small_integer"

[[recipe]]                         # for thorough checks: every element tells where it stands
name = "index_coded"

[[recipe]]                         # from tiny to huge, and some that are no numbers: they must spoil what they should
name = "extremes"                  # and nothing else. FORMAT.md: what else can be planted
base = "normal"

[[recipe.plant]]
what = "spread"
along = "columns"
value = 12

[[recipe.plant]]
what = "points"
tensor = "x"
value = nan

[[recipe.plant]]
what = "points"
tensor = "y"
count = 2
value = -inf

[cost]                             # of one run: for TFLOP/s, bandwidth and the roofline
flops = "2 * N"
bytes = "3 * N * dtype.bytes"
)toml";

constexpr std::string_view kReference =
    R"cuda(// What `out` should be. Clarity counts, speed does not. Output number j is element index[j], or element j when index is
// null. ACC is double where the GPU is good at it, else float.
INCLUDE_TYPES

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* y, float alpha, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long element = index == nullptr ? j : index[j];
  const ACC product = ACC(alpha) * ACC(to_float(x[element]));
  const ACC addend = ACC(to_float(y[element]));
  value[j] = product + addend;
  scale[j] = sqrt(product * product + addend * addend);  // rule "sum": root of the sum of the squared terms
}
)cuda";

constexpr std::string_view kSimpleSpec =
    R"toml(# The simplest implementation: one thread for each element. simple.cu is its source.
doc = "one thread per element"
rung = 0

[[parameter]]                      # -DTHREADS=... ; kerlab tries every value
name = "THREADS"
values = [128, 256, 512, 1024]
default = 256
doc = "threads per block"

[[launch]]
kernel = "simple"
grid = ["ceil_div(N, THREADS)"]
block = ["THREADS"]
arguments = ["x", "y", "out", "alpha", "N"]
)toml";

constexpr std::string_view kSimple = R"cuda(INCLUDE_TYPES

extern "C" __global__ void __launch_bounds__(THREADS)
    simple(const DTYPE* x, const DTYPE* y, DTYPE* out, float alpha, int n) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i < n) out[i] = from_float<DTYPE>(alpha * to_float(x[i]) + to_float(y[i]));
}
)cuda";

constexpr std::string_view kUnrolledSpec =
    R"toml(# Each thread computes ITEMS elements, so that more loads are in flight.
doc = "several elements per thread"
rung = 1

[[parameter]]
name = "THREADS"
values = [128, 256, 512, 1024]
default = 256
doc = "threads per block"

[[parameter]]
name = "ITEMS"
values = [1, 2, 4, 8, 16]
default = 4
doc = "elements per thread"

[[derived]]                        # a define too: -DBLOCK_ITEMS=...
name = "BLOCK_ITEMS"
value = "THREADS * ITEMS"

[[constraint]]                     # configurations for which this is 0 are never compiled
name = "enough_blocks"
condition = "BLOCK_ITEMS <= 8192"
doc = "larger blocks leave multiprocessors idle at the end"

[[launch]]
kernel = "unrolled"
grid = ["ceil_div(N, BLOCK_ITEMS)"]
block = ["THREADS"]
arguments = ["x", "y", "out", "alpha", "N"]
)toml";

constexpr std::string_view kUnrolled = R"cuda(INCLUDE_TYPES

extern "C" __global__ void __launch_bounds__(THREADS)
    unrolled(const DTYPE* x, const DTYPE* y, DTYPE* out, float alpha, int n) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK_ITEMS + threadIdx.x;
  float a[ITEMS], b[ITEMS];
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {  // neighbouring threads read neighbouring elements
    const long long i = first + item * THREADS;
    a[item] = i < n ? to_float(x[i]) : 0.0f;
    b[item] = i < n ? to_float(y[i]) : 0.0f;
  }
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const long long i = first + item * THREADS;
    if (i < n) out[i] = from_float<DTYPE>(alpha * a[item] + b[item]);
  }
}
)cuda";

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"family.toml", kFamily}, {"reference.cu", kReference},     {"simple.toml", kSimpleSpec},
    {"simple.cu", kSimple},   {"unrolled.toml", kUnrolledSpec}, {"unrolled.cu", kUnrolled}};

// Put in by replacement, so that a search for includes of C++ files does not find it.
constexpr std::string_view kIncludeTypes = "#include \"common/types.cuh\"";

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::vector<std::filesystem::path> write_new_family(const std::filesystem::path& named, std::string name) {
  // "absent/../there" is `there`, also while `absent` is absent.
  const std::filesystem::path folder = std::filesystem::weakly_canonical(named);
  if (!is_identifier(name))
    throw UsageError(fmt::format("'{}' is not a name for a kernel: letters, digits and _, no digit first", name));
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error))
    throw UsageError(fmt::format("{} exists and is no folder", folder.string()));
  if (std::filesystem::is_directory(folder, error) && !std::filesystem::is_empty(folder, error))
    throw UsageError(fmt::format("{} exists and is not empty; choose another name", folder.string()));
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot create {}: {}", folder.string(), error.message()));
  std::vector<std::filesystem::path> written;
  for (const auto& [file, text] : kFiles) {
    write_atomic(folder / file,
                 replace_all(replace_all(std::string(text), "NAME", name), "INCLUDE_TYPES", kIncludeTypes));
    written.push_back(folder / file);
  }
  return written;
}

}  // namespace kerlab::spec
