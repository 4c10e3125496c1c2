// What loss and lse should be (family.toml), one block of 256 threads per row. Place j < count is row index[j], or row j
// when index is null. Any grid.
#include "common/types.cuh"

/// Combined over the block's threads; `partial` holds 256 values. Every thread gets the result.
template <typename Combine>
__device__ __forceinline__ ACC over_block(ACC own, ACC* partial, Combine combine) {
  __syncthreads();  // an earlier result may still be read
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  return partial[0];
}

__device__ __forceinline__ ACC size_of(ACC a) { return a < 0 ? -a : a; }

/// An infinity or a NaN must be met as it is: no tolerance.
__device__ __forceinline__ bool is_finite(ACC a) { return size_of(a) <= ACC(3.4028234e38f); }

/// The largest logit, log(sum(exp(x - largest))), and the sums of x and |x|.
struct Row {
  ACC largest, logarithm, total, size;
};
__device__ __forceinline__ Row row_of(const DTYPE* x, int V, ACC* partial) {
  const auto add = [](ACC a, ACC b) { return a + b; };
  Row row;
  ACC largest = to_float(x[0]);
  for (int i = threadIdx.x; i < V; i += 256) largest = largest < to_float(x[i]) ? ACC(to_float(x[i])) : largest;
  row.largest = over_block(largest, partial, [](ACC a, ACC b) { return a < b ? b : a; });

  ACC sum = 0, total = 0, size = 0;
  for (int i = threadIdx.x; i < V; i += 256) {
    const ACC number = to_float(x[i]);
    sum += number == ACC(float_from_bits(0xff800000U)) ? ACC(0) : exp(number - row.largest);
    total += number;
    size += size_of(number);
  }
  row.logarithm = log(over_block(sum, partial, add));
  row.total = over_block(total, partial, add);
  row.size = over_block(size, partial, add);
  return row;
}

extern "C" __global__ void __launch_bounds__(256)
reference_loss(const DTYPE* X, const int* labels, int V, float smoothing, const long long* index, long long count,
               ACC* value, ACC* scale) {
  __shared__ ACC partial[256];
  const ACC e = smoothing;
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long i = index == nullptr ? place : index[place];
    const Row row = row_of(X + i * V, V, partial);
    if (threadIdx.x != 0) continue;
    const bool ignored = labels[i] < 0;
    const ACC below = ignored ? ACC(0) : row.largest - ACC(to_float(X[i * V + labels[i]]));
    ACC loss = row.logarithm + (1 - e) * below;
    if (SMOOTHED) loss += e * (row.largest - row.total / V);
    ACC size = 1 + row.logarithm + sqrt(ACC(V)) / 2 + (1 - e) * below;
    if (SMOOTHED) size += e * (size_of(row.largest) + (1 + sqrt(ACC(V)) / 4) * row.size / V);
    value[place] = ignored ? ACC(0) : loss;
    scale[place] = ignored || !is_finite(loss) ? ACC(0) : size;
  }
}

extern "C" __global__ void __launch_bounds__(256)
reference_lse(const DTYPE* X, int V, const long long* index, long long count, ACC* value, ACC* scale) {
  __shared__ ACC partial[256];
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const Row row = row_of(X + (index == nullptr ? place : index[place]) * V, V, partial);
    if (threadIdx.x != 0) continue;
    const ACC lse = row.largest + row.logarithm;
    value[place] = lse;
    scale[place] = is_finite(lse) ? 1 + row.logarithm + size_of(row.largest) + sqrt(ACC(V)) / 2 : ACC(0);
  }
}
