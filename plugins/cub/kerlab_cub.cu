// CUB as a library of kerlab: scan, reduce, histogram, sort and select in the rounds in which its kernels are timed.
//   nvcc -O3 -std=c++17 -shared -Xcompiler -fPIC,-fvisibility=hidden -arch=native -I src/vendor \
//     -o kerlab_cub.so plugins/cub/kerlab_cub.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/cub.cuh>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "kerlab_library.h"

namespace {

using Tensors = void* const*;
/// One call of CUB's; without memory it only says how much it wants.
using Call = std::function<cudaError_t(void* memory, size_t& bytes, Tensors tensor, cudaStream_t stream)>;

struct Row {
  Call call;
  size_t bytes = 0;
};

/// A call and what the tables name it; no call: the problem is not CUB's.
struct Offer {
  std::string label;
  Call call;
};

std::string setting(const kerlab_problem& problem, const char* name, const char* otherwise) {
  for (int64_t i = 0; i < problem.settings; ++i)
    if (std::strcmp(problem.setting[i].name, name) == 0) return problem.setting[i].value;
  return otherwise;
}

/// Its 32-bit offsets are what a user calls, and the faster ones.
int items(const kerlab_problem& problem) { return static_cast<int>(std::atoll(setting(problem, "N", "0").c_str())); }

template <typename T>
Offer scan(const kerlab_problem& problem) {
  const int n = items(problem);
  if (setting(problem, "mode", "inclusive") == "exclusive")
    return {"DeviceScan::ExclusiveSum", [n](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
              return cub::DeviceScan::ExclusiveSum(memory, bytes, static_cast<const T*>(t[0]), static_cast<T*>(t[1]), n,
                                                   stream);
            }};
  return {"DeviceScan::InclusiveSum", [n](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
            return cub::DeviceScan::InclusiveSum(memory, bytes, static_cast<const T*>(t[0]), static_cast<T*>(t[1]), n,
                                                 stream);
          }};
}

/// The larger or smaller of two; a NaN stays, as the family wants it and cub::Max does not.
template <bool largest>
struct Extreme {
  template <typename T>
  __host__ __device__ T operator()(T a, T b) const {
    if (a != a || b != b) return a != a ? a : b;
    return largest == (a < b) ? b : a;
  }
};

template <typename Out>
struct Widened {
  template <typename T>
  __host__ __device__ Out operator()(T x) const {
    return static_cast<Out>(x);
  }
};

template <bool largest, typename T, typename Out>
Offer extreme(int n) {
  using Limits = std::numeric_limits<Out>;
  const Out least = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  const Out most = Limits::has_infinity ? Limits::infinity() : Limits::max();
  return {largest ? "DeviceReduce, max" : "DeviceReduce, min",
          [n, least, most](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
            return cub::DeviceReduce::TransformReduce(memory, bytes, static_cast<const T*>(t[0]),
                                                      static_cast<Out*>(t[1]), n, Extreme<largest>(), Widened<Out>(),
                                                      largest ? least : most, stream);
          }};
}

struct Plus {
  template <typename T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

/// 16-bit numbers are added up in fp32.
template <typename T, typename Out>
Offer reduce(const kerlab_problem& problem) {
  const int n = items(problem);
  const std::string op = setting(problem, "op", "sum");
  if (op == "max") return extreme<true, T, Out>(n);
  if (op == "min") return extreme<false, T, Out>(n);
  if constexpr (std::is_same_v<T, Out>)
    return {"DeviceReduce::Sum", [n](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
              return cub::DeviceReduce::Sum(memory, bytes, static_cast<const T*>(t[0]), static_cast<Out*>(t[1]), n,
                                            stream);
            }};
  else
    return {"DeviceReduce::TransformReduce", [n](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
              return cub::DeviceReduce::TransformReduce(memory, bytes, static_cast<const T*>(t[0]),
                                                        static_cast<Out*>(t[1]), n, Plus(), Widened<Out>(), Out(0),
                                                        stream);
            }};
}

Offer histogram(const kerlab_problem& problem) {
  const int n = items(problem);
  const int bins = std::atoi(setting(problem, "BINS", "256").c_str());
  return {"DeviceHistogram::HistogramEven", [n, bins](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
            return cub::DeviceHistogram::HistogramEven(memory, bytes, static_cast<const unsigned*>(t[0]),
                                                       static_cast<unsigned*>(t[1]), bins + 1, 0u,
                                                       static_cast<unsigned>(bins), n, stream);
          }};
}

/// Tensors: keys, values, sorted keys, their values.
template <typename Key>
Offer sort(const kerlab_problem& problem) {
  const int n = items(problem);
  if (setting(problem, "values", "no") == "yes")
    return {"DeviceRadixSort::SortPairs", [n](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
              return cub::DeviceRadixSort::SortPairs(memory, bytes, static_cast<const Key*>(t[0]),
                                                     static_cast<Key*>(t[2]), static_cast<const unsigned*>(t[1]),
                                                     static_cast<unsigned*>(t[3]), n, 0,
                                                     static_cast<int>(8 * sizeof(Key)), stream);
            }};
  return {"DeviceRadixSort::SortKeys", [n](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
            return cub::DeviceRadixSort::SortKeys(memory, bytes, static_cast<const Key*>(t[0]),
                                                  static_cast<Key*>(t[2]), n, 0, static_cast<int>(8 * sizeof(Key)),
                                                  stream);
          }};
}

template <typename T>
struct Below {
  float limit;
  __host__ __device__ bool operator()(T x) const {
    if constexpr (sizeof(T) == 2)
      return static_cast<float>(x) < limit;
    else if constexpr (std::is_same_v<T, float>)
      return x < limit;
    else
      return static_cast<double>(x) < static_cast<double>(limit);
  }
};

/// Tensors: numbers, chosen numbers, how many.
template <typename T>
Offer select(const kerlab_problem& problem) {
  const int n = items(problem);
  const std::string what = setting(problem, "what", "select");
  const Below<T> below{static_cast<float>(std::atof(setting(problem, "limit", "0").c_str()))};
  if (what == "unique")
    return {"DeviceSelect::Unique", [n](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
              return cub::DeviceSelect::Unique(memory, bytes, static_cast<const T*>(t[0]), static_cast<T*>(t[1]),
                                               static_cast<long long*>(t[2]), n, stream);
            }};
  if (what == "partition")
    return {"DevicePartition::If", [n, below](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
              return cub::DevicePartition::If(memory, bytes, static_cast<const T*>(t[0]), static_cast<T*>(t[1]),
                                              static_cast<long long*>(t[2]), n, below, stream);
            }};
  return {"DeviceSelect::If", [n, below](void* memory, size_t& bytes, Tensors t, cudaStream_t stream) {
            return cub::DeviceSelect::If(memory, bytes, static_cast<const T*>(t[0]), static_cast<T*>(t[1]),
                                         static_cast<long long*>(t[2]), n, below, stream);
          }};
}

Offer offer(const kerlab_problem& problem) {
  const std::string family = problem.family, dtype = problem.dtype;
  if (family == "scan") {
    if (dtype == "fp32") return scan<float>(problem);
    if (dtype == "fp64") return scan<double>(problem);
    if (dtype == "int32") return scan<int>(problem);
    if (dtype == "uint32") return scan<unsigned>(problem);
  }
  if (family == "reduce") {
    if (dtype == "fp32") return reduce<float, float>(problem);
    if (dtype == "fp64") return reduce<double, double>(problem);
    if (dtype == "int32") return reduce<int, int>(problem);
    if (dtype == "bf16") return reduce<__nv_bfloat16, float>(problem);
    if (dtype == "fp16") return reduce<__half, float>(problem);
  }
  if (family == "histogram" && dtype == "uint32") return histogram(problem);
  if (family == "sort" && dtype == "uint32") {
    const std::string key = setting(problem, "key", "u32");
    if (key == "u32") return sort<unsigned>(problem);
    if (key == "i32") return sort<int>(problem);
    if (key == "f32") return sort<float>(problem);
    if (key == "u64") return sort<unsigned long long>(problem);
  }
  if (family == "select") {
    if (dtype == "fp32") return select<float>(problem);
    if (dtype == "fp64") return select<double>(problem);
    if (dtype == "int32") return select<int>(problem);
    if (dtype == "bf16") return select<__nv_bfloat16>(problem);
  }
  return {};
}

/// What CUB calls with: a family of this name that has other tensors is somebody's own.
bool has_tensors(const kerlab_problem& problem) {
  const std::string family = problem.family;
  const int64_t wanted = family == "sort" ? 4 : family == "select" ? 3 : 2;
  return problem.tensors == wanted;
}

int open_row(const kerlab_problem* problem, kerlab_row* row, char* why) {
  Offer offered = offer(*problem);
  if (!offered.call) return KERLAB_REFUSED;
  if (std::atoll(setting(*problem, "N", "0").c_str()) > 2147483647) {
    std::snprintf(why, 256, "it is called with an int for N here");
    return KERLAB_REFUSED;
  }
  if (!has_tensors(*problem)) {
    std::snprintf(why, 256, "a family of this name with other tensors than the shipped one");
    return KERLAB_REFUSED;
  }
  auto* state = new Row{std::move(offered.call), 0};
  void* const none[4] = {};
  if (const cudaError_t status = state->call(nullptr, state->bytes, none, nullptr); status != cudaSuccess) {
    std::snprintf(why, 256, "%s", cudaGetErrorString(status));
    delete state;
    return KERLAB_FAILED;
  }
  row->state = state;
  row->workspace_bytes = state->bytes;
  std::snprintf(row->label, sizeof row->label, "%s", offered.label.c_str());
  return KERLAB_TAKEN;
}

int run_row(void* state, void* stream, void* workspace, void* const* tensor) {
  auto* row = static_cast<Row*>(state);
  size_t bytes = row->bytes;
  return static_cast<int>(row->call(workspace, bytes, tensor, static_cast<cudaStream_t>(stream)));
}

void close_row(void* state) { delete static_cast<Row*>(state); }

const char* library_name() {
  static const std::string name =
      "CUB " + std::to_string(CUB_VERSION / 100000) + "." + std::to_string(CUB_VERSION / 100 % 1000);
  return name.c_str();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const kerlab_library* kerlab_open_library(uint32_t version) {
  static const kerlab_library library = {KERLAB_LIBRARY_VERSION, library_name(), open_row, run_row, close_row};
  return version == KERLAB_LIBRARY_VERSION ? &library : nullptr;
}
