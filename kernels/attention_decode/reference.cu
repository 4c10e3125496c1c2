// What O and LSE should be, by the definition: first the largest score of a row, then exponentials of what is below it.
// One block of 256 threads per row; place j < count is row index[j], or row j when index is null. Any grid. Nothing is
// shared with the kernels, so that no mistake is.
#include "common/types.cuh"

constexpr int kThreads = 256;

// W of docs/tolerance.md: what rounding weights to 16 bits does, in units of 4 u; below kSmallest their error is absolute.
#if DTYPE_BF16
constexpr ACC kRounded = 6 * 8192, kSmallest = 0;
#elif DTYPE_FP16
constexpr ACC kRounded = 6 * 1024, kSmallest = 1.0 / 16384;
#else
constexpr ACC kRounded = 0, kSmallest = 0;
#endif

struct Sum {
  static __device__ __forceinline__ ACC join(ACC a, ACC b) { return a + b; }
};
struct Largest {  // passes over NaN, which poisons the sum
  static __device__ __forceinline__ ACC join(ACC a, ACC b) { return a < b || a != a ? b : a; }
};

/// Combined over the block's threads; every thread gets the result.
template <typename How>
__device__ __forceinline__ ACC over_block(ACC own) {
  __shared__ ACC partial[kThreads];
  __syncthreads();  // an earlier result may still be read
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = How::join(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  return partial[0];
}

/// Head h of query i of sequence b, and the first so many keys of it that the query sees.
struct Row {
  const DTYPE* q;
  const int* pages;  // of the sequence; none where its keys follow one another
  int b, kv_head, kv_heads, keys, depth, page, visible;

  __device__ __forceinline__ Row(const DTYPE* Q, const int* length, const int* table, int b, int i, int h, int heads,
                                 int kv_heads, int queries, int keys, int depth, int page)
      : q(Q + ((static_cast<long long>(b) * queries + i) * heads + h) * depth),
        pages(PAGED ? table + static_cast<long long>(b) * ((keys + page - 1) / page) : nullptr),
        b(b),
        kv_head(h / (heads / kv_heads)),
        kv_heads(kv_heads),
        keys(keys),
        depth(depth),
        page(page),
        visible(length[b] - (queries - 1 - i)) {}

  __device__ __forceinline__ const DTYPE* of(const DTYPE* tensor, int key) const {
    const long long row = pages == nullptr ? static_cast<long long>(b) * keys + key
                                           : static_cast<long long>(pages[key / page]) * page + key % page;
    return tensor + (row * kv_heads + kv_head) * depth;
  }

  /// Score of a key, and the size of its rounding error: sqrt(depth) / 2 (|s| + 2 sqrt(sum of the squared terms)).
  __device__ __forceinline__ ACC score(const DTYPE* K, int key, ACC& size) const {
    const DTYPE* k = of(K, key);
    ACC sum = 0, squares = 0;
    for (int d = 0; d < depth; ++d) {
      const ACC term = ACC(to_float(q[d])) * ACC(to_float(k[d]));
      sum += term;
      squares += term * term;
    }
    size = fabs(sum) / 2 + sqrt(squares);
    return sum / sqrt(ACC(depth));
  }

  /// The largest score; 0 where there is none above -inf.
  __device__ __forceinline__ ACC largest(const DTYPE* K) const {
    ACC most = -ACC(__int_as_float(0x7f800000)), size;
    for (int key = threadIdx.x; key < visible; key += kThreads) most = Largest::join(most, score(K, key, size));
    most = over_block<Largest>(most);
    return most == -ACC(__int_as_float(0x7f800000)) ? ACC(0) : most;
  }
};

__device__ __forceinline__ void row_of_output(const Row& row, const DTYPE* K, const DTYPE* V, ACC* value, ACC* scale) {
  __shared__ ACC weights[kThreads], sizes[kThreads];
  const ACC largest = row.largest(K);
  const int d = static_cast<int>(threadIdx.x);
  ACC sum = 0, reach = 0;                       // of p, of p w: each thread's own keys
  ACC output = 0, magnitudes = 0, squares = 0;  // of p v, of p |v| w, of squared roundings: column d
  for (int first = 0; first < row.visible; first += kThreads) {
    const int key = first + d;
    ACC p = 0, w = 0;
    if (key < row.visible) {
      ACC size;
      const ACC s = row.score(K, key, size);
      p = exp(s - largest);
      if (p != 0) w = 1 + (largest - s) + sqrt(ACC(row.keys)) + size;
    }
    __syncthreads();
    weights[d] = p, sizes[d] = w;
    sum += p, reach += p * w;
    __syncthreads();
    const int here = row.visible - first < kThreads ? row.visible - first : kThreads;
    if (d >= row.depth) continue;
    for (int j = 0; j < here; ++j) {
      const ACC v = to_float(row.of(V, first + j)[d]), term = weights[j] * v;
      output += term;
      magnitudes += fabs(term) * sizes[j];
      const ACC rounded = weights[j] == 0 ? ACC(0) : (weights[j] + kSmallest) * v;
      squares += rounded * rounded;
    }
  }
  sum = over_block<Sum>(sum);
  reach = over_block<Sum>(reach);
  if (d >= row.depth) return;
  value[d] = sum == 0 ? ACC(0) : output / sum;
  scale[d] = sum == 0 ? ACC(0) : (magnitudes + fabs(value[d]) * reach + kRounded * sqrt(squares)) / sum;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_output(const DTYPE* Q, const DTYPE* K, const DTYPE* V, const int* length, const int* table, int heads,
                     int kv_heads, int queries, int keys, int depth, int page, const long long* index, long long count,
                     ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long at = index == nullptr ? place : index[place];
    const int h = static_cast<int>(at % heads), i = static_cast<int>(at / heads % queries);
    const int b = static_cast<int>(at / heads / queries);
    const Row row(Q, length, table, b, i, h, heads, kv_heads, queries, keys, depth, page);
    row_of_output(row, K, V, value + place * depth, scale + place * depth);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_lse(const DTYPE* Q, const DTYPE* K, const int* length, const int* table, int heads, int kv_heads, int queries,
                  int keys, int depth, int page, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long at = index == nullptr ? place : index[place];
    const int i = static_cast<int>(at % queries), h = static_cast<int>(at / queries % heads);
    const int b = static_cast<int>(at / queries / heads);
    const Row row(Q, length, table, b, i, h, heads, kv_heads, queries, keys, depth, page);
    const ACC largest = row.largest(K);
    ACC sum = 0, reach = 0;
    for (int key = threadIdx.x; key < row.visible; key += kThreads) {
      ACC size;
      const ACC s = row.score(K, key, size), p = exp(s - largest);
      sum += p;
      if (p != 0) reach += p * (largest - s + size);
    }
    sum = over_block<Sum>(sum);
    reach = over_block<Sum>(reach);
    if (threadIdx.x != 0) continue;
    value[place] = sum == 0 ? -ACC(__int_as_float(0x7f800000)) : largest + log(sum);
    scale[place] = sum == 0 ? ACC(0) : 1 + log(sum) + fabs(largest) + sqrt(ACC(keys)) / 2 + reach / sum;
  }
}
