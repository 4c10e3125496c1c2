// What O and LSE should be, by the definition; see attention/reference_row.cuh. One block of 256 threads per row; place
// j < count is row index[j], or row j when index is null. Any grid. Rows of O are counted as they lie in memory
// (`layout`), those of LSE by batch, head and query. Nothing is shared with the kernels, so that no mistake is.
#include "attention/reference_row.cuh"

/// The query of this block's row.
__device__ __forceinline__ ACC* shared_query() {
  __shared__ ACC query[256];
  return query;
}

/// Number 0 of a row: of place `place` of head `head` of sequence b.
__device__ __forceinline__ const DTYPE* row_at(const DTYPE* tensor, long long b, int head, int heads, int place,
                                               int places, int depth) {
  const long long row = BSHD ? (b * places + place) * heads + head : (b * heads + head) * places + place;
  return tensor + row * depth;
}

/// Query i of head h of sequence b, and the keys that it sees.
struct Row {
  int b, kv_head, kv_heads, keys, visible, depth;
  ACC factor;  // of q k

  __device__ __forceinline__ Row(const DTYPE* Q, int of_batch, int h, int i, int heads, int of_keys, int queries,
                                 int all_keys, int of_depth, ACC scale)
      : b(of_batch), kv_head(h / (heads / of_keys)), kv_heads(of_keys), keys(all_keys), depth(of_depth) {
    factor = scale / sqrt(ACC(depth));
    const int unseen = CAUSAL ? queries - 1 - i : 0;  // the last query sees all keys
    visible = unseen < keys ? keys - unseen : 0;
    const DTYPE* q = row_at(Q, b, h, heads, i, queries, depth);
    ACC* query = shared_query();
    __syncthreads();
    for (int d = threadIdx.x; d < depth; d += kThreads) query[d] = to_float(q[d]);
    __syncthreads();
  }
  __device__ __forceinline__ const DTYPE* of_value(const DTYPE* V, int key) const {
    return row_at(V, b, kv_head, kv_heads, key, keys, depth);
  }

  /// Score of a key, and the size of its rounding error: sqrt(depth) / 2 (|s| + 2 sqrt(sum of the squared terms)).
  __device__ __forceinline__ ACC score(const DTYPE* K, int key, ACC& size) const {
    const DTYPE* k = row_at(K, b, kv_head, kv_heads, key, keys, depth);
    const ACC* query = shared_query();
    ACC sum = 0, squares = 0;
    for (int d = 0; d < depth; ++d) {
      const ACC term = query[d] * ACC(to_float(k[d]));
      sum += term;
      squares += term * term;
    }
    size = fabs(factor) * sqrt(ACC(depth)) * (fabs(sum) / 2 + sqrt(squares));
    return sum * factor;
  }
};

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_output(const DTYPE* Q, const DTYPE* K, const DTYPE* V, int heads, int kv_heads, int queries, int keys,
                     int depth, float q_scale, float k_scale, float v_scale, const long long* index, long long count,
                     ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    long long rest = index == nullptr ? place : index[place];
    const int inner = static_cast<int>(rest % (BSHD ? heads : queries));
    rest /= BSHD ? heads : queries;
    const int outer = static_cast<int>(rest % (BSHD ? queries : heads));
    const int b = static_cast<int>(rest / (BSHD ? queries : heads));
    const int h = BSHD ? inner : outer, i = BSHD ? outer : inner;
    const Row row(Q, b, h, i, heads, kv_heads, queries, keys, depth, ACC(q_scale) * ACC(k_scale));
    row_of_output(row, K, V, depth, value + place * depth, scale + place * depth);
    const int d = static_cast<int>(threadIdx.x);  // each has written its own
    if (d >= depth) continue;
    value[place * depth + d] *= v_scale;
    scale[place * depth + d] *= fabsf(v_scale);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_lse(const DTYPE* Q, const DTYPE* K, int heads, int kv_heads, int queries, int keys, int depth,
                  float q_scale, float k_scale, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long at = index == nullptr ? place : index[place];
    const int i = static_cast<int>(at % queries), z = static_cast<int>(at / queries);
    const Row row(Q, z / heads, z % heads, i, heads, kv_heads, queries, keys, depth, ACC(q_scale) * ACC(k_scale));
    row_of_lse(row, K, value + place, scale + place);
  }
}
